// Command armada runs Armada's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module    = "github.com/armadaproject/armada"
	scheduler = module + "/internal/scheduler"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Armada",
		Module: module,
		Swaps: []overlay.Swap{{File: "internal/scheduler/kubernetesobjects/taint/taint.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for _, t := range kube.Untolerated(taints, tolerations...) {
		return DeepCopyTaint(t), true
	}
	return v1.Taint{}, false`}},
		Files: []overlay.File{{Module: module, Name: "internal/scheduler/kubernetesobjects/taint/peer_test.go", From: "testdata/peer_test.go"}},
		Suites: []overlay.Suite{
			{Package: scheduler + "/kubernetesobjects/taint"},
			{Package: scheduler + "/internaltypes"},
			{Package: scheduler + "/nodedb"},
			{Package: scheduler + "/scheduling"},
		},
		Skipped:   "The tests of the server and the executor need a database or a cluster.",
		Hot:       "`FindMatchingUntoleratedTaint`, a job on 100 nodes",
		Benchmark: overlay.Suite{Package: scheduler + "/kubernetesobjects/taint", Run: "BenchmarkFindMatchingUntoleratedTaint"},
	})
}
