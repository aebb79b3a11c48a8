//go:build k134

package upstream

import (
	corev1 "k8s.io/api/core/v1"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

const HasNumeric = false

func Serving(taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return v1helper.GetMatchingTolerations(taints, tolerations)
}

func Matches(tol *corev1.Toleration, tnt *corev1.Taint, _ bool) bool { return tol.ToleratesTaint(tnt) }

func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, include func(*corev1.Taint) bool, _ bool) (corev1.Taint, bool) {
	return schedulinghelper.FindMatchingUntoleratedTaint(taints, tolerations, include)
}

func TolerationErrors(list []core.Toleration, path *fieldpath.Path, _ bool) fieldpath.ErrorList {
	return validation.ValidateTolerations(list, path)
}
