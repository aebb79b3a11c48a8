package match

import (
	"iter"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Filter returns what a node's taints do to a pod with those tolerations: one
// list, or several that match as one.
//
// It does not allocate. It is O(len(taints)·len(tolerations)).
func Filter(taints []taint.Taint, tolerations ...[]toleration.Toleration) Result {
	var r Result
	for i, t := range taints {
		if c := judge(t, tolerations); c != NotTolerated {
			r.timed = r.timed || c == ForAWhile
		} else {
			r = r.with(i, t.Effect())
		}
	}
	return r
}

// judge returns how well one taint is tolerated, by the first toleration that
// matches.
func judge(t taint.Taint, tolerations [][]toleration.Toleration) Class {
	for _, list := range tolerations {
		if j := toleration.Index(list, t); j >= 0 {
			if _, timed := list[j].Seconds(); timed {
				return ForAWhile
			}
			return ForGood
		}
	}
	return NotTolerated
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
	return judge(t, tolerations) != NotTolerated
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
// tolerated, by the policy; false when none matches. It does not allocate.
func Serving(p toleration.Policy, t taint.Taint, tolerations ...[]toleration.Toleration) (Position, bool) {
	return serving(p, t, tolerations)
}

func serving(p toleration.Policy, t taint.Taint, tolerations [][]toleration.Toleration) (at Position, ok bool) {
	for l, list := range tolerations {
		for i, u := range list {
			if u.Tolerates(t) && (!ok || p.Prefers(u, tolerations[at.List][at.Index])) {
				at, ok = Position{l, i}, true
			}
		}
	}
	return at, ok
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
