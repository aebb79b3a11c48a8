package device

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// An Effect is what a taint does without a toleration. The empty one is absent.
type Effect string

const (
	// None only informs.
	None Effect = "None"
	// NoSchedule prevents the allocation of the device; pods that use it stay.
	NoSchedule Effect = "NoSchedule"
	// NoExecute prevents the allocation of the device, and evicts pods that use it.
	NoExecute Effect = "NoExecute"
)

// IsValid reports whether e is one of the three effects.
func (e Effect) IsValid() bool { return effectOf(string(e)) != 0 }

// The numbers of effects in package value. Those of NoSchedule and NoExecute are the
// same for nodes, and 0 is that of the zero Taint.
const (
	noSchedule = 1
	none       = 2 // None, and unknown effects
	noExecute  = 3
)

var (
	effects     = [...]Effect{noSchedule: NoSchedule, none: None, noExecute: NoExecute}
	effectNames = []string{"None", "NoSchedule", "NoExecute"} // what an error lists
)

// effectOf returns the number of the effect with that name, 0 if there is none.
func effectOf(name string) uint8 { return uint8(max(slices.Index(effects[:], Effect(name)), 0)) }

// A Taint is a taint of a device. Use [TaintFrom] or [ParseTaint] to make one. Every
// non-zero Taint is valid.
//
// The zero Taint is what constructors return on error. No toleration matches it: it
// prevents the allocation of its device, and never evicts.
//
// A Taint has 32 bytes on 64-bit machines, and is comparable with ==.
type Taint struct {
	v     value.Taint
	other unique.Handle[string] // an unknown effect, else zero
}

// TaintFrom returns the taint with these fields of a resourcev1.DeviceTaint.
func TaintFrom[E ~string](key, value string, effect E) (Taint, error) {
	p := taintParts{key: key, value: value, effect: string(effect)}
	return p.build("device.TaintFrom", "")
}

// ParseTaint returns the taint with the text key=value:Effect or key:Effect.
func ParseTaint(s string) (Taint, error) { return parseTaint("device.ParseTaint", s, false) }

// MustParseTaint is [ParseTaint] that panics on error.
func MustParseTaint(s string) Taint {
	t, err := ParseTaint(s)
	if err != nil {
		panic(err)
	}
	return t
}

func parseTaint(caller, s string, unknown bool) (Taint, error) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon == len(s)-1 {
		forms := []string{"key=value:Effect", "key:Effect"}
		return Taint{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	p := taintParts{effect: s[colon+1:], unknown: unknown}
	p.key, p.value, _ = strings.Cut(s[:colon], "=")
	return p.build(caller, s)
}

// taintParts are the fields of a taint before they are checked.
type taintParts struct {
	key, value, effect string
	unknown            bool // an unknown effect is accepted
}

func (p *taintParts) build(caller, input string) (Taint, error) {
	if p.rules() != (rules{}) {
		return Taint{}, p.problems(caller, input)
	}
	n := effectOf(p.effect)
	if n == 0 {
		return Taint{value.NewTaint(p.key, p.value, none), unique.Make(p.effect)}, nil
	}
	return Taint{v: value.NewTaint(p.key, p.value, n)}, nil
}

// rules has the rule that each field breaks, 0 if none, in the order of the API's fields.
type rules [4]validate.Rule

// rules accepts as an unknown effect only what could be a name.
func (p *taintParts) rules() (broken rules) {
	if syntax.Key(p.key) != 0 {
		broken[0] = validate.InvalidKey
	}
	if syntax.Value(p.value) != 0 {
		broken[1] = validate.InvalidValue
	}
	switch {
	case p.effect == "":
		broken[2] = validate.EffectMissing
	case effectOf(p.effect) == 0 && (!p.unknown || syntax.Value(p.effect) != 0):
		broken[2] = validate.NameUnknown
	}
	return broken
}

// problems returns the problems of a taint that is rejected. An unknown effect is one of
// them: only a taint without other problems keeps it.
func (p *taintParts) problems(caller, input string) validate.Problems {
	p.unknown = false
	return problems(caller, input, apijson.TaintNames, p.rules(), p.key, p.value, p.effect)
}

func problems(caller, input string, names []string, broken rules, values ...string) (ps validate.Problems) {
	for i, text := range values {
		if broken[i] == 0 {
			continue
		}
		p := &validate.Problem{Func: caller, Input: input, Path: names[i], Value: text, Rule: broken[i]}
		switch names[i] {
		case "operator":
			p.Allowed = operatorNames
		case "effect":
			p.Allowed = effectNames
		}
		ps = append(ps, p)
	}
	return ps
}

// Key returns the taint's key.
func (t Taint) Key() string { return t.v.Key() }

// Value returns the taint's value.
func (t Taint) Value() string { return t.v.Value() }

// Effect returns the taint's effect.
func (t Taint) Effect() Effect {
	if t.isUnknown() {
		return Effect(t.other.Value())
	}
	return effects[t.v.Effect()]
}

// isUnknown reports whether the effect is unknown.
func (t Taint) isUnknown() bool { return t.other != unique.Handle[string]{} }

// blocks reports whether the taint prevents the allocation of its device to a request
// that does not tolerate it. The zero Taint does.
func (t *Taint) blocks() bool { return t.v.Effect() != none }

// evicts reports whether the taint evicts pods that do not tolerate it.
func (t *Taint) evicts() bool { return t.v.Effect() == noExecute }

// TimeAdded returns when the taint was added, or the zero time.
func (t Taint) TimeAdded() time.Time { return t.v.TimeAdded() }

// WithTimeAdded returns the taint with that time added, in whole seconds; the zero time
// removes it. It must be in the years 1 to 9999.
func (t Taint) WithTimeAdded(at time.Time) (Taint, error) {
	const caller = "device.Taint.WithTimeAdded"
	if !value.InRange(at) {
		return Taint{}, validate.Problems{{Func: caller, Path: "timeAdded", Value: at.String(), Rule: validate.TimeRange}}
	}
	timed := t.v.WithTimeAdded(at)
	if t.IsZero() && timed.Added() != 0 {
		return Taint{}, validate.Problems{{Func: caller, Rule: validate.ZeroValue}}
	}
	t.v = timed
	return t, nil
}

func (t Taint) IsZero() bool { return t == Taint{} }

func (t Taint) Equal(u Taint) bool { return t == u }

// Compare returns -1, 0 (t == u) or +1 by key, effect, value and time added.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		cmp.Compare(t.Key(), u.Key()),
		cmp.Compare(t.Effect(), u.Effect()),
		cmp.Compare(t.Value(), u.Value()),
		cmp.Compare(t.v.Added(), u.v.Added()),
	)
}

func (t Taint) GoString() string {
	if t.IsZero() {
		return "device.Taint{}"
	}
	source := "device.MustParseTaint(" + strconv.Quote(t.String()) + ")"
	if t.isUnknown() {
		source = "func() (t device.Taint) { _ = t.UnmarshalText([]byte(" + strconv.Quote(t.String()) + ")); return t }()"
	}
	if at := t.TimeAdded(); !at.IsZero() {
		return "func() device.Taint { t, _ := " + source + ".WithTimeAdded(" + at.GoString() + "); return t }()"
	}
	return source
}

// Taints are the taints of a device. They may repeat. A zero [Taint] has the JSON null
// and the text "(invalid taint)", which cannot be read.
type Taints []Taint

// maxTaints is the number of taints that a device may have.
const maxTaints = 16

// Validate returns an error if there are more than 16 taints, a zero Taint, or an unknown
// effect. Non-zero taints equal to the device's old ones, if any, are accepted.
func (l Taints) Validate(old Taints) error {
	if l.Equal(old) && !slices.Contains(l, Taint{}) {
		return nil
	}
	var ps validate.Problems
	if len(l) > maxTaints {
		ps = append(ps, &validate.Problem{Path: "taints", Value: strconv.Itoa(len(l)), Rule: validate.TooManyTaints})
	}
	for i, t := range l {
		switch {
		case t.IsZero():
			ps = append(ps, &validate.Problem{Path: problem.Index("taints", i), Rule: validate.ZeroValue})
		default:
			ps = problem.Append(ps, problem.Index("taints", i), t.unknown())
		}
	}
	return ps.Err()
}

// unknown returns the problem of an unknown effect, nil if it is known.
func (t Taint) unknown() validate.Problems {
	if !t.isUnknown() {
		return nil
	}
	return validate.Problems{{Path: "effect", Value: string(t.Effect()), Rule: validate.NameUnknown, Allowed: effectNames}}
}

func (l Taints) Equal(m Taints) bool { return slices.Equal(l, m) }
