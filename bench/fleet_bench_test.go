package bench_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// queryIndex queries the index for the number of nodes on which the pod can be
// scheduled, and for each of their lists.
func queryIndex(a *fleet.Answer[uint64], s *fleet.Snapshot[uint64], pod toleration.List) (nodes, lists int) {
	s.Query(a, pod)
	for range a.Groups() {
		lists++
	}
	return a.Schedulable(), lists
}

// queryLists decides once for each distinct list. The lists are known beforehand.
func queryLists(distinct []taint.List, counts []int, pod toleration.List) (nodes, lists int) {
	for i, list := range distinct {
		if match.Filter(list, pod).Schedulable() {
			nodes += counts[i]
			lists++
		}
	}
	return nodes, lists
}

// queryFilter filters each node.
func queryFilter(nodes []taint.List, pod toleration.List) (n int) {
	for _, list := range nodes {
		if match.Filter(list, pod).Schedulable() {
			n++
		}
	}
	return n
}

// index returns the fleet in an Index, with ids of 8 bytes.
func index(nodes []taint.List) *fleet.Index[uint64] {
	return indexOf(len(nodes), func(i int) taint.List { return nodes[i] })
}

func indexOf(n int, node func(i int) taint.List) *fleet.Index[uint64] {
	var x fleet.Index[uint64]
	for i := range n {
		x.Put(nodeID(i), match.Node{Taints: node(i)})
	}
	return &x
}

// nodeID returns an id for node i. The ids are spread over all values of a uint64.
func nodeID(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

func distinct(nodes []taint.List) (lists []taint.List, counts []int) {
	at := map[string]int{}
	for _, list := range nodes {
		text := list.Canonical().String()
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

// few returns a fleet of n nodes with that many distinct lists.
func few(n, lists int) []taint.List {
	kinds, _ := distinct(workload.Fleet(200_000, 1))
	for i := 0; len(kinds) < lists; i++ {
		kinds = append(kinds, taint.List{taint.MustParse(fmt.Sprintf("example.com/pool=p%d:NoSchedule", i))})
	}
	kinds = kinds[:lists]
	rng := rand.New(rand.NewPCG(1, 2))
	nodes := make([]taint.List, n)
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

// BenchmarkFleetQuery queries for the usual pod: through the index, by a decision for each distinct list, by a decision for each node, and
// without the library.
func BenchmarkFleetQuery(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			nodes, pod := few(size.nodes, size.lists), workload.Pod()
			s, want := index(nodes).Snapshot(), queryFilter(nodes, pod)
			var a fleet.Answer[uint64]
			lists, counts := distinct(nodes)
			plain, theirs := plainFleet(nodes), plainTolerations(pod)
			for _, impl := range []struct {
				name  string
				query func() (nodes, lists int)
			}{
				{"tolerate-index", func() (int, int) { return queryIndex(&a, s, pod) }},
				{"tolerate-lists", func() (int, int) { return queryLists(lists, counts, pod) }},
				{"tolerate", func() (int, int) { return queryFilter(nodes, pod), 0 }},
				{"plain", func() (int, int) { return plainFilter(plain, theirs), 0 }},
			} {
				if n, _ := impl.query(); n != want { // it also grows the answer
					b.Fatalf("%s: %d nodes, want %d", impl.name, n, want)
				}
				workload.Run(b, "impl="+impl.name, func() int { n, _ := impl.query(); return n })
			}
		})
	}
}

type size struct{ nodes, lists int }

func (s size) String() string { return fmt.Sprintf("nodes=%d/lists=%d", s.nodes, s.lists) }

var sizes = []size{{100, 50}, {1_000, 109}, {5_000, 109}, {10_000, 786}, {100_000, 786}, {1_000_000, 786}}

// BenchmarkFleetMemory builds an Index and reports its heap for each node.
func BenchmarkFleetMemory(b *testing.B) {
	for _, size := range []size{{5_000, 109}, {100_000, 786}, {1_000_000, 786}} {
		b.Run(size.String()+"/impl=tolerate-index", func(b *testing.B) {
			nodes := few(size.nodes, size.lists)
			held := 0.0
			for b.Loop() {
				before := measure.InUse()
				x := index(nodes)
				held = float64(measure.InUse()-before) / float64(size.nodes)
				runtime.KeepAlive(x)
			}
			b.ReportMetric(held, "bytes/node")
		})
	}
}
