package kubernetes_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller/daemon"
)

// daemonDecision calls the DaemonSet controller for a node. It returns the tolerations
// of the daemon's pod on this node, some of which the controller adds.
func daemonDecision(tolerations []corev1.Toleration, taints []corev1.Taint) (shouldRun, shouldContinue bool, all []corev1.Toleration) {
	ds := &appsv1.DaemonSet{ObjectMeta: emptyMeta}
	ds.Spec.Template.Spec.Tolerations = tolerations
	node := &corev1.Node{ObjectMeta: emptyMeta, Spec: corev1.NodeSpec{Taints: taints}}
	all = daemon.NewPod(ds, node.Name).Spec.Tolerations
	shouldRun, shouldContinue = daemon.NodeShouldRunDaemonPod(quiet, node, ds)
	return shouldRun, shouldContinue, all
}
