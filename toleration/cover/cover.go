package cover

import (
	"math"
	"unique"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Covers reports whether a tolerates every taint that b tolerates, and for at
// least as long. It is exact over all valid taints. A toleration that matches
// none ([Empty]) is covered by every other, the zero Toleration too.
//
// It does not allocate. It is O(1).
func Covers(a, b toleration.Toleration) bool { return covers(&a, &b) }

func covers(a, b *toleration.Toleration) bool {
	// A toleration other than an empty one matches the taints of the product
	// of three sets that are not empty: of keys, effects and values. One such
	// product is part of another exactly when each of its sets is.
	return coversKey(a, b) && coversEffect(a, b) && coversValue(a, b) || Empty(*b)
}

// Empty reports whether u matches no taint at all: it is the zero Toleration,
// or no number that a taint can have is below or above its own. It does not
// allocate.
func Empty(u toleration.Toleration) bool {
	if u.IsNumeric() {
		return outOfRange(&u)
	}
	return u.IsZero()
}

func outOfRange(u *toleration.Toleration) bool {
	lo, hi := span(u)
	return lo > hi
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

func coversKey(a, b *toleration.Toleration) bool {
	if key := a.KeyHandle(); key != anyKey {
		return key == b.KeyHandle()
	}
	return !a.IsZero()
}

// coversEffect compares seconds too: only a toleration of the one effect
// NoExecute has them, so they count for all taints that it matches.
func coversEffect(a, b *toleration.Toleration) bool {
	if e := a.Effect(); e != 0 && e != b.Effect() {
		return false
	}
	seconds, timed := a.Seconds()
	if !timed {
		return true
	}
	other, timed := b.Seconds()
	return timed && max(seconds, 0) >= max(other, 0)
}

func coversValue(a, b *toleration.Toleration) bool {
	switch {
	case a.Operator() == toleration.Exists:
		return true
	case b.Operator() == toleration.Exists:
		return false // a value or a range leaves some value out
	case !a.IsNumeric() && !b.IsNumeric():
		return a.ValueHandle() == b.ValueHandle()
	}
	return coversRange(a, b)
}

// coversRange judges the values when one operator at least is Lt or Gt.
func coversRange(a, b *toleration.Toleration) bool {
	lo, hi := span(a)
	from, to := span(b)
	return from <= to && lo <= from && to <= hi
}

// span returns the least and the greatest integer on a taint that u admits; no
// integer when the least is the greater. Equal admits one, if its value is an
// integer, and otherwise none: by the caller's care, no Equal that admits
// another value is judged by its span alone.
func span(u *toleration.Toleration) (lo, hi int64) {
	n, rule := validate.IntegerRule(u.Value())
	switch {
	case u.Operator() == toleration.Gt && n < math.MaxInt64:
		return max(n, -1) + 1, math.MaxInt64
	case u.Operator() == toleration.Lt && n > 0:
		return 0, n - 1
	case !u.IsNumeric() && rule == 0 && n >= 0:
		return n, n
	}
	return 1, 0
}
