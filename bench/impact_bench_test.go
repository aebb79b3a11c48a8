package bench_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var impactNow = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// aPool is n nodes to be drained. Their taints are the same, or each node has a taint
// of its own.
func aPool(n int, alike bool) []impact.NodeChange {
	pool := make([]impact.NodeChange, n)
	drain := taint.MustParse("maintenance=today:NoExecute")
	for i := range pool {
		before := taint.List{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("spot:PreferNoSchedule")}
		if !alike {
			before = append(before, taint.MustParse(fmt.Sprintf("node-%d:PreferNoSchedule", i)))
		}
		pool[i] = impact.NodeChange{Before: match.Node{Taints: before}, After: match.Node{Taints: append(before[1:len(before):len(before)], drain)}}
	}
	return pool
}

// An impactPod is a pod with its tolerations.
type impactPod struct {
	node        int
	tolerations toleration.List
}

// somePods is n pods, spread over the nodes. A third of them tolerates the drain for a
// time.
func somePods(n, nodes int) []impactPod {
	kinds := [][]string{
		{"dedicated=gpu"},
		{"dedicated=gpu", "maintenance:NoExecute op=Exists for 600s"},
		{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"},
	}
	pods := make([]impactPod, n)
	for i := range pods {
		pods[i] = impactPod{i % nodes, tolerations(kinds[i%len(kinds)]...)}
	}
	return pods
}

// plainEvictions counts the pods that are evicted only after the change. It uses
// package eviction alone.
func plainEvictions(nodes []impact.NodeChange, pods []impactPod) (due int) {
	for _, p := range pods {
		n := nodes[p.node]
		before := eviction.Observe(nil, n.Before.Taints, time.Time{})
		after := eviction.Observe(before, n.After.Taints, impactNow)
		was := eviction.Decide(before, impactNow, eviction.Options{}, p.tolerations)
		is := eviction.Decide(after, impactNow, eviction.Options{}, p.tolerations)
		if is.Kind() == eviction.Due && was.Kind() != eviction.Due {
			due++
		}
	}
	return due
}

func BenchmarkImpactEvictions(b *testing.B) {
	for _, n := range []int{1, 100} {
		nodes, pods := aPool(n, true), somePods(100*n, n)
		workload.Run(b, fmt.Sprintf("nodes=%d/pods=%d/impl=plain", n, len(pods)), func() int { return plainEvictions(nodes, pods) })
		workload.Run(b, fmt.Sprintf("nodes=%d/pods=%d/impl=tolerate", n, len(pods)), func() (due int) {
			a := impact.New(impactNow, nodes...)
			for i := range pods {
				if e := a.Eviction(pods[i].node, eviction.Options{}, pods[i].tolerations); e.Kind != eviction.Unchanged && e.After.Kind() == eviction.Due {
					due++
				}
			}
			return due
		})
	}
}

func BenchmarkImpactNew(b *testing.B) {
	for _, bb := range []struct {
		pool  string
		alike bool
	}{{"alike", true}, {"distinct", false}} {
		nodes := aPool(1000, bb.alike)
		workload.Run(b, "nodes=1000/pool="+bb.pool+"/impl=tolerate", func() *impact.Analysis { return impact.New(impactNow, nodes...) })
	}
}

// Many pods wait, and each node has a taint of its own.
func BenchmarkImpactPlacements(b *testing.B) {
	for pool, alike := range map[string]bool{"alike": true, "distinct": false} {
		a, pods := impact.New(impactNow, aPool(100, alike)...), somePods(1000, 100)
		workload.Run(b, "nodes=100/pods=1000/pool="+pool+"/impl=tolerate", func() (n int) {
			for i := range pods {
				n += a.Placement(pods[i].tolerations).After
			}
			return n
		})
	}
}
