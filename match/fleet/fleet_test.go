package fleet_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestIndex_inputs(t *testing.T) {
	t.Run("F12_inputs_stay_and_may_change", func(t *testing.T) {
		list := taint.MustParseList("b:NoSchedule,a:NoSchedule")
		pod := toleration.MustParseList("b,a:NoExecute op=Exists for 5s")
		wantList, wantPod := slices.Clone(list), slices.Clone(pod)
		var x fleet.Index[string]
		x.Put("n", match.Node{Taints: list})
		s := x.Snapshot()
		var a fleet.Answer[string]
		s.Query(&a, pod)
		if !slices.Equal(list, wantList) || !slices.Equal(pod, wantPod) {
			t.Error("an input was changed")
		}
		list[0], pod[0], pod[1] = taint.Taint{}, toleration.Toleration{}, toleration.MustParse("op=Exists")
		if _, v, _ := a.Node("n"); v.Count(0) != 1 || a.Counts().Schedulable != 0 {
			t.Errorf("an input that changes later is seen: %v", v)
		}
	})
}

// TestZeroValues tests that zero values are empty fleets.
func TestZeroValues(t *testing.T) {
	var a fleet.Answer[int]
	var s fleet.Snapshot[int]
	var x fleet.Index[int]
	pod := toleration.MustParseList("a op=Exists,a=1 op=Gt,:NoSchedule op=Exists,a=b")
	for _, s := range []*fleet.Snapshot[int]{&s, x.Snapshot()} {
		for _, p := range []toleration.List{nil, pod, toleration.MustParseList("op=Exists")} {
			check(t, s, model{}, p)
			check(t, s.Fork().Snapshot(), model{}, p)
		}
	}
	a = fleet.Answer[int]{}
	if a.Counts().Schedulable+a.Counts().Preferred+a.Counts().Evicted+len(a.TopReasons(9)) > 0 {
		t.Error("the zero Answer has numbers")
	}
	for range a.Nodes() {
		t.Error("the zero Answer has nodes")
	}
	for range a.AllGroups() {
		t.Error("the zero Answer has groups")
	}
	if _, _, ok := a.Node(0); ok {
		t.Error("the zero Answer knows a node")
	}
	var l fleet.Group[int]
	if l.Len() != 0 || l.Number() != 0 || l.Version() != 0 || len(slices.Collect(l.Taints())) != 0 || len(slices.Collect(l.Nodes())) != 0 {
		t.Error("the zero Group has something")
	}
	if x.Remove(3) || x.Len() != 0 {
		t.Error("the zero Index has a node")
	}
}
