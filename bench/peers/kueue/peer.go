// Command kueue runs Kueue's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const module = "sigs.k8s.io/kueue"

func main() {
	peer.Main(peer.Peer{
		Name:   "Kueue",
		Module: module,
		Swaps: []overlay.Swap{
			{Module: "k8s.io/component-helpers", File: "scheduling/corev1/helpers.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for _, t := range kube.Untolerated(taints, tolerations) {
		if inclusionFilter == nil || inclusionFilter(t) {
			return *t, true
		}
	}
	return v1.Taint{}, false`},
		},
		Suites: []overlay.Suite{
			{Package: module + "/pkg/cache/scheduler"},
			{Package: module + "/pkg/scheduler"},
			{Package: module + "/pkg/scheduler/flavorassigner"},
		},
		Skipped:   "Kueue has no matching code of its own: it calls `FindMatchingUntoleratedTaint` of k8s.io/component-helpers, which a function of these lines replaces. test/integration needs an API server, test/e2e a cluster.",
		Hot:       "`FindMatchingUntoleratedTaint`, 2 taints, 4 tolerations",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkFindMatchingUntoleratedTaint"},
	})
}
