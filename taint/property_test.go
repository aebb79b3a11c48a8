package taint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
)

func TestTaint(t *testing.T) {
	t.Run("K5_round_trips", taintRoundTrips)
	t.Run("R1_compare_is_a_total_order", taintCompare)
	t.Run("R1_canonical_form_decides", taintCanonical)
	t.Run("V6_fields", taintFields)
}

func taintRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrips(t, gen.Taint().Draw(t, "taint"))
	})
}

func taintCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := gen.TaintOrZero().Draw(t, "a"), gen.TaintOrZero().Draw(t, "b"), gen.TaintOrZero().Draw(t, "c")
		if (a.Compare(b) == 0) != (a == b) {
			t.Errorf("Compare(%v, %v) = %d", a, b, a.Compare(b))
		}
		if a.Compare(b) != -b.Compare(a) {
			t.Errorf("Compare(%v, %v) = %d and back %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Errorf("%v <= %v <= %v, but Compare of the ends is %d", a, b, c, a.Compare(c))
		}
	})
}

func taintCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.TaintOrZero().Draw(t, "a"), gen.TaintOrZero().Draw(t, "b")
		same := a.Key() == b.Key() && a.Value() == b.Value() && a.Effect() == b.Effect()
		if (a.Canonical() == b.Canonical()) != same {
			t.Errorf("%v and %v: canonical forms agree: %t, want %t", a, b, !same, same)
		}
		if a.Canonical().Canonical() != a.Canonical() {
			t.Errorf("Canonical of %v is not its own", a)
		}
	})
}

func equalSetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TaintsAndZeros().Draw(t, "list")
		shuffled := rapid.Permutation(slices.Concat(list, list)).Draw(t, "shuffled")
		if !list.EqualSet(shuffled) {
			t.Errorf("order or repeats matter: %v, %v", list, shuffled)
		}
		other := gen.TaintsAndZeros().Draw(t, "other")
		want := slices.Equal(list.Canonical(), other.Canonical())
		if got := list.EqualSet(other); got != want {
			t.Errorf("%v.EqualSet(%v) = %t, want %t", list, other, got, want)
		}
		if got := list.Canonical().String() == other.Canonical().String(); got != want {
			t.Errorf("the texts of %v and %v agree: %t, want %t", list, other, got, want)
		}
	})
}

func validateProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.NodeTaints().Draw(t, "list")
		if err := list.Validate(taint.ListOptions{}); err != nil {
			t.Errorf("List.Validate(%v) = %v", list, err)
		}
		if len(list) == 0 {
			return
		}
		i := rapid.IntRange(0, len(list)-1).Draw(t, "i")
		again := append(slices.Clone(list), list[i].Canonical())
		if err := again.Validate(taint.ListOptions{}); err == nil {
			t.Errorf("List.Validate(%v) finds no repeat", again)
		}
	})
}

// The fields that are valid are those that From, New and Check accept. All three report
// the same paths, in the same order.
func taintFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTaintFields().Draw(t, "fields")
		got, err := taint.From(f.Key, f.Value, f.Effect)
		want := plain.Key(f.Key) && plain.Value(f.Value) && slices.Contains(refEffects, f.Effect)
		if (err == nil) != want || got.IsZero() == want {
			t.Errorf("From(%+v) = %v, %v, want accepted: %t", f, got, err, want)
		}
	})
}
