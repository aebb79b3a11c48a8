package eviction_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// BenchmarkDecide decides when a pod is evicted from a node of two NoExecute taints.
func BenchmarkDecide(b *testing.B) {
	pod, observed := workload.Pod(), eviction.Observe(nil, workload.Failed(), noon)
	workload.Run(b, "taints=2/impl=tolerate", func() eviction.Decision {
		return eviction.Decide(observed, noon, eviction.Options{}, pod)
	})
}
