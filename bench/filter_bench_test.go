package bench_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// pools returns the tolerations of a pod that tolerates the first n pools of
// [workload.Fleet]: n tolerations of one key.
func pools(n int) (pod toleration.List) {
	for i := range n {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", i)))
	}
	return pod
}

// many returns n tolerations, at most 32, of many keys, the last eight of one key.
func many(n int) toleration.List {
	pod := workload.Pod()
	for i := len(pod); i < 24; i++ {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/key-%d:NoSchedule op=Exists", i)))
	}
	for i := range 8 {
		pod = append(pod, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", 10*i)))
	}
	return pod[:n]
}

// BenchmarkFilter counts the nodes of a usual fleet on which a pod with few or many
// tolerations can be scheduled.
func BenchmarkFilter(b *testing.B) {
	nodes := workload.Fleet(5000, 1)
	plain := plainFleet(nodes)
	for _, pod := range []toleration.List{many(3), many(4), many(8), pools(31), many(32)} {
		name := fmt.Sprintf("nodes=%d/tolerations=%d/", len(nodes), len(pod))
		plainPod, compiled := plainTolerations(pod), match.Compile(pod)
		count := func(impl string, schedulable func(i int) bool) {
			workload.RunNodes(b, name+"impl="+impl, len(nodes), func() (n int) {
				for i := range nodes {
					if schedulable(i) {
						n++
					}
				}
				return n
			})
		}
		count("handwritten", func(i int) bool { return handwrittenSchedulable(plain[i], plainPod) })
		count("tolerate", func(i int) bool { return match.Node{Taints: nodes[i]}.Schedulable(pod) })
		count("tolerate-filter", func(i int) bool { return match.Node{Taints: nodes[i]}.Filter(pod).Schedulable() })
		count("tolerate-compiled", func(i int) bool { return compiled.Schedulable(match.Node{Taints: nodes[i]}) })
	}
}

// BenchmarkCompile compiles a pod's tolerations.
func BenchmarkCompile(b *testing.B) {
	for _, pod := range []toleration.List{many(4), many(8), pools(31), many(32)} {
		workload.Run(b, fmt.Sprintf("tolerations=%d/impl=tolerate", len(pod)), func() *match.Matcher { return match.Compile(pod) })
	}
}
