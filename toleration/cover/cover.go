package cover

import (
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// Covers reports whether a covers b. It takes O(1) and does not allocate.
func Covers(a, b toleration.Toleration) bool { return covers(&a, &b) || MatchesNothing(b) }

// covers is Covers for a toleration b that matches some taint.
func covers(a, b *toleration.Toleration) bool {
	// A toleration that is not empty matches the product of three sets that are
	// not empty: keys, effects and values. One such product contains another
	// exactly if each of its sets contains the other's.
	return coversKey(a, b) && coversEffect(a, b) && coversValue(a, b)
}

// MatchesNothing reports whether u matches no taint: it is zero, or no integer on a taint
// is below (Lt) or above (Gt) its value, as for k=0 op=Lt. Every toleration covers it.
func MatchesNothing(u toleration.Toleration) bool {
	if u.IsZero() || !u.IsNumeric() {
		return u.IsZero()
	}
	lo, hi := cells.Span(&u)
	return lo > hi
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

func keyOf(u *toleration.Toleration) unique.Handle[string] { return (*value.Toleration)(u).KeyHandle() }

func valueOf(u *toleration.Toleration) unique.Handle[string] {
	return (*value.Toleration)(u).ValueHandle()
}

func coversKey(a, b *toleration.Toleration) bool {
	if key := keyOf(a); key != anyKey {
		return key == keyOf(b)
	}
	return !a.IsZero()
}

// coversEffect also compares the seconds. Only a toleration of NoExecute alone
// has seconds, so they apply to all taints that it matches.
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
		return false // no value and no range contains every value
	case value.Toleration(*a).IsEqual() && value.Toleration(*b).IsEqual():
		return valueOf(a) == valueOf(b)
	}
	lo, hi := cells.Span(a)
	from, to := cells.Span(b)
	return from <= to && lo <= from && to <= hi
}

// isKnown reports whether this package knows the operator. A toleration with another
// one covers nothing, not even itself, and only Exists covers it.
func isKnown(u *toleration.Toleration) bool { return Covers(*u, *u) }
