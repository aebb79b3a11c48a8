package bench_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the queues alive.
const queuePods = 1_000_000

var evictionStart = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// plainDecide is the plain implementation: it collects the first toleration of
// each taint, and returns the least of their seconds.
func plainDecide(now, start time.Time, taints taint.List, pod toleration.List) (at time.Time, ever bool) {
	var used toleration.List
	for _, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		i := pod.Match(t)
		if i < 0 {
			return now, true
		}
		used = append(used, pod[i])
	}
	least := int64(-1)
	for _, u := range used {
		if n, ok := u.Seconds(); ok && (least < 0 || max(n, 0) < least) {
			least = max(n, 0)
		}
	}
	if least < 0 {
		return time.Time{}, false
	}
	return start.Add(time.Duration(least) * time.Second), true
}

// evictionPod returns n tolerations. Those for the taints of evictionNode are first,
// last or absent.
func evictionPod(n, taints int, hit string) toleration.List {
	var serving, others toleration.List
	for i := range taints {
		key := "hit"
		if hit == "none" {
			key = "miss"
		}
		serving = append(serving, toleration.MustParse(fmt.Sprintf("%s-%d:NoExecute op=Exists for %ds", key, i, 300+i)))
	}
	for i := range n - taints {
		others = append(others, toleration.MustParse(fmt.Sprintf("other-%d:NoExecute op=Exists for 30s", i)))
	}
	if hit == "last" {
		return append(others, serving...)
	}
	return append(serving, others...)
}

func evictionNode(n int) (taints taint.List) {
	for i := range n {
		taints = append(taints, taint.MustParse(fmt.Sprintf("hit-%d=x:NoExecute", i)))
	}
	return taints
}

func BenchmarkEvictionDecide(b *testing.B) {
	for _, taints := range []int{1, 4} {
		for _, tolerations := range []int{4, 32} {
			for _, hit := range []string{"first", "last", "none"} {
				node, pod := evictionNode(taints), evictionPod(tolerations, taints, hit)
				observed := eviction.Observe(nil, node, evictionStart)
				now := evictionStart.Add(time.Second)
				name := fmt.Sprintf("taints=%d/tolerations=%d/hit=%s", taints, tolerations, hit)
				workload.Run(b, name+"/impl=tolerate", func() eviction.Decision { return eviction.Decide(observed, now, eviction.Options{}, pod) })
				workload.Run(b, name+"/impl=plain", func() time.Time { at, _ := plainDecide(now, evictionStart, node, pod); return at })
			}
		}
	}
}

// plainServing returns the index of the toleration that decides, or -1.
func plainServing(c toleration.Choice, t taint.Taint, pod toleration.List) int {
	best := -1
	for i, u := range pod {
		if u.Tolerates(t) && (best < 0 || c.Prefers(u, pod[best])) {
			best = i
			if c == toleration.First {
				break
			}
		}
	}
	return best
}

// BenchmarkExplainChoice finds, among 32 tolerations of a pod, the one that decides for how
// long a taint is tolerated. In the worst case all of them match it.
func BenchmarkExplainChoice(b *testing.B) {
	node := evictionNode(1)
	for _, choice := range []toleration.Choice{toleration.First, toleration.ForeverElseShortest} {
		for _, hit := range []string{"first", "last", "none", "all"} {
			pod := evictionPod(32, 1, hit)
			if hit == "all" {
				pod = slices.Repeat(pod[:1], 32)
			}
			name := fmt.Sprintf("choice=%v/tolerations=32/hit=%s", choice, hit)
			workload.Run(b, name+"/impl=tolerate", func() match.Class { return match.Explain(node[0], choice, pod).Class })
			workload.Run(b, name+"/impl=plain", func() int { return plainServing(choice, node[0], pod) })
		}
	}
}

func podNumber(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

// BenchmarkEvictionUpdate updates one pod in a Schedule of a million: without a change,
// or cancelled and scheduled again.
func BenchmarkEvictionUpdate(b *testing.B) {
	pod := evictionPod(4, 1, "last")
	node := evictionNode(1)
	var s eviction.Schedule[uint64]
	for i := range queuePods {
		s.Update(podNumber(i), node, evictionStart, toleration.First, pod)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	b.Run(fmt.Sprintf("pods=%d/change=none/impl=tolerate", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Update(podNumber(rng.IntN(queuePods)), node, evictionStart, toleration.First, pod)
		}
	})
	b.Run(fmt.Sprintf("pods=%d/change=twice/impl=tolerate", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			id := podNumber(rng.IntN(queuePods))
			s.Update(id, nil, evictionStart, toleration.First, pod)
			s.Update(id, node, evictionStart, toleration.First, pod)
		}
	})
}
