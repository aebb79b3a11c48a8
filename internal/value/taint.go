package value

import (
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/syntax"
)

// A Taint is the representation of taint.Taint (24 bytes on 64-bit machines).
type Taint struct {
	key   unique.Handle[string]
	value unique.Handle[string] // zero when the value is empty
	meta  uint64                // its tag, and above it when it was added
}

// NewTaint returns the taint with that valid key and value, and the effect of
// that number. It does not allocate when the key and the value are interned
// already.
func NewTaint(key, value string, effect uint8) Taint {
	t := Taint{key: unique.Make(key), meta: uint64(TagOf(key, value, effect))}
	if value != "" {
		t.value = unique.Make(value)
	}
	return t
}

// KeyEffect returns the representative of all taints with the key and the effect of
// t: it has no value, and no hashes in its tag.
func (t Taint) KeyEffect() Taint { return Taint{key: t.key, meta: t.meta & TagEffect} }

// KeyAlone is KeyEffect without the effect: it represents all taints with the key.
func (t Taint) KeyAlone() Taint { return Taint{key: t.key} }

// Key returns the taint's key, "" for the zero Taint.
func (t Taint) Key() string { return Text(t.key) }

// Value returns the taint's value.
func (t Taint) Value() string { return Text(t.value) }

// Text is h.Value() that takes the zero handle for the empty text.
func Text(h unique.Handle[string]) string {
	if h == (unique.Handle[string]{}) {
		return ""
	}
	return h.Value()
}

// KeyHandle returns the interned key: equal to another handle exactly when the
// keys are equal. That of the zero Taint is the zero handle, whose Value must
// not be called.
func (t Taint) KeyHandle() unique.Handle[string] { return t.key }

// ValueHandle is KeyHandle for the value: an empty value has the zero handle.
func (t Taint) ValueHandle() unique.Handle[string] { return t.value }

// Tag returns the taint's tag, as [TagOf] does; 0 for the zero Taint.
func (t Taint) Tag() uint32 { return uint32(t.meta & tagAll) }

// Effect returns the number of the taint's effect, 0 for the zero Taint.
func (t Taint) Effect() uint8 { return uint8(t.meta & TagEffect) }

// unixYear1 is the zero time in Unix seconds. A time added is stored as the
// seconds since then, so that 0 is both the zero time and an absent one.
const (
	unixYear1     = -62135596800
	unixYear10000 = 253402300800
)

// InRange reports whether the API's JSON can represent the time.
func InRange(at time.Time) bool {
	unix := at.Unix()
	return unixYear1 <= unix && unix < unixYear10000
}

// Added returns when the taint was added, in seconds; 0 when that is absent.
func (t Taint) Added() uint64 { return t.meta >> tagBits }

// TimeAdded returns when the taint was added, in UTC, or the zero time.
func (t Taint) TimeAdded() time.Time {
	if added := t.Added(); added != 0 {
		return time.Unix(int64(added)+unixYear1, 0).UTC()
	}
	return time.Time{}
}

// WithTimeAdded returns the taint with that time, which must be in range,
// truncated to seconds. The zero time removes it.
func (t Taint) WithTimeAdded(at time.Time) Taint {
	t.meta = t.meta&tagAll | uint64(at.Unix()-unixYear1)<<tagBits // Unix rounds down
	return t
}

// Canonical returns the taint without when it was added.
func (t Taint) Canonical() Taint {
	t.meta &= tagAll
	return t
}

// SameKeyEffect reports whether the taints have the same key and effect.
func (t Taint) SameKeyEffect(u Taint) bool { return t.key == u.key && t.Effect() == u.Effect() }

// Integer returns the taint's value as the number that the operators Lt and Gt
// compare, and whether it is one.
func (t Taint) Integer() (n int64, ok bool) {
	if t.meta&tagInteger == 0 {
		return 0, false
	}
	n, _ = syntax.Integer(t.Value())
	return n, true
}
