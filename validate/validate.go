package validate

import "github.com/go-tolerate/tolerate/internal/syntax"

// Key returns an error if s is no key: one problem with the rule [InvalidKey].
func Key(s string) error { return invalid("validate.Key", s, InvalidKey, syntax.Key(s)) }

// Value returns an error if s is no value: one problem with the rule [InvalidValue].
func Value(s string) error { return invalid("validate.Value", s, InvalidValue, syntax.Value(s)) }

// Integer returns the number that s represents, or an error if s is no integer: one
// problem with the rule [InvalidInteger]. Each number has one form.
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
