package match

import (
	"iter"
	"math/bits"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Filter returns the effect of a node's taints on a pod with these tolerations. It
// is O(number of taints * number of tolerations).
func Filter(taints taint.List, tolerations ...toleration.List) Result {
	return Node{Taints: taints}.Filter(tolerations...)
}

// Untolerated returns an iterator over the untolerated taints and their
// indices, in order.
func Untolerated(taints taint.List, tolerations ...toleration.List) iter.Seq2[int, taint.Taint] {
	return Node{Taints: taints}.Untolerated(tolerations...)
}

// A Node has the fields of a Kubernetes node that matching depends on. The zero
// Node accepts every pod.
//
// A cordoned node has the virtual taint [CordonTaint], first and with the index
// -1. If it really has that taint as well, the real one is ignored.
type Node struct {
	Taints        taint.List // spec.taints
	Unschedulable bool       // spec.unschedulable: the node is cordoned
}

var cordon = taint.MustParse("node.kubernetes.io/unschedulable:NoSchedule")

// CordonTaint returns node.kubernetes.io/unschedulable:NoSchedule.
func CordonTaint() taint.Taint { return cordon }

// Taint returns the taint with that index, as [Result.First] and [Node.Untolerated]
// return it: n.Taints[i], and [CordonTaint] for -1.
func (n Node) Taint(i int) taint.Taint {
	if i == -1 {
		return cordon
	}
	return n.Taints[i]
}

// replaced reports whether t, one of the node's own taints, is ignored since
// the virtual taint replaces it.
func (n *Node) replaced(t *taint.Taint) bool {
	return n.Unschedulable && t.Canonical() == cordon
}

// Filter is like the function [Filter], with the virtual taint.
func (n Node) Filter(tolerations ...toleration.List) Result {
	if len(tolerations) != 1 || len(n.Taints) > 1 || n.Unschedulable {
		return n.filter(tolerations)
	}
	t, absent := first(n.Taints)
	return alone(t, bit(listTolerates(tolerations[0], t))|absent)
}

func (n Node) filter(tolerations []toleration.List) Result {
	var r tallies
	for i := len(n.Taints) - 1; i >= 0; i-- {
		if t := &n.Taints[i]; !n.replaced(t) {
			r.add(i, t, bit(tolerated(t, tolerations)))
		}
	}
	if n.Unschedulable {
		r.add(-1, &cordon, bit(tolerated(&cordon, tolerations)))
	}
	return r.result()
}

// first returns the first taint and 0. If there is none, it returns the taint none
// and 1, which makes it tolerated. A processor cannot predict which nodes
// of a fleet have taints, and a branch would make Filter 1.2 to 1.8 times as
// slow: BenchmarkFilter.
func first(taints taint.List) (t *taint.Taint, absent uint8) {
	heads := [2]*taint.Taint{unsafe.SliceData(taints), &none}
	absent = bit(len(taints) == 0)
	return heads[absent], absent
}

// none is no taint: it has a key that no toleration has, which is not that of the
// zero Taint either.
var none = taint.Taint(value.KeyAlone(""))

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// tolerated reports whether some toleration matches the taint.
func tolerated(t *taint.Taint, tolerations []toleration.List) bool {
	for _, list := range tolerations {
		if listTolerates(list, t) {
			return true
		}
	}
	return false
}

func listTolerates(list toleration.List, t *taint.Taint) bool {
	tag := (*value.Taint)(t).Tag()
	for len(list) >= 4 && !may4((*[4]toleration.Toleration)(list), tag) {
		list = list[4:]
	}
	for i := range list {
		if u := (*value.Toleration)(&list[i]); u.MayMatch(tag) && u.Matches(value.Taint(*t)) {
			return true
		}
	}
	return false
}

// may4 is MayMatch for four tolerations at once, which is faster than a loop:
// BenchmarkFilter.
func may4(u *[4]toleration.Toleration, tag uint32) bool {
	return (*value.Toleration)(&u[0]).MayMatch(tag) || (*value.Toleration)(&u[1]).MayMatch(tag) ||
		(*value.Toleration)(&u[2]).MayMatch(tag) || (*value.Toleration)(&u[3]).MayMatch(tag)
}

// Untolerated is like the function [Untolerated], with the virtual taint.
func (n Node) Untolerated(tolerations ...toleration.List) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		n.eachUntolerated(tolerations, yield)
	}
}

func (n Node) eachUntolerated(tolerations []toleration.List, yield func(int, taint.Taint) bool) {
	if n.Unschedulable && !tolerated(&cordon, tolerations) && !yield(-1, cordon) {
		return
	}
	for i := range n.Taints {
		if t := &n.Taints[i]; !n.replaced(t) && !tolerated(t, tolerations) && !yield(i, *t) {
			return
		}
	}
}

// Scores returns a score from 0 to 100, in a new slice, for each node that the
// pod can be scheduled to. counts[i] is the number of node i's untolerated
// PreferNoSchedule taints, from [Result.Count]; a negative number is 0.
//
// A score is 100 - 100*count/max in integers, where max is the largest count,
// and 100 if max is 0, as in Kubernetes' plugin TaintToleration.
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
