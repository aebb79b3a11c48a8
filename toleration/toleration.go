package toleration

import (
	"cmp"
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/tag"
)

// A Toleration lets a pod put up with the taints that it matches. Every
// non-zero Toleration is valid. The zero Toleration is inert: it matches no
// taint.
//
// A Toleration is a small value (32 bytes on 64-bit machines) to be copied.
// Tolerations may be compared with == and used as map keys: == is identity as
// written, so an absent operator is not Equal, nor -5 seconds 0. It is safe
// for concurrent use.
//
// Its key and value are interned: making a Toleration costs a look-up of each
// and matching costs next to nothing, so make them once, when the pod changes.
type Toleration struct {
	key     unique.Handle[string] // zero when absent
	value   unique.Handle[string] // zero when empty
	seconds int64
	meta    sieve
}

// A sieve lets through the tags of taints that agree with the pattern in the
// bits of the mask: none of those that stand for what is absent. It is one
// word, and holds back nearly all that the toleration does not match. Above
// the bits of a tag, where a pattern has none, the mask has room for more.
type sieve struct {
	pattern, mask uint32
}

const (
	opShift    = tag.Bits // one higher than the operator, so that 0 is the zero Toleration's
	opMask     = 7
	hasSeconds = 1 << (opShift + 3)
	anyKey     = 1 << (opShift + 4) // the key is absent
	anyValue   = 1 << (opShift + 5) // the operator is Exists
	numeric    = 1 << (opShift + 6) // the operator is Lt or Gt

	opAbsent = 1
	opEqual  = uint32(Equal) + 1
	opLt     = uint32(Lt) + 1
)

// New returns the toleration with that key, operator, value and effect; an
// absent one is "" or 0. Seconds come with [Toleration.WithSeconds]. The error
// tells every rule that is broken, and comes with the zero Toleration.
//
// It does not allocate when the key and the value are those of some taint or
// toleration already held.
func New(key string, op Operator, value string, effect taint.Effect) (Toleration, error) {
	p := parts{key: key, op: op, opName: op.String(), value: value, effect: effect, effectName: effect.String()}
	return p.build("toleration.New", "")
}

// From is [New] for an operator and an effect that are some type of text, and
// seconds that may be nil, such as the fields of a corev1.Toleration.
//
//	u, err := toleration.From(p.Key, p.Operator, p.Value, p.Effect, p.TolerationSeconds)
func From[O, E ~string](key string, op O, value string, effect E, seconds *int64) (Toleration, error) {
	p := parts{key: key, value: value}
	p.setNames(string(op), string(effect))
	if seconds != nil {
		p.seconds, p.hasSeconds = *seconds, true
	}
	return p.build("toleration.From", "")
}

// Check reports what keeps the fields from being a toleration's: the error of
// [From], without making one. It does not allocate when all is well.
func Check[O, E ~string](key string, op O, value string, effect E, seconds *int64) error {
	p := parts{key: key, value: value}
	p.setNames(string(op), string(effect))
	if seconds != nil {
		p.seconds, p.hasSeconds = *seconds, true
	}
	if p.valid() {
		return nil
	}
	return p.problems("toleration.Check", "")
}

// parts are what a toleration is made of, before any of it is checked.
type parts struct {
	key        string
	op         Operator
	opName     string // as written; empty when absent
	value      string
	effect     taint.Effect
	effectName string // as written; empty when absent
	seconds    int64
	hasSeconds bool
	numericOff bool // Lt and Gt are refused
}

func (p *parts) setNames(op, effect string) {
	p.op, _ = knownOperator(op)
	p.opName = op
	p.effect = knownEffect(effect)
	p.effectName = effect
}

func knownEffect(name string) taint.Effect {
	switch name {
	case "NoSchedule":
		return taint.NoSchedule
	case "PreferNoSchedule":
		return taint.PreferNoSchedule
	case "NoExecute":
		return taint.NoExecute
	}
	return 0
}

// build makes the toleration, or tells all that is wrong with its parts.
func (p *parts) build(caller, input string) (Toleration, error) {
	if !p.valid() {
		return Toleration{}, p.problems(caller, input)
	}
	t := Toleration{seconds: p.seconds, meta: sieve{
		pattern: tag.Of(p.key, p.value, uint8(p.effect)),
		mask:    (uint32(p.op) + 1) << opShift,
	}}
	if p.key != "" {
		t.key = unique.Make(p.key)
		t.meta.mask |= tag.Key
	} else {
		t.meta.mask |= anyKey
	}
	if p.value != "" {
		t.value = unique.Make(p.value)
	}
	switch p.op {
	case Exists:
		t.meta.mask |= anyValue
	case Lt, Gt:
		t.meta.mask |= numeric
	default:
		t.meta.mask |= tag.Value
	}
	if p.effect != 0 {
		t.meta.mask |= tag.Effect
	}
	if p.hasSeconds {
		t.meta.mask |= hasSeconds
	}
	return t, nil
}

// valid reports whether problems would find none. It allocates nothing.
func (p *parts) valid() bool {
	return p.keyRule() == 0 && p.opRule() == 0 && p.valueRule() == 0 && p.effectRule() == 0 && p.secondsRule() == 0
}

func (p *parts) keyRule() validate.Rule {
	switch {
	case p.key != "":
		return validate.KeyRule(p.key)
	case p.op == Lt || p.op == Gt:
		return validate.NumericKey
	case p.op == Exists || p.unknownOp():
		return 0
	}
	return validate.OperatorMissing
}

func (p *parts) unknownOp() bool { return p.op > Gt || p.op == 0 && p.opName != "" }

func (p *parts) opRule() validate.Rule {
	switch {
	case p.unknownOp():
		return validate.OperatorUnknown
	case p.numericOff && (p.op == Lt || p.op == Gt):
		return validate.NumericOff
	}
	return 0
}

// valueRule asks nothing of the value when the operator is unknown.
func (p *parts) valueRule() validate.Rule {
	switch {
	case p.unknownOp() || p.op == Exists && p.value == "":
		return 0
	case p.op == Exists:
		return validate.ExistsValue
	case p.op == Lt || p.op == Gt:
		_, rule := validate.IntegerRule(p.value)
		return rule
	}
	return validate.ValueRule(p.value)
}

func (p *parts) effectRule() validate.Rule {
	if p.effect > taint.NoExecute || p.effect == 0 && p.effectName != "" {
		return validate.EffectUnknown
	}
	return 0
}

// secondsRule asks nothing when the effect is unknown: that is one mistake.
func (p *parts) secondsRule() validate.Rule {
	if p.hasSeconds && p.effect != taint.NoExecute && p.effectRule() == 0 {
		return validate.SecondsEffect
	}
	return 0
}

func (p *parts) problems(caller, input string) validate.Problems {
	var ps validate.Problems
	add := func(path, value string, rule validate.Rule, allowed []string) {
		if rule != 0 {
			ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: path, Value: value, Rule: rule, Allowed: allowed})
		}
	}
	add(fieldNames[fieldKey], p.key, p.keyRule(), nil)
	if p.opRule() == validate.NumericOff {
		add(fieldNames[fieldOperator], p.opName, validate.NumericOff, plainNames)
	} else {
		add(fieldNames[fieldOperator], p.opName, p.opRule(), operatorNames)
	}
	add(fieldNames[fieldValue], p.value, p.valueRule(), nil)
	add(fieldNames[fieldEffect], p.effectName, p.effectRule(), effectNames)
	add(fieldNames[fieldSeconds], strconv.FormatInt(p.seconds, 10), p.secondsRule(), nil)
	return ps
}

var effectNames = []string{taint.NoSchedule.String(), taint.PreferNoSchedule.String(), taint.NoExecute.String()}

// Key returns the toleration's key, "" when it is absent. It does not
// allocate.
func (u Toleration) Key() string { return text(u.key) }

// Value returns the toleration's value, which may be empty. It does not
// allocate.
func (u Toleration) Value() string { return text(u.value) }

// text is h.Value() that takes the zero handle for the empty text.
func text(h unique.Handle[string]) string {
	if h == (unique.Handle[string]{}) {
		return ""
	}
	return h.Value()
}

// KeyHandle returns the toleration's key as it is interned, to be compared
// with a taint's. An absent key has the zero handle, whose Value must not be
// called.
func (u Toleration) KeyHandle() unique.Handle[string] { return u.key }

// ValueHandle is KeyHandle for the toleration's value: an empty value has the
// zero handle.
func (u Toleration) ValueHandle() unique.Handle[string] { return u.value }

// Operator returns the toleration's operator as it was written, 0 when it is
// absent.
func (u Toleration) Operator() Operator {
	return Operator(max(u.opCode(), opAbsent) - 1)
}

func (u Toleration) opCode() uint32 { return u.meta.mask >> opShift & opMask }

// Effect returns the toleration's effect, 0 when it is absent.
func (u Toleration) Effect() taint.Effect {
	return taint.Effect(u.meta.pattern & tag.Effect)
}

// Seconds returns for how many seconds the toleration holds (its
// tolerationSeconds), and whether it says so at all: without, it holds for
// good. A negative number means 0.
func (u Toleration) Seconds() (seconds int64, ok bool) {
	return u.seconds, u.meta.mask&hasSeconds != 0
}

// WithSeconds returns the toleration with its seconds set to n, as written.
// The effect must be NoExecute, exactly. On an error it returns the zero
// Toleration.
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
	u.seconds = n
	u.meta.mask |= hasSeconds
	return u, nil
}

// WithoutSeconds returns the toleration without seconds.
func (u Toleration) WithoutSeconds() Toleration {
	u.seconds = 0
	u.meta.mask &^= hasSeconds
	return u
}

// IsZero reports whether u is the zero Toleration.
func (u Toleration) IsZero() bool { return u == Toleration{} }

// IsNumeric reports whether the operator is Lt or Gt.
func (u Toleration) IsNumeric() bool { return u.meta.mask&numeric != 0 }

// Tolerates reports whether the toleration matches the taint, by the rules in
// the package's documentation. The zero values match nothing.
//
// It does not allocate.
func (u Toleration) Tolerates(t taint.Taint) bool {
	// Small enough to be inlined: most pairs differ in their tags.
	return u.MayTolerate(t.Tag()) && u.admits(t)
}

// MayTolerate reports whether the toleration may match taints with that tag
// (see [taint.Taint.Tag]). When it is false it matches none of them. It is for
// matchers that ask about many taints of which few are tolerated.
func (u *Toleration) MayTolerate(tag uint32) bool {
	return (u.meta.pattern^tag)&u.meta.mask == 0
}

// admits reports whether the toleration matches a taint whose tag it may
// match; that the effects agree is certain then, but for the zero Taint's.
func (u *Toleration) admits(t taint.Taint) bool {
	switch {
	case u.key != t.KeyHandle() && u.meta.mask&anyKey == 0 || t.Effect() == 0:
		return false
	case u.meta.mask&numeric != 0:
		return u.compares(t)
	}
	return u.meta.mask&anyValue != 0 || u.value == t.ValueHandle()
}

// compares judges the values under Lt and Gt.
func (u *Toleration) compares(t taint.Taint) bool {
	n, ok := t.Integer()
	bound, _ := validate.IntegerRule(u.Value())
	if u.opCode() == opLt {
		return ok && n < bound
	}
	return ok && n > bound
}

// Index returns the index of the first toleration in the list that matches the
// taint, -1 when none does.
//
// It does not allocate. It is O(len(list)).
func Index(list []Toleration, t taint.Taint) int {
	bits := t.Tag()
	for i := range list {
		if list[i].MayTolerate(bits) && list[i].admits(t) {
			return i
		}
	}
	return -1
}

// Canonical returns the toleration in the one form of all that mean the same
// field by field: an absent operator becomes Equal, and negative seconds
// become 0.
func (u Toleration) Canonical() Toleration {
	if u.opCode() == opAbsent {
		u.meta.mask += (opEqual - opAbsent) << opShift
	}
	u.seconds = max(u.seconds, 0)
	return u
}

// Compare returns -1, 0 or +1 by the order of keys, then operators, values (as
// text), effects and seconds; what is absent comes first. It is 0 exactly when
// u == v. It does not allocate.
func (u Toleration) Compare(v Toleration) int {
	return cmp.Or(
		cmp.Compare(u.Key(), v.Key()),
		cmp.Compare(u.opCode(), v.opCode()),
		cmp.Compare(u.Value(), v.Value()),
		cmp.Compare(u.Effect(), v.Effect()),
		cmp.Compare(u.meta.mask&hasSeconds, v.meta.mask&hasSeconds),
		cmp.Compare(u.seconds, v.seconds),
	)
}
