package eviction_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
)

func someOptions() *rapid.Generator[eviction.Options] {
	return rapid.Custom(func(t *rapid.T) eviction.Options {
		arrived := rapid.OneOf(rapid.Just(time.Time{}), moment(noon)).Draw(t, "arrived")
		return eviction.Options{Choice: gen.Choice().Draw(t, "toleration"), PerTaint: rapid.Bool().Draw(t, "own"), Arrived: arrived}
	})
}

// property draws a node and a pod. It compares Decide with the reference, and tests
// that the result does not depend on what must not matter.
func property(t *rapid.T) {
	scene := gen.Scenes().Draw(t, "scene")
	observed := seen(t, scene.Taints, noon)
	now := rapid.OneOf(rapid.Just(noon), moment(noon)).Draw(t, "now")
	kept := slices.Clone(observed)
	for _, p := range allOptions(moment(noon).Draw(t, "arrived")) {
		d := check(t, now, observed, p, scene.Tolerations)
		if !slices.Equal(observed, kept) {
			t.Fatalf("the observed taints were changed")
		}
		executing := slices.DeleteFunc(slices.Clone(observed), func(o eviction.Observed) bool { return o.Taint.Effect() != taint.NoExecute })
		if got := eviction.Decide(executing, now, p, scene.Tolerations); !sameTime(d, got) {
			t.Errorf("E1: %v, but %v without the other effects", d, got)
		}
		other := eviction.Decide(rapid.Permutation(observed).Draw(t, "order"), now, p, scene.Tolerations)
		if due(now, d) != due(now, other) || (d.Kind() == eviction.Never) != (other.Kind() == eviction.Never) {
			t.Errorf("E2: %v, but %v in another order", d, other)
		}
	}
}

// sameTime reports whether two decisions have the same time, whichever taint decides.
func sameTime(d, e eviction.Decision) bool {
	a, _ := d.Deadline()
	b, _ := e.Deadline()
	return d.Kind() == e.Kind() && a == b
}

// due returns when the pod is evicted, at the latest now if it is due; the zero time for
// never.
func due(now time.Time, d eviction.Decision) time.Time {
	if at, _ := d.Deadline(); d.Kind() != eviction.Due {
		return at
	}
	return now
}

// The reference has E1, E2, E3, E4, E5, E6, E7 and M8.
func TestDecide_properties(t *testing.T) {
	t.Run("E2_reference", rapid.MakeCheck(property))
	t.Run("E4_as_kubernetes_replayed", rapid.MakeCheck(testDecideReplayed))
	t.Run("E7_wall_clock", testDecideWallClock)
}

// One start gives the deadline of a controller that sees each taint at its time.
func testDecideReplayed(t *rapid.T) {
	scene := gen.Scenes().Draw(t, "scene")
	observed := seen(t, scene.Taints, noon)
	p := someOptions().Draw(t, "options")
	p.PerTaint = false
	var times []time.Time
	for _, o := range observed {
		times = append(times, startOf(o, p))
	}
	slices.SortFunc(times, time.Time.Compare)
	if len(times) == 0 || times[0].Before(noon.AddDate(-100, 0, 0)) {
		return // there are enough others, whose deadlines a time can represent, or none
	}
	var state eviction.State
	for _, now := range times {
		if !state.Deadline.IsZero() && !state.Deadline.After(now) {
			break
		}
		var taints taint.List
		for _, o := range observed {
			if !startOf(o, p).After(now) {
				taints = append(taints, o.Taint)
			}
		}
		state, _ = eviction.Reevaluate(state, taints, now, p.Choice, scene.Tolerations)
	}
	d := eviction.Decide(observed, times[len(times)-1], p, scene.Tolerations)
	if at, ok := d.Deadline(); at != state.Deadline || ok == state.Deadline.IsZero() {
		t.Errorf("Decide(%v, %v) = %v, %v; a controller schedules %v", observed, p, d, at, state)
	}
}
