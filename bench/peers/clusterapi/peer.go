// Command clusterapi runs Cluster API's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module  = "sigs.k8s.io/cluster-api"
	folder  = "internal/util/taints"
	machine = "core/reconcilers/machine"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Cluster API",
		Module: module,
		Swaps: []overlay.Swap{
			{File: folder + "/taints.go", Func: "RemoveNodeTaint", Body: `
	if len(node.Spec.Taints) == 0 {
		node.Spec.Taints = []corev1.Taint{}
		return false
	}
	taints, removed := kube.Remove(node.Spec.Taints, &drop)
	node.Spec.Taints = taints
	return removed`},
			{File: folder + "/taints.go", Func: "HasTaint", Body: `
	return kube.Find(taints, &targetTaint) >= 0`},
			{File: machine + "/machine_controller_noderef.go", Func: "ensureNodeTaintWithValue", Body: `
	switch i := kube.Find(node.Spec.Taints, &taint); {
	case i < 0:
		node.Spec.Taints = append(node.Spec.Taints, taint)
	case node.Spec.Taints[i].Value != taint.Value:
		node.Spec.Taints[i] = taint
	default:
		return false
	}
	return true`},
		},
		Inside:   machine,
		Packages: []string{module + "/" + folder, module + "/" + machine, module + "/core/reconcilers/machinepool", module + "/controlplane/kubeadm/pkg", module + "/bootstrap/kubeadm/reconcilers/kubeadmconfig"},
		Envtest:  true,
		Verdict:  "To merge deletes lines and changes little else: a node is edited a few times in its life, so nobody notices the time. A list that does not change is not copied. Which taints a Machine owns is in an annotation, whose code stays. The price is a dependency. Not run: the packages that call none of the functions.",
	})
}
