package toleration

import (
	"strconv"

	"github.com/go-tolerate/tolerate/validate"
)

// An Operator relates a toleration's value to a taint's. The zero Operator
// stands for an absent one, which means Equal.
//
// As text it is its name; the zero Operator is the empty text.
type Operator uint8

const (
	// Equal matches a taint with the same value.
	Equal Operator = iota + 1
	// Exists matches a taint with any value, and without a key any taint.
	Exists
	// Lt matches a taint whose value is an integer smaller than the
	// toleration's.
	Lt
	// Gt matches a taint whose value is an integer greater than the
	// toleration's.
	Gt
)

var (
	operatorNames = []string{"Equal", "Exists", "Lt", "Gt"}
	plainNames    = operatorNames[:2] // without the numeric operators
)

// ParseOperator returns the operator of that name, which is case-sensitive. On
// an error, which lists the names, it returns 0. It does not allocate when the
// name is known.
func ParseOperator(name string) (Operator, error) {
	return parseOperator(name, "toleration.ParseOperator")
}

func parseOperator(name, caller string) (Operator, error) {
	if op, ok := knownOperator(name); ok && op != 0 {
		return op, nil
	}
	return 0, validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.OperatorUnknown, Allowed: operatorNames}}
}

// knownOperator takes the empty name for the absent operator.
func knownOperator(name string) (op Operator, ok bool) {
	switch name {
	case "":
		return 0, true
	case "Equal":
		return Equal, true
	case "Exists":
		return Exists, true
	case "Lt":
		return Lt, true
	case "Gt":
		return Gt, true
	}
	return 0, false
}

// IsValid reports whether op is one of the four operators.
func (op Operator) IsValid() bool { return Equal <= op && op <= Gt }

// String returns the operator's name, "" for the zero Operator. It does not
// allocate for these.
func (op Operator) String() string {
	switch {
	case op == 0:
		return ""
	case op.IsValid():
		return operatorNames[op-1]
	}
	return "Operator(" + strconv.Itoa(int(op)) + ")"
}

// AppendText appends the operator's name to b. It fails on a number that is no
// operator, and returns b unchanged.
func (op Operator) AppendText(b []byte) ([]byte, error) {
	return op.appendText("toleration.Operator.AppendText", b)
}

// MarshalText returns the operator's name, and fails as AppendText does.
func (op Operator) MarshalText() ([]byte, error) {
	return op.appendText("toleration.Operator.MarshalText", nil)
}

func (op Operator) appendText(caller string, b []byte) ([]byte, error) {
	if op > Gt {
		return b, validate.Problems{{Func: caller, Value: op.String(), Rule: validate.OperatorUnknown, Allowed: operatorNames}}
	}
	return append(b, op.String()...), nil
}

// UnmarshalText sets op to the operator of that name; empty text gives the
// zero Operator. On an error op is unchanged.
func (op *Operator) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*op = 0
		return nil
	}
	parsed, err := parseOperator(string(text), "toleration.Operator.UnmarshalText")
	if err == nil {
		*op = parsed
	}
	return err
}
