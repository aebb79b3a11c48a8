package bench_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
)

var (
	sinkPlan       *impact.Plan
	sinkEvictions  []impact.Eviction
	sinkPlacements []impact.Placement
	sinkInt        int
)

var impactNow = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// aPool is n nodes to be drained: alike, or each with a taint of its own.
func aPool(n int, alike bool) []impact.Node {
	pool := make([]impact.Node, n)
	drain := taint.MustParse("maintenance=today:NoExecute")
	for i := range pool {
		before := []taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("spot:PreferNoSchedule")}
		if !alike {
			before = append(before, taint.MustParse(fmt.Sprintf("node-%d:PreferNoSchedule", i)))
		}
		pool[i] = impact.Node{Before: match.Node{Taints: before}, After: match.Node{Taints: append(before[1:len(before):len(before)], drain)}}
	}
	return pool
}

// somePods is n pods, spread over the nodes; a third of them tolerates the
// drain for a time.
func somePods(n, nodes int) []impact.Pod {
	kinds := [][]string{
		{"dedicated=gpu"},
		{"dedicated=gpu", "maintenance:NoExecute op=Exists for 600s"},
		{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"},
	}
	pods := make([]impact.Pod, n)
	for i := range pods {
		pods[i] = impact.Pod{Tolerations: tolerations(kinds[i%len(kinds)]...), Node: i % nodes}
	}
	return pods
}

// plainEvictions counts, with package eviction alone, the pods that have to go
// now and had not to before.
func plainEvictions(nodes []impact.Node, pods []impact.Pod) (due int) {
	for _, p := range pods {
		n := nodes[p.Node]
		before := eviction.Observe(nil, n.Before.Taints, impactNow)
		after := eviction.Observe(before, n.After.Taints, impactNow)
		was := eviction.Decide(impactNow, before, eviction.Policy{}, p.Tolerations)
		is := eviction.Decide(impactNow, after, eviction.Policy{}, p.Tolerations)
		if is.Kind() == eviction.Now && was.Kind() != eviction.Now {
			due++
		}
	}
	return due
}

// plainPlacements counts, with package match alone, the pods that may be
// scheduled on another number of nodes than before.
func plainPlacements(nodes []impact.Node, pods []impact.Pod) (touched int) {
	for _, p := range pods {
		before, after := 0, 0
		for _, n := range nodes {
			if n.Before.Filter(p.Tolerations).Schedulable() {
				before++
			}
			if n.After.Filter(p.Tolerations).Schedulable() {
				after++
			}
		}
		if before != after {
			touched++
		}
	}
	return touched
}

func BenchmarkImpactEvictions(b *testing.B) {
	for _, n := range []int{1, 100} {
		nodes, pods := aPool(n, true), somePods(100*n, n)
		b.Run(fmt.Sprintf("impl=plain/nodes=%d/pods=%d", n, len(pods)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkInt = plainEvictions(nodes, pods)
			}
		})
		b.Run(fmt.Sprintf("impl=plan/nodes=%d/pods=%d", n, len(pods)), func(b *testing.B) {
			var plan impact.Plan
			room := make([]impact.Eviction, 0, len(pods))
			b.ReportAllocs()
			for b.Loop() {
				plan.Reset(impact.Options{Now: impactNow}, nodes...)
				sinkEvictions = plan.AppendEvictions(room, pods)
			}
		})
	}
}

func BenchmarkImpactPlacements(b *testing.B) {
	for _, bb := range []struct {
		pool  string
		alike bool
	}{{"alike", true}, {"distinct", false}} { // the worst case: no two nodes are alike
		nodes, pods := aPool(100, bb.alike), somePods(1000, 100)
		b.Run("impl=plain/nodes=100/pods=1000/pool="+bb.pool, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkInt = plainPlacements(nodes, pods)
			}
		})
		b.Run("impl=plan/nodes=100/pods=1000/pool="+bb.pool, func(b *testing.B) {
			var plan impact.Plan
			room := make([]impact.Placement, 0, len(pods))
			b.ReportAllocs()
			for b.Loop() {
				plan.Reset(impact.Options{Now: impactNow}, nodes...)
				sinkPlacements = plan.AppendPlacements(room, pods)
			}
		})
	}
}

func BenchmarkImpactNew(b *testing.B) {
	for _, bb := range []struct {
		pool  string
		alike bool
	}{{"alike", true}, {"distinct", false}} {
		nodes := aPool(1000, bb.alike)
		b.Run("nodes=1000/pool="+bb.pool, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkPlan = impact.New(impact.Options{Now: impactNow}, nodes...)
			}
		})
	}
}
