package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
)

// BenchmarkSchedulable counts the nodes on which the pod of each case can be scheduled.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		count := func(impl string, schedulable func(match.Node) bool) {
			workload.RunNodes(b, c.Name+"/impl="+impl, len(c.Nodes), func() (n int) {
				for _, node := range c.Nodes {
					if schedulable(node) {
						n++
					}
				}
				return n
			})
		}
		compiled := match.Compile(c.Pod)
		count("tolerate", func(n match.Node) bool { return n.Schedulable(c.Pod) })
		count("tolerate-compiled", compiled.Schedulable)
	}
}
