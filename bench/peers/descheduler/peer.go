// Command descheduler runs the descheduler's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const module = "sigs.k8s.io/descheduler"

func main() {
	peer.Main(peer.Peer{
		Name:   "descheduler",
		Module: module,
		Swaps: []overlay.Swap{
			{File: "pkg/utils/predicates.go", Func: "TolerationsTolerateTaintsWithFilter", Body: `
	for _, t := range kube.Untolerated(taints, tolerations) {
		if applyFilter == nil || applyFilter(t) {
			return false
		}
	}
	return true`},
			{File: "pkg/utils/predicates.go", Func: "TolerationsEqual", Body: `
	return kube.EqualSetsUntimed(t1, t2)`},
		},
		Suites: []overlay.Suite{
			{Package: module + "/pkg/utils"},
			{Package: module + "/pkg/descheduler"},
			{Package: module + "/pkg/descheduler/node"},
			{Package: module + "/pkg/framework/plugins/defaultevictor"},
			{Package: module + "/pkg/framework/plugins/nodeutilization"},
			{Package: module + "/pkg/framework/plugins/removeduplicates"},
			{Package: module + "/pkg/framework/plugins/removepodsviolatingnodetaints"},
		},
		Skipped:   "test/e2e needs a cluster.",
		Hot:       "`TolerationsTolerateTaintsWithFilter`, a pod of 4 tolerations on 100 nodes of a fleet",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkFleet"},
	})
}
