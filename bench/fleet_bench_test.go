package bench_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// How many nodes may a pod use, and which lists do they bear? Four ways to
// ask, of the same fleet.

// queryIndex asks the index: the counts, and each list that fits.
func queryIndex(a *fleet.Answer[uint64], s *fleet.Snapshot[uint64], pod []toleration.Toleration) (nodes, lists int) {
	s.Query(a, pod)
	for range a.Lists() {
		lists++
	}
	return a.Schedulable(), lists
}

// queryMemo is queryIndex for a pod of a workload that was asked about before.
func queryMemo(m *fleet.Memo, a *fleet.Answer[uint64], s *fleet.Snapshot[uint64], pod []toleration.Toleration) (nodes, lists int) {
	s.QueryMemo(m, a, pod)
	for range a.Lists() {
		lists++
	}
	return a.Schedulable(), lists
}

// queryLists decides once for each distinct list, known beforehand.
func queryLists(distinct [][]taint.Taint, counts []int, pod []toleration.Toleration) (nodes, lists int) {
	for i, list := range distinct {
		if match.Filter(list, pod).Schedulable() {
			nodes += counts[i]
			lists++
		}
	}
	return nodes, lists
}

// queryFilter asks about each node.
func queryFilter(nodes [][]taint.Taint, pod []toleration.Toleration) (n int) {
	for _, list := range nodes {
		if match.Filter(list, pod).Schedulable() {
			n++
		}
	}
	return n
}

// queryHand is what one writes by hand over the API's own fields.
func queryHand(nodes [][]handTaint, pod []handToleration) (n int) {
	for _, list := range nodes {
		if handTolerates(list, pod) {
			n++
		}
	}
	return n
}

type handTaint struct{ key, value, effect string }

type handToleration struct{ key, operator, value, effect string }

func handTolerates(list []handTaint, pod []handToleration) bool {
next:
	for _, t := range list {
		if t.effect == "PreferNoSchedule" {
			continue
		}
		for _, u := range pod {
			if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) && (u.operator == "Exists" || u.value == t.value) {
				continue next
			}
		}
		return false
	}
	return true
}

func byHand(nodes [][]taint.Taint, pod []toleration.Toleration) (ts [][]handTaint, us []handToleration) {
	for _, list := range nodes {
		var hand []handTaint
		for _, t := range list {
			hand = append(hand, handTaint{t.Key(), t.Value(), t.Effect().String()})
		}
		ts = append(ts, hand)
	}
	for _, u := range pod {
		us = append(us, handToleration{u.Key(), u.Operator().String(), u.Value(), u.Effect().String()})
	}
	return ts, us
}

// index returns the fleet in an Index, with ids of 8 bytes.
func index(nodes [][]taint.Taint) *fleet.Index[uint64] {
	var x fleet.Index[uint64]
	x.Load(func(yield func(uint64, match.Node) bool) {
		for i, list := range nodes {
			if !yield(nodeID(i), match.Node{Taints: list}) {
				return
			}
		}
	})
	return &x
}

func distinct(nodes [][]taint.Taint) (lists [][]taint.Taint, counts []int) {
	at := map[string]int{}
	for _, list := range nodes {
		text := taint.FormatList(taint.AppendCanonical(nil, list))
		i, ok := at[text]
		if !ok {
			i = len(lists)
			at[text] = i
			lists, counts = append(lists, list), append(counts, 0)
		}
		counts[i]++
	}
	return lists, counts
}

// few returns a fleet of n nodes with some hundred distinct lists, as many for
// every n from 10,000 on.
func few(n, lists int) [][]taint.Taint {
	kinds, _ := distinct(workload.Fleet(200_000, 1))
	for i := 0; len(kinds) < lists; i++ {
		kinds = append(kinds, []taint.Taint{taint.MustParse(fmt.Sprintf("example.com/pool=p%d:NoSchedule", i))})
	}
	kinds = kinds[:lists]
	rng := rand.New(rand.NewPCG(1, 2))
	nodes := make([][]taint.Taint, n)
	for i := range nodes {
		switch {
		case i < lists:
			nodes[i] = kinds[i]
		case rng.IntN(100) >= 42:
			nodes[i] = kinds[rng.IntN(lists)]
		}
	}
	return nodes
}

func BenchmarkFleetQuery(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			nodes, pod := few(size.nodes, size.lists), workload.Pod()
			s, want := index(nodes).Snapshot(), queryFilter(nodes, pod)
			var a fleet.Answer[uint64]
			m := fleet.NewMemo(100)
			lists, counts := distinct(nodes)
			ts, us := byHand(nodes, pod)
			for _, impl := range []struct {
				name  string
				query func() (nodes, lists int)
			}{
				{"index", func() (int, int) { return queryIndex(&a, s, pod) }},
				{"memo", func() (int, int) { return queryMemo(m, &a, s, pod) }},
				{"lists", func() (int, int) { return queryLists(lists, counts, pod) }},
				{"filter", func() (int, int) { return queryFilter(nodes, pod), 0 }},
				{"hand", func() (int, int) { return queryHand(ts, us), 0 }},
			} {
				b.Run("impl="+impl.name, func(b *testing.B) {
					b.ReportAllocs()
					n, _ := impl.query() // what is grown once is not counted
					for b.Loop() {
						impl.query()
					}
					if n != want {
						b.Fatalf("%d nodes, want %d", n, want)
					}
				})
			}
		})
	}
}

type size struct{ nodes, lists int }

func (s size) String() string { return fmt.Sprintf("nodes=%d/lists=%d", s.nodes, s.lists) }

var sizes = []size{{100, 50}, {1_000, 109}, {5_000, 109}, {10_000, 786}, {100_000, 786}, {1_000_000, 786}}

// BenchmarkFleetMemory builds the Index in bulk and reports the heap that it
// holds for each node.
func BenchmarkFleetMemory(b *testing.B) {
	for _, size := range []size{{5_000, 109}, {100_000, 786}, {1_000_000, 786}} {
		b.Run(size.String(), func(b *testing.B) {
			nodes := few(size.nodes, size.lists)
			held := 0.0
			for b.Loop() {
				before := heap()
				x := index(nodes)
				held = float64(heap()-before) / float64(size.nodes)
				runtime.KeepAlive(x)
			}
			b.ReportMetric(held, "bytes/node")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
