package validate

import (
	"github.com/go-tolerate/tolerate/internal/syntax"
)

// Key returns the rules that s breaks as a key, nil if none.
func Key(s string) error {
	if broken := syntax.Key(s); broken != 0 {
		return problems("validate.Key", s, broken)
	}
	return nil
}

// Value returns the rules that s breaks as a value, nil if none.
func Value(s string) error {
	if broken := syntax.Value(s); broken != 0 {
		return problems("validate.Value", s, broken)
	}
	return nil
}

// Integer returns the number that s represents. Each number has one form.
func Integer(s string) (int64, error) {
	n, broken := syntax.Integer(s)
	if broken != 0 {
		return 0, problems("validate.Integer", s, broken)
	}
	return n, nil
}

func problems(caller, s string, broken syntax.Set) (ps Problems) {
	for r := range broken.All {
		ps = append(ps, &Problem{Func: caller, Input: s, Value: s, Rule: Rule(r)})
	}
	return ps
}
