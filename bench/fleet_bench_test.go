package bench_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// nodeID returns an id for node i. The ids are spread over all values of a uint64.
func nodeID(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

func indexOf(nodes []taint.List) *fleet.Index[uint64] {
	var x fleet.Index[uint64]
	for i, list := range nodes {
		x.Put(nodeID(i), match.Node{Taints: list})
	}
	return &x
}

// A byHand is the index that one writes by hand: the ids of the nodes of each distinct
// list, under the text of the list. It has no snapshots.
type byHand struct {
	lists map[string]*sameList
	at    map[uint64]place
	text  []byte
}

type sameList struct {
	taints []plainTaint
	ids    []uint64
}

type place struct {
	list *sameList
	i    int
}

func byHandOf(nodes [][]plainTaint) *byHand {
	x := &byHand{lists: map[string]*sameList{}, at: map[uint64]place{}}
	for i, taints := range nodes {
		x.put(nodeID(i), taints)
	}
	return x
}

func (x *byHand) put(id uint64, taints []plainTaint) {
	x.text = x.text[:0]
	for _, t := range taints {
		for _, part := range [...]string{t.key, "=", t.value, ":", t.effect, ","} {
			x.text = append(x.text, part...)
		}
	}
	to := x.lists[string(x.text)]
	if to == nil {
		to = &sameList{taints: taints}
		x.lists[string(x.text)] = to
	}
	p, known := x.at[id]
	if p.list == to {
		return
	}
	if known { // the last id of the list takes the place
		last := len(p.list.ids) - 1
		moved := p.list.ids[last]
		p.list.ids, p.list.ids[p.i], x.at[moved] = p.list.ids[:last], moved, p
	}
	x.at[id] = place{to, len(to.ids)}
	to.ids = append(to.ids, id)
}

func (x *byHand) count(pod []plainToleration) (n int) {
	for _, list := range x.lists {
		if handwrittenSchedulable(list.taints, pod) {
			n += len(list.ids)
		}
	}
	return n
}

// reasons returns the numbers of nodes of the n most frequent untolerated taints.
func (x *byHand) reasons(pod []plainToleration, n int) []int {
	nodes := map[plainTaint]int{}
	for _, list := range x.lists {
		for i, t := range list.taints {
			if !handwrittenSchedulable(list.taints[i:i+1], pod) {
				nodes[t] += len(list.ids)
			}
		}
	}
	counts := slices.Sorted(maps.Values(nodes))
	slices.Reverse(counts)
	return counts[:min(n, len(counts))]
}

// list returns the sum of the ids.
func (x *byHand) list(pod []plainToleration) (sum uint64) {
	for _, list := range x.lists {
		if handwrittenSchedulable(list.taints, pod) {
			for _, id := range list.ids {
				sum += id
			}
		}
	}
	return sum
}

// BenchmarkFleetList visits each node on which the usual pod can be scheduled:
// handwritten-lists, tolerate-index and tolerate-slices by an index, the others by a
// decision for each node.
func BenchmarkFleetList(b *testing.B) {
	for _, n := range []int{100, 1000, 5000, 100_000, 1_000_000} {
		if testing.Short() && n > 10_000 {
			break
		}
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes, pod := workload.Fleet(n, 1), workload.Pod()
			plain, plainPod, compiled := plainFleet(nodes), plainTolerations(pod), match.Compile(pod)
			lists, s, a := byHandOf(plain), indexOf(nodes).Snapshot(), new(fleet.Answer[uint64])
			each := func(schedulable func(i int) bool) func() uint64 {
				return func() (sum uint64) {
					for i := range nodes {
						if schedulable(i) {
							sum += nodeID(i)
						}
					}
					return sum
				}
			}
			want := lists.list(plainPod)
			for _, impl := range []struct {
				name string
				list func() uint64
			}{
				{"handwritten", each(func(i int) bool { return handwrittenSchedulable(plain[i], plainPod) })},
				{"tolerate-compiled", each(func(i int) bool { return compiled.Schedulable(match.Node{Taints: nodes[i]}) })},
				{"handwritten-lists", func() uint64 { return lists.list(plainPod) }},
				{"tolerate-index", func() (sum uint64) {
					s.Query(a, pod)
					for id := range a.Nodes() {
						sum += id
					}
					return sum
				}},
				{"tolerate-slices", func() (sum uint64) {
					s.Query(a, pod)
					for ids := range a.NodeSlices() {
						var part uint64 // sum would be in memory, as the loop is a function
						for _, id := range ids {
							part += id
						}
						sum += part
					}
					return sum
				}},
			} {
				if got := impl.list(); got != want {
					b.Fatalf("%s: the sum of the ids is %d, want %d", impl.name, got, want)
				}
				workload.Run(b, "impl="+impl.name, impl.list)
			}
		})
	}
}

// BenchmarkFleetCount counts these nodes.
func BenchmarkFleetCount(b *testing.B) {
	for _, n := range []int{5000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes, pod := workload.Fleet(n, 1), workload.Pod()
			lists, plainPod := byHandOf(plainFleet(nodes)), plainTolerations(pod)
			s, a := indexOf(nodes).Snapshot(), new(fleet.Answer[uint64])
			count := func() int { s.Query(a, pod); return a.Counts().Schedulable }
			if got, want := count(), lists.count(plainPod); got != want {
				b.Fatalf("%d nodes, want %d", got, want)
			}
			workload.Run(b, "impl=handwritten-lists", func() int { return lists.count(plainPod) })
			workload.Run(b, "impl=tolerate-index", count)
		})
	}
}

// BenchmarkFleetReasons finds the five first reasons why the other nodes are not schedulable.
func BenchmarkFleetReasons(b *testing.B) {
	for _, n := range []int{5000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes, pod := workload.Fleet(n, 1), workload.Pod()
			lists, plainPod := byHandOf(plainFleet(nodes)), plainTolerations(pod)
			s, a := indexOf(nodes).Snapshot(), new(fleet.Answer[uint64])
			top := func() (counts []int) {
				s.Query(a, pod)
				for _, r := range a.TopReasons(5) {
					counts = append(counts, r.Nodes)
				}
				return counts
			}
			if got, want := top(), lists.reasons(plainPod, 5); !slices.Equal(got, want) {
				b.Fatalf("%v nodes, want %v", got, want)
			}
			workload.Run(b, "impl=handwritten-lists", func() []int { return lists.reasons(plainPod, 5) })
			workload.Run(b, "impl=tolerate-index", top)
		})
	}
}

// BenchmarkFleetChange replaces the taints of a random node by those of another: without
// snapshots, and with one before every change, as for a reader after each.
func BenchmarkFleetChange(b *testing.B) {
	for _, n := range []int{5000, 1_000_000} {
		nodes := workload.Fleet(n, 1)
		plain := plainFleet(nodes)
		lists, x := byHandOf(plain), indexOf(nodes)
		r := rand.New(rand.NewPCG(3, 4)) // shared: the same sequence again would change nothing
		put := func() bool { return x.Put(nodeID(r.IntN(n)), match.Node{Taints: nodes[r.IntN(n)]}) }
		name := fmt.Sprintf("nodes=%d/snapshot=", n)
		workload.Run(b, name+"none/impl=handwritten-lists", func() int { lists.put(nodeID(r.IntN(n)), plain[r.IntN(n)]); return 0 })
		workload.Run(b, name+"none/impl=tolerate-index", put)
		workload.Run(b, name+"every/impl=tolerate-index", func() bool { x.Snapshot(); return put() })
	}
}

// BenchmarkFleetLoad makes an index, and reports its memory for each node, in addition to
// that of the caller's lists.
func BenchmarkFleetLoad(b *testing.B) {
	const n = 1_000_000
	nodes := workload.Fleet(n, 1)
	plain := plainFleet(nodes)
	for _, impl := range []struct {
		name string
		load func() any
	}{
		{"handwritten-lists", func() any { return byHandOf(plain) }},
		{"tolerate-index", func() any { return indexOf(nodes) }},
	} {
		b.Run(fmt.Sprintf("nodes=%d/impl=%s", n, impl.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				impl.load()
			}
			before := measure.InUse()
			x := impl.load()
			b.ReportMetric(float64(measure.InUse()-before)/n, "heap-B/node")
			runtime.KeepAlive(x)
		})
	}
	runtime.KeepAlive(nodes)
	runtime.KeepAlive(plain)
}
