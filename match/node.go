package match

import (
	"iter"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Node is what a node says about the pods it takes: its taints, and whether
// it is cordoned. The zero Node takes every pod.
//
// A cordoned node behaves as if it bore the taint [Cordon], whether or not it
// does. That virtual taint is judged before the node's own, with the index -1,
// and once: when the node bears the very same taint too, that one is passed
// over.
type Node struct {
	// Taints is the node's list, its spec.taints.
	Taints []taint.Taint
	// Unschedulable is set when the node is cordoned, its spec.unschedulable.
	Unschedulable bool
}

var cordon = taint.MustParse("node.kubernetes.io/unschedulable:NoSchedule")

// Cordon returns the taint that a cordoned node behaves as if it bore,
// node.kubernetes.io/unschedulable:NoSchedule.
func Cordon() taint.Taint { return cordon }

// virtual reports whether t, one of the node's own taints, has been judged as
// the virtual one.
func (n Node) virtual(t taint.Taint) bool {
	return n.Unschedulable && t.Canonical() == cordon
}

// Filter is the function [Filter] for the node's taints, the virtual one among
// them. It does not allocate.
func (n Node) Filter(tolerations ...[]toleration.Toleration) Result {
	var r Result
	if n.Unschedulable {
		r = r.judged(-1, cordon, judge(&cordon, tolerations))
	}
	for i, t := range n.Taints {
		if !n.virtual(t) {
			r = r.judged(i, t, judge(&t, tolerations))
		}
	}
	return r
}

// Untolerated is the function [Untolerated] for the node's taints, the virtual
// one among them.
func (n Node) Untolerated(tolerations ...[]toleration.Toleration) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		n.eachUntolerated(tolerations, yield)
	}
}

func (n Node) eachUntolerated(tolerations [][]toleration.Toleration, yield func(int, taint.Taint) bool) {
	if n.Unschedulable && !tolerated(cordon, tolerations) && !yield(-1, cordon) {
		return
	}
	for i, t := range n.Taints {
		if !t.IsZero() && !n.virtual(t) && !tolerated(t, tolerations) && !yield(i, t) {
			return
		}
	}
}

// AppendUntolerated is the function [AppendUntolerated] for the node's taints,
// the virtual one among them. The room of dst must not be that of n.Taints.
func (n Node) AppendUntolerated(dst []taint.Taint, tolerations ...[]toleration.Toleration) []taint.Taint {
	if n.Unschedulable && !tolerated(cordon, tolerations) {
		dst = append(dst, cordon)
	}
	for _, t := range n.Taints {
		if !t.IsZero() && !n.virtual(t) && !tolerated(t, tolerations) {
			dst = append(dst, t)
		}
	}
	return dst
}

// Classify is the function [ClassifyAll] for the node's taints, the virtual one
// among them. It does not allocate.
func (n Node) Classify(p toleration.Policy, tolerations ...[]toleration.Toleration) Class {
	if n.Unschedulable && !tolerated(cordon, tolerations) {
		return NotTolerated
	}
	return ClassifyAll(p, n.Taints, tolerations...)
}
