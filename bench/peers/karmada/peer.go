// Command karmada runs Karmada's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module = "github.com/karmada-io/karmada"
	file   = "pkg/util/helper/taint.go"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Karmada",
		Module: module,
		Swaps: []overlay.Swap{
			{File: "pkg/estimator/server/nodes/filter.go", Func: "IsTolerationMatched", Body: `
	return kube.SchedulableNode(node, kube.WithoutNumeric(tolerations))`},
			{File: file, Func: "TaintExists", Body: `
	return kube.Find(taints, taintToFind) >= 0`},
			{File: file, Func: "SetCurrentClusterTaints", Body: `
	taints := cluster.Spec.Taints
	for _, t := range taintsToRemove {
		taints, _ = kube.Remove(taints, t)
	}
	for _, t := range taintsToAdd {
		if kube.Find(cluster.Spec.Taints, t) < 0 {
			now := metav1.Now()
			taints = append(slices.Clip(taints), corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect, TimeAdded: &now})
		}
	}
	return taints`},
		},
		Imports:  map[string]string{"slices": "slices"},
		Packages: []string{module + "/pkg/controllers/cluster/...", module + "/pkg/estimator/server/...", module + "/pkg/util/helper"},
		Verdict:  "To merge deletes most of the code that edits taints, and estimates check nodes faster. Lt and Gt stay off, as in the k8s.io/api that Karmada uses. The price is a dependency, and that structs that no API server accepts match less. `GetMatchingTolerations` stays, since that of match/kube/helper is slower where a taint is untolerated, and so does `GetMinTolerationTimeWithCurrentTime`. test/e2e needs a cluster.",
	})
}
