package fleet_test

import (
	"fmt"
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
	for range a.Changes(&s) {
		t.Error("the zero Answer has changes")
	}
	if _, _, ok := a.Node(0); ok {
		t.Error("the zero Answer knows a node")
	}
	if a.Current(&s) {
		t.Error("the zero Answer is current")
	}
	var l fleet.Group[int]
	if l.Len() != 0 || l.Number() != 0 || l.Version() != 0 || len(slices.Collect(l.Taints())) != 0 || len(slices.Collect(l.Nodes())) != 0 {
		t.Error("the zero Group has something")
	}
	if x.Remove(3) || x.Len() != 0 {
		t.Error("the zero Index has a node")
	}
}

// Of many groups, on pages that the snapshots share and others, each change is found.
func TestAnswer_Changes_each(t *testing.T) {
	t.Run("N4_a_node_is_replaced", func(t *testing.T) {
		const groups = 300
		var x fleet.Index[int]
		kind := func(i int) match.Node {
			return match.Node{Taints: taint.MustParseList(fmt.Sprintf("n=%d:NoSchedule", i%groups))}
		}
		for i := range 2 * groups {
			x.Put(i, kind(i))
		}
		var a fleet.Answer[int]
		for i := range groups {
			before := x.Snapshot()
			x.Remove(i)
			x.Put(-i-1, kind(i))
			x.Snapshot().Query(&a, toleration.MustParseList("op=Exists"))
			got := slices.Collect(a.Changes(before))
			if want := fmt.Sprintf("2 nodes, as many joined as left: n=%d:NoSchedule", i); len(got) != 1 || got[0].String() != want {
				t.Fatalf("%v, want %s", got, want)
			}
		}
	})
}

// A node moves to a group without nodes that is the next to be freed.
func TestIndex_Put_oldest(t *testing.T) {
	x, m := fleet.Small[int](), model{}
	for i, text := range []string{"a", "b", "c", "a"} {
		putBoth(t, x, m, 1, match.Node{Taints: taint.MustParseList(text + ":NoSchedule")})
		if err := fleet.Invariants(x); err != nil {
			t.Fatalf("after change %d: %v", i, err)
		}
	}
	check(t, x.Snapshot(), m, toleration.MustParseList("a"))
}
