package fleet_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// Load makes the node table small if few nodes remain. When the table grows again, it
// must keep all nodes.
func TestIndex_Load(t *testing.T) {
	kinds := []match.Node{{}, {Taints: taints(t, "a:NoSchedule")}, {Taints: taints(t, "b=1:NoExecute,a:NoSchedule")}}
	t.Run("F1_few_of_many", func(t *testing.T) {
		var x fleet.Index[int]
		m := model{}
		for i := range 100 {
			putBoth(t, &x, m, i, kinds[i%len(kinds)])
		}
		for i := 98; i >= 0; i-- {
			removeBoth(t, &x, m, i)
		}
		clip(&x)
		for i := range 8 {
			putBoth(t, &x, m, i, kinds[i%len(kinds)])
			checkIDs(t, &x, m)
		}
		putBoth(t, &x, m, 99, kinds[2])
		check(t, x.Snapshot(), m, tolerations("a"))
	})
	t.Run("F1_load_remove_add", func(t *testing.T) {
		const loaded, removed, added = 10_000, 9_900, 200
		for seed := range uint64(8) {
			rng := rand.New(rand.NewPCG(seed, 0))
			m := model{}
			for i := range loaded {
				m[i] = kinds[rng.IntN(len(kinds))]
			}
			x := fill(m)
			for _, i := range rng.Perm(loaded)[:removed] {
				removeBoth(t, x, m, i)
			}
			clip(x)
			for i := range added {
				putBoth(t, x, m, loaded+i, kinds[rng.IntN(len(kinds))])
			}
			checkIDs(t, x, m)
			check(t, x.Snapshot(), m, tolerations("a"))
			if t.Failed() {
				t.Fatalf("with seed %d", seed)
			}
		}
	})
	t.Run("F1_changes_inside", func(t *testing.T) { // take effect in order
		type change func(x *fleet.Index[string])
		put := func(id, list string) change {
			return func(x *fleet.Index[string]) { x.Put(id, match.Node{Taints: taints(t, list)}) }
		}
		remove := func(id string) change { return func(x *fleet.Index[string]) { x.Remove(id) } }
		load := func(id, list string) change {
			return func(x *fleet.Index[string]) {
				x.Load(maps.All(map[string]match.Node{id: {Taints: taints(t, list)}}))
			}
		}
		for _, tt := range []struct {
			inside change // after n1 and n2, which have a:NoSchedule, and before n3, which has none
			want   string // the nodes, each with its taints
		}{
			{func(*fleet.Index[string]) {}, "n1 a:NoSchedule; n2 a:NoSchedule; n3 "},
			{remove("n1"), "n2 a:NoSchedule; n3 "},
			{put("n1", "b:NoExecute"), "n1 b:NoExecute; n2 a:NoSchedule; n3 "},
			{load("n1", "b:NoExecute"), "n1 b:NoExecute; n2 a:NoSchedule; n3 "},
			{put("n0", "b:NoExecute"), "n0 b:NoExecute; n1 a:NoSchedule; n2 a:NoSchedule; n3 "},
			{put("n3", "b:NoExecute"), "n1 a:NoSchedule; n2 a:NoSchedule; n3 "},
			{remove("n3"), "n1 a:NoSchedule; n2 a:NoSchedule; n3 "},
		} {
			var x fleet.Index[string]
			content := func() string {
				var all []string
				s := x.Snapshot()
				for id := range s.All() {
					list, _ := s.Taints(id)
					all = append(all, id+" "+list.String())
				}
				slices.Sort(all)
				return strings.Join(all, "; ")
			}
			x.Load(func(yield func(string, match.Node) bool) {
				yield("n1", match.Node{Taints: taints(t, "a:NoSchedule")})
				yield("n2", match.Node{Taints: taints(t, "a:NoSchedule")})
				if got := content(); x.Len() != 2 || got != "n1 a:NoSchedule; n2 a:NoSchedule" {
					t.Errorf("inside, %d nodes: %s", x.Len(), got)
				}
				tt.inside(&x)
				yield("n3", match.Node{})
			})
			if got := content(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if err := fleet.Invariants(&x); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("F12_lists_that_change_later", func(t *testing.T) {
		const n = 20
		m := model{}
		var x fleet.Index[int]
		list := make(taint.List, 1)
		x.Load(func(yield func(int, match.Node) bool) {
			for i := range n {
				list[0] = kinds[2].Taints[i%2]
				m[i] = match.Node{Taints: taint.List{list[0]}}
				yield(i, match.Node{Taints: list})
			}
			list[0] = taint.Taint{}
		})
		check(t, x.Snapshot(), m, tolerations("a"))
	})
	t.Run("F1_panics", func(t *testing.T) { // the nodes before are put
		const n = 100
		for _, bad := range []func(yield func(any, match.Node) bool){
			func(func(any, match.Node) bool) { panic("no more nodes") },
			func(yield func(any, match.Node) bool) { yield([]int{1}, kinds[2]) },
		} {
			var x fleet.Index[any]
			func() {
				defer func() {
					if recover() == nil {
						t.Error("Load does not panic")
					}
				}()
				x.Load(func(yield func(any, match.Node) bool) {
					for i := range n {
						yield(i, kinds[1])
					}
					bad(yield)
				})
			}()
			if err := fleet.Invariants(&x); err != nil || x.Len() != n {
				t.Errorf("%d nodes, want %d; %v", x.Len(), n, err)
			}
		}
	})
	t.Run("F1_there_and_back", func(t *testing.T) {
		var x fleet.Index[int]
		m := model{}
		for round := range 12 {
			for i := range 1 << round {
				putBoth(t, &x, m, i, kinds[(i+round)%len(kinds)])
			}
			for i := range 1<<round - 1 {
				removeBoth(t, &x, m, i)
			}
			clip(&x)
			checkIDs(t, &x, m)
		}
	})
}

// putBoth puts the node into both, and compares what Put reports.
func putBoth(t fatal, x *fleet.Index[int], m model, id int, n match.Node) {
	t.Helper()
	before, known := m[id]
	want := !known || !equalSets(before, n)
	if changed := x.Put(id, n); changed != want {
		t.Fatalf("Put(%d, %v) over %v (known: %v) = %v, want %v", id, n, before, known, changed, want)
	}
	m[id] = n
}

// removeBoth removes the node from both, and compares what Remove reports.
func removeBoth(t fatal, x *fleet.Index[int], m model, id int) {
	t.Helper()
	_, known := m[id]
	if removed := x.Remove(id); removed != known {
		t.Fatalf("Remove(%d) = %v, want %v", id, removed, known)
	}
	delete(m, id)
}

// checkIDs compares which nodes the Index has, one by one and as a whole.
func checkIDs(t fatal, x *fleet.Index[int], m model) {
	t.Helper()
	s := x.Snapshot()
	if x.Len() != len(m) {
		t.Errorf("Len() = %d, want %d", x.Len(), len(m))
	}
	got := map[int]bool{}
	for id := range s.All() {
		if got[id] {
			t.Errorf("All() yields %d twice", id)
		}
		got[id] = true
	}
	for id := range m {
		if _, ok := s.Taints(id); !ok || !got[id] {
			t.Errorf("Taints(%d): %v; All() yields it: %v", id, ok, got[id])
		}
	}
	if len(got) != len(m) {
		t.Errorf("All() yields %v, want %v", got, maps.Collect(maps.All(m)))
	}
}
