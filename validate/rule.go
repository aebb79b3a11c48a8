package validate

import "strconv"

// A Rule identifies a constraint that a value violates. The zero Rule is none.
type Rule uint8

const (
	// Text and JSON.
	InvalidKey     Rule = iota + 1 // a text that is not a key
	InvalidValue                   // the value of a taint, or of a toleration with Equal or no operator
	InvalidInteger                 // the value of a toleration with Lt or Gt
	Syntax                         // a text that does not have the form
	NameUnknown                    // a name that is not a constant of the type
	NotJSON
	WrongType // JSON of another type, or a text that is not a time
	FieldUnknown
	FieldRepeated

	// Values and lists of any type.
	TimeRange // outside the years 1 to 9999
	ZeroValue
	Duplicate // key and effect of an earlier taint

	// Taints and edits.
	EffectMissing // a taint without an effect
	EditConflict  // an edit that does not fit the node's taints or the other edits

	// Tolerations.
	KeyMissing    // an empty key without the operator Exists
	ExistsValue   // a value under the operator Exists
	NumericOff    // Lt or Gt where they are not enabled
	SecondsEffect // seconds without the effect NoExecute

	// Admission and policies.
	NotAllowed    // a toleration that the whitelist or the policy refuses, or a removed one
	InvalidClause // a mistake in a policy's Spec

	// Devices.
	TooManyTaints // more than 16 taints on a device
	SelectorEmpty // a selector with an empty field
)

// table has the name of each rule, and what it requires unless that has the value in it.
var table = [...]struct{ name, text string }{
	InvalidKey:     {"InvalidKey", "must be a key"},
	InvalidValue:   {"InvalidValue", "must be a value"},
	InvalidInteger: {"InvalidInteger", "must be an integer"},
	Syntax:         {"Syntax", "must have the form"},
	NameUnknown:    {"NameUnknown", ""},
	NotJSON:        {"NotJSON", "must be JSON"},
	WrongType:      {"WrongType", "must have another type"},
	FieldUnknown:   {"FieldUnknown", ""},
	FieldRepeated:  {"FieldRepeated", "must be given only once"},

	TimeRange: {"TimeRange", "must be in the years 1 to 9999"},
	ZeroValue: {"ZeroValue", "must not be the zero value"},
	Duplicate: {"Duplicate", "repeats the key and effect of an earlier taint"},

	EffectMissing: {"EffectMissing", "must not be empty"},
	EditConflict:  {"EditConflict", "must not be both added and removed"},

	KeyMissing:    {"KeyMissing", "must be set, unless the operator is Exists"},
	ExistsValue:   {"ExistsValue", "must be empty when the operator is Exists"},
	NumericOff:    {"NumericOff", "the numeric operators Lt and Gt are not enabled"},
	SecondsEffect: {"SecondsEffect", "needs the effect NoExecute"},

	NotAllowed:    {"NotAllowed", "is not allowed"},
	InvalidClause: {"InvalidClause", "is invalid in a policy"},

	TooManyTaints: {"TooManyTaints", "a device can have at most 16 taints"},
	SelectorEmpty: {"SelectorEmpty", "must not be empty: to select all, omit it"},
}

func (r Rule) String() string {
	if int(r) < len(table) {
		return table[r].name
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}

func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
