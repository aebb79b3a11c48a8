// Command karpenter runs Karpenter's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Karpenter",
		Module: "sigs.k8s.io/karpenter",
		Swaps: []overlay.Swap{{File: "pkg/scheduling/taints.go", Func: "Taints.Tolerates", Body: `
	for i := range ts {
		if kube.Match(&ts[i], tolerations) < 0 {
			errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", pretty.Taint(ts[i])))
		}
	}
	return errs`}},
		Suites: []overlay.Suite{
			{Package: "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling", Focus: "[Tt]aint|[Tt]olerat"},
		},
		Envtest:   true,
		Skipped:   "The tests need an API server, which is built for them. Only the specs of the scheduler that name taints or tolerations are run, since all of them take long.",
		Hot:       "`Taints.Tolerates`, 2 taints, 4 tolerations",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkTolerates"},
	})
}
