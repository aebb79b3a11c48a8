package taint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/validate"
)

// A Selector is a set of taints, defined by a list of patterns:
//
//	selector = [ pattern { "," pattern } ]
//	pattern  = [ "!" ] ( key [ "=" [ value ] ] | [ prefix ] "*" ) [ ":" effect ]
//
// A taint is in the set if a pattern without "!" matches it, and no exception, which is a
// pattern with "!". So a Selector with only exceptions is empty. A key alone matches every
// value, "key=" only the empty value, and "prefix*" every key with that prefix. A pattern
// without an effect matches every effect.
//
// The zero Selector is empty, and none contains the zero Taint.
type Selector struct {
	patterns []pattern
}

type pattern struct {
	key, value       string
	effect           string // "" for all
	prefix, anyValue bool   // key is a prefix
	except           bool   // the taints are not in the set
	decides          bool   // as an exception, or because the selector has none
}

var patternForms = []string{"[!]key[=value][:Effect]", "[!]prefix*[:Effect]"}

// ParseSelector returns the Selector with these patterns. The error is
// [validate.Problems].
func ParseSelector(s string) (Selector, error) { return parseSelector("taint.ParseSelector", s) }

func parseSelector(caller, s string) (Selector, error) {
	patterns, err := apijson.ParseText[[]pattern](caller, s, parsePattern)
	exceptions := slices.ContainsFunc(patterns, func(p pattern) bool { return p.except })
	for i := range patterns {
		patterns[i].decides = patterns[i].except || !exceptions
	}
	return Selector{patterns}, err
}

// MustParseSelector is [ParseSelector] that panics on error.
func MustParseSelector(s string) Selector { return problem.Must(ParseSelector(s)) }

func parsePattern(s string) (pattern, error) {
	rest, except := strings.CutPrefix(s, "!")
	key, name, hasEffect := strings.Cut(rest, ":")
	key, value, hasValue := strings.Cut(key, "=")
	prefix, open := strings.CutSuffix(key, "*")
	if key == "" || open && hasValue {
		return pattern{}, validate.Problems{{Value: s, Rule: validate.Syntax, Allowed: patternForms}}
	}
	err := validate.Key(key)
	if open {
		err = checkPrefix(prefix)
	}
	ps := problem.Append(nil, "key", err)
	ps = problem.Append(ps, "value", validate.Value(value))
	if err := new(Effect).UnmarshalText([]byte(name)); err != nil {
		ps = problem.Append(ps, "effect", err)
	} else if hasEffect && name == "" {
		ps = append(ps, &validate.Problem{Path: "effect", Rule: validate.EffectMissing})
	}
	if len(ps) > 0 {
		return pattern{}, ps
	}
	return pattern{key: prefix, value: value, effect: name, prefix: open, anyValue: !hasValue, except: except}, nil
}

// checkPrefix returns an error if no key with the prefix is valid.
func checkPrefix(prefix string) error {
	// A name or label can end where the prefix ends, or continue with a letter;
	// the part before a '/' can also be complete.
	for _, rest := range []string{"", "a", "/a", "a/a"} {
		if syntax.Key(prefix+rest) == 0 {
			return nil
		}
	}
	return &validate.Problem{Value: prefix + "*", Rule: validate.InvalidKey, Want: syntax.Key(prefix + "a").String()}
}

func (p *pattern) append(b []byte) []byte {
	if p.except {
		b = append(b, '!')
	}
	b = append(b, p.key...)
	if p.prefix {
		b = append(b, '*')
	}
	if !p.anyValue {
		b = append(append(b, '='), p.value...)
	}
	if p.effect != "" {
		b = append(append(b, ':'), p.effect...)
	}
	return b
}

// Has reports whether the taint is in the set. It is linear in the patterns and does not
// allocate.
func (s Selector) Has(t Taint) bool {
	return !t.IsZero() && s.HasFields(t.Key(), t.Value(), t.Effect().String())
}

// HasFields reports whether a struct with these fields, such as a Taint of k8s.io/api, is
// in the set, valid or not. An empty key is matched only by "*" and "*:effect", so a struct
// without a key can be in the set, unlike the zero Taint. An unknown or absent effect is
// matched only by patterns without an effect. It costs as much as [Selector.Has].
func (s Selector) HasFields(key, value, effect string) bool {
	in := false
	for i := range s.patterns {
		p := &s.patterns[i]
		if p.key != key && !(p.prefix && strings.HasPrefix(key, p.key)) {
			continue
		}
		if !p.anyValue && p.value != value || p.effect != "" && p.effect != effect {
			continue
		}
		if p.decides {
			return !p.except
		}
		in = true
	}
	return in
}

// Drop returns the taints that are not in the set, in a new list, nil if empty.
func (s Selector) Drop(taints List) List {
	out := slices.DeleteFunc(slices.Clone(taints), s.Has)
	if len(out) == 0 {
		return nil
	}
	return out
}

func (s Selector) IsZero() bool { return len(s.patterns) == 0 }

// Equal compares the order, too.
func (s Selector) Equal(t Selector) bool { return slices.Equal(s.patterns, t.patterns) }

func (s Selector) String() string {
	b, _ := s.AppendText(nil)
	return string(b)
}

func (s Selector) GoString() string {
	if s.IsZero() {
		return "taint.Selector{}"
	}
	return "taint.MustParseSelector(" + strconv.Quote(s.String()) + ")"
}

func (s Selector) AppendText(b []byte) ([]byte, error) {
	for i := range s.patterns {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.patterns[i].append(b)
	}
	return b, nil
}

func (s Selector) MarshalText() ([]byte, error) { return s.AppendText(nil) }

func (s *Selector) UnmarshalText(text []byte) error {
	parsed, err := parseSelector("taint.Selector.UnmarshalText", string(text))
	if err == nil {
		*s = parsed
	}
	return err
}
