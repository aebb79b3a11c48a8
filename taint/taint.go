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

// A Taint repels pods from the node that has it. Use [New], [From] or [Parse] to
// make one. Every non-zero Taint is valid.
//
// The zero Taint is what a constructor returns on error. In a node's list it is like
// a NoSchedule taint that no toleration matches.
//
// A Taint is 24 bytes on 64-bit machines, and comparable with ==, which compares
// every field. Its key and value are interned: a constructor does not allocate when
// they are in use already.
type Taint value.Taint

// New returns the taint with that key, value and effect. The value may be empty.
// The error is [validate.Problems], one for each rule that is broken.
func New(key, value string, effect Effect) (Taint, error) {
	return build("taint.New", "", key, value, effect.String())
}

// From is [New] for an effect of any string type, as in corev1.Taint.
func From[E ~string](key, value string, effect E) (Taint, error) {
	return build("taint.From", "", key, value, string(effect))
}

// Parse returns the taint with the text key=value:Effect or key:Effect. Text does
// not have a time added. The error is [validate.Problems].
func Parse(s string) (Taint, error) { return parse("taint.Parse", s) }

// MustParse calls [Parse] and panics on error.
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
	p := validate.Problem{Func: caller, Input: input, Path: "key", Value: key}
	ps := problem.Each(nil, p, syntax.Key(key))
	p.Path, p.Value = "value", val
	ps = problem.Each(ps, p, syntax.Value(val))
	p.Path, p.Value, p.Allowed = "effect", effect, effectNames
	switch {
	case effect == "":
		ps = problem.Each(ps, p, 1<<validate.EffectMissing)
	case value.EffectOf(effect) == 0:
		ps = problem.Each(ps, p, 1<<validate.NameUnknown)
	}
	return ps
}

// Key returns the taint's key, "" for the zero Taint.
func (t Taint) Key() string { return value.Taint(t).Key() }

// Value returns the taint's value.
func (t Taint) Value() string { return value.Taint(t).Value() }

// Effect returns the taint's effect, 0 for the zero Taint.
func (t Taint) Effect() Effect { return Effect(value.Taint(t).Effect()) }

// TimeAdded returns when the taint was added to its node, or the zero time.
func (t Taint) TimeAdded() time.Time { return value.Taint(t).TimeAdded() }

// WithTimeAdded returns the taint with that time added, truncated to seconds. The
// zero time removes it. It is an error to give one to the zero Taint, and to give
// one outside the years 1 to 9999.
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

// Integer returns the taint's value as the number that the operators Lt and Gt
// compare, and whether it is one.
func (t Taint) Integer() (n int64, ok bool) { return value.Taint(t).Integer() }

// IsZero reports whether t is the zero Taint.
func (t Taint) IsZero() bool { return t == Taint{} }

// Canonical returns the taint without its time added. Taints with equal canonical
// forms mean the same.
func (t Taint) Canonical() Taint { return Taint(value.Taint(t).Canonical()) }

// SameKeyEffect reports whether t and u have the same key and effect. A node can
// have only one of them.
func (t Taint) SameKeyEffect(u Taint) bool {
	return value.Taint(t).SameKeyEffect(value.Taint(u))
}

// Compare returns -1, 0 or +1 by the order of keys, effects, values and times added,
// an absent time first. It is 0 only for t == u.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		cmp.Compare(t.Key(), u.Key()),
		cmp.Compare(t.Effect(), u.Effect()),
		cmp.Compare(t.Value(), u.Value()),
		cmp.Compare(value.Taint(t).Added(), value.Taint(u).Added()),
	)
}

// Equal reports whether t == u.
func (t Taint) Equal(u Taint) bool { return t == u }

// GoString returns a Go expression whose value is t.
func (t Taint) GoString() string {
	if t.IsZero() {
		return "taint.Taint{}"
	}
	source := "taint.MustParse(" + strconv.Quote(t.String()) + ")"
	if at := t.TimeAdded(); !at.IsZero() {
		return "func() taint.Taint { t, _ := " + source + ".WithTimeAdded(" + at.GoString() + "); return t }()"
	}
	return source
}
