package validate

import (
	"strconv"
	"strings"
)

// A Rule names what a value must be and is not. Programs may switch on it: a
// constant keeps its meaning, though its number and its text may change.
//
// The zero Rule is no rule; it stands for "nothing is wrong".
type Rule uint8

// The rules for keys, values and integers.
const (
	KeyEmpty      Rule = iota + 1 // the key is empty
	KeySlashes                    // the key holds more than one '/'
	PrefixEmpty                   // nothing stands before the key's '/'
	PrefixTooLong                 // the key's prefix is longer than 253 bytes
	PrefixForm                    // the key's prefix is no DNS subdomain
	NameEmpty                     // nothing stands after the key's '/'
	NameTooLong                   // the key's name is longer than 63 bytes
	NameBytes                     // the key's name holds another byte than a letter, a digit, '-', '_' or '.'
	NameEnds                      // the key's name begins or ends with '-', '_' or '.'
	ValueTooLong                  // the value is longer than 63 bytes
	ValueBytes                    // the value holds another byte than a letter, a digit, '-', '_' or '.'
	ValueEnds                     // the value begins or ends with '-', '_' or '.'
	IntegerForm                   // the text is no decimal integer in its one form
	IntegerRange                  // the integer is outside int64
)

// The rules for one taint or toleration.
const (
	EffectUnknown   Rule = iota + 32 // no such effect
	EffectMissing                    // a taint without effect
	OperatorUnknown                  // no such operator
	OperatorMissing                  // an empty key without the operator Exists
	ExistsValue                      // a value under the operator Exists
	NumericKey                       // Lt or Gt without a key
	NumericOff                       // Lt or Gt where they are not enabled
	SecondsEffect                    // seconds without the effect NoExecute
	TimeRange                        // a time outside the years 1 to 9999
	ZeroValue                        // the zero Taint or Toleration where a valid one is needed
)

// The rules for lists.
const (
	Duplicate Rule = iota + 64 // a node's taint with the key and effect of an earlier one
	Removed                    // an update that drops or rewrites a toleration
	Conflict                   // edits that add and remove the same key and effect at once
	Present                    // an edit that adds what is there, and may not overwrite it
	Missing                    // an edit that removes what is not there
)

// The rules for text and JSON.
const (
	Syntax        Rule = iota + 96 // the text has another form
	NotJSON                        // the text is no JSON
	NotList                        // something else than a list
	NotObject                      // something else than an object
	NotString                      // something else than a string
	NotWhole                       // something else than a whole number
	NotTime                        // no RFC 3339 time
	FieldUnknown                   // no such field (strict reading)
	FieldRepeated                  // a field given twice (strict reading)
)

// ruleText holds what Problem.Error says of each rule. A text with a %q tells
// the value itself; the others stand behind it.
var ruleText = map[Rule]string{
	KeyEmpty:        "must not be empty",
	KeySlashes:      "may hold at most one '/'",
	PrefixEmpty:     "the prefix before '/' must not be empty",
	PrefixTooLong:   "the prefix before '/' must be at most 253 bytes long",
	PrefixForm:      "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit",
	NameEmpty:       "the name after '/' must not be empty",
	NameTooLong:     "the name must be at most 63 bytes long",
	NameBytes:       "the name may hold only letters, digits, '-', '_' and '.'",
	NameEnds:        "the name must begin and end with a letter or digit",
	ValueTooLong:    "must be at most 63 bytes long",
	ValueBytes:      "may hold only letters, digits, '-', '_' and '.'",
	ValueEnds:       "must begin and end with a letter or digit",
	IntegerForm:     "must be a decimal integer such as 0, 42 or -7",
	IntegerRange:    "must lie within int64",
	EffectUnknown:   "unknown effect %q",
	EffectMissing:   "must not be empty",
	OperatorUnknown: "unknown operator %q",
	OperatorMissing: "must be set, or the operator must be Exists",
	ExistsValue:     "must be empty when the operator is Exists",
	NumericKey:      "must be set when the operator is Lt or Gt",
	NumericOff:      "the numeric operators Lt and Gt are not enabled",
	SecondsEffect:   "needs the effect NoExecute",
	TimeRange:       "must lie in the years 1 to 9999",
	ZeroValue:       "must not be the zero value",
	Duplicate:       "repeats the key and effect of an earlier taint",
	Removed:         "must stay as it is: an update may only add tolerations and change seconds",
	Conflict:        "is added and removed at once",
	Present:         "is there already, and is not to be overwritten",
	Missing:         "is not there to be removed",
	Syntax:          "must have the form",
	NotJSON:         "must be JSON",
	NotList:         "must be a list",
	NotObject:       "must be an object",
	NotString:       "must be a string",
	NotWhole:        "must be a whole number within int64",
	NotTime:         "must be a time as in RFC 3339, such as 2026-01-02T15:04:05Z",
	FieldUnknown:    "unknown field %q",
	FieldRepeated:   "must be given only once",
}

// ruleNames holds the names of the constants.
var ruleNames = map[Rule]string{
	KeyEmpty:        "KeyEmpty",
	KeySlashes:      "KeySlashes",
	PrefixEmpty:     "PrefixEmpty",
	PrefixTooLong:   "PrefixTooLong",
	PrefixForm:      "PrefixForm",
	NameEmpty:       "NameEmpty",
	NameTooLong:     "NameTooLong",
	NameBytes:       "NameBytes",
	NameEnds:        "NameEnds",
	ValueTooLong:    "ValueTooLong",
	ValueBytes:      "ValueBytes",
	ValueEnds:       "ValueEnds",
	IntegerForm:     "IntegerForm",
	IntegerRange:    "IntegerRange",
	EffectUnknown:   "EffectUnknown",
	EffectMissing:   "EffectMissing",
	OperatorUnknown: "OperatorUnknown",
	OperatorMissing: "OperatorMissing",
	ExistsValue:     "ExistsValue",
	NumericKey:      "NumericKey",
	NumericOff:      "NumericOff",
	SecondsEffect:   "SecondsEffect",
	TimeRange:       "TimeRange",
	ZeroValue:       "ZeroValue",
	Duplicate:       "Duplicate",
	Removed:         "Removed",
	Conflict:        "Conflict",
	Present:         "Present",
	Missing:         "Missing",
	Syntax:          "Syntax",
	NotJSON:         "NotJSON",
	NotList:         "NotList",
	NotObject:       "NotObject",
	NotString:       "NotString",
	NotWhole:        "NotWhole",
	NotTime:         "NotTime",
	FieldUnknown:    "FieldUnknown",
	FieldRepeated:   "FieldRepeated",
}

// Name returns the name of the rule's constant, such as "NameEnds": it is as
// stable as the constant, to be stored and logged.
func (r Rule) Name() string {
	if s, ok := ruleNames[r]; ok || r == 0 {
		return s
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}

// MarshalText returns what Name returns.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.Name()), nil }

// ofText reports whether the rule is about a whole text, which is told even
// when it is empty.
func (r Rule) ofText() bool { return r < EffectMissing || r == OperatorUnknown || r == Syntax }

// String returns what the rule asks for, in words; the text may change.
func (r Rule) String() string {
	if s, ok := ruleText[r]; ok || r == 0 {
		return strings.TrimSuffix(s, " %q")
	}
	return r.Name()
}
