package validate

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/internal/nearest"
	"github.com/go-tolerate/tolerate/internal/syntax"
)

// A Problem is one rule that a value breaks.
type Problem struct {
	// Func is the function that was called, or empty.
	Func string
	// Input is the argument of Func, empty if there are several.
	Input string
	// Path is the field to change, such as "spec.taints[2].key", or the object around it;
	// or empty.
	Path string
	// Value is the invalid value: text, or anything else as JSON. The text of an error with
	// [InvalidKey], [InvalidValue] or [InvalidInteger] is computed from Value: if you replace
	// it, to hide it, set Want too.
	Value string
	Rule  Rule
	// Want is what the rule requires here, such as "must be a list", or empty.
	Want string
	// Allowed has the names or, for [Syntax], the forms to choose from. Do not modify it.
	Allowed []string
	// Err is the error of another package, or nil.
	Err error
}

// Error returns the problem in one line. It shortens long values.
func (p *Problem) Error() string {
	if p.Rule == WrongType && p.Value == "null" {
		return p.call() + labelled(p.Path) + "must not be null"
	}
	return p.call() + p.subject() + p.requirement() + p.choice() + p.hint() + p.cause()
}

// call returns the function with its input.
func (p *Problem) call() string {
	switch {
	case p.Func == "":
		return ""
	case p.Input != "" || p.Path == "" && p.Rule <= NameUnknown: // a rule of text, or none
		return p.Func + "(" + quote(p.Input) + "): "
	}
	return p.Func + ": "
}

// subject returns the path and the value, without a value that is the input or that the
// requirement has. Beside a function, its field is in the requirement too.
func (p *Problem) subject() string {
	switch {
	case p.named() && p.Func != "" && !strings.ContainsAny(p.Path, ".["):
		return ""
	case p.named() || p.Value == "" || p.Value == p.Input:
		return labelled(p.Path)
	case p.Path == "":
		return labelled(p.quoteValue())
	}
	return labelled(p.Path + " " + p.quoteValue())
}

func labelled(s string) string {
	if s == "" {
		return ""
	}
	return s + ": "
}

// named reports whether the requirement has the value.
func (p *Problem) named() bool {
	return p.Want == "" && (p.Rule == NameUnknown || p.Rule == FieldUnknown)
}

// requirement returns what the rule requires.
func (p *Problem) requirement() string {
	broken := p.broken()
	switch {
	case p.Want != "":
		return p.Want
	case broken != 0:
		return broken.String()
	case p.Rule == NameUnknown:
		return "unknown " + p.noun() + " " + quote(p.Value)
	case p.Rule == FieldUnknown:
		return "unknown field " + quote(p.Value)
	case int(p.Rule) < len(table):
		return table[p.Rule].text
	}
	return p.Rule.String()
}

// choice returns what is allowed.
func (p *Problem) choice() string {
	switch {
	case len(p.Allowed) == 0:
		return ""
	case p.Rule == Syntax:
		return " " + strings.Join(p.Allowed, " or ")
	}
	all := " (allowed: " + strings.Join(p.Allowed, ", ") + ")"
	if near := nearest.Name(p.Value, p.Allowed); near != "" {
		return ", did you mean " + near + "?" + all
	}
	return all
}

// hint returns how to correct the value where that is known.
func (p *Problem) hint() string {
	isText := 0 < p.Rule && p.Rule <= NameUnknown
	if trimmed := strings.TrimSpace(p.Value); isText && trimmed != "" && trimmed != p.Value {
		return "; remove the white space"
	}
	return ""
}

// cause returns the error of another package.
func (p *Problem) cause() string {
	switch {
	case p.Err == nil:
		return ""
	case p.Rule == 0:
		return p.Err.Error()
	}
	return ": " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// broken returns the constraints that the value breaks.
func (p *Problem) broken() (s syntax.Set) {
	switch p.Rule {
	case InvalidKey:
		return syntax.Key(p.Value)
	case InvalidValue:
		return syntax.Value(p.Value)
	case InvalidInteger:
		_, s = syntax.Integer(p.Value)
	}
	return s
}

// noun returns what the unknown name was given for: the field, such as
// "effect", where that is one word.
func (p *Problem) noun() string {
	field := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	if field == "" || strings.ContainsFunc(field, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return "name"
	}
	return field
}

// quoteValue quotes text. JSON is left as it was written, so that true and
// "true" look different.
func (p *Problem) quoteValue() string {
	switch p.Rule {
	case WrongType, FieldRepeated, SecondsEffect, TooManyTaints: // the value is JSON
		return cut(p.Value)
	}
	return quote(p.Value)
}

// Problems is all problems of an input, in its order, and for one value in the order of
// the API's fields. errors.As finds it and its first problem. Comparing it with ==
// panics. Reading a list ends after the element with the 10,000th problem.
type Problems []*Problem

// most is how many problems the text of an error has.
const most = 100

// Error returns the first 100 problems, one a line, and the number of the others.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == most {
			b.WriteString("and " + strconv.Itoa(len(ps)-most) + " more")
			break
		}
		b.WriteString(p.Error())
	}
	return b.String()
}

func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

// Err returns ps as an error, nil if empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

const longest = 120 // of a value in an error's text, in bytes

func quote(s string) string { return shorten(s, strconv.Quote) }

// cut is quote for JSON, which has its own quotes: it escapes only what cannot be
// printed.
func cut(s string) string {
	return shorten(s, func(s string) string {
		if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
			return strconv.Quote(s)
		}
		return s
	})
}

func shorten(s string, quote func(string) string) string {
	if len(s) <= longest {
		return quote(s)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return quote(s[:end]) + "... (" + strconv.Itoa(len(s)) + " bytes)"
}
