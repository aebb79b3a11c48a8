package gen

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
)

// An OperatorCase is a value under an operator, and values of taints.
type OperatorCase struct {
	Operator         toleration.Operator
	Value            string
	Matches, Differs []string // values of taints that it matches, and does not
}

// Operators returns a case for each operator.
func Operators(t testing.TB) []OperatorCase {
	t.Helper()
	cases := []OperatorCase{
		{toleration.Equal, "5", []string{"5"}, []string{"4", "6", "x", ""}},
		{toleration.Exists, "", []string{"", "5", "x"}, nil},
		{toleration.Lt, "5", []string{"0", "4"}, []string{"5", "6", "04", "x", ""}},
		{toleration.Gt, "5", []string{"6", "10"}, []string{"4", "5", "06", "x", ""}},
	}
	for op := toleration.Equal; op.IsValid(); op++ {
		if !slices.ContainsFunc(cases, func(c OperatorCase) bool { return c.Operator == op }) {
			t.Errorf("internal/tests/gen has no case for the operator %v", op)
		}
	}
	return cases
}
