package fleet_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/toleration"
)

// ids are few, so that most puts are changes.
var ids = rapid.IntRange(0, 40)

// node makes what a node says. Its list need not be valid: the plain filter
// takes any.
func node() *rapid.Generator[match.Node] {
	return rapid.Custom(func(t *rapid.T) match.Node {
		return match.Node{
			Taints:        gen.Taints().Draw(t, "taints"),
			Unschedulable: rapid.IntRange(0, 4).Draw(t, "cordon") == 4,
		}
	})
}

// pod makes up to three lists of tolerations, zero ones among them.
func pod() *rapid.Generator[[][]toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) [][]toleration.Toleration {
		lists := rapid.SliceOfN(gen.Tolerations(), 0, 3).Draw(t, "lists")
		if len(lists) > 0 && rapid.IntRange(0, 9).Draw(t, "zero") == 9 {
			lists[0] = append(slices.Clone(lists[0]), toleration.Toleration{})
		}
		return lists
	})
}

// A machine changes a fleet and a model of it in the same way.
type machine struct {
	index     *fleet.Index[int]
	model     model
	memo      *fleet.Memo
	snapshots []moment
	pods      [][][]toleration.Toleration
}

// A moment is a snapshot and what it must say for ever.
type moment struct {
	snapshot *fleet.Snapshot[int]
	model    model
}

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"put":      m.put,
		"putKnown": m.putKnown,
		"remove":   m.remove,
		"cordon":   m.cordon,
		"clip":     func(*rapid.T) { m.index.Clip() },
		"snapshot": m.snapshot,
		"query":    m.query,
		"memo":     m.queryMemo,
		"since":    m.since,
		"":         m.invariants,
	}
}

func (m *machine) set(t *rapid.T, id int, n match.Node) {
	before, known := m.model[id]
	want := !known || !slices.Equal(set(before), set(n))
	if changed := m.index.Put(id, n); changed != want {
		t.Fatalf("Put(%d, %v) over %v (%v): changed is %v", id, n, before, known, changed)
	}
	m.model[id] = n
}

func (m *machine) put(t *rapid.T) {
	m.set(t, ids.Draw(t, "id"), node().Draw(t, "node"))
}

// putKnown gives a node the list of another.
func (m *machine) putKnown(t *rapid.T) {
	if len(m.model) == 0 {
		m.put(t)
	}
	from := rapid.SampledFrom(slices.Sorted(maps.Keys(m.model))).Draw(t, "from")
	n := m.model[from]
	n.Taints = slices.Clone(n.Taints)
	slices.Reverse(n.Taints)
	m.set(t, ids.Draw(t, "id"), n)
}

func (m *machine) remove(t *rapid.T) {
	id := ids.Draw(t, "id")
	_, known := m.model[id]
	if m.index.Remove(id) != known {
		t.Fatalf("Remove(%d), known: %v", id, known)
	}
	delete(m.model, id)
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
	m.snapshots = append(m.snapshots, moment{s, maps.Clone(m.model)})
}

func (m *machine) moment(t *rapid.T) moment {
	if len(m.snapshots) == 0 {
		m.snapshot(t)
	}
	return m.snapshots[len(m.snapshots)-1-rapid.IntRange(0, len(m.snapshots)-1).Draw(t, "age")]
}

func (m *machine) query(t *rapid.T) {
	at := m.moment(t)
	p := pod().Draw(t, "pod")
	m.pods = append(m.pods, p)
	check(t, at.snapshot, at.model, p...)
}

// queryMemo asks again what was asked before, of any snapshot.
func (m *machine) queryMemo(t *rapid.T) {
	if len(m.pods) == 0 {
		m.query(t)
	}
	at := m.moment(t)
	p := rapid.SampledFrom(m.pods).Draw(t, "pod")
	var a fleet.Answer[int]
	for range 2 {
		at.snapshot.QueryMemo(m.memo, &a, p...)
		checkAnswer(t, "QueryMemo", &a, at.snapshot, at.model, p...)
	}
}

// since compares two snapshots, in both directions.
func (m *machine) since(t *rapid.T) {
	then, now := m.moment(t), m.moment(t)
	p := pod().Draw(t, "pod")
	var a fleet.Answer[int]
	now.snapshot.Query(&a, p...)
	checkSince(t, &a, then, now, p)
}

func checkSince(t fatal, a *fleet.Answer[int], then, now moment, p [][]toleration.Toleration) {
	t.Helper()
	type counts struct{ before, after int }
	want := map[string]counts{}
	for _, n := range then.model {
		if n.Filter(p...).Schedulable() {
			c := want[key(n)]
			c.before++
			want[key(n)] = c
		}
	}
	for _, n := range now.model {
		if n.Filter(p...).Schedulable() {
			c := want[key(n)]
			c.after++
			want[key(n)] = c
		}
	}
	maps.DeleteFunc(want, func(_ string, c counts) bool { return c.before == c.after })
	got := map[string]counts{}
	for c := range a.Since(then.snapshot) {
		k := keyOf(slices.Collect(c.List.Taints()))
		if _, twice := got[k]; twice {
			t.Errorf("Since: %q twice", k)
		}
		got[k] = counts{c.Before, c.After}
		if c.After > 0 && c.List.Len() != c.After || c.After == 0 && c.List.Len() != c.Before {
			t.Errorf("Since: %q, %d to %d, has %d nodes", k, c.Before, c.After, c.List.Len())
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("Since: %v, want %v (pod %v)", got, want, p)
	}
}

func (m *machine) invariants(t *rapid.T) {
	if err := fleet.Invariants(m.index); err != nil {
		t.Fatal(err)
	}
}

// TestIndex/F1_F2_F3_F10_F11 is the one that the others are cases of: whatever
// is done to a fleet, each snapshot of it says for ever what match.Filter said
// on each node when it was taken.
func TestIndex(t *testing.T) {
	t.Run("F1_F2_F3_F10_F11_any_changes", func(t *testing.T) { rapid.Check(t, propertyIndex) })
}

func propertyIndex(t *rapid.T) {
	m := machine{index: new(fleet.Index[int]), model: model{}, memo: fleet.NewMemo(3)}
	t.Repeat(m.actions())
	for _, at := range m.snapshots {
		p := pod().Draw(t, "pod")
		check(t, at.snapshot, at.model, p...)
	}
}

func FuzzIndex(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyIndex)) }

// TestOrder: no set of answers depends on the order of updates.
func TestOrder(t *testing.T) {
	t.Run("F7_order_of_updates", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			m := model(rapid.MapOfN(ids, node(), 0, 12).Draw(t, "fleet"))
			order := rapid.Permutation(slices.Sorted(maps.Keys(m))).Draw(t, "order")
			var x fleet.Index[int]
			for _, id := range order {
				x.Put(id, node().Draw(t, "first"))
			}
			for _, id := range rapid.Permutation(order).Draw(t, "again") {
				x.Put(id, m[id])
			}
			p := pod().Draw(t, "pod")
			check(t, x.Snapshot(), m, p...)
			check(t, fill(m).Snapshot(), m, p...)
		})
	})
}
