package taint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/taint"
)

func TestK5_round_trips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrips(t, gen.Taint().Draw(t, "taint"))
	})
}

func TestR1_compare_is_a_total_order(t *testing.T) {
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

func TestR1_canonical_form_decides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.TaintOrZero().Draw(t, "a"), gen.TaintOrZero().Draw(t, "b")
		same := a.Key() == b.Key() && a.Value() == b.Value() && a.Effect() == b.Effect()
		if (a.Canonical() == b.Canonical()) != same || (a.Hash() == b.Hash()) != same {
			t.Errorf("%v and %v: canonical forms agree: %t, hashes: %t, want %t", a, b, a.Canonical() == b.Canonical(), a.Hash() == b.Hash(), same)
		}
		if a.Canonical().Canonical() != a.Canonical() {
			t.Errorf("Canonical of %v is not its own", a)
		}
	})
}

func TestR1_sets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.TaintsAndZeros().Draw(t, "list")
		shuffled := rapid.Permutation(slices.Concat(list, list)).Draw(t, "shuffled")
		if !taint.EqualSets(list, shuffled) || taint.HashSet(list) != taint.HashSet(shuffled) {
			t.Errorf("order or repeats matter: %v, %v", list, shuffled)
		}
		other := gen.TaintsAndZeros().Draw(t, "other")
		want := slices.Equal(taint.AppendCanonical(nil, list), taint.AppendCanonical(nil, other))
		if got := taint.EqualSets(list, other); got != want {
			t.Errorf("EqualSets(%v, %v) = %t, want %t", list, other, got, want)
		}
		if got := taint.HashSet(list) == taint.HashSet(other); got != want {
			t.Errorf("HashSets of %v and %v agree: %t, want %t", list, other, got, want)
		}
	})
}

func TestV8_node_lists_are_valid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.NodeTaints().Draw(t, "list")
		if err := taint.ValidateList(list, taint.ListOptions{}); err != nil {
			t.Errorf("ValidateList(%v) = %v", list, err)
		}
		if len(list) == 0 {
			return
		}
		i := rapid.IntRange(0, len(list)-1).Draw(t, "i")
		again := append(slices.Clone(list), list[i].Canonical())
		if err := taint.ValidateList(again, taint.ListOptions{}); err == nil {
			t.Errorf("ValidateList(%v) finds no repeat", again)
		}
	})
}

// The fields that are valid are those that From, New and Check take, and
// neither path nor order of problems depends on the way.
func TestV6_fields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := gen.AnyTaintFields().Draw(t, "fields")
		got, err := taint.From(f.Key, f.Value, f.Effect)
		want := plain.Key(f.Key) && plain.Value(f.Value) && slices.Contains(refEffects, f.Effect)
		if (err == nil) != want || got.IsZero() == want {
			t.Errorf("From(%+v) = %v, %v, want accepted: %t", f, got, err, want)
		}
		if checked := taint.Check(f.Key, f.Value, f.Effect); (checked == nil) != want {
			t.Errorf("Check(%+v) = %v, want accepted: %t", f, checked, want)
		}
	})
}
