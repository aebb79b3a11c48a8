package before_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	oldmatch "github.com/go-tolerate/before/match"
	oldfleet "github.com/go-tolerate/before/match/fleet"
	oldtaint "github.com/go-tolerate/before/taint"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// texts returns the texts of what the iterator yields, sorted: the order of groups is not
// promised. A Result has more than the Counts before, which had no indices; their texts
// are the same.
func texts[A, B any](seq iter.Seq2[A, B]) (all []string) {
	for a, b := range seq {
		all = append(all, fmt.Sprint(a, ": ", b))
	}
	slices.Sort(all)
	return all
}

func one[A any](seq iter.Seq[A]) iter.Seq2[A, string] {
	return func(yield func(A, string) bool) {
		seq(func(a A) bool { return yield(a, "") })
	}
}

// sameAnswer compares the answers for one pod.
func sameAnswer(t interface {
	Helper()
	Fatalf(string, ...any)
}, s, then *fleet.Snapshot[int], old, oldThen *oldfleet.Snapshot[int], ids int, pod ...toleration.List) {
	t.Helper()
	var a fleet.Answer[int]
	var b oldfleet.Answer[int]
	s.Query(&a, pod...)
	old.Query(&b, oldLists(pod)...)
	call := fmt.Sprintf("Query %.500v", pod)
	same(t, call, &a, &b)
	same(t, call+" Nodes", texts(one(a.Nodes())), texts(one(b.Nodes())))
	same(t, call+" Groups", texts(a.Groups()), texts(b.Groups()))
	same(t, call+" AllGroups", texts(a.AllGroups()), texts(b.AllGroups()))
	same(t, call+" TopReasons", a.TopReasons(5), b.TopReasons(5))
	same(t, call+" Changes", texts(one(a.Changes(then))), texts(one(b.Since(oldThen))))
	for id := range ids {
		r, ok := a.Node(id)
		was, wasOK := b.Node(id)
		same(t, fmt.Sprint(call, " Node ", id), fmt.Sprint(r, ok), fmt.Sprint(was, wasOK))
	}
}

func TestFleet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ids = 12
		var x fleet.Index[int]
		var old oldfleet.Index[int]
		var then *fleet.Snapshot[int]
		var oldThen *oldfleet.Snapshot[int]
		for i := range rapid.IntRange(0, 30).Draw(t, "changes") {
			id := rapid.IntRange(0, ids-1).Draw(t, "id")
			if rapid.IntRange(0, 4).Draw(t, "remove") == 0 {
				same(t, "Remove", x.Remove(id), old.Remove(id))
			} else {
				list, cordon := gen.TaintsAndZeros().Draw(t, "taints"), rapid.Bool().Draw(t, "cordon")
				same(t, "Put", x.Put(id, match.Node{Taints: list, Unschedulable: cordon}), old.Put(id, oldmatch.Node{Taints: oldTaints(list), Unschedulable: cordon}))
			}
			if i == 10 {
				then, oldThen = x.Snapshot(), old.Snapshot()
			}
		}
		pod := rapid.SliceOfN(gen.Tolerations(), 0, 3).Draw(t, "pod")
		sameAnswer(t, x.Snapshot(), then, old.Snapshot(), oldThen, ids, pod...)
		fork := x.Snapshot().Fork()
		same(t, "Fork", fork.Len(), old.Len())
		sameAnswer(t, fork.Snapshot(), then, old.Snapshot(), oldThen, ids, pod...)
	})
}

// Each hostile pod is compared over a fleet in which each of its taints is that of a node,
// and all of them are those of another.
func TestFleet_hostile(t *testing.T) {
	for _, h := range hostile() {
		var x fleet.Index[int]
		var old oldfleet.Index[int]
		bounded(t, h.name+": Put", 1<<27, func() {
			for i, one := range h.taints {
				x.Put(i, match.Node{Taints: taint.List{one}})
			}
			x.Put(-1, match.Node{Taints: h.taints})
		})
		for i, one := range h.taints {
			old.Put(i, oldmatch.Node{Taints: oldtaint.List{oldTaint(one)}})
		}
		old.Put(-1, oldmatch.Node{Taints: oldTaints(h.taints)})
		var a fleet.Answer[int]
		bounded(t, h.name+": Query", 1<<26, func() { x.Snapshot().Query(&a, h.tolerations) })
		bounded(t, h.name+": TopReasons", 1<<25, func() { a.TopReasons(5) })
		bounded(t, h.name+": Fork", 1<<20, func() { x.Snapshot().Fork().Put(-2, match.Node{}) })
		sameAnswer(t, x.Snapshot(), nil, old.Snapshot(), nil, 3, h.tolerations)
	}
}
