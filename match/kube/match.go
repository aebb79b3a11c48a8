package kube

import (
	"iter"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The numeric operators. The oldest k8s.io/api that this module supports has no constants
// for them.
const (
	opLt corev1.TolerationOperator = "Lt"
	opGt corev1.TolerationOperator = "Gt"
)

// Tolerates reports whether u matches t.
func Tolerates(u *corev1.Toleration, t *corev1.Taint) bool {
	if u.Key == "" { // a taint without a key is what the zero Taint becomes
		return u.Operator == corev1.TolerationOpExists && u.Value == "" && t.Key != "" && (u.Effect == "" || u.Effect == t.Effect)
	}
	return u.Key == t.Key && (u.Effect == "" || u.Effect == t.Effect) && accepts(u, t)
}

// everything reports whether u is op=Exists, and matches t. It is inlined.
func everything(u *corev1.Toleration, t *corev1.Taint) bool {
	return u.Key == "" && u.Effect == "" && u.Operator == corev1.TolerationOpExists && u.Value == "" && t.Key != ""
}

// accepts reports whether the operator of u accepts the value of t.
func accepts(u *corev1.Toleration, t *corev1.Taint) bool {
	switch u.Operator {
	case corev1.TolerationOpExists:
		return u.Value == ""
	case corev1.TolerationOpEqual, "":
		return u.Value == t.Value
	case opLt, opGt:
		n, ok := integer(t.Value)
		bound, numeric := integer(u.Value)
		return ok && numeric && n != bound && (n < bound) == (u.Operator == opLt)
	}
	return false
}

// WithoutNumeric returns the list for matching as if Lt and Gt were off: a toleration with
// one is replaced by one that matches nothing, so indices stay. Call it once for each pod:
// for each node, it would cost more than the match.
func WithoutNumeric(tolerations []corev1.Toleration) []corev1.Toleration {
	if !slices.ContainsFunc(tolerations, isNumeric) {
		return slices.Clip(tolerations)
	}
	out := slices.Clone(tolerations)
	for i := range out {
		if isNumeric(out[i]) {
			out[i] = coreToleration(toleration.Toleration{}) // the zero struct would match in Kubernetes
		}
	}
	return out
}

func isNumeric(u corev1.Toleration) bool { return u.Operator == opLt || u.Operator == opGt }

// Match returns the index of the first toleration that matches t, or -1.
func Match(t *corev1.Taint, tolerations []corev1.Toleration) int {
	for i := range tolerations { // Tolerates, without a call for most pairs: BenchmarkSchedulable
		u := &tolerations[i]
		switch {
		case everything(u, t):
			return i
		case u.Key == t.Key:
			if t.Key != "" && (u.Effect == "" || u.Effect == t.Effect) && (u.Operator == corev1.TolerationOpExists && u.Value == "" || accepts(u, t)) {
				return i
			}
		case u.Key == "" && Tolerates(u, t):
			return i
		}
	}
	return -1
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
// with these taints. It stops at the first taint that prevents it.
func Schedulable(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	return len(taints) == 0 || blocking(nil, taints, tolerations) == nil // inlined: most nodes have no taints
}

// SchedulableNode is [Schedulable] for the taints of n and its cordon.
func SchedulableNode(n *corev1.Node, tolerations []corev1.Toleration) bool {
	return len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable || blocking(n, n.Spec.Taints, tolerations) == nil
}

// Blocking returns the first untolerated taint that prevents scheduling to n, for a
// cordon [match.CordonTaint], and whether there is one. It stops there.
func Blocking(n *corev1.Node, tolerations []corev1.Toleration) (t corev1.Taint, ok bool) {
	if len(n.Spec.Taints) != 0 || n.Spec.Unschedulable {
		t, ok = firstBlocking(n, tolerations)
	}
	return
}

// firstBlocking is apart so that Blocking is inlined.
//
//go:noinline
func firstBlocking(n *corev1.Node, tolerations []corev1.Toleration) (corev1.Taint, bool) {
	if t := blocking(n, n.Spec.Taints, tolerations); t != nil {
		return *t, true
	}
	return corev1.Taint{}, false
}

// blocking returns the first of the taints that prevents scheduling, or nil. If n is not
// nil and cordoned, the cordon is before them.
func blocking(n *corev1.Node, taints []corev1.Taint, tolerations []corev1.Toleration) *corev1.Taint {
	if n != nil && n.Spec.Unschedulable && Match(&cordon, tolerations) < 0 {
		return &cordon
	}
	for i := range taints {
		t := &taints[i]
		none := len(tolerations) == 0 // without a call: BenchmarkSchedulable, pod=none
		if t.Effect != corev1.TaintEffectPreferNoSchedule && (none || Match(t, tolerations) < 0) {
			return t
		}
	}
	return nil
}

// Tolerated reports whether all taints are tolerated, of whatever effect.
func Tolerated(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	for i := range taints {
		if Match(&taints[i], tolerations) < 0 {
			return false
		}
	}
	return true
}

// Filter returns the effect of a node's taints on a pod with these tolerations.
func Filter(taints []corev1.Taint, tolerations []corev1.Toleration) match.Result {
	return filter(nil, taints, tolerations)
}

// FilterNode is [Filter] for the taints of n and its cordon, which has the index -1, as
// by [match.Node].
func FilterNode(n *corev1.Node, tolerations []corev1.Toleration) match.Result {
	if len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable {
		return match.Result{}
	}
	return filter(n, n.Spec.Taints, tolerations)
}

// filter is Filter for the taints, before them the cordon if n is not nil and cordoned.
func filter(n *corev1.Node, taints []corev1.Taint, tolerations []corev1.Toleration) (r match.Result) {
	eachUntolerated(n != nil && n.Spec.Unschedulable, taints, tolerations, func(i int, t corev1.Taint) bool {
		r = r.With(i, effectOf(&t))
		return true
	})
	return r
}

// effectOf returns the effect of t if it is untolerated: NoSchedule if it is unknown.
func effectOf(t *corev1.Taint) taint.Effect {
	switch t.Effect {
	case corev1.TaintEffectPreferNoSchedule:
		return taint.PreferNoSchedule
	case corev1.TaintEffectNoExecute:
		return taint.NoExecute
	}
	return taint.NoSchedule
}

// Untolerated returns an iterator over the untolerated taints and their indices, in
// order.
func Untolerated(taints []corev1.Taint, tolerations []corev1.Toleration) iter.Seq2[int, corev1.Taint] {
	return func(yield func(int, corev1.Taint) bool) { eachUntolerated(false, taints, tolerations, yield) }
}

// UntoleratedNode is [Untolerated] for the taints of n and its cordon, first and with the
// index -1, as by [match.Node].
func UntoleratedNode(n *corev1.Node, tolerations []corev1.Toleration) iter.Seq2[int, corev1.Taint] {
	return func(yield func(int, corev1.Taint) bool) {
		eachUntolerated(n.Spec.Unschedulable, n.Spec.Taints, tolerations, yield)
	}
}

// eachUntolerated is apart so that its callers are inlined and do not allocate.
func eachUntolerated(cordoned bool, taints []corev1.Taint, tolerations []corev1.Toleration, yield func(int, corev1.Taint) bool) {
	if cordoned && Match(&cordon, tolerations) < 0 && !yield(-1, cordon) {
		return
	}
	for i := range taints {
		t := &taints[i]
		if (!cordoned || !isCordon(t)) && Match(t, tolerations) < 0 && !yield(i, *t) {
			return
		}
	}
}

// AddReasons adds the untolerated taints of n to r, as [match.Reasons.Add] does, with the
// zero Taint for each invalid one, which allocates.
func AddReasons(r *match.Reasons, n *corev1.Node, tolerations []corev1.Toleration) {
	r.Add(1, func(yield func(int, taint.Taint) bool) {
		for i, t := range UntoleratedNode(n, tolerations) {
			if t.Effect == corev1.TaintEffectPreferNoSchedule {
				continue // also if it becomes the zero Taint, which would count
			}
			if v, _ := taint.From(t.Key, t.Value, t.Effect); !yield(i, v) {
				return
			}
		}
	})
}

var cordon = coreTaint(match.CordonTaint())

// isCordon reports whether t is the taint of cordoned nodes.
func isCordon(t *corev1.Taint) bool {
	return t.Key == cordon.Key && t.Value == cordon.Value && t.Effect == cordon.Effect
}
