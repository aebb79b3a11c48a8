// Package objects extends package adapter by functions with parameters of the API's
// structs.
package objects

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Tolerations returns the library's list, with the same indices. Tolerations that
// are invalid, or numeric while the gate is off, are zero and match nothing.
func Tolerations(list []corev1.Toleration, gate bool) toleration.List {
	out := make(toleration.List, len(list))
	for i, t := range list {
		out[i], _ = toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
	}
	if !gate {
		out = out.WithoutNumeric()
	}
	return out
}

// Taint returns the library's taint, or the zero Taint if it is invalid.
func Taint(t *corev1.Taint) taint.Taint {
	u, _ := taint.From(t.Key, t.Value, t.Effect)
	return u
}

// Tolerated implements TolerationsTolerateTaint.
func Tolerated(t *corev1.Taint, tolerations []corev1.Toleration, gate bool) bool {
	return match.Compile(Tolerations(tolerations, gate)).Tolerates(Taint(t))
}

// FirstUntolerated implements FindMatchingUntoleratedTaint. An invalid taint
// is never tolerated.
func FirstUntolerated(taints []corev1.Taint, tolerations []corev1.Toleration, include func(*corev1.Taint) bool, gate bool) (corev1.Taint, bool) {
	var at []int // the indices of our taints in theirs
	var ours taint.List
	for i := range taints {
		if include == nil || include(&taints[i]) {
			at, ours = append(at, i), append(ours, Taint(&taints[i]))
		}
	}
	if i, ok := match.Filter(ours, Tolerations(tolerations, gate)).First(); ok {
		return taints[at[i]], true
	}
	return corev1.Taint{}, false
}

// Serving implements GetMatchingTolerations: the first toleration that
// matches each taint.
func Serving(taints []corev1.Taint, tolerations []corev1.Toleration, gate bool) (bool, []corev1.Toleration) {
	ours := Tolerations(tolerations, gate)
	serving := []corev1.Toleration{}
	for i := range taints {
		e := match.Explain(Taint(&taints[i]), toleration.First, ours)
		if e.Class == match.NotTolerated {
			return false, []corev1.Toleration{}
		}
		serving = append(serving, tolerations[e.At.Index])
	}
	return true, serving
}

// CountPreferNoSchedule implements the count from which the scheduler's plugin computes
// the score.
func CountPreferNoSchedule(taints []corev1.Taint, tolerations []corev1.Toleration, gate bool) int {
	ours := make(taint.List, len(taints))
	for i := range taints {
		ours[i] = Taint(&taints[i])
	}
	return match.Filter(ours, Tolerations(tolerations, gate)).Count(taint.PreferNoSchedule)
}

// CordonTolerated implements the plugin that repels pods from cordoned nodes.
// Another plugin evaluates the node's own taints.
func CordonTolerated(node *corev1.Node, tolerations []corev1.Toleration, gate bool) bool {
	return match.Node{Unschedulable: node.Spec.Unschedulable}.Filter(Tolerations(tolerations, gate)).Schedulable()
}
