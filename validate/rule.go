package validate

import (
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/rule"
)

// A Rule identifies a constraint that a value violates. Packages taint, toleration,
// admission, policy and device have more constants. As text it is the constant's name. The
// zero Rule is none, and its text is empty.
type Rule uint8

// The rules of keys, values and integers.
const (
	KeyEmpty      Rule = rule.KeyEmpty
	KeySlashes    Rule = rule.KeySlashes // more than one '/'
	PrefixEmpty   Rule = rule.PrefixEmpty
	PrefixTooLong Rule = rule.PrefixTooLong
	PrefixForm    Rule = rule.PrefixForm // no DNS subdomain
	NameEmpty     Rule = rule.NameEmpty
	NameTooLong   Rule = rule.NameTooLong
	NameBytes     Rule = rule.NameBytes // a byte outside the grammar
	NameEnds      Rule = rule.NameEnds  // '-', '_' or '.' at an end
	ValueTooLong  Rule = rule.ValueTooLong
	ValueBytes    Rule = rule.ValueBytes   // a byte outside the grammar
	ValueEnds     Rule = rule.ValueEnds    // '-', '_' or '.' at an end
	IntegerForm   Rule = rule.IntegerForm  // no integer
	IntegerRange  Rule = rule.IntegerRange // outside int64
)

// The rules of text and JSON.
const (
	Syntax        Rule = rule.Syntax      // another form of text
	NameUnknown   Rule = rule.NameUnknown // no constant of the type
	NotJSON       Rule = rule.NotJSON
	NotList       Rule = rule.NotList
	NotObject     Rule = rule.NotObject
	NotString     Rule = rule.NotString
	NotWhole      Rule = rule.NotWhole // no whole number
	NotTime       Rule = rule.NotTime  // no RFC 3339 time
	FieldUnknown  Rule = rule.FieldUnknown
	FieldRepeated Rule = rule.FieldRepeated
)

// The rules of other values.
const (
	TimeRange Rule = rule.TimeRange // outside the years 1 to 9999
	ZeroValue Rule = rule.ZeroValue
	Duplicate Rule = rule.Duplicate // key and effect of an earlier taint
)

// String returns the name of the constant, such as "NameEnds".
func (r Rule) String() string {
	info, ok := rule.Of(uint8(r))
	if ok || r == 0 {
		return info.Name
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}

// Description returns a text such as "must not be empty".
func (r Rule) Description() string {
	info, ok := rule.Of(uint8(r))
	if ok || r == 0 {
		return strings.TrimSuffix(info.Text, " %q")
	}
	return r.String()
}

// Cause returns the API server's reason for the rule.
func (r Rule) Cause() Cause {
	info, _ := rule.Of(uint8(r))
	return Cause(info.Cause)
}

// AppendText implements [encoding.TextAppender].
func (r Rule) AppendText(b []byte) ([]byte, error) {
	return appendName(b, "validate.Rule.MarshalText", rule.Names(), int(r), r.String())
}

// MarshalText implements [encoding.TextMarshaler].
func (r Rule) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Rule) UnmarshalText(text []byte) error {
	n, err := named("validate.Rule.UnmarshalText", rule.Names(), string(text))
	if err == nil {
		*r = Rule(n)
	}
	return err
}

// ofText reports whether the rule is about a whole text, which Problem.Error
// quotes even when it is empty.
func (r Rule) ofText() bool { return r <= NameUnknown }
