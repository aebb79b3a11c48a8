package toleration

import (
	"github.com/go-tolerate/tolerate/internal/enum"
)

// An Operator relates a toleration's value to a taint's. Zero is an absent one, which
// means Equal.
type Operator uint8

const (
	// Equal matches the same value.
	Equal Operator = iota + 1
	// Exists matches any value; without a key, any taint.
	Exists
	// Lt matches a smaller integer.
	Lt
	// Gt matches a greater integer.
	Gt
)

const operatorType = "toleration.Operator"

var (
	operatorTexts = []string{"", "Equal", "Exists", "Lt", "Gt"}
	operatorNames = operatorTexts[1:]
	plainNames    = operatorTexts[1:3] // without the numeric operators
)

// IsValid reports whether op is one of the four operators.
func (op Operator) IsValid() bool { return 0 < op && int(op) < len(operatorTexts) }

func (op Operator) String() string { return enum.String(op, operatorType, operatorTexts) }

func (op Operator) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, op, operatorType, operatorTexts)
}

func (op Operator) MarshalText() ([]byte, error) { return op.AppendText(nil) }

func (op *Operator) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(op, text, operatorType, operatorTexts)
}
