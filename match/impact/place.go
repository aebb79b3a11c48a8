package impact

import (
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Placement is what a change does to the chances of a waiting pod. The zero
// Placement is nothing, for a pod that may not be scheduled on any node.
//
// Placements may be compared with ==.
type Placement struct {
	// Pod is the pod's index among those that were asked about.
	Pod int
	// Before is on how many nodes the pod may be scheduled without the change.
	Before int
	// Gained is on how many it may be scheduled newly, Lost on how many no
	// longer.
	Gained, Lost int
	// FirstGained and FirstLost are the indices of the first such nodes; 0
	// when there is none.
	FirstGained, FirstLost int
	// Repelled is how many more untolerated PreferNoSchedule taints there are
	// than before, on the nodes on which the pod may be scheduled before and
	// after; negative when there are fewer.
	Repelled int
}

// A PlacementKind is a kind of what a change does to a waiting pod.
type PlacementKind uint8

const (
	// Same: it does nothing.
	Same PlacementKind = iota
	// Opened: the pod may be scheduled, and could not be before.
	Opened
	// Closed: the pod may not be scheduled any more.
	Closed
	// Widened: there are nodes on which the pod may newly be scheduled, beside
	// those of before.
	Widened
	// Narrowed: there are nodes on which the pod may not be scheduled any
	// more, and others are left.
	Narrowed
	// Moved: both are the case.
	Moved
	// Preferred: the nodes are the same, and liked more.
	Preferred
	// Disliked: the nodes are the same, and liked less.
	Disliked
)

var placementNames = [...]string{"Same", "Opened", "Closed", "Widened", "Narrowed", "Moved", "Preferred", "Disliked"}

// String returns the kind's name.
func (k PlacementKind) String() string {
	if int(k) < len(placementNames) {
		return placementNames[k]
	}
	return "PlacementKind(" + strconv.Itoa(int(k)) + ")"
}

// After returns on how many nodes the pod may be scheduled with the change.
func (w Placement) After() int { return w.Before + w.Gained - w.Lost }

// Kind returns which kind it is.
func (w Placement) Kind() PlacementKind {
	switch {
	case w.Gained > 0 && w.Before == 0:
		return Opened
	case w.Lost > 0 && w.After() == 0:
		return Closed
	case w.Gained > 0 && w.Lost > 0:
		return Moved
	case w.Gained > 0:
		return Widened
	case w.Lost > 0:
		return Narrowed
	case w.Repelled < 0:
		return Preferred
	case w.Repelled > 0:
		return Disliked
	}
	return Same
}

// Placement returns what the change does to the chances of a pod with those
// tolerations (one list, or several that match as one): on which of the Plan's
// nodes it may be scheduled, as far as taints and cordons go.
//
// It does not allocate. It is O(t·u) for u tolerations and the t taints of the
// nodes that differ: a pool of equal nodes costs as much as one.
func (p *Plan) Placement(tolerations ...[]toleration.Toleration) Placement {
	var w Placement
	for i := range p.kinds {
		k := &p.kinds[i]
		before, after := k.before.Filter(tolerations...), k.after.Filter(tolerations...)
		was, is := before.Schedulable(), after.Schedulable()
		if was {
			w.Before += k.count
		}
		switch {
		case was && is:
			w.Repelled += k.count * (after.Count(taint.PreferNoSchedule) - before.Count(taint.PreferNoSchedule))
		case was:
			if w.Lost == 0 {
				w.FirstLost = k.first
			}
			w.Lost += k.count
		case is:
			if w.Gained == 0 {
				w.FirstGained = k.first
			}
			w.Gained += k.count
		}
	}
	return w
}

// Placements returns what the change does to the chances of the pods that it
// does anything to, in their order; where they run does not matter. Its cost
// is that of [Plan.Placement] for each pod, and the result.
func (p *Plan) Placements(pods []Pod) []Placement { return p.AppendPlacements(nil, pods) }

// AppendPlacements appends what [Plan.Placements] returns to dst. It does not
// allocate when dst has room.
func (p *Plan) AppendPlacements(dst []Placement, pods []Pod) []Placement {
	for i := range pods {
		if w := p.Placement(pods[i].Tolerations); w.Kind() != Same {
			w.Pod = i
			dst = append(dst, w)
		}
	}
	return dst
}
