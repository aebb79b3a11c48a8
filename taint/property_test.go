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
	t.Run("R1_canonical_form_decides", taintCanonical)
	t.Run("V6_fields", taintFields)
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
