package device

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Toleration is a toleration of a request for devices. Use [TolerationFrom] or
// [ParseToleration] to make one. Every non-zero Toleration is valid.
//
// The zero Toleration is what constructors return on error. It matches nothing. The one
// without fields, whose JSON is {} and whose text is "=", matches each taint without a
// value.
//
// A Toleration has 32 bytes on 64-bit machines, and is comparable with ==: an absent
// operator differs from Equal.
type Toleration struct{ v value.Toleration }

// TolerationFrom returns the toleration with these fields of a
// resourcev1.DeviceToleration, where "" and nil are absent.
func TolerationFrom[O, E ~string](key string, op O, value string, effect E, seconds *int64) (Toleration, error) {
	p := parts{key: key, op: string(op), value: value, effect: string(effect)}
	if seconds != nil {
		p.seconds, p.timed = *seconds, true
	}
	return p.build("device.TolerationFrom", "")
}

// ParseToleration returns the toleration with that text.
func ParseToleration(s string) (Toleration, error) {
	return parseToleration("device.ParseToleration", s)
}

// MustParseToleration is [ParseToleration] that panics on error.
func MustParseToleration(s string) Toleration { return problem.Must(ParseToleration(s)) }

var tolerationForms = []string{"key=value:Effect op=Operator for 300s, all parts optional"}

func parseToleration(caller, s string) (Toleration, error) {
	f, ok := syntax.SplitToleration(s)
	if !ok {
		return Toleration{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: tolerationForms}}
	}
	p := parts{f.Key, f.Operator, f.Value, f.Effect, f.Seconds, f.HasSeconds}
	return p.build(caller, s)
}

// parts are the fields of a toleration before they are checked.
type parts struct {
	key, op, value, effect string
	seconds                int64
	timed                  bool // for seconds
}

func (p *parts) build(caller, input string) (Toleration, error) {
	if p.rules() != (rules{}) {
		return Toleration{}, p.problems(caller, input)
	}
	op := uint8(slices.Index(operatorTexts, p.op))
	u := value.NewToleration(p.key, op, p.value, uint8(effectOf(p.effect)))
	if p.timed {
		u = u.WithSeconds(p.seconds)
	}
	return Toleration{u}, nil
}

var (
	operatorTexts = []string{"", "Equal", "Exists"} // those of toleration.Operator that devices have
	operatorNames = operatorTexts[1:]
)

// rules does not check the value if the operator is unknown.
func (p *parts) rules() (broken rules) {
	if p.key != "" && syntax.Key(p.key) != 0 {
		broken[0] = validate.InvalidKey
	}
	switch {
	case !slices.Contains(operatorTexts, p.op):
		broken[1] = validate.NameUnknown
	case p.op == "Exists" && p.value != "":
		broken[2] = validate.ExistsValue
	case p.op != "Exists" && syntax.Value(p.value) != 0:
		broken[2] = validate.InvalidValue
	}
	if p.effect != "" && effectOf(p.effect) == 0 {
		broken[3] = validate.NameUnknown
	}
	return broken
}

func (p *parts) problems(caller, input string) validate.Problems {
	return problems(caller, input, apijson.TolerationNames, p.rules(), p.key, p.op, p.value, p.effect)
}

// Key returns the toleration's key, "" if absent.
func (u Toleration) Key() string { return u.v.Key() }

// Value returns the toleration's value.
func (u Toleration) Value() string { return u.v.Value() }

// Operator returns the toleration's operator, 0 if absent.
func (u Toleration) Operator() toleration.Operator { return toleration.Operator(u.v.Operator()) }

// Effect returns the toleration's effect, 0 if absent.
func (u Toleration) Effect() Effect { return Effect(u.v.Effect()) }

// Seconds returns the tolerationSeconds, and whether there are any. A negative number
// means 0.
func (u Toleration) Seconds() (seconds int64, ok bool) { return u.v.Seconds() }

// Tolerates reports whether the toleration matches the taint.
func (u Toleration) Tolerates(t Taint) bool {
	return u.v.MayMatch(t.v.Tag()) && u.admits(&t)
}

// admits is Tolerates for a taint whose tag the toleration may match.
func (u *Toleration) admits(t *Taint) bool {
	return (u.v.MatchesText(&t.v) || u.v.MatchesNumber(&t.v)) && (u.v.Effect() == 0 || !t.isUnknown())
}

func (u Toleration) IsZero() bool { return u == Toleration{} }

func (u Toleration) Equal(v Toleration) bool { return u == v }

// Compare returns -1, 0 (u == v) or +1 by key, operator, value, effect and seconds,
// absent ones first.
func (u Toleration) Compare(v Toleration) int {
	return cmp.Or(
		cmp.Compare(u.v.Key(), v.v.Key()),
		cmp.Compare(u.v.Order(), v.v.Order()),
		cmp.Compare(u.v.Value(), v.v.Value()),
		cmp.Compare(u.Effect(), v.Effect()),
		u.v.CompareSeconds(v.v),
	)
}

func (u Toleration) GoString() string {
	if u.IsZero() {
		return "device.Toleration{}"
	}
	return "device.MustParseToleration(" + strconv.Quote(u.String()) + ")"
}

// Tolerations are the tolerations of a request. They may repeat. A zero [Toleration] has
// the JSON null and the text "(invalid toleration)", which cannot be read.
type Tolerations []Toleration

// match returns the index of the first toleration that matches the taint, or -1.
func (l Tolerations) match(t *Taint) int {
	tag := t.v.Tag()
	for i := range l {
		if u := &l[i]; u.v.MayMatch(tag) && u.admits(t) {
			return i
		}
	}
	return -1
}

// staying returns the index of the toleration that decides for how long a NoExecute
// taint is tolerated by pods that use the device, or -1.
func (l Tolerations) staying(t *Taint) int {
	best := -1
	tag := t.v.Tag()
	for i := range l {
		u := &l[i]
		if u.v.MayMatch(tag) && u.admits(t) &&
			(best < 0 || toleration.ForeverElseShortest.Prefers(toleration.Toleration(u.v), toleration.Toleration(l[best].v))) {
			best = i
		}
	}
	return best
}

func (l Tolerations) Equal(m Tolerations) bool { return slices.Equal(l, m) }
