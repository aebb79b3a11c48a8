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
	// A toleration that is not empty matches the product of three sets that are not empty:
	// keys, effects and values. One such product contains another exactly if each of its
	// sets contains the other's. Only a toleration of NoExecute alone has seconds, so they
	// apply to all taints that it matches.
	key, e := keyOf(a), a.Effect()
	return !a.IsZero() && (key == anyKey || key == keyOf(b)) && (e == 0 || e == b.Effect()) &&
		!longer(b, a) && coversValue(a, b)
}

// MatchesNothing reports whether u matches no taint: it is zero, or no integer on a taint
// is below (Lt) or above (Gt) its value, as for k=0 op=Lt. Every toleration covers it.
func MatchesNothing(u toleration.Toleration) bool {
	if !u.IsNumeric() {
		return u.IsZero()
	}
	lo, hi := cells.Integers(&u)
	return lo > hi
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

func keyOf(u *toleration.Toleration) unique.Handle[string] { return (*value.Toleration)(u).KeyHandle() }

func coversValue(a, b *toleration.Toleration) bool {
	switch {
	case a.Operator() == toleration.Exists:
		return true
	case value.Toleration(*a).IsEqual() && value.Toleration(*b).IsEqual():
		return a.Value() == b.Value()
	}
	lo, hi := cells.Integers(a)
	from, to := cells.Integers(b)
	return from <= to && lo <= from && to <= hi
}

// overlap returns false only if no taint matches both.
func overlap(a, b *toleration.Toleration) bool {
	k, m, e, f := keyOf(a), keyOf(b), a.Effect(), b.Effect()
	return (k == m || k == anyKey || m == anyKey) && (e == f || e == 0 || f == 0) &&
		(a.Value() == b.Value() || !value.Toleration(*a).IsEqual() || !value.Toleration(*b).IsEqual())
}
