package impact_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
)

func TestPlacementKind(t *testing.T) {
	contract.Enum[impact.PlacementKind]{Names: map[impact.PlacementKind]string{
		impact.Same: "Same", impact.Opened: "Opened", impact.Closed: "Closed", impact.Widened: "Widened",
		impact.Narrowed: "Narrowed", impact.Moved: "Moved", impact.Improved: "Improved", impact.Worsened: "Worsened",
	}}.Test(t)
}

func TestPlacement_contract(t *testing.T) {
	samples := []impact.Placement{
		{}, {Before: 2}, {Gained: 1}, {Gained: 1, FirstGained: 1}, {Before: 1, Lost: 1}, {Before: 2, Lost: 1, FirstLost: 1},
		{Before: 2, Gained: 1, Lost: 1}, {Before: 2, Gained: 1}, {Before: 1, Repelled: 1}, {Before: 1, Repelled: -1}, {Before: 2, Lost: 1, Repelled: -1},
	}
	contract.Result[impact.Placement]{Samples: samples}.Test(t)
	for _, w := range samples {
		checkPlacementJSON(t, w)
	}
}

func TestEviction_contract(t *testing.T) {
	n := impact.NodeChange{Before: match.Node{Taints: taints("x:NoExecute")}, After: match.Node{Taints: taints("y:NoExecute")}, Observed: eviction.Observe(nil, taints("x:NoExecute"), noon.Add(-time.Minute))}
	plan := newPlan(options{Now: noon}, impact.NodeChange{}, n)
	samples := []impact.Eviction{{}}
	for _, list := range [][]string{
		nil, {"x"}, {"y"}, {"x:NoExecute for 90s", "y"}, {"x", "y:NoExecute for 30s"}, {":NoExecute op=Exists for 90s"},
	} {
		samples = append(samples, plan.Eviction(onNode{Node: 1}, tolerations(list...)))
	}
	contract.Result[impact.Eviction]{Samples: samples}.Test(t)
	for _, e := range samples {
		checkEvictionJSON(t, e)
	}
}

// checkEvictionJSON compares the JSON of e with its fields.
func checkEvictionJSON(t failer, e impact.Eviction) {
	t.Helper()
	checkJSON(t, e, map[string]any{"kind": e.Kind.String(), "before": e.Before, "after": e.After})
}

// checkPlacementJSON compares the JSON of w with its fields and methods.
func checkPlacementJSON(t failer, w impact.Placement) {
	t.Helper()
	want := map[string]any{"kind": w.Kind().String(), "before": w.Before, "after": w.After}
	if w.Gained > 0 {
		want["gained"], want["firstGained"] = w.Gained, w.FirstGained
	}
	if w.Lost > 0 {
		want["lost"], want["firstLost"] = w.Lost, w.FirstLost
	}
	if w.Repelled != 0 {
		want["repelled"] = w.Repelled
	}
	checkJSON(t, w, want)
}

// checkJSON compares the JSON of a value with the expected JSON.
func checkJSON(t failer, v, want any) {
	t.Helper()
	var texts [2]any
	for i, v := range []any{v, want} {
		data, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(data, &texts[i])
		}
		if err != nil {
			t.Errorf("%v: %v", v, err)
			return
		}
	}
	if diff := cmp.Diff(texts[1], texts[0]); diff != "" {
		t.Errorf("%v: JSON mismatch (-want +got):\n%s", v, diff)
	}
}
