//go:build k134

package recording

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// hasNumeric reports whether this version has the operators Lt and Gt.
const hasNumeric = false

func matches(tol *corev1.Toleration, tnt *corev1.Taint, _ bool) bool {
	return tol.ToleratesTaint(tnt)
}

func untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, include func(*corev1.Taint) bool, _ bool) (corev1.Taint, bool) {
	return v1helper.FindMatchingUntoleratedTaint(taints, tolerations, include)
}

func validateTolerations(list []core.Toleration, path *field.Path, _ bool) field.ErrorList {
	return validation.ValidateTolerations(list, path)
}
