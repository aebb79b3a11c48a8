package fleet_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestSnapshot_Query(t *testing.T) {
	type counts struct{ schedulable, preferred, evicted int }
	gpu, cordoned := "gpu=a:NoSchedule", "cordoned"
	for _, c := range []struct {
		name  string
		nodes []string // the taints of each
		pod   []string
		want  counts
	}{
		{"F1_one_toleration_for_many_taints", []string{"a=1:NoSchedule,a=1:NoExecute"}, []string{"a op=Exists"}, counts{1, 1, 0}},
		{"F1_every_taint", []string{"a:NoSchedule,b:NoSchedule"}, []string{"a op=Exists"}, counts{0, 0, 0}},
		{"F2_by_effect", []string{"a:NoSchedule", "a:PreferNoSchedule", "a:NoExecute"}, nil, counts{1, 0, 1}},
		{"F3_prefer_alone_never_blocks", []string{"a:PreferNoSchedule,b:PreferNoSchedule"}, nil, counts{1, 0, 0}},
		{"F3_zero_seconds_are_tolerated", []string{"a:NoExecute"}, []string{"a:NoExecute op=Exists for 0s"}, counts{1, 1, 0}},
		{"F4_one_effect_of_two", []string{"k:NoSchedule,k:NoExecute"}, []string{"k:NoSchedule op=Exists"}, counts{0, 0, 1}},
		{"F2_documented_example", []string{"key1=value1:NoSchedule,key1=value1:NoExecute,key2=value2:NoSchedule"},
			[]string{"key1=value1:NoSchedule", "key1=value1:NoExecute"}, counts{0, 0, 0}},
		{"F6_no_taints", []string{"", ""}, nil, counts{2, 2, 0}},
		{"F6_no_taints_whatever_the_pod", []string{"", gpu}, []string{"b op=Exists"}, counts{1, 1, 0}},
		{"F10_cordoned", []string{cordoned, "node.kubernetes.io/unschedulable:NoSchedule", ""}, nil, counts{1, 1, 0}},
		{"F10_cordon_tolerated", []string{cordoned, ""}, []string{"node.kubernetes.io/unschedulable:NoSchedule op=Exists"}, counts{2, 2, 0}},
		{"F10_another_value_is_not_the_cordon", []string{"node.kubernetes.io/unschedulable=x:NoSchedule"}, []string{"node.kubernetes.io/unschedulable:NoSchedule"}, counts{0, 0, 0}},
		{"M1_absent_effect", []string{"a:NoSchedule", "a:PreferNoSchedule", "a:NoExecute"}, []string{"a"}, counts{3, 3, 0}},
		{"M2_M3_everything", []string{gpu, "a:NoExecute", "b:PreferNoSchedule", cordoned}, []string{"op=Exists"}, counts{4, 4, 0}},
		{"M2_everything_of_an_effect", []string{gpu, "a:NoExecute", "b:PreferNoSchedule", "a:NoSchedule,a:NoExecute"}, []string{":NoExecute op=Exists"}, counts{2, 1, 0}},
		{"M4_value", []string{gpu, "gpu=b:NoSchedule", "gpu:NoSchedule"}, []string{"gpu=a:NoSchedule", "gpu:NoSchedule"}, counts{2, 2, 0}},
		{"M5_greater", []string{"n=1:NoSchedule", "n=2:NoSchedule", "n=3:NoSchedule", "n=3:NoExecute"}, []string{"n=2 op=Gt"}, counts{2, 2, 0}},
		{"M5_smaller", []string{"n=1:NoSchedule", "n=2:NoSchedule", "n=3:NoSchedule"}, []string{"n=2 op=Lt"}, counts{1, 1, 0}},
		{"M6_no_integer", []string{"n=099:NoSchedule", "n=high:NoSchedule", "n:NoSchedule"}, []string{"n=-1 op=Gt"}, counts{0, 0, 0}},
		{"M5_largest", []string{"n=9223372036854775807:NoSchedule"}, []string{"n=9223372036854775806 op=Gt"}, counts{1, 1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model{}
			for i, text := range c.nodes {
				if text == cordoned {
					m[i] = match.Node{Unschedulable: true}
				} else {
					m[i] = match.Node{Taints: taints(t, text)}
				}
			}
			s := fill(m).Snapshot()
			var a fleet.Answer[int]
			s.Query(&a, tolerations(c.pod...))
			if got := (counts{a.Counts().Schedulable, a.Counts().Preferred, a.Counts().Evicted}); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			check(t, s, m, tolerations(c.pod...))
		})
	}
}

func TestIndex_inputs(t *testing.T) {
	t.Run("F12_inputs_stay_and_may_change", func(t *testing.T) {
		list := taints(t, "b:NoSchedule,a:NoSchedule")
		pod := tolerations("b", "a:NoExecute op=Exists for 5s")
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

func TestGroup(t *testing.T) {
	at, err := taint.MustParse("a:NoSchedule").WithTimeAdded(time.Unix(5, 0))
	if err != nil {
		t.Fatal(err)
	}
	same := []match.Node{
		{Taints: taints(t, "a:NoSchedule,b:NoExecute")},
		{Taints: taints(t, "b:NoExecute,a:NoSchedule")},
		{Taints: taint.List{taint.MustParse("b:NoExecute"), at}},
		{Taints: append(taints(t, "b:NoExecute,a:NoSchedule"), at)},
	}
	t.Run("R1_order_and_time_added_make_no_other_group", func(t *testing.T) {
		var x fleet.Index[int]
		for i, n := range same {
			if !x.Put(i, n) {
				t.Errorf("node %d is not new", i)
			}
			if x.Put(0, n) {
				t.Errorf("%v changes %v", n, same[0])
			}
		}
		if n := x.Snapshot().Groups(); n != 1 {
			t.Errorf("%d groups, want 1", n)
		}
	})
}

func TestAnswer_TopReasons(t *testing.T) {
	t.Run("R4_once_a_node_most_frequent_first", func(t *testing.T) {
		m := model{}
		for i, text := range []string{"a:NoSchedule,b:NoSchedule", "b:NoSchedule", "b:NoSchedule,c:NoExecute", "d:PreferNoSchedule", ""} {
			m[i] = match.Node{Taints: taints(t, text)}
		}
		var a fleet.Answer[int]
		fill(m).Snapshot().Query(&a, tolerations("c op=Exists"))
		want := []match.Reason{{Taint: taint.MustParse("b:NoSchedule"), Nodes: 3, Of: 5}, {Taint: taint.MustParse("a:NoSchedule"), Nodes: 1, Of: 5}}
		if got := a.TopReasons(10); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// TestZeroValues tests that zero values are empty fleets.
func TestZeroValues(t *testing.T) {
	var a fleet.Answer[int]
	var s fleet.Snapshot[int]
	var x fleet.Index[int]
	pod := tolerations("a op=Exists", "a=1 op=Gt", ":NoSchedule op=Exists", "a=b")
	for _, s := range []*fleet.Snapshot[int]{&s, x.Snapshot()} {
		for _, p := range []toleration.List{nil, pod, tolerations("op=Exists")} {
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

// TestAnswer_Changes tests that the zero Snapshot is older than all others.
func TestAnswer_Changes(t *testing.T) {
	m := model{1: {}, 2: {Taints: taints(t, "a:NoSchedule")}, 3: {Taints: taints(t, "b:NoSchedule")}}
	s := fill(m).Snapshot()
	empty, now := moment{snapshot: new(fleet.Snapshot[int])}, moment{s, m, livesOf(m)}
	var a fleet.Answer[int]
	pod := tolerations("a")
	s.Query(&a, pod)
	checkChanges(t, &a, empty, now, []toleration.List{pod})
	empty.snapshot.Query(&a, pod)
	checkChanges(t, &a, now, empty, []toleration.List{pod})
	// Groups of another Index are compared by their taints.
	other := model{1: {}, 2: {}, 7: {Taints: taints(t, "a:NoSchedule")}}
	s2 := fill(other).Snapshot()
	s2.Query(&a, pod)
	checkChanges(t, &a, now, moment{s2, other, livesOf(other)}, []toleration.List{pod})
}

// Of many groups, on pages that the snapshots share and others, each change is found.
func TestAnswer_Changes_each(t *testing.T) {
	t.Run("N4_a_node_is_replaced", func(t *testing.T) {
		const groups = 300
		var x fleet.Index[int]
		kind := func(i int) match.Node {
			return match.Node{Taints: taints(t, fmt.Sprintf("n=%d:NoSchedule", i%groups))}
		}
		for i := range 2 * groups {
			x.Put(i, kind(i))
		}
		var a fleet.Answer[int]
		for i := range groups {
			before := x.Snapshot()
			x.Remove(i)
			x.Put(-i-1, kind(i))
			x.Snapshot().Query(&a, tolerations("op=Exists"))
			got := slices.Collect(a.Changes(before))
			if want := fmt.Sprintf("2 nodes, as many joined as left: n=%d:NoSchedule", i); len(got) != 1 || got[0].String() != want {
				t.Fatalf("%v, want %s", got, want)
			}
		}
	})
}

// Groups are freed, and their memory is that of others, whose numbers are new.
func TestGroup_Number(t *testing.T) {
	t.Run("N2_N4_memory_is_reused", func(t *testing.T) {
		x, m, l := fleet.Small[int](), model{}, lives{}
		var all []moment
		var s stamps
		for _, key := range "abcdefabga" {
			n := match.Node{Taints: taints(t, string(key)+":NoSchedule")}
			if before, known := m[1]; known {
				l.change(before, -1)
			}
			putBoth(t, x, m, 1, n)
			l.change(n, 1)
			at := moment{x.Snapshot(), maps.Clone(m), maps.Clone(l)}
			s.check(t, at)
			all = append(all, at)
		}
		var a fleet.Answer[int]
		for _, then := range all {
			for _, now := range all {
				pod := tolerations("op=Exists")
				now.snapshot.Query(&a, pod)
				checkChanges(t, &a, then, now, []toleration.List{pod})
			}
		}
	})
}

// A node moves to a group without nodes that is the next to be freed.
func TestIndex_Put_oldest(t *testing.T) {
	x, m := fleet.Small[int](), model{}
	for i, text := range []string{"a", "b", "c", "a"} {
		putBoth(t, x, m, 1, match.Node{Taints: taints(t, text+":NoSchedule")})
		if err := fleet.Invariants(x); err != nil {
			t.Fatalf("after change %d: %v", i, err)
		}
	}
	check(t, x.Snapshot(), m, tolerations("a"))
}
