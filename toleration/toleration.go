package toleration

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A Toleration allows a pod onto nodes whose taints it matches. Use [New], [From] or
// [Parse] to make one. Every non-zero Toleration is valid.
//
// The zero Toleration is what constructors return on error. It matches no taint.
//
// A Toleration has 32 bytes on 64-bit machines, and is comparable with ==: an absent
// operator differs from Equal, and -5 seconds from 0. Making one looks up two texts, and
// allocates only new ones: make a pod's Tolerations once.
type Toleration value.Toleration

// The representation, in internal/value, has four words: the interned key and value, as
// in a taint; the seconds; and a pattern with a mask, for the third word of a taint. A
// taint whose bits differ from the pattern under the mask does not match, so nearly all
// are rejected by one comparison of integers. The operator is above the pattern. Absent
// seconds are a bit, not a pointer, so that == compares values.

// New returns the toleration with these fields, where "" and 0 are absent. See
// [Toleration.WithSeconds].
func New(key string, op Operator, value string, effect taint.Effect) (Toleration, error) {
	p := parts{key: key, value: value}
	p.setNames(op.String(), effect.String())
	return p.build("toleration.New", "")
}

// From is [New] with an operator and an effect of any string types, and seconds or nil,
// as in a corev1.Toleration.
func From[O, E ~string](key string, op O, value string, effect E, seconds *int64) (Toleration, error) {
	p := parts{key: key, value: value}
	p.setNames(string(op), string(effect))
	if seconds != nil {
		p.seconds, p.hasSeconds = *seconds, true
	}
	return p.build("toleration.From", "")
}

// parts are the fields of a toleration before they are checked.
type parts struct {
	key        string
	op         Operator // 0 when absent or unknown
	opName     string
	value      string
	effect     taint.Effect // 0 when absent or unknown
	effectName string
	seconds    int64
	hasSeconds bool
	numericOff bool // Lt and Gt are rejected
}

func (p *parts) setNames(op, effect string) {
	p.op, p.opName = Operator(max(slices.Index(operatorTexts, op), 0)), op
	p.effect, p.effectName = taint.Effect(value.EffectOf(effect)), effect
}

// build returns the toleration, or all problems of its parts.
func (p *parts) build(caller, input string) (Toleration, error) {
	if broken := p.rules(); broken != (rules{}) {
		return Toleration{}, p.problems(caller, input, broken)
	}
	u := value.NewToleration(p.key, uint8(p.op), p.value, uint8(p.effect))
	if p.hasSeconds {
		u = u.WithSeconds(p.seconds)
	}
	return Toleration(u), nil
}

// rules has the rule that each field breaks, 0 if none.
type rules [fieldSeconds + 1]validate.Rule

func (p *parts) unknownOp() bool { return p.op == 0 && p.opName != "" }

// rules does not check the value if the operator is unknown, nor the seconds if the
// effect is: that is one mistake, not two.
func (p *parts) rules() (broken rules) {
	switch {
	case p.key == "" && p.op != Exists && !p.unknownOp():
		broken[fieldKey] = validate.KeyMissing
	case p.key != "" && syntax.Key(p.key) != 0:
		broken[fieldKey] = validate.InvalidKey
	}
	switch {
	case p.unknownOp():
		broken[fieldOperator] = validate.NameUnknown
	case p.op == Exists && p.value != "":
		broken[fieldValue] = validate.ExistsValue
	case p.op == Exists:
	case p.op == Lt || p.op == Gt:
		if _, bad := syntax.Integer(p.value); bad != 0 {
			broken[fieldValue] = validate.InvalidInteger
		}
		if p.numericOff {
			broken[fieldOperator] = validate.NumericOff
		}
	case syntax.Value(p.value) != 0:
		broken[fieldValue] = validate.InvalidValue
	}
	switch {
	case p.effect == 0 && p.effectName != "":
		broken[fieldEffect] = validate.NameUnknown
	case p.hasSeconds && p.effect != taint.NoExecute:
		broken[fieldSeconds] = validate.SecondsEffect
	}
	return broken
}

func (p *parts) problems(caller, input string, broken rules) (ps validate.Problems) {
	operators := operatorNames
	if p.numericOff && !p.unknownOp() {
		operators = plainNames
	}
	for field, f := range [...]struct {
		value   string
		allowed []string
	}{
		fieldKey:      {p.key, nil},
		fieldOperator: {p.opName, operators},
		fieldValue:    {p.value, nil},
		fieldEffect:   {p.effectName, effectNames},
		fieldSeconds:  {strconv.FormatInt(p.seconds, 10), nil},
	} {
		if rule := broken[field]; rule != 0 {
			path := fieldNames[field]
			ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: path, Value: f.value, Rule: rule, Allowed: f.allowed})
		}
	}
	return ps
}

var effectNames = []string{taint.NoSchedule.String(), taint.PreferNoSchedule.String(), taint.NoExecute.String()}

// Key returns the toleration's key, "" if absent.
func (u Toleration) Key() string { return value.Toleration(u).Key() }

// Value returns the toleration's value.
func (u Toleration) Value() string { return value.Toleration(u).Value() }

// Operator returns the toleration's operator, 0 if absent.
func (u Toleration) Operator() Operator { return Operator(value.Toleration(u).Operator()) }

// Effect returns the toleration's effect, 0 if absent.
func (u Toleration) Effect() taint.Effect { return taint.Effect(value.Toleration(u).Effect()) }

// Seconds returns the tolerationSeconds, and whether there are any. Without, there is no
// time limit. A negative number means 0.
func (u Toleration) Seconds() (seconds int64, ok bool) {
	return value.Toleration(u).Seconds()
}

// WithSeconds returns the toleration with n seconds. Its effect must be NoExecute.
func (u Toleration) WithSeconds(n int64) (Toleration, error) {
	const caller = "toleration.Toleration.WithSeconds"
	if u.IsZero() {
		return Toleration{}, validate.Problems{{Func: caller, Rule: validate.ZeroValue}}
	}
	if u.Effect() != taint.NoExecute {
		return Toleration{}, validate.Problems{{
			Func: caller,
			Path: fieldNames[fieldSeconds], Value: strconv.FormatInt(n, 10), Rule: validate.SecondsEffect,
		}}
	}
	return Toleration(value.Toleration(u).WithSeconds(n)), nil
}

// WithoutSeconds returns the toleration without seconds.
func (u Toleration) WithoutSeconds() Toleration {
	return Toleration(value.Toleration(u).WithoutSeconds())
}

func (u Toleration) IsZero() bool { return u == Toleration{} }

// IsNumeric reports whether the operator is Lt or Gt.
func (u Toleration) IsNumeric() bool { return value.Toleration(u).IsNumeric() }

// Tolerates reports whether the toleration matches the taint.
func (u Toleration) Tolerates(t taint.Taint) bool {
	return value.Toleration(u).Matches(value.Taint(t))
}

// Canonical returns the toleration with Equal instead of an absent operator, and 0
// instead of negative seconds.
func (u Toleration) Canonical() Toleration {
	return Toleration(value.Toleration(u).Canonical())
}

// Compare returns -1, 0 (u == v) or +1 by key, operator, value as text, effect and
// seconds, absent ones first.
func (u Toleration) Compare(v Toleration) int {
	a, b := value.Toleration(u), value.Toleration(v)
	return cmp.Or(
		cmp.Compare(a.Key(), b.Key()),
		cmp.Compare(a.Order(), b.Order()),
		cmp.Compare(a.Value(), b.Value()),
		cmp.Compare(a.Effect(), b.Effect()),
		a.CompareSeconds(b),
	)
}

func (u Toleration) Equal(v Toleration) bool { return u == v }

func (u Toleration) GoString() string {
	if u.IsZero() {
		return "toleration.Toleration{}"
	}
	return "toleration.MustParse(" + strconv.Quote(u.String()) + ")"
}
