package taint

import (
	"cmp"
	"strings"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/tag"
)

// A Taint repels pods from the node that bears it. Every non-zero Taint is
// valid. The zero Taint is inert: no toleration matches it.
//
// A Taint is a small value (24 bytes on 64-bit machines) to be copied. Taints
// may be compared with == and used as map keys: == is identity as written,
// time added included. It is safe for concurrent use.
//
// Its key and value are interned: making a Taint costs a look-up of each and
// comparing Taints costs next to nothing, so make them once, when the node
// changes.
type Taint struct {
	key   unique.Handle[string]
	value unique.Handle[string] // zero when the value is empty
	meta  uint64                // its tag, and above it the seconds since the year 1
}

// unixYear1 is the zero time in Unix seconds: an added time counts from there,
// so that 0 is both "absent" and the zero time.
const (
	unixYear1     = -62135596800
	unixYear10000 = 253402300800
)

// New returns the taint with that key, value and effect. An effect is needed;
// the value may be empty. The error tells every rule that is broken, and comes
// with the zero Taint.
//
// It does not allocate when the key and the value are those of some taint or
// toleration already held.
func New(key, value string, effect Effect) (Taint, error) {
	return build("taint.New", "", key, value, effect, effect.String())
}

// From is [New] for an effect that is some type of text, such as the fields of
// a corev1.Taint. Its time added, if any, comes with [Taint.WithTimeAdded].
//
//	t, err := taint.From(n.Key, n.Value, n.Effect)
func From[E ~string](key, value string, effect E) (Taint, error) {
	e, _ := knownEffect(string(effect))
	return build("taint.From", "", key, value, e, string(effect))
}

// Check reports what keeps the fields from being a taint's: the error of
// [From], without making one. It does not allocate when all is well.
func Check[E ~string](key, value string, effect E) error {
	e, known := knownEffect(string(effect))
	if known && validate.KeyRule(key) == 0 && validate.ValueRule(value) == 0 {
		return nil
	}
	return problems("taint.Check", "", key, value, e, string(effect))
}

// Parse returns the taint written as key=value:Effect, or key:Effect when its
// value is empty. On an error it returns the zero Taint.
//
// It does not allocate when the key and the value are those of some taint or
// toleration already held. Text does not carry a time added.
func Parse(s string) (Taint, error) { return parse("taint.Parse", s) }

// MustParse calls [Parse] and panics on an error. It is for tests and for
// texts in the program.
func MustParse(s string) Taint {
	t, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return t
}

var forms = []string{"key=value:Effect", "key:Effect"}

func parse(caller, s string) (Taint, error) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon == len(s)-1 {
		return Taint{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	key, name := s[:colon], s[colon+1:]
	value := ""
	if eq := strings.IndexByte(key, '='); eq >= 0 {
		key, value = key[:eq], key[eq+1:]
	}
	effect, _ := knownEffect(name)
	return build(caller, s, key, value, effect, name)
}

// build makes the taint, or tells all that is wrong with its parts. An effect
// that is not valid is told by its name.
func build(caller, input, key, value string, effect Effect, name string) (Taint, error) {
	keyRule, valueRule := validate.KeyRule(key), validate.ValueRule(value)
	if keyRule != 0 || valueRule != 0 || !effect.IsValid() {
		return Taint{}, problems(caller, input, key, value, effect, name)
	}
	t := Taint{key: unique.Make(key), meta: uint64(tag.Of(key, value, uint8(effect)))}
	if value != "" {
		t.value = unique.Make(value)
	}
	return t, nil
}

func problems(caller, input, key, value string, effect Effect, name string) validate.Problems {
	var ps validate.Problems
	if r := validate.KeyRule(key); r != 0 {
		ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: "key", Value: key, Rule: r})
	}
	if r := validate.ValueRule(value); r != 0 {
		ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: "value", Value: value, Rule: r})
	}
	switch {
	case effect.IsValid():
	case name == "":
		ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: "effect", Rule: validate.EffectMissing, Allowed: effectNames})
	default:
		ps = append(ps, &validate.Problem{Func: caller, Input: input, Path: "effect", Value: name, Rule: validate.EffectUnknown, Allowed: effectNames})
	}
	return ps
}

// Key returns the taint's key, "" for the zero Taint. It does not allocate.
func (t Taint) Key() string { return text(t.key) }

// Value returns the taint's value, which may be empty. It does not allocate.
func (t Taint) Value() string { return text(t.value) }

// text is h.Value() that takes the zero handle for the empty text.
func text(h unique.Handle[string]) string {
	if h == (unique.Handle[string]{}) {
		return ""
	}
	return h.Value()
}

// KeyHandle returns the taint's key as it is interned: equal to another handle
// exactly when the keys are equal, and compared in one instruction. That of
// the zero Taint is the zero handle, whose Value must not be called.
func (t Taint) KeyHandle() unique.Handle[string] { return t.key }

// ValueHandle is KeyHandle for the taint's value: an empty value has the zero
// handle.
func (t Taint) ValueHandle() unique.Handle[string] { return t.value }

// Tag returns a few bits of the taint by which matchers sieve: taints with
// different tags differ in key, value or effect. See package validate/tag. It
// is 0 for the zero Taint. It does not allocate.
func (t Taint) Tag() uint32 { return uint32(t.meta & tag.All) }

// Effect returns the taint's effect, 0 for the zero Taint.
func (t Taint) Effect() Effect { return Effect(t.meta & tag.Effect) }

// TimeAdded returns when the taint was added to its node, in UTC and whole
// seconds; the zero time when that is absent.
func (t Taint) TimeAdded() time.Time {
	if added := int64(t.meta >> tag.Bits); added != 0 {
		return time.Unix(added+unixYear1, 0).UTC()
	}
	return time.Time{}
}

// WithTimeAdded returns the taint with that time added, cut down to whole
// seconds, in UTC. The zero time makes it absent.
//
// The API's JSON can write only the years 1 to 9999: other times are an error,
// and so is a time for the zero Taint. On an error it returns the zero Taint.
func (t Taint) WithTimeAdded(at time.Time) (Taint, error) {
	const caller = "taint.Taint.WithTimeAdded"
	added := at.Unix() - unixYear1 // Unix rounds down
	if !inRange(at) {
		return Taint{}, validate.Problems{{Func: caller, Path: "timeAdded", Value: at.String(), Rule: validate.TimeRange}}
	}
	if t.IsZero() && added != 0 {
		return Taint{}, validate.Problems{{Func: caller, Rule: validate.ZeroValue}}
	}
	t.meta = t.meta&tag.All | uint64(added)<<tag.Bits
	return t, nil
}

// inRange reports whether the time can be written in the API's JSON.
func inRange(at time.Time) bool {
	unix := at.Unix()
	return unixYear1 <= unix && unix < unixYear10000
}

// Integer returns the taint's value as the number that the operators Lt and Gt
// compare, and whether it is one. A taint's number is never negative. It does
// not allocate.
func (t Taint) Integer() (n int64, ok bool) {
	n, r := validate.IntegerRule(t.Value())
	return n, r == 0
}

// IsZero reports whether t is the zero Taint.
func (t Taint) IsZero() bool { return t == Taint{} }

// Canonical returns the taint without its time added: two taints have the same
// meaning when their canonical forms are ==.
func (t Taint) Canonical() Taint {
	t.meta &= tag.All
	return t
}

// SameKeyEffect reports whether t and u have the same key and effect: a node
// bears at most one of the two, and putting one on it replaces the other.
func (t Taint) SameKeyEffect(u Taint) bool {
	return t.key == u.key && t.Effect() == u.Effect()
}

// Compare returns -1, 0 or +1 by the order of keys, then effects, values and
// times added; an absent time comes first. It is 0 exactly when t == u. It
// does not allocate.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		cmp.Compare(t.Key(), u.Key()),
		cmp.Compare(t.Effect(), u.Effect()),
		cmp.Compare(t.Value(), u.Value()),
		cmp.Compare(t.meta>>tag.Bits, u.meta>>tag.Bits),
	)
}
