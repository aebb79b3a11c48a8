package validate

import (
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/rule"
)

// A Cause is the reason that the API server reports for a problem. As text it
// is a metav1.CauseType. The zero Cause is none, and its text is empty.
type Cause uint8

// The causes and their rules.
const (
	CauseRequired     Cause = rule.CauseRequired     // EffectMissing, ZeroValue
	CauseInvalid      Cause = rule.CauseInvalid      // all others, such as NameTooLong
	CauseTypeInvalid  Cause = rule.CauseTypeInvalid  // NotList, NotObject, NotString, NotWhole
	CauseNotSupported Cause = rule.CauseNotSupported // NameUnknown, NumericOff
	CauseDuplicate    Cause = rule.CauseDuplicate    // Duplicate
	CauseForbidden    Cause = rule.CauseForbidden    // NotAllowed, NotWhitelisted, NotKept
	CauseTooMany      Cause = rule.CauseTooMany      // TooManyTaints
)

var causeNames = []string{
	"",
	CauseRequired:     "FieldValueRequired",
	CauseInvalid:      "FieldValueInvalid",
	CauseTypeInvalid:  "FieldValueTypeInvalid",
	CauseNotSupported: "FieldValueNotSupported",
	CauseDuplicate:    "FieldValueDuplicate",
	CauseForbidden:    "FieldValueForbidden",
	CauseTooMany:      "FieldValueTooMany",
}

// String returns the metav1.CauseType, such as "FieldValueInvalid".
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return "Cause(" + strconv.Itoa(int(c)) + ")"
}

// AppendText implements [encoding.TextAppender].
func (c Cause) AppendText(b []byte) ([]byte, error) {
	return appendName(b, "validate.Cause.MarshalText", causeNames, int(c), c.String())
}

// MarshalText implements [encoding.TextMarshaler].
func (c Cause) MarshalText() ([]byte, error) { return c.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Cause) UnmarshalText(text []byte) error {
	n, err := named("validate.Cause.UnmarshalText", causeNames, string(text))
	if err == nil {
		*c = Cause(n)
	}
	return err
}

// appendName and named do for the enumerations of this package what
// internal/enum, which imports it, does for all others.
func appendName(b []byte, caller string, names []string, n int, text string) ([]byte, error) {
	if n >= len(names) {
		return b, unknownName(caller, text, names)
	}
	return append(b, text...), nil
}

func named(caller string, names []string, text string) (int, error) {
	if n := slices.Index(names, text); n >= 0 {
		return n, nil
	}
	return 0, unknownName(caller, text, names)
}

// unknownName is the error for a name that is not in names. The first of them is
// empty and not listed.
func unknownName(caller, name string, names []string) error {
	return Problems{{Func: caller, Input: name, Value: name, Rule: NameUnknown, Allowed: names[1:]}}
}
