package cover

import (
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// Covers reports whether a covers b. It takes O(1) and does not allocate.
func Covers(a, b toleration.Toleration) bool { return covers(&a, &b) || MatchesNothing(b) }

// covers is Covers for a toleration b that matches some taint. For long lists, index.covers
// implements the same rules: change both.
func covers(a, b *toleration.Toleration) bool {
	// A toleration that is not empty matches the product of three sets that are not empty:
	// keys, effects and values. One such product contains another exactly if each of its
	// sets contains the other's. Only a toleration of NoExecute alone has seconds, so they
	// apply to all taints that it matches.
	key, e := keyOf(a), a.Effect()
	switch {
	case key != keyOf(b) && key != anyKey, e != b.Effect() && e != 0, a.IsZero(),
		cells.LengthOf(a.Seconds()) < cells.LengthOf(b.Seconds()):
		return false
	case a.Operator() == toleration.Exists:
		return true
	case value.Toleration(*a).IsEqual() && value.Toleration(*b).IsEqual():
		return a.Value() == b.Value()
	}
	lo, hi := cells.Integers(a)
	from, to := cells.Integers(b)
	return from <= to && lo <= from && to <= hi
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

func keyOf(u *toleration.Toleration) unique.Handle[string] { return (*value.Toleration)(u).KeyHandle() }

// MatchesNothing reports whether u matches no taint: it is zero, or no integer on a taint
// is below (Lt) or above (Gt) its value, as for k=0 op=Lt. Every toleration covers it.
func MatchesNothing(u toleration.Toleration) bool {
	if !u.IsNumeric() {
		return u.IsZero()
	}
	lo, hi := cells.Integers(&u)
	return lo > hi
}

// UncoveredTaint returns a taint that the list tolerates, and that by does not tolerate or
// not for as long; false if by covers the list. It takes O(n²) for the n tolerations of both
// lists, about 0.3 s for 2,000: limit untrusted lists, as package lint does.
func UncoveredTaint(list, by toleration.List, choice toleration.Choice) (t taint.Taint, found bool) {
	choice.Prefers(toleration.Toleration{}, toleration.Toleration{}) // panics if it is unknown
	for _, t := range cells.New(slices.Concat(list, by)).Taints {
		if lengthOf(list, t, choice) > lengthOf(by, t, choice) {
			return t, true
		}
	}
	return taint.Taint{}, false
}

// lengthOf returns how long the list tolerates the taint.
func lengthOf(list toleration.List, t taint.Taint, choice toleration.Choice) cells.Length {
	decides := -1
	for i := range list {
		if list[i].Tolerates(t) && (decides < 0 || choice.Prefers(list[i], list[decides])) {
			decides = i
		}
	}
	if decides < 0 {
		return 0
	}
	return cells.LengthOf(list[decides].Seconds())
}
