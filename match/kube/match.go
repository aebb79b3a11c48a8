package kube

import (
	"iter"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube/internal/valid"
	"github.com/go-tolerate/tolerate/taint"
)

// Tolerates reports whether u matches t. An invalid toleration matches nothing, and
// nothing matches an invalid taint.
func Tolerates(u *corev1.Toleration, t *corev1.Taint) bool { return matches(u, t) }

// Match returns the index of the first toleration that matches t, or -1.
func Match(t *corev1.Taint, tolerations []corev1.Toleration) int {
	key, value := len(t.Key), len(t.Value)
	for i := range tolerations {
		if u := &tolerations[i]; mayMatch(u, key, value) && matches(u, t) {
			return i
		}
	}
	return -1
}

// mayMatch reports whether u may match a taint whose key and value have these lengths.
// Most do not, and comparing bytes is slower: BenchmarkFilter.
func mayMatch(u *corev1.Toleration, key, value int) bool {
	return (len(u.Key) == key || u.Key == "") && (len(u.Value) == value || !comparesEqual(u.Operator))
}

// Filter returns the effect of a node's taints on a pod with these tolerations. An
// invalid taint counts as an untolerated NoSchedule taint.
func Filter(taints []corev1.Taint, tolerations ...[]corev1.Toleration) match.Result {
	if len(taints) == 0 {
		return match.Result{}
	}
	if len(taints) > 1 || len(tolerations) != 1 {
		return filter(match.Result{}, taints, false, tolerations)
	}
	// The usual node has at most one taint. This is filter without calls: BenchmarkFilter.
	t, list := &taints[0], tolerations[0]
	key, value := len(t.Key), len(t.Value)
	for i := range list {
		if u := &list[i]; mayMatch(u, key, value) && matches(u, t) {
			return match.Result{}
		}
	}
	if len(t.Effect) == len(corev1.TaintEffectNoSchedule) {
		return noSchedule
	}
	return match.Result{}.With(0, effectOf(t))
}

// FilterNode is like [Filter] for the taints of n. If n is cordoned, it has the virtual
// taint [match.CordonTaint], first and with the index -1; if it really has that taint
// as well, the real one is ignored. [NodeTaint] returns the taint with an index.
func FilterNode(n *corev1.Node, tolerations ...[]corev1.Toleration) match.Result {
	if !n.Spec.Unschedulable {
		return Filter(n.Spec.Taints, tolerations...)
	}
	var r match.Result
	if !tolerated(&cordon, tolerations) {
		r = r.With(-1, taint.NoSchedule)
	}
	return filter(r, n.Spec.Taints, true, tolerations)
}

// NodeTaint returns the taint of n with that index, as [FilterNode] and
// [match.Result.First] return it: &n.Spec.Taints[i], and a new [match.CordonTaint] for -1.
func NodeTaint(n *corev1.Node, i int) *corev1.Taint {
	if i == -1 {
		c := cordon
		return &c
	}
	return &n.Spec.Taints[i]
}

// filter returns r with the untolerated taints.
func filter(r match.Result, taints []corev1.Taint, cordoned bool, tolerations [][]corev1.Toleration) match.Result {
	for i := range taints {
		if t := &taints[i]; !(cordoned && isCordon(t)) && !tolerated(t, tolerations) {
			r = r.With(i, effectOf(t))
		}
	}
	return r
}

var (
	cordon     = coreTaint(match.CordonTaint())
	noSchedule = match.Result{}.With(0, taint.NoSchedule)
)

// isCordon reports whether t is valid and the taint of cordoned nodes.
func isCordon(t *corev1.Taint) bool {
	return t.Key == cordon.Key && t.Value == cordon.Value && t.Effect == cordon.Effect && valid.Time(t.TimeAdded)
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

// effectOf returns the effect of t if it is untolerated: that of an invalid one is
// NoSchedule.
func effectOf(t *corev1.Taint) taint.Effect {
	effect := taint.NoSchedule
	switch t.Effect {
	case corev1.TaintEffectPreferNoSchedule:
		effect = taint.PreferNoSchedule
	case corev1.TaintEffectNoExecute:
		effect = taint.NoExecute
	}
	if effect != taint.NoSchedule && !validFields(t) {
		return taint.NoSchedule
	}
	return effect
}

// Untolerated returns an iterator over the untolerated taints, which are elements of
// taints, and their indices, in order. It ignores the cordon of a node: see [FilterNode].
func Untolerated(taints []corev1.Taint, tolerations ...[]corev1.Toleration) iter.Seq2[int, *corev1.Taint] {
	return func(yield func(int, *corev1.Taint) bool) {
		for i := range taints {
			if t := &taints[i]; !tolerated(t, tolerations) && !yield(i, t) {
				return
			}
		}
	}
}
