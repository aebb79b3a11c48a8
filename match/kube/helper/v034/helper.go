// Package helper has functions with the names, parameters and results of
// k8s.io/component-helpers/scheduling/corev1 v0.34 and
// k8s.io/kubernetes/pkg/apis/core/v1/helper v1.34 that decide about taints. To use it,
// change the import:
//
//	v1helper "k8s.io/component-helpers/scheduling/corev1"
//	v1helper "github.com/go-tolerate/tolerate/match/kube/helper/v034"
//
// From v0.35 on the functions have more parameters: those of
// [github.com/go-tolerate/tolerate/match/kube/helper], whose documentation lists the
// differences from Kubernetes. As in v0.34, the operators Lt and Gt match nothing.
package helper

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube/helper"
)

// TolerationsTolerateTaint is [helper.TolerationsTolerateTaint] without Lt and Gt.
func TolerationsTolerateTaint(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	return helper.TolerationsTolerateTaint(0, tolerations, taint, false)
}

// FindMatchingUntoleratedTaint is [helper.FindMatchingUntoleratedTaint] without Lt and Gt.
func FindMatchingUntoleratedTaint(taints []corev1.Taint, tolerations []corev1.Toleration, inclusionFilter func(*corev1.Taint) bool) (corev1.Taint, bool) {
	return helper.FindMatchingUntoleratedTaint(0, taints, tolerations, inclusionFilter, false)
}

// GetMatchingTolerations is [helper.GetMatchingTolerations].
func GetMatchingTolerations(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return helper.GetMatchingTolerations(0, taints, tolerations)
}
