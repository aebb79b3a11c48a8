// Package rule lists every rule that a value of this module can break.
//
// A rule is a number. Package validate defines its type, [Rule], and each
// package exports the rules of its own values as constants of that type:
//
//	const Conflict validate.Rule = rule.Conflict
//
// To add a rule, add its constant and its row in the table below, and export
// the constant in the package whose values it is about.
//
// [Rule]: https://pkg.go.dev/github.com/go-tolerate/tolerate/validate#Rule
package rule

import "math/bits"

// The rules.
const (
	// Package validate: keys, values and integers.
	KeyEmpty = iota + 1
	KeySlashes
	PrefixEmpty
	PrefixTooLong
	PrefixForm
	NameEmpty
	NameTooLong
	NameBytes
	NameEnds
	ValueTooLong
	ValueBytes
	ValueEnds
	IntegerForm
	IntegerRange

	// Package validate: text and JSON.
	Syntax
	NameUnknown
	NotJSON
	NotList
	NotObject
	NotString
	NotWhole
	NotTime
	FieldUnknown
	FieldRepeated

	// Package validate: values and lists of any type.
	TimeRange
	ZeroValue
	Duplicate

	// Package taint.
	EffectMissing
	EditConflict
	EditPresent
	EditAbsent

	// Package toleration.
	OperatorMissing
	ExistsValue
	NumericKey
	NumericOff
	SecondsEffect
	NotKept

	// Packages admission and policy.
	NotWhitelisted
	NotAllowed
	InvalidClause

	// Package match/device.
	TooManyTaints
	SelectorEmpty

	count
)

// The causes, in the order of the constants of package validate.
const (
	CauseRequired = iota + 1
	CauseInvalid
	CauseTypeInvalid
	CauseNotSupported
	CauseDuplicate
	CauseForbidden
	CauseTooMany
)

// An Info describes a rule.
type Info struct {
	Name  string // of the constant
	Text  string // what the rule requires; "%q" at its end is the value
	Cause uint8
	// JSON reports whether the value of a problem is JSON, which brings its own
	// quotes.
	JSON bool
}

var table = [count]Info{
	KeyEmpty:      {"KeyEmpty", "must not be empty", CauseInvalid, false},
	KeySlashes:    {"KeySlashes", "must contain at most one '/'", CauseInvalid, false},
	PrefixEmpty:   {"PrefixEmpty", "the prefix before '/' must not be empty", CauseInvalid, false},
	PrefixTooLong: {"PrefixTooLong", "the prefix before '/' must be at most 253 bytes long", CauseInvalid, false},
	PrefixForm: {"PrefixForm", "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', " +
		"each label beginning and ending with a letter or digit", CauseInvalid, false},
	NameEmpty:    {"NameEmpty", "the name after '/' must not be empty", CauseInvalid, false},
	NameTooLong:  {"NameTooLong", "the name must be at most 63 bytes long", CauseInvalid, false},
	NameBytes:    {"NameBytes", "the name must contain only letters, digits, '-', '_' and '.'", CauseInvalid, false},
	NameEnds:     {"NameEnds", "the name must begin and end with a letter or digit", CauseInvalid, false},
	ValueTooLong: {"ValueTooLong", "must be at most 63 bytes long", CauseInvalid, false},
	ValueBytes:   {"ValueBytes", "must contain only letters, digits, '-', '_' and '.'", CauseInvalid, false},
	ValueEnds:    {"ValueEnds", "must begin and end with a letter or digit", CauseInvalid, false},
	IntegerForm:  {"IntegerForm", "must be a decimal integer such as 0, 42 or -7", CauseInvalid, false},
	IntegerRange: {"IntegerRange", "must be within int64", CauseInvalid, false},

	Syntax:        {"Syntax", "must have the form", CauseInvalid, false},
	NameUnknown:   {"NameUnknown", "unknown name %q", CauseNotSupported, false},
	NotJSON:       {"NotJSON", "must be JSON", CauseInvalid, false},
	NotList:       {"NotList", "must be a list", CauseTypeInvalid, true},
	NotObject:     {"NotObject", "must be an object", CauseTypeInvalid, true},
	NotString:     {"NotString", "must be a string", CauseTypeInvalid, true},
	NotWhole:      {"NotWhole", "must be a whole number within int64", CauseTypeInvalid, true},
	NotTime:       {"NotTime", "must be an RFC 3339 time, such as 2026-01-02T15:04:05Z", CauseInvalid, true},
	FieldUnknown:  {"FieldUnknown", "unknown field %q", CauseInvalid, false},
	FieldRepeated: {"FieldRepeated", "must be given only once", CauseInvalid, true},

	TimeRange: {"TimeRange", "must be in the years 1 to 9999", CauseInvalid, false},
	ZeroValue: {"ZeroValue", "must not be the zero value", CauseRequired, false},
	Duplicate: {"Duplicate", "repeats the key and effect of an earlier taint", CauseDuplicate, false},

	EffectMissing: {"EffectMissing", "must not be empty", CauseRequired, false},
	EditConflict:  {"EditConflict", "must not be both added and removed", CauseInvalid, false},
	EditPresent:   {"EditPresent", "already present; use Overwrite to replace it", CauseInvalid, false},
	EditAbsent:    {"EditAbsent", "not present; use IgnoreAbsent to allow this", CauseInvalid, false},

	OperatorMissing: {"OperatorMissing", "key is empty; set it, or use the operator Exists", CauseInvalid, false},
	ExistsValue:     {"ExistsValue", "must be empty when the operator is Exists", CauseInvalid, false},
	NumericKey:      {"NumericKey", "must be set when the operator is Lt or Gt", CauseInvalid, false},
	NumericOff:      {"NumericOff", "the numeric operators Lt and Gt are not enabled", CauseNotSupported, false},
	SecondsEffect:   {"SecondsEffect", "needs the effect NoExecute", CauseInvalid, true},
	NotKept:         {"NotKept", "must not be removed or changed: an update can only add tolerations and change seconds", CauseForbidden, false},

	NotWhitelisted: {"NotWhitelisted", "must be covered by the whitelist", CauseForbidden, false},
	NotAllowed:     {"NotAllowed", "is not allowed by the policy", CauseForbidden, false},
	InvalidClause:  {"InvalidClause", "is invalid in a policy", CauseInvalid, false},

	TooManyTaints: {"TooManyTaints", "a device can have at most 16 taints", CauseTooMany, true},
	SelectorEmpty: {"SelectorEmpty", "must not be empty: to select all, omit it", CauseInvalid, false},
}

// Of returns the row of the rule with that number, and whether there is one.
func Of(n uint8) (Info, bool) {
	if n == 0 || n >= count {
		return Info{}, false
	}
	return table[n], true
}

// A Set is a set of rules, such as those that a text breaks: bit n is rule n.
type Set uint64

// All yields the rules of the set in the order of their numbers.
func (s Set) All(yield func(uint8) bool) {
	for ; s != 0; s &= s - 1 {
		if !yield(uint8(bits.TrailingZeros64(uint64(s)))) {
			return
		}
	}
}

// Names returns the names of the rules by their numbers; that of 0 is empty.
func Names() []string {
	names := make([]string, count)
	for i := range table {
		names[i] = table[i].Name
	}
	return names
}
