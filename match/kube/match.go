package kube

import (
	"iter"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// The numeric operators. The oldest k8s.io/api that this module supports has no constants
// for them.
const (
	opLt corev1.TolerationOperator = "Lt"
	opGt corev1.TolerationOperator = "Gt"
)

// Match returns the index of the first toleration that matches t, or -1.
func Match(t *corev1.Taint, tolerations []corev1.Toleration) int {
	for i := range tolerations { // Tolerates, without a call: BenchmarkSchedulable
		u := &tolerations[i]
		if u.Key != "" && len(u.Key) != len(t.Key) || u.Effect != "" && u.Effect != t.Effect {
			continue // most have keys of another length, and equal effects take long to compare
		}
		if u.Key == "" {
			if u.Operator != corev1.TolerationOpExists || u.Value != "" {
				continue
			}
		} else if u.Key != t.Key || !accepts(u, t) && !(isNumeric(u) && compares(u, t)) {
			continue
		}
		if repels(t) {
			return -1
		}
		return i
	}
	return -1
}

// Tolerates reports whether u matches t.
func Tolerates(u *corev1.Toleration, t *corev1.Taint) bool {
	if !concerns(u, t) || repels(t) {
		return false
	}
	if u.Key == "" {
		return u.Operator == corev1.TolerationOpExists && u.Value == ""
	}
	return accepts(u, t) || isNumeric(u) && compares(u, t)
}

// concerns reports whether u has the key of t or none, and its effect or none.
func concerns(u *corev1.Toleration, t *corev1.Taint) bool {
	return (u.Key == "" || u.Key == t.Key) && (u.Effect == "" || u.Effect == t.Effect)
}

// accepts reports whether the operator of u is Exists, or Equal or absent, and accepts
// the value of t.
func accepts(u *corev1.Toleration, t *corev1.Taint) bool {
	if u.Operator == corev1.TolerationOpExists {
		return u.Value == ""
	}
	return (u.Operator == "" || u.Operator == corev1.TolerationOpEqual) && u.Value == t.Value
}

// isNumeric reports whether the operator of u is Lt or Gt.
func isNumeric(u *corev1.Toleration) bool { return u.Operator == opLt || u.Operator == opGt }

// compares reports whether the values are integers that compare by the operator of u, Lt
// or Gt.
func compares(u *corev1.Toleration, t *corev1.Taint) bool {
	n, ok := integer(t.Value)
	bound, numeric := integer(u.Value)
	return ok && numeric && n != bound && (n < bound) == (u.Operator == opLt)
}

// repels reports whether t repels pods whatever the tolerations are: its effect is not
// one of the three, or its key is empty.
func repels(t *corev1.Taint) bool {
	return t.Key == "" ||
		t.Effect != corev1.TaintEffectNoSchedule && t.Effect != corev1.TaintEffectNoExecute && t.Effect != corev1.TaintEffectPreferNoSchedule
}

// effectOf returns the effect of t if it is untolerated.
func effectOf(t *corev1.Taint) taint.Effect {
	switch {
	case t.Effect == corev1.TaintEffectPreferNoSchedule && !repels(t):
		return taint.PreferNoSchedule
	case t.Effect == corev1.TaintEffectNoExecute && !repels(t):
		return taint.NoExecute
	}
	return taint.NoSchedule
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

// Schedulable reports whether a pod with these tolerations can be scheduled to a node
// with these taints. It stops at the first taint that decides.
func Schedulable(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	return len(taints) == 0 || schedulable(false, taints, tolerations) // inlined: most nodes have no taints
}

// SchedulableNode is [Schedulable] for the taints of n and its cordon.
func SchedulableNode(n *corev1.Node, tolerations []corev1.Toleration) bool {
	return len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable || schedulable(n.Spec.Unschedulable, n.Spec.Taints, tolerations)
}

func schedulable(cordoned bool, taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	if cordoned && Match(&cordon, tolerations) < 0 {
		return false
	}
next: // Match for each taint, without calls: BenchmarkSchedulable
	for i := range taints {
		t := &taints[i]
		if t.Effect == corev1.TaintEffectPreferNoSchedule && t.Key != "" {
			continue
		}
		for j := range tolerations {
			u := &tolerations[j]
			if u.Key != "" && len(u.Key) != len(t.Key) || u.Effect != "" && u.Effect != t.Effect {
				continue // most have keys of another length, and equal effects take long to compare
			}
			if u.Key == "" {
				if u.Operator != corev1.TolerationOpExists || u.Value != "" {
					continue
				}
			} else if u.Key != t.Key || !accepts(u, t) && !(isNumeric(u) && compares(u, t)) {
				continue
			}
			if repels(t) {
				return false
			}
			continue next
		}
		return false
	}
	return true
}

// Filter returns the effect of a node's taints on a pod with these tolerations.
func Filter(taints []corev1.Taint, tolerations ...[]corev1.Toleration) match.Result {
	var r match.Result
	for i := range taints {
		if t := &taints[i]; !tolerated(t, tolerations) {
			r = r.With(i, effectOf(t))
		}
	}
	return r
}

// FilterNode is [Filter] for the taints of n and its cordon, as by [match.Node].
// [NodeTaint] returns the taint with an index.
func FilterNode(n *corev1.Node, tolerations ...[]corev1.Toleration) match.Result {
	if len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable {
		return match.Result{}
	}
	return filterNode(n, tolerations)
}

func filterNode(n *corev1.Node, tolerations [][]corev1.Toleration) match.Result {
	if !n.Spec.Unschedulable {
		return Filter(n.Spec.Taints, tolerations...)
	}
	var r match.Result
	if !tolerated(&cordon, tolerations) {
		r = r.With(-1, taint.NoSchedule)
	}
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; !isCordon(t) && !tolerated(t, tolerations) {
			r = r.With(i, effectOf(t))
		}
	}
	return r
}

// NodeTaint returns &n.Spec.Taints[i], and a new [match.CordonTaint] for -1.
func NodeTaint(n *corev1.Node, i int) *corev1.Taint {
	if i == -1 {
		c := cordon
		return &c
	}
	return &n.Spec.Taints[i]
}

var cordon = coreTaint(match.CordonTaint())

// isCordon reports whether t is the taint of cordoned nodes.
func isCordon(t *corev1.Taint) bool {
	return t.Key == cordon.Key && t.Value == cordon.Value && t.Effect == cordon.Effect
}

// tolerated reports whether some toleration matches t.
func tolerated(t *corev1.Taint, tolerations [][]corev1.Toleration) bool {
	for _, list := range tolerations {
		if Match(t, list) >= 0 {
			return true
		}
	}
	return false
}

// Untolerated returns an iterator over the untolerated elements of taints and their
// indices.
func Untolerated(taints []corev1.Taint, tolerations ...[]corev1.Toleration) iter.Seq2[int, *corev1.Taint] {
	return func(yield func(int, *corev1.Taint) bool) {
		for i := range taints {
			if t := &taints[i]; !tolerated(t, tolerations) && !yield(i, t) {
				return
			}
		}
	}
}
