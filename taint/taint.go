package taint

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// A Taint repels pods from the node that has it. Use [New], [From] or [Parse] to make
// one. Every non-zero Taint is valid.
//
// The zero Taint is what constructors return on error. It acts as a NoSchedule taint that
// no toleration matches.
//
// A Taint has 24 bytes on 64-bit machines, and is comparable with ==. Making one
// allocates only for new text.
type Taint value.Taint

// The representation is in internal/value, so that packages that match can read it and
// others cannot. It has three words. The key and the value are interned: comparing them
// compares pointers, and a fleet has few distinct ones. The third word has hashes of the
// key and the value, and the effect, so that one comparison of integers rejects nearly
// all tolerations; the time added is above them, in seconds, as a time.Time would
// double the size and would not compare with ==.

// New returns the taint with that key, value, which may be empty, and effect.
func New(key, value string, effect Effect) (Taint, error) {
	return build("taint.New", "", key, value, effect.String())
}

// From is [New] for an effect of any string type, as in corev1.Taint.
func From[E ~string](key, value string, effect E) (Taint, error) {
	return build("taint.From", "", key, value, string(effect))
}

// Parse returns the taint with the text key=value:Effect or key:Effect.
func Parse(s string) (Taint, error) { return parse("taint.Parse", s) }

// MustParse is [Parse] for constant text: it panics on error.
func MustParse(s string) Taint { return problem.Must(Parse(s)) }

var forms = []string{"key=value:Effect", "key:Effect"}

func parse(caller, s string) (Taint, error) {
	key, value, effect, ok := split(s)
	if !ok {
		return Taint{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	return build(caller, s, key, value, effect)
}

// split returns the parts of a text, and false if it has another form.
func split(s string) (key, value, effect string, ok bool) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon == len(s)-1 {
		return "", "", "", false
	}
	key, value, _ = strings.Cut(s[:colon], "=")
	return key, value, s[colon+1:], true
}

// build returns the taint, or all problems of its parts.
func build(caller, input, key, val, effect string) (Taint, error) {
	e := value.EffectOf(effect)
	if syntax.Key(key)|syntax.Value(val) != 0 || e == 0 {
		return Taint{}, problems(caller, input, key, val, effect)
	}
	return Taint(value.NewTaint(key, val, e)), nil
}

func problems(caller, input, key, val, effect string) validate.Problems {
	ps := problem.Append(nil, "key", validate.Key(key))
	ps = problem.Append(ps, "value", validate.Value(val))
	if value.EffectOf(effect) == 0 {
		p := &validate.Problem{Path: "effect", Value: effect, Rule: validate.NameUnknown, Allowed: effectNames}
		if effect == "" {
			p.Rule = validate.EffectMissing
		}
		ps = append(ps, p)
	}
	for _, p := range ps {
		p.Func, p.Input = caller, input
	}
	return ps
}

// Key returns the taint's key.
func (t Taint) Key() string { return value.Taint(t).Key() }

// Value returns the taint's value.
func (t Taint) Value() string { return value.Taint(t).Value() }

// Effect returns the taint's effect.
func (t Taint) Effect() Effect { return Effect(value.Taint(t).Effect()) }

// TimeAdded returns the time added, or the zero time.
func (t Taint) TimeAdded() time.Time { return value.Taint(t).TimeAdded() }

// WithTimeAdded returns the taint with that time added, in whole seconds; the zero time
// removes it. It must be in the years 1 to 9999.
func (t Taint) WithTimeAdded(at time.Time) (Taint, error) {
	const caller = "taint.Taint.WithTimeAdded"
	if !value.InRange(at) {
		return Taint{}, validate.Problems{{Func: caller, Path: "timeAdded", Value: at.String(), Rule: validate.TimeRange}}
	}
	timed := value.Taint(t).WithTimeAdded(at)
	if t.IsZero() && timed.Added() != 0 {
		return Taint{}, validate.Problems{{Func: caller, Rule: validate.ZeroValue}}
	}
	return Taint(timed), nil
}

func (t Taint) IsZero() bool { return t == Taint{} }

// Canonical returns the taint without its time added.
func (t Taint) Canonical() Taint { return Taint(value.Taint(t).Canonical()) }

// SameKeyEffect reports whether a node can have only one of t and u.
func (t Taint) SameKeyEffect(u Taint) bool {
	return value.Taint(t).SameKeyEffect(value.Taint(u))
}

// Compare returns -1, 0 (t == u) or +1 by key, effect, value and time added.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		cmp.Compare(t.Key(), u.Key()),
		cmp.Compare(t.Effect(), u.Effect()),
		cmp.Compare(t.Value(), u.Value()),
		cmp.Compare(value.Taint(t).Added(), value.Taint(u).Added()),
	)
}

func (t Taint) Equal(u Taint) bool { return t == u }

// GoString returns Go source. That of a taint with a time added calls a function must, which
// the reader defines: it returns its first argument, and panics if the second is not nil.
func (t Taint) GoString() string {
	if t.IsZero() {
		return "taint.Taint{}"
	}
	source := "taint.MustParse(" + strconv.Quote(t.String()) + ")"
	if at := t.TimeAdded(); !at.IsZero() {
		return "must(" + source + ".WithTimeAdded(" + at.GoString() + "))"
	}
	return source
}
