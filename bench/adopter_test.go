package bench_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// handwrittenSchedulable is the loop that an adopter has: it stops at the first taint
// that decides.
func handwrittenSchedulable(taints []plainTaint, tolerations []plainToleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.effect == "PreferNoSchedule" {
			continue
		}
		tolerated := false
		for j := range tolerations {
			u := &tolerations[j]
			if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) &&
				(u.operator == "Exists" || u.operator != "Lt" && u.operator != "Gt" && u.value == t.value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}

// ownStrings gives each struct strings of its own, as decoded objects have.
func ownStrings(fleet []taint.List) [][]plainTaint {
	plain := plainFleet(fleet)
	for _, taints := range plain {
		for i := range taints {
			t := &taints[i]
			t.key, t.value, t.effect = strings.Clone(t.key), strings.Clone(t.value), strings.Clone(t.effect)
		}
	}
	return plain
}

// BenchmarkSchedulable compares with the loop of an adopter, for 5,000 nodes in random
// order.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		plain, plainPod, compiled := ownStrings(c.Nodes), plainTolerations(c.Pod), match.Compile(c.Pod)
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
