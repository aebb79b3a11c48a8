//go:build !k134

package upstream

import (
	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

func matchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(discard, taints, tolerations)
}
