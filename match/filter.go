package match

import (
	"iter"
	"unsafe"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Filter returns what a node's taints do to a pod with those tolerations: one
// list, or several that match as one.
//
// It does not allocate. It is O(len(taints)·len(tolerations)).
func Filter(taints []taint.Taint, tolerations ...[]toleration.Toleration) Result {
	if len(tolerations) != 1 || len(taints) > 1 {
		return filter(taints, tolerations)
	}
	t := first(taints)
	return does(t, judgeList(t, tolerations[0]))
}

func filter(taints []taint.Taint, tolerations [][]toleration.Toleration) Result {
	var r Result
	for i := range taints {
		t := &taints[i]
		r = r.and(i, does(t, judge(t, tolerations)))
	}
	return r
}

// first returns the first taint, or one that does nothing. It has no branch,
// since nobody can foresee which nodes of a fleet bear a taint: BenchmarkFilter.
func first(taints []taint.Taint) *taint.Taint {
	heads := [2]*taint.Taint{&none, unsafe.SliceData(taints)}
	return heads[bit(len(taints) > 0)]
}

var none taint.Taint

// judge returns how well one taint is tolerated, by the first toleration that
// matches.
func judge(t *taint.Taint, tolerations [][]toleration.Toleration) Class {
	for _, list := range tolerations {
		if c := judgeList(t, list); c != NotTolerated {
			return c
		}
	}
	return NotTolerated
}

func judgeList(t *taint.Taint, list []toleration.Toleration) Class {
	tag := t.Tag()
	for len(list) >= 4 && !may4((*[4]toleration.Toleration)(list), tag) {
		list = list[4:]
	}
	for i := range list {
		if u := &list[i]; u.MayTolerate(tag) && u.Tolerates(*t) {
			if _, timed := u.Seconds(); timed {
				return ForAWhile
			}
			return ForGood
		}
	}
	return NotTolerated
}

// may4 is MayTolerate for four at a time, which saves the loop: BenchmarkFilter.
func may4(u *[4]toleration.Toleration, tag uint32) bool {
	return u[0].MayTolerate(tag) || u[1].MayTolerate(tag) || u[2].MayTolerate(tag) || u[3].MayTolerate(tag)
}

// Untolerated returns an iterator over the node's untolerated taints and their
// indices, in the node's order. It reads the lists anew each time that it is
// ranged over, so they must not be changed meanwhile.
//
// It does not allocate when it is ranged over at once.
func Untolerated(taints []taint.Taint, tolerations ...[]toleration.Toleration) iter.Seq2[int, taint.Taint] {
	return Node{Taints: taints}.Untolerated(tolerations...)
}

func tolerated(t taint.Taint, tolerations [][]toleration.Toleration) bool {
	return judge(&t, tolerations) != NotTolerated
}

// AppendUntolerated appends the node's untolerated taints to dst, in the
// node's order. It does not allocate when dst has room.
func AppendUntolerated(dst, taints []taint.Taint, tolerations ...[]toleration.Toleration) []taint.Taint {
	return Node{Taints: taints}.AppendUntolerated(dst, tolerations...)
}

// A Position is where a toleration stands: tolerations[List][Index].
type Position struct {
	List, Index int
}

// Serving returns which toleration decides for how long the taint is
// tolerated, by the policy; false when none matches. It does not allocate. Under
// First it stops at the first that matches.
func Serving(p toleration.Policy, t taint.Taint, tolerations ...[]toleration.Toleration) (Position, bool) {
	return serving(p, t, tolerations)
}

func serving(p toleration.Policy, t taint.Taint, tolerations [][]toleration.Toleration) (at Position, ok bool) {
	for l, list := range tolerations {
		if i := toleration.Index(list, t); i >= 0 {
			at = Position{l, i}
			if p != toleration.First {
				at = best(p, t, tolerations, at)
			}
			return at, true
		}
	}
	return at, false
}

// best returns which toleration decides when the one there is the first that
// matches.
func best(p toleration.Policy, t taint.Taint, tolerations [][]toleration.Toleration, at Position) Position {
	for l, next := at.List, at.Index+1; l < len(tolerations); l, next = l+1, 0 {
		for list := tolerations[l]; ; next++ {
			i := toleration.Index(list[next:], t)
			if i < 0 {
				break
			}
			if next += i; p.Prefers(list[next], tolerations[at.List][at.Index]) {
				at = Position{l, next}
			}
		}
	}
	return at
}

// Classify returns how well one taint is tolerated, by the policy. A zero
// Taint is NotTolerated. It does not allocate.
func Classify(p toleration.Policy, t taint.Taint, tolerations ...[]toleration.Toleration) Class {
	return classify(p, t, tolerations)
}

func classify(p toleration.Policy, t taint.Taint, tolerations [][]toleration.Toleration) Class {
	at, ok := serving(p, t, tolerations)
	if !ok {
		return NotTolerated
	}
	if _, timed := tolerations[at.List][at.Index].Seconds(); timed {
		return ForAWhile
	}
	return ForGood
}

// ClassifyAll returns how well a node's taints are tolerated as a whole, by
// the policy: the worst class of all, and ForGood when there is none. It does
// not allocate.
func ClassifyAll(p toleration.Policy, taints []taint.Taint, tolerations ...[]toleration.Toleration) Class {
	worst := ForGood
	for _, t := range taints {
		if !t.IsZero() {
			worst = min(worst, classify(p, t, tolerations))
		}
	}
	return worst
}
