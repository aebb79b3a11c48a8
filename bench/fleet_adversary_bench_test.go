package bench_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func podOf(texts ...string) []toleration.Toleration {
	if len(texts) == 0 {
		return workload.Pod()
	}
	var pod []toleration.Toleration
	for _, text := range texts {
		pod = append(pod, toleration.MustParse(text))
	}
	return pod
}

func nodeID(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

// The adversaries: fleets that an index is bad at, node by node.
var adversaries = []struct {
	name string
	node func(i int) []taint.Taint
	pods []adversaryPod
}{
	{"own-lists", func(i int) []taint.Taint { // every node bears a list of its own
		return []taint.Taint{
			taint.MustParse(fmt.Sprintf("example.com/host=h%d:NoSchedule", i)),
			taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i%1000)),
		}
	}, []adversaryPod{
		{"usual", podOf()},
		{"one-node", podOf("example.com/host=h77:NoSchedule", "dedicated op=Exists")},
		{"one-key-of-two", podOf("dedicated op=Exists")},
		{"both-keys", podOf("dedicated op=Exists", "example.com/host op=Exists")},
		{"everything", podOf("op=Exists")},
		{"everything-of-an-effect", podOf(":NoSchedule op=Exists")},
		{"wildcard-that-misses", podOf(":NoExecute op=Exists")},
	}},
	{"own-values", func(i int) []taint.Taint { // one key, as many values as nodes
		return []taint.Taint{taint.MustParse(fmt.Sprintf("tenant=%d:NoSchedule", i))}
	}, []adversaryPod{
		{"one-value", podOf("tenant=77:NoSchedule")},
		{"exists", podOf("tenant:NoSchedule op=Exists")},
		{"wrong-effect", podOf("tenant:NoExecute op=Exists")},
		{"gt-all", podOf("tenant=-1 op=Gt")},
		{"gt-few", podOf("tenant=999900 op=Gt")},
		{"lt-few", podOf("tenant=100 op=Lt")},
	}},
	{"own-preferences", func(i int) []taint.Taint { // nothing keeps pods away
		return []taint.Taint{taint.MustParse(fmt.Sprintf("tenant=%d:PreferNoSchedule", i))}
	}, []adversaryPod{
		{"usual", podOf()},
	}},
}

type adversaryPod struct {
	name        string
	tolerations []toleration.Toleration
}

// BenchmarkFleetAdversary asks these fleets; "fit" is how many nodes the pod
// may use.
func BenchmarkFleetAdversary(b *testing.B) {
	for _, v := range adversaries {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("fleet=%s/nodes=%d", v.name, n), func(b *testing.B) {
				s := adversary(n, v.node).Snapshot()
				for _, p := range v.pods {
					b.Run("pod="+p.name, func(b *testing.B) {
						b.ReportAllocs()
						var a fleet.Answer[uint64]
						s.Query(&a, p.tolerations) // grows the answer
						for b.Loop() {
							s.Query(&a, p.tolerations)
						}
						b.ReportMetric(float64(a.Schedulable()), "fit")
					})
				}
			})
		}
	}
}

func adversary(n int, node func(i int) []taint.Taint) *fleet.Index[uint64] {
	var x fleet.Index[uint64]
	x.Load(each(n, node))
	return &x
}

func each(n int, node func(i int) []taint.Taint) iter.Seq2[uint64, match.Node] {
	return func(yield func(uint64, match.Node) bool) {
		for i := range n {
			if !yield(nodeID(i), match.Node{Taints: node(i)}) {
				return
			}
		}
	}
}

// BenchmarkFleetAdversaryMemory reports what the index takes where nothing is
// shared.
func BenchmarkFleetAdversaryMemory(b *testing.B) {
	const n = 100_000
	for _, v := range adversaries {
		b.Run("fleet="+v.name, func(b *testing.B) {
			all := make([][]taint.Taint, n)
			for i := range all {
				all[i] = v.node(i)
			}
			held := 0.0
			for b.Loop() {
				before := heap()
				x := index(all)
				held = float64(heap()-before) / n
				x.Len()
			}
			b.ReportMetric(held, "bytes/node")
		})
	}
}

// BenchmarkFleetThousandTaints asks about nodes of a thousand taints each, for
// a pod of a thousand tolerations that match all of them but one on half the
// nodes, and changes one of them.
func BenchmarkFleetThousandTaints(b *testing.B) {
	const n = 1000
	var wide []taint.Taint
	var pod []toleration.Toleration
	for i := range n {
		wide = append(wide, taint.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
		pod = append(pod, toleration.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
	}
	x := adversary(n, func(i int) []taint.Taint { return wide[:n-i%2] })
	pod = pod[:n-1]
	b.Run("op=query", func(b *testing.B) {
		b.ReportAllocs()
		s := x.Snapshot()
		var a fleet.Answer[uint64]
		s.Query(&a, pod)
		for b.Loop() {
			s.Query(&a, pod)
		}
		if a.Schedulable() != n/2 {
			b.Fatal(a.Schedulable())
		}
	})
	b.Run("op=change", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			i++
			x.Put(nodeID(0), match.Node{Taints: wide[:n-i%2]})
		}
	})
}
