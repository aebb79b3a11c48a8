package fleet_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A model is the simplest representation of a fleet.
type model map[int]match.Node

// set returns the taints of a node as a set: first the taint of a cordon (F10), then one
// zero Taint if there are any (M8), then the others, sorted (R1).
func set(n match.Node) taint.List {
	canonical := n.Taints.Canonical()
	if slices.Contains(n.Taints, taint.Taint{}) && !slices.Contains(canonical, taint.Taint{}) {
		canonical = slices.Insert(canonical, 0, taint.Taint{})
	}
	if cordon := match.CordonTaint(); n.Unschedulable || slices.Contains(canonical, cordon) {
		canonical = slices.DeleteFunc(canonical, func(t taint.Taint) bool { return t == cordon })
		canonical = slices.Insert(canonical, 0, cordon)
	}
	return canonical
}

// A kind is a node, and the result for a pod on it.
type kind struct {
	node                            match.Node
	set                             taint.List
	key                             string
	schedulable, preferred, evicted bool
	counts                          [taint.NoExecute + 2]int // of the set's untolerated taints
	reasons                         taint.List
}

// judge evaluates the taints by the reference. Of the set, each taint counts once.
func judge(n match.Node, pod toleration.List) *kind {
	k := &kind{node: n, set: set(n)}
	k.key = keyOf(k.set)
	list := reference.Filter(n.Taints, n.Unschedulable, pod)
	k.schedulable, k.preferred, k.evicted = list.Schedulable, list.Preferred, list.Evicted
	for _, v := range reference.Filter(k.set, false, pod).Untolerated {
		k.counts[0]++
		k.counts[v.Effect]++
		if v.Effect != taint.PreferNoSchedule {
			k.reasons = append(k.reasons, v.Taint)
		}
	}
	return k
}

func (k *kind) equals(v match.Result) bool {
	for e, n := range k.counts {
		if v.Count(taint.Effect(e)) != n {
			return false
		}
	}
	return v.Schedulable() == k.schedulable && v.Preferred() == k.preferred && v.Evicted() == k.evicted
}

// A judged is a model with the kind of each node.
type judged map[int]*kind

// judge evaluates each list once, because many nodes have the same list.
func (m model) judge(pod toleration.List) judged {
	type list struct {
		taints *taint.Taint
		n      int
		cordon bool
	}
	known := map[list]*kind{}
	all := judged{}
	for id, n := range m {
		l := list{unsafe.SliceData(n.Taints), len(n.Taints), n.Unschedulable}
		if known[l] == nil {
			known[l] = judge(n, pod)
		}
		all[id] = known[l]
	}
	return all
}

func equalSets(a, b match.Node) bool { return slices.Equal(set(a), set(b)) }

// check compares the whole answer for one pod with the rules for each node.
func check(t rapid.TB, s *fleet.Snapshot[int], m model, pod toleration.List) {
	t.Helper()
	var a fleet.Answer[int]
	s.Query(&a, pod)
	checkAnswer(t, "Query", &a, s, m, pod)
}

func checkAnswer(t rapid.TB, what string, a *fleet.Answer[int], s *fleet.Snapshot[int], m model, pod toleration.List) {
	t.Helper()
	var fit []int
	preferred, evicted := 0, 0
	groups := map[string]int{}  // by their taints
	fitting := map[string]int{} // the same, of nodes that are schedulable
	reasons := map[taint.Taint]int{}
	all := m.judge(pod)
	for id, k := range all {
		groups[k.key]++
		if k.schedulable {
			fit = append(fit, id)
			fitting[k.key]++
		}
		if k.preferred {
			preferred++
		}
		if k.evicted {
			evicted++
		}
		for _, r := range k.reasons {
			reasons[r]++
		}
		g, v, ok := a.Node(id)
		if !ok || !k.equals(v) || !slices.Equal(slices.Collect(g.Taints()), k.set) {
			t.Errorf("%s: Node(%d) = %v, %v, %v; want %+v", what, id, g, v, ok, *k)
		}
	}
	if got, want := a.Counts(), (fleet.Counts{Schedulable: len(fit), Preferred: preferred, Evicted: evicted, Of: len(m)}); got != want {
		t.Errorf("%s: %v, want %v (pod %v)", what, got, want, pod)
	}

	got := slices.Collect(a.Nodes())
	if again := slices.Collect(a.Nodes()); !slices.Equal(got, again) {
		t.Errorf("%s: nodes %v, and then %v", what, got, again)
	}
	if all := slices.Concat(slices.Collect(a.NodeSlices())...); !slices.Equal(got, all) {
		t.Errorf("%s: nodes %v, in slices %v", what, got, all)
	}
	slices.Sort(got)
	slices.Sort(fit)
	if !slices.Equal(got, fit) {
		t.Errorf("%s: nodes %v, want %v (pod %v)", what, got, fit, pod)
	}
	checkGroups(t, what+": Groups", a.Groups(), fitting, all, pod)
	checkGroups(t, what+": AllGroups", a.AllGroups(), groups, all, pod)
	if s.Groups() != len(groups) || s.Len() != len(m) {
		t.Errorf("%d groups of %d nodes, want %d of %d", s.Groups(), s.Len(), len(groups), len(m))
	}
	checkReasons(t, what, a, len(m), reasons)
	if _, _, ok := a.Node(-1); ok {
		t.Errorf("%s: counts for a node that is not there", what)
	}
}

func checkGroups(t rapid.TB, what string, got func(func(fleet.Group[int], match.Result) bool), want map[string]int, all judged, pod toleration.List) {
	t.Helper()
	seen := map[string]int{}
	for l, v := range got {
		taints := slices.Collect(l.Taints())
		key := keyOf(taints)
		if _, twice := seen[key]; twice {
			t.Errorf("%s: %q twice", what, key)
		}
		seen[key] = l.Len()
		n := 0
		for id := range l.Nodes() {
			n++
			if all[id].key != key {
				t.Errorf("%s: node %d is in %q", what, id, key)
			}
		}
		if n != l.Len() {
			t.Errorf("%s: %q has %d nodes, and yields %d", what, key, l.Len(), n)
		}
		for i, want := range taints {
			if l.Taint(i) != want {
				t.Errorf("%s: Taint(%d) = %v, want %v", what, i, l.Taint(i), want)
			}
		}
		if all := slices.Concat(slices.Collect(l.NodeSlices())...); len(all) != n {
			t.Errorf("%s: %d nodes, in slices %v", what, n, all)
		}
		if r := (match.Node{Taints: taints}).Filter(pod); v != r {
			t.Errorf("%s: %v, and match.Node.Filter has %v", what, v, r)
		}
	}
	if !maps.Equal(seen, want) {
		t.Errorf("%s: %v, want %v (pod %v)", what, seen, want, pod)
	}
}

// A life is a group from its first node to its last. Its number and version are the
// model's.
type life struct{ number, version, nodes int }

// lives are the groups that have nodes, by keyOf.
type lives map[string]life

// clock is the last number or version of the models.
var clock int

// change adds by nodes, 1 or -1, to a group.
func (l lives) change(n match.Node, by int) {
	clock++
	key := keyOf(set(n))
	g := l[key]
	if g.nodes == 0 {
		g.number = clock
	}
	g.version = clock
	if g.nodes += by; g.nodes == 0 {
		delete(l, key)
	} else {
		l[key] = g
	}
}

// A bijection maps what the package returns to what the model has.
type bijection[K, V comparable] struct {
	to   map[K]V
	from map[V]K
}

func (b *bijection[K, V]) agrees(k K, v V) bool {
	if b.to == nil {
		b.to, b.from = map[K]V{}, map[V]K{}
	}
	w, ok := b.to[k]
	l, known := b.from[v]
	b.to[k], b.from[v] = v, k
	return ok == known && (!ok || w == v && l == k)
}

// stamps are all numbers, and numbers with versions, that the snapshots of a test had.
type stamps struct {
	numbers  bijection[uint64, int]
	versions bijection[[2]uint64, [2]int]
}

// check compares the numbers and versions of a snapshot with those of the model, and of
// the snapshots before.
func (s *stamps) check(t rapid.TB, at moment) {
	t.Helper()
	var a fleet.Answer[int]
	at.snapshot.Query(&a, nil)
	for g := range a.AllGroups() {
		l := at.lives[keyOf(slices.Collect(g.Taints()))]
		if l.nodes != g.Len() || !s.numbers.agrees(g.Number(), l.number) || !s.versions.agrees([2]uint64{g.Number(), g.Version()}, [2]int{l.number, l.version}) {
			t.Errorf("%v has number %d and version %d; the model has %+v", g, g.Number(), g.Version(), l)
		}
	}
}

func checkReasons(t rapid.TB, what string, a *fleet.Answer[int], total int, reasons map[taint.Taint]int) {
	t.Helper()
	var want []match.Reason
	for r, n := range reasons {
		want = append(want, match.Reason{Taint: r, Nodes: n, Of: total})
	}
	slices.SortFunc(want, func(a, b match.Reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), a.Taint.Compare(b.Taint))
	})
	for _, most := range []int{0, 1, 2, 3, len(want), len(want) + 1, 1000} {
		got := a.TopReasons(most)
		if w := want[:min(most, len(want))]; !slices.Equal(got, w) {
			t.Errorf("%s: the first %d reasons: %v, want %v", what, most, got, w)
		}
	}
}

// fill returns an Index of these nodes.
func fill(m model) *fleet.Index[int] {
	var x fleet.Index[int]
	for id, n := range m {
		x.Put(id, n)
	}
	return &x
}

// keyOf returns the text of a set; the text of the zero Taint is "?".
func keyOf(list taint.List) string {
	var text strings.Builder
	for _, t := range list {
		text.WriteString(cmp.Or(t.String(), "?") + ",")
	}
	return text.String()
}
