package match

import (
	"iter"
	"math/bits"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Node has the fields of a Kubernetes node that matching depends on.
//
// A cordoned node has the virtual taint [CordonTaint], first and with the index -1. If it
// really has that taint as well, the real one is ignored.
type Node struct {
	Taints        taint.List // spec.taints
	Unschedulable bool       // spec.unschedulable: the node is cordoned
}

var cordon = taint.MustParse("node.kubernetes.io/unschedulable:NoSchedule")

// CordonTaint returns node.kubernetes.io/unschedulable:NoSchedule.
func CordonTaint() taint.Taint { return cordon }

// Taint returns n.Taints[i], and [CordonTaint] for -1.
func (n Node) Taint(i int) taint.Taint {
	if i == -1 {
		return cordon
	}
	return n.Taints[i]
}

// start returns the index of the node's first taint, -1 if that is the virtual one.
func (n *Node) start() int { return -int(bit(n.Unschedulable)) }

// at returns the taint with that index, or nil if it is ignored since the virtual taint
// replaces it.
func (n *Node) at(i int) *taint.Taint {
	if i < 0 {
		return &cordon
	}
	if t := &n.Taints[i]; !n.Unschedulable || t.Canonical() != cordon {
		return t
	}
	return nil
}

// Schedulable reports whether a pod with these tolerations can be scheduled to the node.
// It stops at the first taint that prevents it.
func (n Node) Schedulable(tolerations toleration.List) bool {
	if len(n.Taints) == 0 && !n.Unschedulable { // inlined, since most nodes have no taints
		return true
	}
	_, blocked := n.blocking(tolerations)
	return !blocked
}

// Blocking returns the first untolerated taint that prevents scheduling, the cordon's
// before all others, and whether there is one. It stops at that taint, which can be a
// zero Taint of the list.
func (n Node) Blocking(tolerations toleration.List) (t taint.Taint, ok bool) {
	if len(n.Taints) > 0 || n.Unschedulable {
		t, ok = n.blocking(tolerations)
	}
	return t, ok
}

// open reports whether the node repels no pod.
func (n *Node) open() bool { return len(n.Taints) == 0 && !n.Unschedulable }

// blocking is apart so that Blocking and Schedulable are inlined.
func (n Node) blocking(tolerations toleration.List) (taint.Taint, bool) {
	if n.Unschedulable && tolerations.Match(cordon) < 0 {
		return cordon, true
	}
	for i := range n.Taints {
		t := &n.Taints[i]
		none := len(tolerations) == 0 // without a call: BenchmarkSchedulable, pod=none
		if blocks(t) && (none || tolerations.Match(*t) < 0) {
			return *t, true
		}
	}
	return taint.Taint{}, false
}

// blocks reports whether the taint, if it is untolerated, prevents scheduling.
func blocks(t *taint.Taint) bool { return t.Effect() != taint.PreferNoSchedule }

// Filter returns the effect of the node's taints on a pod with these tolerations. It is
// O(number of taints * number of tolerations).
func (n Node) Filter(tolerations toleration.List) Result {
	if n.open() { // inlined
		return Result{}
	}
	return n.filter(tolerations)
}

func (n Node) filter(tolerations toleration.List) (r Result) {
	for i, t := range n.Untolerated(tolerations) {
		r = r.With(i, t.Effect())
	}
	return r
}

// Untolerated returns an iterator over the untolerated taints and their indices, in
// order.
func (n Node) Untolerated(tolerations toleration.List) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		n.eachUntolerated(tolerations, yield)
	}
}

// eachUntolerated is apart so that Untolerated is inlined and does not allocate.
func (n Node) eachUntolerated(tolerations toleration.List, yield func(int, taint.Taint) bool) {
	for i := n.start(); i < len(n.Taints); i++ {
		if t := n.at(i); t != nil && tolerations.Match(*t) < 0 && !yield(i, *t) {
			return
		}
	}
}

// Scores returns a score for each node that the pod can be scheduled to, as Kubernetes'
// plugin TaintToleration does: 100 - 100*count/max in integers, and 100 if max is 0.
// counts[i] is the number of node i's untolerated PreferNoSchedule taints, from
// [Result.Count].
func Scores(counts []int64) []int64 {
	scores := make([]int64, len(counts))
	largest := uint64(0)
	for _, c := range counts {
		largest = max(largest, uint64(max(c, 0)))
	}
	for i, c := range counts {
		scores[i] = 100
		if largest > 0 {
			hi, lo := bits.Mul64(100, uint64(max(c, 0))) // exact for every count
			share, _ := bits.Div64(hi, lo, largest)
			scores[i] -= int64(share)
		}
	}
	return scores
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
