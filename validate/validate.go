package validate

import "github.com/go-tolerate/tolerate/internal/syntax"

// Key returns an error if s is not a valid key: one problem with the rule [InvalidKey].
func Key(s string) error { return invalid("validate.Key", s, InvalidKey, syntax.Key(s)) }

// Value returns an error if s is not a valid value: one problem with the rule
// [InvalidValue].
func Value(s string) error { return invalid("validate.Value", s, InvalidValue, syntax.Value(s)) }

// Integer returns the number that s represents, or 0 and an error if s is not a valid
// integer: one problem with the rule [InvalidInteger]. Each number has one valid form.
func Integer(s string) (int64, error) {
	n, broken := syntax.Integer(s)
	return n, invalid("validate.Integer", s, InvalidInteger, broken)
}

func invalid(caller, s string, rule Rule, broken syntax.Set) error {
	if broken == 0 {
		return nil
	}
	return Problems{{Func: caller, Input: s, Value: s, Rule: rule}}
}
