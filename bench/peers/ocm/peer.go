// Command ocm runs Open Cluster Management's tests with match/kube: see
// bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module = "open-cluster-management.io/ocm"
	folder = "pkg/placement/plugins/tainttoleration"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Open Cluster Management",
		Module: module,
		Swaps: []overlay.Swap{{File: folder + "/taint_toleration.go", Func: "isTolerated", Body: `
	if toleration.Effect != "" && toleration.Effect != taint.Effect || toleration.Key != "" && toleration.Key != taint.Key {
		return false, nil, ""
	}
	u := corev1.Toleration{Key: toleration.Key, Operator: corev1.TolerationOperator(toleration.Operator), Value: toleration.Value}
	t := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffectNoSchedule} // clusters have effects of their own
	if !kube.Tolerates(&u, &t) {
		return false, nil, ""
	}
	return isTolerationTimeExpired(taint, toleration)`}},
		Imports:  map[string]string{"corev1": "k8s.io/api/core/v1"},
		Inside:   folder,
		Packages: []string{module + "/pkg/placement/plugins/...", module + "/pkg/placement/controllers/scheduling/..."},
		Bugs:     map[string]string{"isTolerated": "Lt and Gt, which the placement's API rejects, match."},
		Slower:   true,
		Verdict:  "Not worth merging: a cluster has effects of its own, so each comparison first makes structs of Kubernetes' API, and costs more. pkg/placement/controllers is not run, since its tests read files that the module does not have; the integration tests need a cluster.",
	})
}
