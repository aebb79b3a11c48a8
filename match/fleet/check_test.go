package fleet_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A model is a fleet as plainly as it can be held.
type model map[int]match.Node

// fatal is what testing.TB and rapid.T have in common.
type fatal interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// set is what a node counts as bearing: F10's virtual taint among them.
func set(n match.Node) []taint.Taint {
	list := slices.Clone(n.Taints)
	if n.Unschedulable {
		list = append(list, match.Cordon())
	}
	return taint.AppendCanonical(nil, list)
}

// check holds every answer about one pod against match.Filter on every node.
func check(t fatal, s *fleet.Snapshot[int], m model, pod ...[]toleration.Toleration) {
	t.Helper()
	var a, compiled fleet.Answer[int]
	s.Query(&a, pod...)
	checkAnswer(t, "Query", &a, s, m, pod...)
	s.QueryMatcher(&compiled, match.Compile(pod...))
	checkAnswer(t, "QueryMatcher", &compiled, s, m, pod...)
}

func checkAnswer(t fatal, what string, a *fleet.Answer[int], s *fleet.Snapshot[int], m model, pod ...[]toleration.Toleration) {
	t.Helper()
	var fit []int
	preferred, evicted := 0, 0
	lists := map[string]int{}   // by their taints
	fitting := map[string]int{} // the same, of nodes that are schedulable
	reasons := map[string]int{} // by the taint
	for id, n := range m {
		r := n.Filter(pod...)
		key := taint.FormatList(set(n))
		lists[key]++
		if r.Schedulable() {
			fit = append(fit, id)
			fitting[key]++
		}
		if r.Preferred() {
			preferred++
		}
		if r.Evicted() {
			evicted++
		}
		for _, u := range set(n) {
			if u.Effect() != taint.PreferNoSchedule && !match.Filter([]taint.Taint{u}, pod...).Schedulable() {
				reasons[u.String()]++
			}
		}

		v, ok := a.Node(id)
		slot, _ := s.Slot(id)
		bySlot, _ := a.Slot(slot)
		if !ok || v != bySlot || v.Schedulable() != r.Schedulable() || v.Preferred() != r.Preferred() || v.Evicted() != r.Evicted() {
			t.Errorf("%s: Node(%d) = %v, %v, of slot %v; Filter: %v (node %v)", what, id, v, ok, bySlot, r, n)
		}
		once := match.Filter(set(n), pod...)
		for e := range taint.NoExecute + 2 {
			if v.Count(e) != once.Count(e) {
				t.Errorf("%s: Node(%d).Count(%v) = %d, want %d", what, id, e, v.Count(e), once.Count(e))
			}
		}
	}
	if a.Total() != len(m) || a.Schedulable() != len(fit) || a.Preferred() != preferred || a.Evicted() != evicted {
		t.Errorf("%s: %d schedulable, %d preferred, %d evicted of %d, want %d, %d, %d of %d (pod %v)", what,
			a.Schedulable(), a.Preferred(), a.Evicted(), a.Total(), len(fit), preferred, evicted, len(m), pod)
	}

	got := slices.Collect(a.Nodes())
	if again := slices.Collect(a.Nodes()); !slices.Equal(got, again) {
		t.Errorf("%s: nodes %v, and then %v", what, got, again)
	}
	checkBitmap(t, what, a, s, got)
	slices.Sort(got)
	slices.Sort(fit)
	if !slices.Equal(got, fit) {
		t.Errorf("%s: nodes %v, want %v (pod %v)", what, got, fit, pod)
	}
	checkLists(t, what+": Lists", a.Lists(), fitting, m, pod)
	checkLists(t, what+": AllLists", a.AllLists(), lists, m, pod)
	if s.Lists() != len(lists) || s.Len() != len(m) {
		t.Errorf("%d lists of %d nodes, want %d of %d", s.Lists(), s.Len(), len(lists), len(m))
	}
	checkReasons(t, what, a, reasons)
	if _, ok := a.Node(-1); ok {
		t.Errorf("%s: a verdict on a node that is not there", what)
	}
}

func checkLists(t fatal, what string, got func(func(fleet.List[int], fleet.Verdict) bool), want map[string]int, m model, pod [][]toleration.Toleration) {
	t.Helper()
	seen := map[string]int{}
	for l, v := range got {
		taints := slices.Collect(l.Taints())
		key := taint.FormatList(taints)
		if _, twice := seen[key]; twice {
			t.Errorf("%s: %q twice", what, key)
		}
		seen[key] = l.Len()
		n := 0
		for id := range l.Nodes() {
			n++
			if taint.FormatList(set(m[id])) != key {
				t.Errorf("%s: node %d is in %q", what, id, key)
			}
		}
		if n != l.Len() {
			t.Errorf("%s: %q has %d nodes, and yields %d", what, key, l.Len(), n)
		}
		if r := match.Filter(taints, pod...); r.Schedulable() != v.Schedulable() || r.Count(taint.PreferNoSchedule) != v.Count(taint.PreferNoSchedule) || r.Evicted() != v.Evicted() {
			t.Errorf("%s: %q: %v, want %v", what, key, v, r)
		}
	}
	if !maps.Equal(seen, want) {
		t.Errorf("%s: %v, want %v (pod %v)", what, seen, want, pod)
	}
}

func checkBitmap(t fatal, what string, a *fleet.Answer[int], s *fleet.Snapshot[int], nodes []int) {
	t.Helper()
	dirty := []uint64{^uint64(0), ^uint64(0), 5}
	bits := a.Bitmap(dirty)
	if len(bits) != (s.Slots()+63)/64 {
		t.Fatalf("%s: a bitmap of %d words for %d slots", what, len(bits), s.Slots())
	}
	for _, id := range nodes {
		slot, ok := s.Slot(id)
		if back, there := s.ID(slot); !ok || !there || back != id {
			t.Fatalf("%s: node %d has slot %d, which has %d", what, id, slot, back)
		}
		if bits[slot/64]>>(slot%64)&1 == 0 {
			t.Errorf("%s: bit %d is not set for node %d", what, slot, id)
		}
		bits[slot/64] &^= 1 << (slot % 64)
	}
	for i, w := range bits {
		if w != 0 {
			t.Errorf("%s: bits %x of word %d are set for no node", what, w, i)
		}
	}
}

func checkReasons(t fatal, what string, a *fleet.Answer[int], reasons map[string]int) {
	t.Helper()
	var want []fleet.Reason
	for text, n := range reasons {
		want = append(want, fleet.Reason{Taint: taint.MustParse(text), Nodes: n})
	}
	slices.SortFunc(want, func(a, b fleet.Reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), a.Taint.Compare(b.Taint))
	})
	head := []fleet.Reason{{Nodes: -1}}
	for _, most := range []int{0, 1, 2, 3, len(want), len(want) + 1, 1000} {
		got := a.AppendReasons(head, most)
		if w := append(head[:1:1], want[:min(most, len(want))]...); !slices.Equal(got, w) {
			t.Errorf("%s: the first %d reasons: %v, want %v", what, most, got, w)
		}
	}
}

// fill returns an Index of the nodes.
func fill(m model) *fleet.Index[int] {
	var x fleet.Index[int]
	x.Load(maps.All(m))
	return &x
}

func taints(tb testing.TB, s string) []taint.Taint {
	tb.Helper()
	list, err := taint.ParseList(s)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

func tolerations(texts ...string) []toleration.Toleration {
	var list []toleration.Toleration
	for _, s := range texts {
		list = append(list, toleration.MustParse(s))
	}
	return list
}

func key(n match.Node) string { return keyOf(set(n)) }

func keyOf(list []taint.Taint) string { return taint.FormatList(list) }
