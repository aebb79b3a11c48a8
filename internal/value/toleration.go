package value

import (
	"cmp"
	"unique"
)

// A Toleration is the representation of toleration.Toleration (32 bytes on
// 64-bit machines).
type Toleration struct {
	key     unique.Handle[string] // zero when absent
	value   unique.Handle[string] // zero when empty
	seconds int64
	meta    sieve
}

// A sieve passes the tags that agree with the pattern in the bits of the mask. The bits
// of absent fields are not in the mask. A sieve is one word, and rejects nearly all
// taints that the toleration does not match. The mask has no bits above those of a tag,
// so the pattern can store more there.
type sieve struct {
	pattern, mask uint32
}

const (
	opShift    = tagBits // one higher than the operator, so that 0 is the zero Toleration's
	opMask     = 7
	hasSeconds = 1 << (opShift + 3)
	anyKey     = 1 << (opShift + 4) // the key is absent
	anyValue   = 1 << (opShift + 5) // the operator is Exists
	oneValue   = 1 << (opShift + 6) // the operator is Equal or absent

	// The operators: their numbers in package toleration, and 1.
	opAbsent = 1
	opEqual  = 2
	opExists = 3
	opLt     = 4
	opGt     = 5
)

// NewToleration returns the toleration with that key, operator, value and
// effect, which are valid together. For an operator that it does not know it returns
// the zero Toleration, which matches nothing. It does not allocate when the key and
// the value are interned already.
func NewToleration(key string, op uint8, value string, effect uint8) Toleration {
	code := uint32(op) + 1
	u := Toleration{meta: sieve{pattern: TagOf(key, value, effect) | code<<opShift}}
	if key != "" {
		u.key = unique.Make(key)
		u.meta.mask |= tagKey
	} else {
		u.meta.pattern |= anyKey
	}
	if value != "" {
		u.value = unique.Make(value)
	}
	switch code {
	case opAbsent, opEqual:
		u.meta.pattern |= oneValue
		u.meta.mask |= tagValue
	case opExists:
		u.meta.pattern |= anyValue
	case opLt, opGt:
		u.meta.pattern |= tagInteger
		u.meta.mask |= tagInteger
	default:
		return Toleration{}
	}
	if effect != 0 {
		u.meta.mask |= TagEffect
	}
	return u
}

// Key returns the toleration's key, "" when it is absent.
func (u Toleration) Key() string { return Text(u.key) }

// Value returns the toleration's value.
func (u Toleration) Value() string { return Text(u.value) }

// KeyHandle returns the interned key, to be compared with a taint's. An absent
// key has the zero handle, whose Value must not be called.
func (u Toleration) KeyHandle() unique.Handle[string] { return u.key }

// ValueHandle is KeyHandle for the value: an empty value has the zero handle.
func (u Toleration) ValueHandle() unique.Handle[string] { return u.value }

// Operator returns the number of the operator as it was written, 0 when it is
// absent.
func (u Toleration) Operator() uint8 { return uint8(max(u.opCode(), opAbsent) - 1) }

// Order returns the number by which tolerations are sorted for their operators:
// the zero Toleration comes before one whose operator is absent.
func (u Toleration) Order() uint32 { return u.opCode() }

func (u Toleration) opCode() uint32 { return u.meta.pattern >> opShift & opMask }

// Effect returns the number of the effect, 0 when it is absent.
func (u Toleration) Effect() uint8 { return uint8(u.meta.pattern & TagEffect) }

// Seconds returns the toleration's seconds and whether it has any.
func (u Toleration) Seconds() (seconds int64, ok bool) {
	return u.seconds, u.meta.pattern&hasSeconds != 0
}

// CompareSeconds compares the seconds as they were written; absent ones come
// first.
func (u Toleration) CompareSeconds(v Toleration) int {
	return cmp.Or(
		cmp.Compare(u.meta.pattern&hasSeconds, v.meta.pattern&hasSeconds),
		cmp.Compare(u.seconds, v.seconds),
	)
}

// WithSeconds returns the toleration with its seconds set to n.
func (u Toleration) WithSeconds(n int64) Toleration {
	u.seconds = n
	u.meta.pattern |= hasSeconds
	return u
}

// WithoutSeconds returns the toleration without seconds.
func (u Toleration) WithoutSeconds() Toleration {
	u.seconds = 0
	u.meta.pattern &^= hasSeconds
	return u
}

// IsEqual reports whether the operator is Equal or absent.
func (u Toleration) IsEqual() bool { return u.opCode() == opEqual || u.opCode() == opAbsent }

// IsNumeric reports whether the operator is Lt or Gt.
func (u Toleration) IsNumeric() bool { return u.opCode() == opLt || u.opCode() == opGt }

// Canonical returns the toleration with Equal for an absent operator and 0 for
// negative seconds.
func (u Toleration) Canonical() Toleration {
	if u.opCode() == opAbsent {
		u.meta.pattern += (opEqual - opAbsent) << opShift
	}
	u.seconds = max(u.seconds, 0)
	return u
}

// Matches reports whether the toleration matches the taint. The zero values
// match nothing. It does not allocate.
func (u Toleration) Matches(t Taint) bool {
	// This is MayMatch, written out so that toleration.Toleration.Tolerates is
	// inlined (TestInlining): most pairs differ in their tags. The mask has none
	// of the bits above the taint's tag.
	return (u.meta.pattern^uint32(t.meta))&u.meta.mask == 0 && u.matchesSifted(t)
}

// matchesSifted is Matches for a taint whose tag passes the sieve.
func (u Toleration) matchesSifted(t Taint) bool { return u.MatchesText(&t) || u.MatchesNumber(&t) }

// MayMatch reports whether the toleration may match taints with that tag. When
// it is false it matches none of them. Otherwise, it matches those for which
// MatchesText or MatchesNumber is true: three methods, so that the first two are inlined.
func (u *Toleration) MayMatch(tag uint32) bool {
	return (u.meta.pattern^tag)&u.meta.mask == 0
}

// MatchesText reports whether the toleration matches a taint, whose tag passes the sieve,
// by the operators Exists and Equal, which may be absent.
func (u *Toleration) MatchesText(t *Taint) bool {
	if u.meta.pattern&anyKey == 0 {
		if u.key != t.key {
			return false
		}
	} else if t.meta&TagEffect == 0 { // the zero Taint
		return false
	}
	return u.meta.pattern&anyValue != 0 || u.value == t.value && u.meta.pattern&oneValue != 0
}

// MatchesNumber reports whether the toleration matches a taint, whose tag passes the
// sieve, by the operators Lt and Gt.
func (u *Toleration) MatchesNumber(t *Taint) bool {
	switch op := u.opCode(); {
	case u.key != t.key:
	case op == opLt:
		return less(t.value.Value(), u.value.Value())
	case op == opGt:
		return less(u.value.Value(), t.value.Value())
	}
	return false
}

// less reports whether integer a is less than b, of which at most one is
// negative. Each number has one spelling, so numbers need not be parsed.
func less(a, b string) bool {
	switch {
	case a[0] == '-' || b[0] == '-':
		return a[0] == '-'
	case len(a) != len(b):
		return len(a) < len(b)
	}
	return a < b
}
