//go:build !k134

package recording

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// hasNumeric reports whether this version has the operators Lt and Gt.
const hasNumeric = true

// quiet writes nothing. Kubernetes logs every taint whose value is not a
// number.
var quiet = logr.Discard()

func matches(tol *corev1.Toleration, tnt *corev1.Taint, gate bool) bool {
	return tol.ToleratesTaint(quiet, tnt, gate)
}

func untolerated(taints []corev1.Taint, tolerations []corev1.Toleration, include func(*corev1.Taint) bool, gate bool) (corev1.Taint, bool) {
	return v1helper.FindMatchingUntoleratedTaint(quiet, taints, tolerations, include, gate)
}

func validateTolerations(list []core.Toleration, path *field.Path, gate bool) field.ErrorList {
	return validation.ValidateTolerations(list, path, validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: gate})
}
