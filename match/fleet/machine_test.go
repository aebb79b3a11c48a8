package fleet_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// ids are few, so that most calls of Put change a node.
var ids = rapid.IntRange(0, 40)

// node generates a node. Its list need not be valid, and may have zero Taints. Some have many taints.
func node() *rapid.Generator[match.Node] {
	return rapid.Custom(func(t *rapid.T) match.Node {
		list := gen.TaintsAndZeros()
		if rapid.IntRange(0, 11).Draw(t, "wide") == 11 {
			list = gen.ListOf[taint.List](gen.TaintOrZero(), 15, 20)
		}
		return match.Node{
			Taints:        list.Draw(t, "taints"),
			Unschedulable: rapid.IntRange(0, 4).Draw(t, "cordon") == 4,
		}
	})
}

// pod generates a pod's tolerations, including zero ones. Some lists are so long that they
// are looked up in a map.
func pod() *rapid.Generator[toleration.List] {
	return rapid.Custom(func(t *rapid.T) toleration.List {
		list := slices.Concat(rapid.SliceOfN(gen.Tolerations(), 0, 3).Draw(t, "lists")...)
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 7:
			least := fleet.Linear - 1
			list = append(list, rapid.SliceOfN(narrow(), least, least+3).Draw(t, "many")...)
		case 8:
			list = append(list, rapid.SliceOfN(narrow(), 1, 3).Draw(t, "narrow")...)
		case 9:
			list = append(list, toleration.Toleration{})
		}
		return list
	})
}

// narrow generates tolerations that match something, but not everything.
func narrow() *rapid.Generator[toleration.Toleration] {
	return gen.Toleration().Filter(func(u toleration.Toleration) bool { return u.Key() != "" || u.Effect() == taint.NoExecute })
}

// A moment is a snapshot, and the fleet that it must still represent.
type moment struct {
	snapshot *fleet.Snapshot[int]
	model    model
	lives    lives
}

// A queried is an Answer, and its snapshot and pod.
type queried struct {
	moment
	answer *fleet.Answer[int]
	pod    toleration.List
}

// A machine changes a fleet and a model of it in the same way.
type machine struct {
	fork
	snapshots []moment
	queried   []queried
	forks     []fork
	stamps    *stamps
}

// newMachine returns a machine whose Index is empty.
func newMachine() *machine {
	return &machine{fork: fork{new(fleet.Index[int]), model{}, lives{}}, stamps: new(stamps)}
}

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"put":        m.put,
		"putKnown":   m.putKnown,
		"putMany":    m.putMany,
		"remove":     m.remove,
		"removeMany": m.removeMany,
		"cordon":     m.cordon,
		"snapshot":   m.snapshot,
		"query":      m.query,
		"fork":       m.forkOff,
		"goBack":     m.goBack,
		"sweep":      m.sweep,
		"inside":     m.inside,
	}
}

func (m *machine) set(t *rapid.T, id int, n match.Node) {
	before, known := m.model[id]
	want := !known || !equalSets(before, n)
	if changed := m.index.Put(id, n); changed != want {
		t.Fatalf("Put(%d, %v) over %v (known: %v) = %v, want %v", id, n, before, known, changed, want)
	}
	if m.model[id] = n; !want {
		return
	}
	m.lives.change(n, 1)
	if known {
		m.lives.change(before, -1)
	}
}

func (m *machine) delete(t *rapid.T, id int) {
	before, known := m.model[id]
	if removed := m.index.Remove(id); removed != known {
		t.Fatalf("Remove(%d) = %v, want %v", id, removed, known)
	}
	if delete(m.model, id); known {
		m.lives.change(before, -1)
	}
}

func (m *machine) put(t *rapid.T) {
	m.set(t, ids.Draw(t, "id"), node().Draw(t, "node"))
}

// putKnown gives a node the taints of another, in another order.
func (m *machine) putKnown(t *rapid.T) {
	if len(m.model) == 0 {
		m.put(t)
	}
	n := m.model[m.known(t)]
	n.Taints = slices.Clone(n.Taints)
	slices.Reverse(n.Taints)
	m.set(t, ids.Draw(t, "id"), n)
}

// known draws a node of the fleet.
func (m *machine) known(t *rapid.T) int {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m.model))).Draw(t, "known")
}

// putMany gives many nodes the same taints, or each node a number of its own.
func (m *machine) putMany(t *rapid.T) {
	counts := []int{2, 3, 5, 10, 20, 40, 80}
	if rapid.IntRange(0, 19).Draw(t, "most") == 19 {
		counts = []int{300, 1100}
	}
	from, n := ids.Draw(t, "from"), rapid.SampledFrom(counts).Draw(t, "count")
	effect := rapid.SampledFrom([]taint.Effect{0, 0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}).Draw(t, "numbers")
	one := node().Draw(t, "node")
	for i := from; i < from+n; i++ {
		if effect != 0 {
			one.Taints = taint.List{taint.MustParse(fmt.Sprintf("num=%d:%v", i*7%(n+1), effect))}
		}
		m.set(t, i, one)
	}
}

func (m *machine) remove(t *rapid.T) {
	m.delete(t, ids.Draw(t, "id"))
}

// removeMany removes nodes until some, one or none remain.
func (m *machine) removeMany(t *rapid.T) {
	known := slices.Sorted(maps.Keys(m.model))
	if rapid.Bool().Draw(t, "from the end") {
		slices.Reverse(known)
	}
	keep := min(rapid.SampledFrom([]int{0, 1, 1, 2, 7}).Draw(t, "keep"), len(known))
	at := rapid.SampledFrom([]int{0, len(known) / 2, len(known)}).Draw(t, "around")
	at = min(at, len(known)-keep)
	for _, id := range slices.Delete(known, at, at+keep) {
		m.delete(t, id)
	}
}

func (m *machine) cordon(t *rapid.T) {
	id := ids.Draw(t, "id")
	n := m.model[id]
	n.Unschedulable = !n.Unschedulable
	m.set(t, id, n)
}

func (m *machine) snapshot(t *rapid.T) {
	s := m.index.Snapshot()
	if s != m.index.Snapshot() {
		t.Fatal("two snapshots of the same fleet")
	}
	if n := m.index.Len(); n != len(m.model) {
		t.Fatalf("Len() = %d, want %d", n, len(m.model))
	}
	if len(m.snapshots) >= 6 { // the garbage collector can remove the oldest
		m.snapshots = slices.Delete(m.snapshots, 0, 1)
	}
	at := moment{s, maps.Clone(m.model), maps.Clone(m.lives)}
	m.stamps.check(t, at)
	m.snapshots = append(m.snapshots, at)
}

func (m *machine) moment(t *rapid.T) moment {
	if len(m.snapshots) == 0 || rapid.IntRange(0, 2).Draw(t, "now") == 0 {
		m.snapshot(t)
	}
	return m.snapshots[len(m.snapshots)-1-rapid.IntRange(0, len(m.snapshots)-1).Draw(t, "age")]
}

// answer returns an Answer to be filled: a new one, a used one, or one that was set to
// zero.
func (m *machine) answer(t *rapid.T) *fleet.Answer[int] {
	kind := rapid.IntRange(0, 3).Draw(t, "answer")
	if kind == 0 || len(m.queried) == 0 {
		return new(fleet.Answer[int])
	}
	i := rapid.IntRange(0, len(m.queried)-1).Draw(t, "again")
	a := m.queried[i].answer
	m.queried = slices.Delete(m.queried, i, i+1)
	if kind == 1 {
		*a = fleet.Answer[int]{}
		if a.Counts().Schedulable+len(slices.Collect(a.Nodes())) != 0 {
			t.Error("an Answer that was set to zero has something")
		}
	}
	return a
}

func (m *machine) query(t *rapid.T) {
	a := queried{m.moment(t), m.answer(t), pod().Draw(t, "pod")}
	a.snapshot.Query(a.answer, a.pod)
	m.check(t, a)
}

func (m *machine) check(t *rapid.T, a queried) {
	checkAnswer(t, "an answer", a.answer, a.snapshot, a.model, a.pod)
	if len(m.queried) < 6 {
		m.queried = append(m.queried, a)
	}
}

// forkOff makes an Index from a snapshot, and changes it. Later actions continue with
// either.
func (m *machine) forkOff(t *rapid.T) {
	at := m.moment(t)
	other := machine{fork: fork{at.snapshot.Fork(), maps.Clone(at.model), maps.Clone(at.lives)}, snapshots: []moment{at}, stamps: m.stamps}
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		rapid.SampledFrom([]func(*rapid.T){other.put, other.putKnown, other.putMany, other.remove, other.removeMany, other.cordon}).Draw(t, "change")(t)
	}
	other.query(t)
	m.snapshots = slices.Concat(m.snapshots, other.snapshots)
	m.snapshots = m.snapshots[max(0, len(m.snapshots)-6):]
	m.forks = slices.Concat(m.forks, []fork{other.fork})
	m.forks = m.forks[max(0, len(m.forks)-3):]
}

// goBack continues with another Index of the same origin.
func (m *machine) goBack(*rapid.T) {
	if len(m.forks) > 0 {
		next := m.forks[0]
		m.forks = append(m.forks[1:], m.fork)
		m.fork = next
	}
}

// A fork is an Index that shares memory with that of the machine.
type fork struct {
	index *fleet.Index[int]
	model model
	lives lives
}

// texts is one text for each value, or each two values, of an iterator.
func texts[V any](seq iter.Seq[V]) iter.Seq[string] {
	return func(yield func(string) bool) { seq(func(v V) bool { return yield(fmt.Sprint(v)) }) }
}

func pairs[V, W any](seq iter.Seq2[V, W]) iter.Seq[string] {
	return func(yield func(string) bool) { seq(func(v V, w W) bool { return yield(fmt.Sprint(v, w)) }) }
}

// inside reuses an Answer for other queries while iterators range over it.
func (m *machine) inside(t *rapid.T) {
	if len(m.queried) == 0 {
		m.query(t)
	}
	i := rapid.IntRange(0, len(m.queried)-1).Draw(t, "queried")
	a := m.queried[i]
	m.queried = slices.Delete(m.queried, i, i+1)
	m.rangeOver(t, &a, rapid.IntRange(1, 4).Draw(t, "queries"))
	m.check(t, a)
}

// rangeOver ranges over a, and meanwhile reuses it for up to that many queries, some of
// which are ranged over in turn. The values are those of a whole iteration before.
func (m *machine) rangeOver(t *rapid.T, a *queried, queries int) {
	n := rapid.IntRange(1, 40).Draw(t, "stop")
	query := func() {
		if queries == 0 || rapid.Bool().Draw(t, "continue") {
			return
		}
		queries--
		*a = queried{m.moment(t), a.answer, pod().Draw(t, "pod")}
		a.snapshot.Query(a.answer, a.pod)
		if rapid.Bool().Draw(t, "nested") {
			m.rangeOver(t, a, queries)
		}
	}
	seq := rapid.SampledFrom([]iter.Seq[string]{
		texts(a.answer.Nodes()), texts(a.answer.NodeSlices()), pairs(a.answer.Groups()), pairs(a.answer.AllGroups()),
	}).Draw(t, "iterator")
	all := slices.Collect(seq)
	var got []string
	for v := range seq {
		if got = append(got, v); len(got) == n {
			break
		}
		query()
	}
	if want := all[:min(n, len(all))]; !slices.Equal(got, want) {
		t.Errorf("left after %d: %v, want %v", n, got, want)
	}
}

// sweep removes what no node has. Then the Index holds the sets of the nodes, their two
// parts, and their taints.
func (m *machine) sweep(t *rapid.T) {
	fleet.Sweep(m.index)
	sets, taints, live := map[string]bool{}, map[taint.Taint]bool{}, map[string]bool{}
	for _, n := range m.model {
		all := set(n)
		live[keyOf(all)] = true
		for _, t := range all {
			taints[t] = true
		}
		for _, part := range [][]taint.Effect{{1, 2, 3, 0}, {taint.NoSchedule, taint.NoExecute, 0}, {taint.NoExecute}} {
			sets[keyOf(slices.DeleteFunc(slices.Clone(all), func(t taint.Taint) bool { return !slices.Contains(part, t.Effect()) }))] = true
		}
	}
	delete(sets, "")              // always held
	delete(taints, taint.Taint{}) // always held, as is the next
	delete(taints, match.CordonTaint())
	want := fleet.Held{Live: len(live), Sets: len(sets), Taints: len(taints)}
	if got := fleet.Holds(m.index); got != want {
		t.Fatalf("after a sweep the Index holds %+v, want %+v", got, want)
	}
}

// After any changes, each snapshot still answers what match.Node.Filter returned for
// each node when it was taken. The model has F1, F2, F3, F4, F6, F10, M8, R1, R4, N1,
// N2 and N3.
func TestIndex(t *testing.T) {
	t.Run("N1_any_changes", func(t *testing.T) { rapid.Check(t, propertyIndex) })
}

func propertyIndex(t *rapid.T) {
	m := newMachine()
	t.Repeat(m.actions())
	m.snapshot(t)
	for _, at := range m.snapshots {
		m.stamps.check(t, at)
		check(t, at.snapshot, at.model, pod().Draw(t, "pod"))
	}
	for _, a := range m.queried {
		checkAnswer(t, "an old answer", a.answer, a.snapshot, a.model, a.pod)
	}
}

func FuzzIndex(f *testing.F) { gen.Fuzz(f, propertyIndex) }
