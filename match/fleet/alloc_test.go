//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package fleet_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

var sink int

// TestAllocs is the table of what allocates. It must not run in parallel.
func TestAllocs(t *testing.T) {
	var x fleet.Index[string]
	var nodes []match.Node
	for i := range 60 {
		nodes = append(nodes, match.Node{Taints: taints(t, fmt.Sprintf("pool=p%d:NoSchedule,n=%d:NoExecute", i, i)), Unschedulable: i%7 == 0})
		nodes = append(nodes, match.Node{Taints: taints(t, fmt.Sprintf("soft=%d:PreferNoSchedule", i%3))})
	}
	var ids []string
	for i := range 3_000 {
		ids = append(ids, fmt.Sprintf("node-%04d", i))
		x.Put(ids[i], nodes[i%len(nodes)])
	}
	for i := range 30_000 { // every list has room
		x.Put(ids[i%len(ids)], nodes[i*7%len(nodes)])
	}
	s := x.Snapshot()
	pod := tolerations("pool op=Exists", "n=30 op=Gt", "soft=1:PreferNoSchedule", "n=3")
	queue := tolerations(":NoSchedule op=Exists")
	everything := tolerations("op=Exists")
	compiled := match.Compile(pod, queue)
	memo := fleet.NewMemo(4)
	var a, b fleet.Answer[string]
	s.Query(&a, pod, queue)
	old := s
	// The first change after a snapshot copies pages; it is not in the table.
	warm := func(id int) { x.Put(ids[id], nodes[0]); x.Put(ids[id], nodes[1]) }
	warm(5)

	bitmap := a.Bitmap(nil)
	reasons := a.AppendReasons(nil, 100)
	list := make([]taint.Taint, 0, 10)
	i := 0
	for _, c := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Put/same", 0, func() { x.Put(ids[5], nodes[1]) }},
		{"Put/there_and_back", 0, func() { i++; x.Put(ids[5], nodes[i%2]) }},
		{"Put/cordon", 0, func() { i++; x.Put(ids[5], match.Node{Unschedulable: i%2 == 0}) }},
		{"Put/Remove", 0, func() { x.Remove(ids[5]); x.Put(ids[5], nodes[1]) }},
		{"Len", 0, func() { sink += x.Len() }},
		{"Snapshot/unchanged", 0, func() { sink += x.Snapshot().Len() }},
		{"Query", 0, func() { s.Query(&b, pod, queue) }},
		{"Query/everything", 0, func() { s.Query(&b, everything) }},
		{"QueryMatcher", 0, func() { s.QueryMatcher(&b, compiled) }},
		{"QueryMemo/known", 0, func() { s.QueryMemo(memo, &b, pod, queue) }},
		{"counts", 0, func() { sink += a.Total() + a.Schedulable() + a.Preferred() + a.Evicted() }},
		{"Nodes", 0, func() {
			for id := range a.Nodes() {
				sink += len(id)
			}
		}},
		{"Lists", 0, func() {
			for l, v := range a.Lists() {
				sink += l.Len() + v.Count(0)
				for t := range l.Taints() {
					sink += int(t.Effect())
				}
				for id := range l.Nodes() {
					sink += len(id)
				}
			}
		}},
		{"AllLists", 0, func() {
			for l := range a.AllLists() {
				sink += l.Len()
			}
		}},
		{"Since", 0, func() {
			for c := range a.Since(old) {
				sink += c.After
			}
		}},
		{"Node", 0, func() { v, _ := a.Node("node-0042"); sink += v.Count(0) }},
		{"Slot", 0, func() { v, _ := a.Slot(42); sink += v.Count(0) }},
		{"Bitmap/room", 0, func() { bitmap = a.Bitmap(bitmap) }},
		{"AppendReasons/room", 0, func() { reasons = a.AppendReasons(reasons[:0], 5) }},
		{"AppendReasons/all", 0, func() { reasons = a.AppendReasons(reasons[:0], 100) }},
		{"Snapshot.Slot", 0, func() { n, _ := s.Slot("node-0042"); sink += n }},
		{"Snapshot.ID", 0, func() { id, _ := s.ID(7); sink += len(id) }},
		{"Snapshot.AppendTaints/room", 0, func() { list, _ = s.AppendTaints(list[:0], "node-0042") }},
		{"Snapshot.All", 0, func() {
			for id := range s.All() {
				sink += len(id)
			}
		}},
	} {
		c.f()
		if got := testing.AllocsPerRun(100, c.f); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
	// A snapshot of a changed fleet is one allocation; the page copies that
	// follow do not depend on how many nodes there are.
	if got := testing.AllocsPerRun(100, func() { i++; x.Put(ids[5], nodes[i%2]); x.Snapshot() }); got > 20 {
		t.Errorf("Snapshot and a change: %v allocations", got)
	}
}
