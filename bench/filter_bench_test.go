package bench_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func filterFleet(fleet []taint.List, pod toleration.List) (schedulable int) {
	for _, taints := range fleet {
		if match.Filter(taints, pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterNodes(fleet []match.Node, pod toleration.List) (schedulable int) {
	for _, n := range fleet {
		if n.Filter(pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterCompiled(fleet []match.Node, m *match.Matcher) (schedulable int) {
	for _, n := range fleet {
		if m.Filter(n).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

// filterFloor only reads what every implementation must read: how many taints a node
// has, and their effects.
func filterFloor(fleet []taint.List) (sum int) {
	for _, taints := range fleet {
		for i := range taints {
			sum += int(taints[i].Effect())
		}
	}
	return sum
}

// pools returns the tolerations of a pod that tolerates the first n pools of
// [workload.Fleet]: n tolerations of one key.
func pools(n int) (pod toleration.List) {
	for i := range n {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", i)))
	}
	return pod
}

// many returns 32 tolerations, eight of which have the same key.
func many() toleration.List {
	pod := workload.Pod()
	for i := range 8 {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", 10*i)))
	}
	for i := len(pod); i < 32; i++ {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/key-%d:NoSchedule op=Exists", i)))
	}
	return pod
}

// BenchmarkFilter counts the nodes of a fleet on which a pod can be scheduled. The pod
// is the usual one with four tolerations, one that tolerates 3 or 30 pools, or one with
// 32 tolerations. In one fleet no node is cordoned; in the other, every fiftieth.
func BenchmarkFilter(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	for _, percent := range []int{0, 2} {
		cordoned := cordonedFleet(fleet, percent)
		plain := make([][]plainTaint, nodes)
		for i, n := range cordoned {
			plain[i] = plainTaints(n.Taints)
			if n.Unschedulable && !slices.Contains(n.Taints, match.CordonTaint()) {
				plain[i] = append(plain[i], plainTaints(taint.List{match.CordonTaint()})...)
			}
		}
		for _, pod := range []toleration.List{workload.Pod(), pools(3), pools(30), many()} {
			b.Run(fmt.Sprintf("nodes=%d/tolerations=%d/cordoned=%d%%", nodes, len(pod), percent), func(b *testing.B) {
				m, theirs := match.Compile(pod), plainTolerations(pod)
				want := plainFilter(plain, theirs)
				if got, compiled := filterNodes(cordoned, pod), filterCompiled(cordoned, m); got != want || compiled != want {
					b.Fatalf("schedulable: %d, compiled %d, plain %d", got, compiled, want)
				}
				if percent == 0 {
					workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterFleet(fleet, pod) })
					workload.RunNodes(b, "impl=floor", nodes, func() int { return filterFloor(fleet) })
				}
				workload.RunNodes(b, "impl=tolerate-node", nodes, func() int { return filterNodes(cordoned, pod) })
				workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterCompiled(cordoned, m) })
				workload.RunNodes(b, "impl=plain", nodes, func() int { return plainFilter(plain, theirs) })
			})
		}
	}
}

// BenchmarkFilterNumeric is BenchmarkFilter for a fleet whose nodes have a service
// level, and a pod that requires a minimum or a maximum. Two thirds of the nodes with a
// level satisfy it.
func BenchmarkFilterNumeric(b *testing.B) {
	const nodes = 5000
	rng := rand.New(rand.NewPCG(3, 0))
	fleet := make([]match.Node, nodes)
	plain := make([][]plainTaint, nodes)
	for i := range fleet {
		if rng.IntN(100) < 60 {
			fleet[i].Taints = taint.List{taint.MustParse(fmt.Sprintf("example.com/sla=%d:NoSchedule", 950+rng.IntN(50)))}
		}
		plain[i] = plainTaints(fleet[i].Taints)
	}
	for _, text := range []string{"example.com/sla=966:NoSchedule op=Gt", "example.com/sla=983:NoSchedule op=Lt"} {
		pod := append(workload.Pod(), toleration.MustParse(text))
		for _, pod := range []toleration.List{pod[4:], pod} {
			b.Run(fmt.Sprintf("op=%v/tolerations=%d", pod[len(pod)-1].Operator(), len(pod)), func(b *testing.B) {
				m, theirs := match.Compile(pod), plainTolerations(pod)
				want := plainFilter(plain, theirs)
				if got, compiled := filterNodes(fleet, pod), filterCompiled(fleet, m); got != want || compiled != want {
					b.Fatalf("schedulable: %d, compiled %d, plain %d", got, compiled, want)
				}
				workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterNodes(fleet, pod) })
				workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterCompiled(fleet, m) })
				workload.RunNodes(b, "impl=plain", nodes, func() int { return plainFilter(plain, theirs) })
			})
		}
	}
}

// cordonedFleet returns nodes with these taints, and cordons this percentage of them.
// Half of the cordoned nodes also have the taint of a cordon, which the controller of a
// cluster adds later.
func cordonedFleet(fleet []taint.List, percent int) []match.Node {
	rng := rand.New(rand.NewPCG(2, 0))
	nodes := make([]match.Node, len(fleet))
	for i, taints := range fleet {
		nodes[i] = match.Node{Taints: taints, Unschedulable: rng.IntN(100) < percent}
		if nodes[i].Unschedulable && rng.IntN(2) == 0 {
			nodes[i].Taints = append(slices.Clone(taints), match.CordonTaint())
		}
	}
	return nodes
}

// BenchmarkTolerates matches one toleration and one taint.
func BenchmarkTolerates(b *testing.B) {
	t := taint.MustParse("example.com/sla=95:NoSchedule")
	for _, bb := range []struct {
		kind, text string
		want       bool
	}{
		{"wildcard", "op=Exists", true},
		{"exists", "example.com/sla op=Exists", true},
		{"equal", "example.com/sla=95:NoSchedule", true},
		{"greater", "example.com/sla=90:NoSchedule op=Gt", true},
		{"otherkey", "dedicated op=Exists", false},
	} {
		u := toleration.MustParse(bb.text)
		if got := u.Tolerates(t); got != bb.want {
			b.Fatalf("%v tolerates %v: %t", u, t, got)
		}
		workload.Run(b, fmt.Sprintf("kind=%s/match=%t/impl=tolerate", bb.kind, bb.want), func() bool { return u.Tolerates(t) })
	}
}

// BenchmarkIndex searches a list for the toleration that matches a taint.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{4, 32} {
		list := make(toleration.List, n)
		for i := range list {
			list[i] = toleration.MustParse(fmt.Sprintf("example.com/key-%d=value:NoSchedule op=Equal", i))
		}
		for _, hit := range []struct {
			name string
			text string
			want int
		}{
			{"first", "example.com/key-0=value:NoSchedule", 0},
			{"last", fmt.Sprintf("example.com/key-%d=value:NoSchedule", n-1), n - 1},
			{"none", "example.com/key-0=other:NoSchedule", -1},
		} {
			t := taint.MustParse(hit.text)
			if got := list.Match(t); got != hit.want {
				b.Fatalf("Index = %d, want %d", got, hit.want)
			}
			plain, plainList := plainTaints(taint.List{t})[0], plainTolerations(list)
			b.Run(fmt.Sprintf("tolerations=%d/hit=%s", n, hit.name), func(b *testing.B) {
				workload.Run(b, "impl=tolerate", func() int { return list.Match(t) })
				workload.Run(b, "impl=plain", func() bool { return plainTolerated(&plain, plainList) })
			})
		}
	}
}

// BenchmarkNode filters one node with two taints, and one with a thousand taints for a
// pod with a thousand tolerations, none of which matches.
func BenchmarkNode(b *testing.B) {
	taints, pod := workload.Node(), workload.Pod()
	benchmarkNode(b, taints, pod)
	taints, pod = nil, nil
	for i := range 1000 {
		taints = append(taints, taint.MustParse(fmt.Sprintf("example.com/taint-%d:NoSchedule", i)))
		pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/toleration-%d:NoSchedule op=Exists", i)))
	}
	benchmarkNode(b, taints, pod)
}

func benchmarkNode(b *testing.B, taints taint.List, pod toleration.List) {
	b.Run(fmt.Sprintf("taints=%d/tolerations=%d", len(taints), len(pod)), func(b *testing.B) {
		m := match.Compile(pod)
		workload.Run(b, "impl=tolerate", func() match.Result { return match.Filter(taints, pod) })
		workload.Run(b, "impl=tolerate-compiled", func() match.Result { return m.Filter(match.Node{Taints: taints}) })
	})
}

// BenchmarkCompile compiles a pod's tolerations.
func BenchmarkCompile(b *testing.B) {
	for _, pod := range []toleration.List{workload.Pod(), pools(3), pools(30), many(), pools(1000)} {
		workload.Run(b, fmt.Sprintf("tolerations=%d/impl=tolerate", len(pod)), func() *match.Matcher { return match.Compile(pod) })
	}
}

// BenchmarkMatcher looks up a taint that only the last of many tolerations matches.
// Each toleration has its own key.
func BenchmarkMatcher(b *testing.B) {
	for _, n := range []int{2, 4, 8, 16, 17, 32, 64} {
		var pod toleration.List
		for i := range n {
			pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/key-%d=%d:NoSchedule op=Gt", i, i)))
		}
		m, t := match.Compile(pod), taint.MustParse(fmt.Sprintf("example.com/key-%d=1000:NoSchedule", n-1))
		if !m.Tolerates(t) {
			b.Fatal("not tolerated")
		}
		workload.Run(b, fmt.Sprintf("rules=%d/hit=last/impl=tolerate", n), func() bool { return m.Tolerates(t) })
	}
}
