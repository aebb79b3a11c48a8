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
	// Value is the invalid value: text, or anything else as JSON. For [InvalidKey],
	// [InvalidValue] and [InvalidInteger], Error reads from it what is wrong: to mask it, set
	// Want too.
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
	var b strings.Builder
	if p.Func != "" {
		b.WriteString(p.Func)
		if p.Input != "" || p.Path == "" && p.Rule <= NameUnknown { // a rule of text
			b.WriteString("(" + quote(p.Input) + ")")
		}
		b.WriteString(": ")
	}
	text, named := strings.CutSuffix(p.ruleText(), "%q")
	switch {
	case p.Rule == WrongType && p.Value == "null":
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString("must not be null")
		return b.String()
	case named: // the rule's text has the value
		if p.Path != "" && (p.Func == "" || strings.ContainsAny(p.Path, ".[")) {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(text + quote(p.Value))
	case p.Path == "" && (p.Value == "" || p.Value == p.Input):
		b.WriteString(text)
	default:
		b.WriteString(p.Path)
		if p.Value != "" && p.Value != p.Input {
			if p.Path != "" {
				b.WriteByte(' ')
			}
			b.WriteString(p.quoteValue())
		}
		b.WriteString(": " + text)
	}
	p.appendAllowed(&b)
	if trimmed := strings.TrimSpace(p.Value); trimmed != p.Value && trimmed != "" && 0 < p.Rule && p.Rule <= NameUnknown {
		b.WriteString("; remove the white space")
	}
	if p.Err != nil {
		if p.Rule != 0 {
			b.WriteString(": ")
		}
		b.WriteString(p.Err.Error())
	}
	return b.String()
}

func (p *Problem) Unwrap() error { return p.Err }

func (p *Problem) ruleText() string {
	broken := p.broken()
	switch {
	case p.Want != "":
		return p.Want
	case broken != 0:
		return broken.String()
	case p.Rule == NameUnknown:
		return "unknown " + p.noun() + " %q"
	case int(p.Rule) < len(table):
		return table[p.Rule].text
	}
	return p.Rule.String()
}

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

func (p *Problem) appendAllowed(b *strings.Builder) {
	switch {
	case len(p.Allowed) == 0:
	case p.Rule == Syntax:
		b.WriteString(" " + strings.Join(p.Allowed, " or "))
	default:
		if near := nearest.Name(p.Value, p.Allowed); near != "" {
			b.WriteString(", did you mean " + near + "?")
		}
		b.WriteString(" (allowed: " + strings.Join(p.Allowed, ", ") + ")")
	}
}

// Problems is all problems of an input, in its order, and for one value in the order of
// the API's fields. errors.As finds it and its first problem. Comparing it with ==
// panics. It is complete: its size is proportional to the input.
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
