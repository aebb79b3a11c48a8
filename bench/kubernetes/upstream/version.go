//go:build !k134

package upstream

import (
	corev1 "k8s.io/api/core/v1"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// HasNumeric reports whether this version has the operators Lt and Gt. Without them, the
// functions ignore gate.
const HasNumeric = true

// Serving calls GetMatchingTolerations, which follows the process's feature gate.
func Serving(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(discard, taints, tolerations)
}

// Matches calls ToleratesTaint.
func Matches(tol *corev1.Toleration, tnt *corev1.Taint, gate bool) bool {
	return tol.ToleratesTaint(discard, tnt, gate)
}

// Untolerated calls FindMatchingUntoleratedTaint.
func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, include func(*corev1.Taint) bool, gate bool) (corev1.Taint, bool) {
	return schedulinghelper.FindMatchingUntoleratedTaint(discard, taints, tolerations, include, gate)
}

// TolerationErrors calls ValidateTolerations.
func TolerationErrors(list []core.Toleration, path *fieldpath.Path, gate bool) fieldpath.ErrorList {
	return validation.ValidateTolerations(list, path, validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: gate})
}
