package device

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// An Effect is what a taint does without a toleration. [TaintFrom] and [TolerationFrom]
// take its text.
type Effect uint8

const (
	// None only informs.
	None Effect = iota + 1
	// NoSchedule prevents the allocation of the device; pods that use it stay.
	NoSchedule
	// NoExecute prevents the allocation of the device, and evicts pods that use it.
	NoExecute
)

const effectType = "device.Effect"

var (
	effectTexts = []string{"", "None", "NoSchedule", "NoExecute"}
	effectNames = effectTexts[1:] // what an error lists
)

func (e Effect) String() string { return enum.String(e, effectType, effectTexts) }

// IsValid reports whether e is one of the three effects.
func (e Effect) IsValid() bool { return None <= e && e <= NoExecute }

func (e Effect) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, e, effectType, effectTexts)
}

func (e Effect) MarshalText() ([]byte, error) { return e.AppendText(nil) }

func (e *Effect) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(e, text, effectType, effectTexts)
}

// effectOf returns the effect with that name, 0 if there is none.
func effectOf(name string) Effect { return Effect(max(slices.Index(effectTexts, name), 0)) }

// A Taint is a taint of a device. Use [TaintFrom] or [ParseTaint] to make one. Every
// non-zero Taint is valid.
//
// The zero Taint is what constructors return on error. No toleration matches it: it
// prevents the allocation of its device, and never evicts.
//
// A Taint has 32 bytes on 64-bit machines, and is comparable with ==.
type Taint struct {
	v     value.Taint           // has the effect None for an unknown one
	other unique.Handle[string] // an unknown effect, else zero
}

// TaintFrom returns the taint with these fields of a resourcev1.DeviceTaint.
func TaintFrom[E ~string](key, value string, effect E) (Taint, error) {
	return known("device.TaintFrom", "", key, value, string(effect))
}

// ParseTaint returns the taint with the text key=value:Effect or key:Effect.
func ParseTaint(s string) (Taint, error) { return parseTaint("device.ParseTaint", s, known) }

// MustParseTaint is [ParseTaint] that panics on error.
func MustParseTaint(s string) Taint { return problem.Must(ParseTaint(s)) }

var taintForms = []string{"key=value:Effect", "key:Effect"}

func parseTaint(caller, s string, build func(caller, input, key, value, effect string) (Taint, error)) (Taint, error) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon == len(s)-1 {
		return Taint{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: taintForms}}
	}
	key, value, _ := strings.Cut(s[:colon], "=")
	return build(caller, s, key, value, s[colon+1:])
}

// known is decoded that rejects an unknown effect.
func known(caller, input, key, value, effect string) (Taint, error) {
	t, err := decoded(caller, input, key, value, effect)
	if t.isUnknown() {
		return Taint{}, taintProblems(caller, input, key, value, effect)
	}
	return t, err
}

// decoded returns the taint, or all problems of its parts. It accepts as an unknown effect
// only what could be a name.
func decoded(caller, input, key, val, effect string) (t Taint, err error) {
	e := effectOf(effect)
	if syntax.Key(key)|syntax.Value(val)|syntax.Value(effect) != 0 || effect == "" {
		return Taint{}, taintProblems(caller, input, key, val, effect)
	}
	if e == 0 {
		t.other, e = unique.Make(effect), None
	}
	t.v = value.NewTaint(key, val, uint8(e))
	return t, nil
}

// rules has the rule that each field breaks, 0 if none, in the order of the API's fields.
type rules [4]validate.Rule

// taintProblems returns the problems of a taint that is rejected. An unknown effect is one
// of them: only a taint without other problems keeps it.
func taintProblems(caller, input, key, val, effect string) validate.Problems {
	var broken rules
	if syntax.Key(key) != 0 {
		broken[0] = validate.InvalidKey
	}
	if syntax.Value(val) != 0 {
		broken[1] = validate.InvalidValue
	}
	switch {
	case effect == "":
		broken[2] = validate.EffectMissing
	case effectOf(effect) == 0:
		broken[2] = validate.NameUnknown
	}
	return problems(caller, input, apijson.TaintNames, broken, key, val, effect)
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

// Effect returns the taint's effect, 0 if it is unknown or t is zero. The text and the
// JSON of t have the name of an unknown effect.
func (t Taint) Effect() Effect {
	if t.isUnknown() {
		return 0
	}
	return Effect(t.v.Effect())
}

// effectName returns the effect as it was written.
func (t Taint) effectName() string {
	if t.isUnknown() {
		return t.other.Value()
	}
	return t.Effect().String()
}

// isUnknown reports whether the effect is unknown.
func (t Taint) isUnknown() bool { return t.other != unique.Handle[string]{} }

// unknown returns the problem of an unknown effect, nil if it is known.
func (t Taint) unknown() validate.Problems {
	if !t.isUnknown() {
		return nil
	}
	return validate.Problems{{Path: "effect", Value: t.effectName(), Rule: validate.NameUnknown, Allowed: effectNames}}
}

// blocks reports whether the taint prevents the allocation of its device to a request
// that does not tolerate it. The zero Taint does.
func (t *Taint) blocks() bool { return t.v.Effect() != uint8(None) }

// evicts reports whether the taint evicts pods that do not tolerate it.
func (t *Taint) evicts() bool { return t.v.Effect() == uint8(NoExecute) }

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

// Compare returns -1, 0 (t == u) or +1 by key, effect, value and time added. Unknown
// effects are first.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		cmp.Compare(t.Key(), u.Key()),
		cmp.Compare(t.Effect(), u.Effect()),
		cmp.Compare(value.Text(t.other), value.Text(u.other)),
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

// Validate returns an error for more than 16 taints, for a zero Taint, and for an unknown
// effect. Kubernetes accepts an update that leaves the taints unchanged: do not call it
// then. For a rule, validate Taints{r.Taint}. Paths begin with taints.
func (l Taints) Validate() error {
	var ps validate.Problems
	if len(l) > 16 {
		ps = append(ps, &validate.Problem{Path: "taints", Value: strconv.Itoa(len(l)), Rule: validate.TooManyTaints})
	}
	for i, t := range l {
		path := problem.Index("taints", i)
		if t.IsZero() {
			ps = append(ps, &validate.Problem{Path: path, Rule: validate.ZeroValue})
		}
		ps = problem.Append(ps, path, t.unknown())
	}
	return ps.Err()
}

func (l Taints) Equal(m Taints) bool { return slices.Equal(l, m) }
