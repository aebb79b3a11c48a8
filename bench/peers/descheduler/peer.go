// Command descheduler runs the descheduler's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const file = "pkg/utils/predicates.go"

func main() {
	peer.Main(peer.Peer{
		Name:   "descheduler",
		Module: "sigs.k8s.io/descheduler",
		Swaps: []overlay.Swap{
			{File: file, Func: "TolerationsTolerateTaint", Body: `
	return kube.Match(taint, tolerations) >= 0`},
			{File: file, Func: "TolerationsTolerateTaintsWithFilter", Body: `
	for i := range taints {
		if (applyFilter == nil || applyFilter(&taints[i])) && kube.Match(&taints[i], tolerations) < 0 {
			return false
		}
	}
	return true`},
			{File: file, Func: "TolerationsEqual", Body: `
	return kube.EqualSetsUntimed(t1, t2)`},
		},
		Packages: []string{"sigs.k8s.io/descheduler/pkg/..."},
		Bugs:     map[string]string{"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which the descheduler takes for another."},
		Verdict:  "To merge pays for `TolerationsEqual`, which RemoveDuplicates calls for pairs of pods: it no longer copies and sorts both lists. `uniqueSortTolerations` can go as well; its 38 lines are not counted, since it has a test of its own. Matching is a little faster, in as many lines. The price is a dependency, and that structs that no API server accepts match less. test/e2e needs a cluster.",
	})
}
