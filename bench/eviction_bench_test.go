package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/toleration"
)

// BenchmarkEvictionUpdate updates a random pod in a Schedule of a million: without a
// change, or cancelled and scheduled again.
func BenchmarkEvictionUpdate(b *testing.B) {
	const pods = 1_000_000
	start := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	node, pod := workload.Failed(), workload.Pod()
	var s eviction.Schedule[uint64]
	for i := range pods {
		s.Update(nodeID(i), node, start, toleration.First, pod)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	update := func() eviction.Update { return s.Update(nodeID(rng.IntN(pods)), node, start, toleration.First, pod) }
	workload.Run(b, fmt.Sprintf("pods=%d/change=none/impl=tolerate", pods), update)
	workload.Run(b, fmt.Sprintf("pods=%d/change=twice/impl=tolerate", pods), func() eviction.Update {
		id := nodeID(rng.IntN(pods))
		s.Update(id, nil, start, toleration.First, pod)
		return s.Update(id, node, start, toleration.First, pod)
	})
}
