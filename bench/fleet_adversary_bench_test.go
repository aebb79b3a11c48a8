package bench_test

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/memory"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// adversaries are the worst fleets for an index. Each function returns the taints of
// one node.
var adversaries = []struct {
	name string
	most int // nodes
	node func(i int) taint.List
	pods []adversaryPod
}{
	{"own-lists", 1_000_000, func(i int) taint.List { // every node has its own list
		return taint.List{
			taint.MustParse(fmt.Sprintf("example.com/host=h%d:NoSchedule", i)),
			taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i%1000)),
		}
	}, []adversaryPod{
		{"usual", workload.Pod()},
		{"one-node", tolerations("example.com/host=h77:NoSchedule", "dedicated op=Exists")},
		{"one-key-of-two", tolerations("dedicated op=Exists")},
		{"both-keys", tolerations("dedicated op=Exists", "example.com/host op=Exists")},
		{"everything", tolerations("op=Exists")},
		{"everything-of-an-effect", tolerations(":NoSchedule op=Exists")},
		{"wildcard-that-misses", tolerations(":NoExecute op=Exists")},
	}},
	{"own-values", 1_000_000, func(i int) taint.List { // one key, as many values as nodes
		return taint.List{taint.MustParse(fmt.Sprintf("tenant=%d:NoSchedule", i))}
	}, []adversaryPod{
		{"one-value", tolerations("tenant=77:NoSchedule")},
		{"exists", tolerations("tenant:NoSchedule op=Exists")},
		{"wrong-effect", tolerations("tenant:NoExecute op=Exists")},
		{"gt-all", tolerations("tenant=-1 op=Gt")},
		{"gt-few", tolerations("tenant=999900 op=Gt")},
		{"lt-few", tolerations("tenant=100 op=Lt")},
	}},
	{"own-preferences", 1_000_000, func(i int) taint.List { // no node repels pods
		return taint.List{taint.MustParse(fmt.Sprintf("tenant=%d:PreferNoSchedule", i))}
	}, []adversaryPod{
		{"usual", workload.Pod()},
	}},
	{"all-but-one", 100_000, func(i int) taint.List { // eight taints that all nodes have, and one that no other node has
		return append(slices.Clone(shared), taint.MustParse(fmt.Sprintf("tenant=%d:NoSchedule", i)))
	}, []adversaryPod{
		{"usual", workload.Pod()},
		{"shared", tolerations("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")},
		{"shared-and-one", tolerations("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "tenant=77:NoSchedule")},
		{"all-but-one-shared", tolerations("s0", "s1", "s2", "s3", "s4", "s5", "s6", "tenant op=Exists")},
		{"all", tolerations("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "tenant op=Exists")},
	}},
	{"last-byte", 100_000, func(i int) taint.List { // long keys of the same length that differ only at their ends
		return taint.List{taint.MustParse(fmt.Sprintf("example.com/%s%07d=v:NoSchedule", strings.Repeat("k", 50), i))}
	}, []adversaryPod{
		{"usual", workload.Pod()},
		{"one-key", tolerations("example.com/" + strings.Repeat("k", 50) + "0000077=v:NoSchedule")},
		{"everything-of-an-effect", tolerations(":NoSchedule op=Exists")},
	}},
}

// shared are the taints that all nodes of a fleet have.
var shared = func() (list taint.List) {
	for i := range 8 {
		list = append(list, taint.MustParse(fmt.Sprintf("s%d:NoSchedule", i)))
	}
	return list
}()

type adversaryPod struct {
	name        string
	tolerations toleration.List
}

// BenchmarkFleetAdversary queries the adversaries. "fit" is the number of nodes on
// which the pod can be scheduled. The plain implementation evaluates each node.
func BenchmarkFleetAdversary(b *testing.B) {
	for _, v := range adversaries {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			if n > v.most {
				continue
			}
			b.Run(fmt.Sprintf("fleet=%s/nodes=%d", v.name, n), func(b *testing.B) {
				nodes := make([]taint.List, n)
				for i := range nodes {
					nodes[i] = v.node(i)
				}
				s, plain := index(nodes).Snapshot(), plainFleet(nodes)
				for _, p := range v.pods {
					var a fleet.Answer[uint64]
					s.Query(&a, p.tolerations) // grows the answer
					theirs := plainTolerations(p.tolerations)
					if want := plainCompare(plain, theirs); a.Schedulable() != want {
						b.Fatalf("%s: %d nodes, want %d", p.name, a.Schedulable(), want)
					}
					b.Run("pod="+p.name+"/impl=tolerate-index", func(b *testing.B) {
						b.ReportAllocs()
						for b.Loop() {
							s.Query(&a, p.tolerations)
						}
						b.ReportMetric(float64(a.Schedulable()), "fit")
					})
					workload.Run(b, "pod="+p.name+"/impl=plain", func() int { return plainCompare(plain, theirs) })
				}
			})
		}
	}
}

// plainCompare is plainFilter, extended by the operators Lt and Gt.
func plainCompare(fleet [][]plainTaint, pod []plainToleration) (schedulable int) {
	compares := slices.ContainsFunc(pod, func(u plainToleration) bool { return u.operator == "Lt" || u.operator == "Gt" })
	if !compares {
		return plainFilter(fleet, pod)
	}
	for _, taints := range fleet {
		if !slices.ContainsFunc(taints, func(t plainTaint) bool {
			return t.effect != "PreferNoSchedule" && !plainTolerated(&t, pod) && !plainCompared(&t, pod)
		}) {
			schedulable++
		}
	}
	return schedulable
}

// plainCompared reports whether a toleration with Lt or Gt matches the taint.
func plainCompared(t *plainTaint, pod []plainToleration) bool {
	for i := range pod {
		u := &pod[i]
		if (u.effect != "" && u.effect != t.effect) || u.key != t.key {
			continue
		}
		value, err := strconv.ParseInt(t.value, 10, 64)
		bound, err2 := strconv.ParseInt(u.value, 10, 64)
		if err == nil && err2 == nil && (u.operator == "Lt" && value < bound || u.operator == "Gt" && value > bound) {
			return true
		}
	}
	return false
}

// BenchmarkFleetIDs looks up nodes in the index and in a map. The ids are chosen to
// collide in a hash table.
func BenchmarkFleetIDs(b *testing.B) {
	const n = 100_000
	node := match.Node{Taints: shared}
	for _, ids := range []struct {
		name string
		id   func(i int) uint64
	}{
		{"spread", nodeID},
		{"in-a-row", func(i int) uint64 { return uint64(i) }},
		{"high-bits", func(i int) uint64 { return uint64(i) << 44 }},
		{"few-bits", func(i int) uint64 { return uint64(i&0xff)<<56 | uint64(i>>8)<<24 }},
	} {
		var x fleet.Index[uint64]
		plain := map[uint64]*match.Node{}
		for i := range n {
			x.Put(ids.id(i), node)
			plain[ids.id(i)] = &node
		}
		var a fleet.Answer[uint64]
		x.Snapshot().Query(&a)
		i := 0
		workload.Run(b, "ids="+ids.name+"/impl=tolerate-index", func() bool {
			i++
			_, ok := a.Node(ids.id(i * 7919 % n))
			return ok
		})
		workload.Run(b, "ids="+ids.name+"/impl=plain", func() bool {
			i++
			return match.Filter(plain[ids.id(i*7919%n)].Taints).Schedulable()
		})
	}
}

// BenchmarkFleetAdversaryMemory reports the heap for each node if no two nodes have the
// same list.
func BenchmarkFleetAdversaryMemory(b *testing.B) {
	const n = 100_000
	for _, v := range adversaries {
		b.Run("fleet="+v.name+"/impl=tolerate-index", func(b *testing.B) {
			all := make([]taint.List, n)
			for i := range all {
				all[i] = v.node(i)
			}
			held := 0.0
			for b.Loop() {
				before := memory.InUse()
				x := index(all)
				held = float64(memory.InUse()-before) / n
				runtime.KeepAlive(x)
			}
			b.ReportMetric(held, "bytes/node")
		})
	}
}

// BenchmarkFleetThousandTaints queries and changes nodes of a thousand taints each.
// The pod's thousand tolerations match all of them, except one on half of the
// nodes.
func BenchmarkFleetThousandTaints(b *testing.B) {
	const n = 1000
	var wide taint.List
	var pod toleration.List
	for i := range n {
		wide = append(wide, taint.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
		pod = append(pod, toleration.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
	}
	x := indexOf(n, func(i int) taint.List { return wide[:n-i%2] })
	pod = pod[:n-1]
	b.Run("op=query/impl=tolerate-index", func(b *testing.B) {
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
	b.Run("op=change/impl=tolerate-index", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			i++
			x.Put(nodeID(0), match.Node{Taints: wide[:n-i%2]})
		}
	})
}

// hostilePods are pods of many tolerations that are the worst case for an index. Each
// has its own fleet, in which no two nodes have the same list.
var hostilePods = []struct {
	name       string
	node       func(i int) taint.List
	toleration func(i int) string
}{
	{"no-key-one-effect", ownKeys, func(int) string { return ":NoExecute op=Exists" }},
	{"no-key-effects-in-turn", ownKeys, func(i int) string {
		return fmt.Sprintf(":%v op=Exists", []taint.Effect{taint.NoExecute, taint.PreferNoSchedule}[i%2])
	}},
	{"one-key-repeated", ownNumbers, func(int) string { return "n:NoSchedule op=Exists" }},
	{"one-key-wrong-effect", ownNumbers, func(int) string { return "n:NoExecute op=Exists" }},
	{"one-key-own-values", ownNumbers, func(i int) string { return fmt.Sprintf("n=%d:NoSchedule", i) }},
	{"one-key-greater", ownNumbers, func(i int) string { return fmt.Sprintf("n=%d:NoSchedule op=Gt", i) }},
	{"one-key-smaller-and-greater", ownNumbers, func(i int) string {
		return fmt.Sprintf("n=%d:NoExecute op=%s", i, []string{"Lt", "Gt"}[i%2])
	}},
	{"own-keys-equal", ownKeys, func(i int) string { return fmt.Sprintf("k%d=v:NoSchedule", i) }},
	{"own-keys-exists", ownKeys, func(i int) string { return fmt.Sprintf("k%d:NoSchedule op=Exists", i) }},
	{"own-keys-none-of-them", ownKeys, func(i int) string { return fmt.Sprintf("x%d:NoSchedule op=Exists", i) }},
}

// ownKeys gives every node a key of its own, and one of a hundred pools.
func ownKeys(i int) taint.List {
	return taint.List{
		taint.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)),
		taint.MustParse(fmt.Sprintf("pool=p%d:NoSchedule", i%100)),
	}
}

// ownNumbers gives every node an integer of its own.
func ownNumbers(i int) taint.List {
	return taint.List{taint.MustParse(fmt.Sprintf("n=%d:NoSchedule", i))}
}

// BenchmarkFleetTolerations queries for pods with many tolerations. The number of
// distinct lists is fixed, or equals the number of tolerations.
func BenchmarkFleetTolerations(b *testing.B) {
	for _, c := range hostilePods {
		for _, size := range []struct{ tolerations, lists int }{
			{32, 10_000}, {100, 10_000}, {1_000, 10_000}, {10_000, 10_000}, {100, 100}, {1_000, 1_000},
		} {
			b.Run(fmt.Sprintf("pod=%s/tolerations=%d/lists=%d", c.name, size.tolerations, size.lists), func(b *testing.B) {
				s := indexOf(size.lists, c.node).Snapshot()
				var pod toleration.List
				for i := range size.tolerations {
					pod = append(pod, toleration.MustParse(c.toleration(i)))
				}
				b.Run("op=query/impl=tolerate-index", func(b *testing.B) {
					b.ReportAllocs()
					var a fleet.Answer[uint64]
					s.Query(&a, pod) // grows the answer
					for b.Loop() {
						s.Query(&a, pod)
					}
					b.ReportMetric(float64(a.Schedulable()), "fit")
				})
				b.Run("op=reasons/impl=tolerate-index", func(b *testing.B) {
					b.ReportAllocs()
					var a fleet.Answer[uint64]
					s.Query(&a, pod)
					for b.Loop() {
						a.TopReasons(3)
					}
				})
			})
		}
	}
}
