// Command kueue runs Kueue's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module  = "sigs.k8s.io/kueue"
	helpers = "k8s.io/component-helpers"
	file    = "scheduling/corev1/helpers.go"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Kueue",
		Module: module,
		Swaps: []overlay.Swap{
			{Module: helpers, File: file, Func: "FindMatchingUntoleratedTaint", Body: `
	for i := range taints {
		if (inclusionFilter == nil || inclusionFilter(&taints[i])) && !helper.TolerationsTolerateTaint(0, tolerations, &taints[i], false) {
			return taints[i], true
		}
	}
	return v1.Taint{}, false`},
			{Module: helpers, File: file, Func: "getFilteredTaints"},
		},
		Packages: []string{module + "/pkg/cache/scheduler/...", module + "/pkg/scheduler/..."},
		Verdict:  "There is little to merge: Kueue has no matching code of its own, and calls k8s.io/component-helpers. It would change an import and add an argument; the deleted lines are those of that module. The calls are faster, since the taints are not copied. Later versions wait for `tolerationSeconds` with code of their own, which is not compared here. test/integration needs an API server, test/e2e a cluster.",
	})
}
