package bench_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
)

// BenchmarkSchedulable compares with the loop of an adopter, for 5,000 nodes in random
// order.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		plain, plainPod, compiled := plainFleet(c.Nodes), plainTolerations(c.Pod), match.Compile(c.Pod)
		count := func(impl string, schedulable func(i int) bool) {
			workload.RunNodes(b, c.Name+"/impl="+impl, len(c.Nodes), func() (n int) {
				for i := range c.Nodes {
					if schedulable(i) {
						n++
					}
				}
				return n
			})
		}
		count("handwritten", func(i int) bool { return handwrittenSchedulable(plain[i], plainPod) })
		count("tolerate", func(i int) bool { return match.Schedulable(c.Nodes[i], c.Pod) })
		count("tolerate-compiled", func(i int) bool { return compiled.Schedulable(match.Node{Taints: c.Nodes[i]}) })
		count("tolerate-filter", func(i int) bool { return match.Filter(c.Nodes[i], c.Pod).Schedulable() })
	}
}
