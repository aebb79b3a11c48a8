//go:build !k134

package upstream

import (
	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

// Serving calls GetMatchingTolerations, which follows the process's feature gate.
func Serving(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(discard, taints, tolerations)
}
