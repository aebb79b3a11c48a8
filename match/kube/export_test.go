package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// CollideAll gives all lists the same hash until the test ends, so that only their
// comparison distinguishes them.
func CollideAll(t testing.TB) {
	taints, tolerations := taintKind.hash, tolerationKind.hash
	taintKind.hash = func(hash, *corev1.Taint) hash { return 1 }
	tolerationKind.hash = func(hash, *corev1.Toleration) hash { return 1 }
	t.Cleanup(func() { taintKind.hash, tolerationKind.hash = taints, tolerations })
}
