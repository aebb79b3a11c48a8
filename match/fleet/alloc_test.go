//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package fleet_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var sink int

// TestAllocs tests the counts of allocations. It must not run in parallel.
func TestAllocs(t *testing.T) {
	var x fleet.Index[string]
	var nodes []match.Node
	for i := range 60 {
		nodes = append(nodes, match.Node{Taints: taint.MustParseList(fmt.Sprintf("pool=p%d:NoSchedule,n=%d:NoExecute", i, i)), Unschedulable: i%7 == 0})
		nodes = append(nodes, match.Node{Taints: taint.MustParseList(fmt.Sprintf("soft=%d:PreferNoSchedule", i%3))})
	}
	var ids []string
	for i := range 3_000 {
		ids = append(ids, fmt.Sprintf("node-%04d", i))
		x.Put(ids[i], nodes[i%len(nodes)])
	}
	for i := range 30_000 { // every set has room
		x.Put(ids[i%len(ids)], nodes[i*7%len(nodes)])
	}
	s := x.Snapshot()
	pod := toleration.MustParseList("pool op=Exists,n=30 op=Gt,soft=1:PreferNoSchedule,n=3")
	both := slices.Concat(pod, toleration.MustParseList(":NoSchedule op=Exists"))
	everything := toleration.MustParseList("op=Exists")
	var a, b fleet.Answer[string]
	s.Query(&a, both)
	var pulled fleet.Answer[string]
	s.Query(&pulled, pod)
	next, stop := iter.Pull(pulled.Nodes())
	defer stop()
	next()
	// The first change after a snapshot copies pages; it is not in the table.
	warm := func(id int) { x.Put(ids[id], nodes[0]); x.Put(ids[id], nodes[1]) }
	warm(5)

	var reasons []match.Reason
	var many toleration.List
	for i := range 300 {
		many = append(many, toleration.MustParseList(fmt.Sprintf("pool=p%d,k%d op=Exists,n=%d op=Lt", i, i, i))...)
	}
	var other fleet.Index[string]
	other.Put("a", match.Node{Taints: taint.List{{}}})
	other.Put("b", match.Node{Taints: taint.List{taint.MustParse("k:NoSchedule")}})
	unreadable := other.Snapshot()
	i := 0
	measure.Allocs(t, "Put/same", 0, func() { x.Put(ids[5], nodes[1]) })
	measure.Allocs(t, "Put/there_and_back", 0, func() { i++; x.Put(ids[5], nodes[i%2]) })
	measure.Allocs(t, "Put/cordon", 0, func() { i++; x.Put(ids[5], match.Node{Unschedulable: i%2 == 0}) })
	measure.Allocs(t, "Put/Remove", 0, func() { x.Remove(ids[5]); x.Put(ids[5], nodes[1]) })
	measure.Allocs(t, "Len", 0, func() { sink += x.Len() })
	measure.Allocs(t, "Snapshot/unchanged", 0, func() { sink += x.Snapshot().Len() })
	measure.Allocs(t, "Query", 0, func() { s.Query(&b, both) })
	measure.Allocs(t, "Query/everything", 0, func() { s.Query(&b, everything) })
	measure.Allocs(t, "Query/many_and_few", 0, func() { s.Query(&b, many); s.Query(&b, pod); s.Query(&b, many[:50]) })
	measure.Allocs(t, "counts", 0, func() { sink += a.Counts().Schedulable })
	measure.Allocs(t, "Nodes", 0, func() {
		for id := range a.Nodes() {
			sink += len(id)
		}
	})
	measure.Allocs(t, "NodeSlices", 0, func() {
		for ids := range a.NodeSlices() {
			sink += len(ids)
		}
	})
	measure.Allocs(t, "Nodes/break_and_Query", 0, func() {
		for id := range b.Nodes() {
			sink += len(id)
			break
		}
		s.Query(&b, both)
	})
	measure.Allocs(t, "Query/after_an_unfinished_iterator", 0, func() { s.Query(&pulled, both) })
	measure.Allocs(t, "Nodes/everything_but_unreadable", 0, func() {
		unreadable.Query(&b, everything)
		for id := range b.Nodes() {
			sink += len(id)
		}
	})
	measure.Allocs(t, "Groups", 0, func() {
		for l, v := range a.Groups() {
			sink += l.Len() + v.Count(0)
			for t := range l.Taints() {
				sink += int(t.Effect())
			}
			for id := range l.Nodes() {
				sink += len(id)
			}
			for ids := range l.NodeSlices() {
				sink += len(ids)
			}
		}
	})
	measure.Allocs(t, "AllGroups", 0, func() {
		for l := range a.AllGroups() {
			sink += l.Len()
		}
	})
	measure.Allocs(t, "Node", 0, func() { g, v, _ := a.Node("node-0042"); sink += v.Count(0) + int(g.Version()+g.Number()) })
	measure.Allocs(t, "TopReasons", 5, func() { reasons = a.TopReasons(5); sink += len(reasons) })
	// A snapshot of a changed fleet is one allocation; the page copies that
	// follow do not depend on how many nodes there are.
	if got := testing.AllocsPerRun(100, func() { i++; x.Put(ids[5], nodes[i%2]); x.Snapshot() }); got > 20 {
		t.Errorf("Snapshot and a change: %v allocations", got)
	}
}
