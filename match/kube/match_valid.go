package kube

import (
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube/internal/valid"
)

// The numeric operators. The oldest k8s.io/api that this module supports has no constants
// for them.
const (
	opLt corev1.TolerationOperator = "Lt"
	opGt corev1.TolerationOperator = "Gt"
)

// comparesEqual reports whether op can be Equal or absent, by its length: no other valid
// operator has that length.
func comparesEqual(op corev1.TolerationOperator) bool {
	return len(op) == len(corev1.TolerationOpEqual) || op == ""
}

func isNumeric(op corev1.TolerationOperator) bool { return op == opLt || op == opGt }

// matches reports whether u and t are valid, and u matches t. Fields that are equal are
// validated once, last.
func matches(u *corev1.Toleration, t *corev1.Taint) bool {
	if u.Key != "" && u.Key != t.Key || u.Effect != "" && u.Effect != t.Effect ||
		u.TolerationSeconds != nil && u.Effect != corev1.TaintEffectNoExecute {
		return false
	}
	switch u.Operator {
	case corev1.TolerationOpExists:
		if u.Value != "" {
			return false
		}
	case corev1.TolerationOpEqual, "":
		if u.Key == "" || u.Value != t.Value {
			return false
		}
	default:
		if u.Key == "" || !compares(u, t) {
			return false
		}
	}
	return validEffect(t.Effect) && validFields(t)
}

// compares reports whether the operator is numeric and the integers compare by it.
func compares(u *corev1.Toleration, t *corev1.Taint) bool {
	if !isNumeric(u.Operator) {
		return false
	}
	bound, numeric := integer(u.Value)
	n, ok := integer(t.Value)
	if u.Operator == opLt {
		return numeric && ok && n < bound
	}
	return numeric && ok && n > bound
}

// integer is [validate.Integer], which would allocate an error for the values of many
// valid taints.
func integer(s string) (n int64, ok bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > 19 || digits[0] == '0' && s != "0" {
		return 0, false
	}
	abs := uint64(0) // 19 digits fit
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		abs = abs*10 + uint64(d)
	}
	if len(digits) < len(s) {
		return -int64(abs), abs <= -math.MinInt64
	}
	return int64(abs), abs <= math.MaxInt64
}

func validEffect(e corev1.TaintEffect) bool {
	return e == corev1.TaintEffectNoSchedule || e == corev1.TaintEffectPreferNoSchedule || e == corev1.TaintEffectNoExecute
}

// validFields reports whether the fields of t besides its effect are valid.
func validFields(t *corev1.Taint) bool {
	return valid.Key(t.Key) && valid.Value(t.Value) && valid.Time(t.TimeAdded)
}
