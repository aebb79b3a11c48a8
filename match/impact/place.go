package impact

import (
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Placement is what a change does to a waiting pod, in numbers of nodes.
type Placement struct {
	// Before and After are on how many nodes the pod can be scheduled without and with the
	// change.
	Before int `json:"before"`
	After  int `json:"after"`
	// Gained is the number of nodes that the change adds to these, Lost of those that it
	// removes.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// FirstGained and FirstLost are the first indices of these nodes, 0 if there are none.
	FirstGained int `json:"firstGained"`
	FirstLost   int `json:"firstLost"`
	// Repelled is how many more PreferNoSchedule taints are untolerated, on nodes
	// possible before and after.
	Repelled int `json:"repelled"`
}

// Placement returns what the change does to a waiting pod with these tolerations. It
// allocates only for more than 64 distinct taints, and is O(d·n + t) for n tolerations, d
// distinct taints, and the t taints of all nodes that differ.
func (a *Analysis) Placement(tolerations toleration.List) Placement {
	untolerated := make([]bool, 0, 64) // by taint
	for _, t := range a.taints {
		untolerated = append(untolerated, tolerations.Match(t) < 0)
	}
	// repels returns whether one of the taints repels the pod, and the number of
	// untolerated PreferNoSchedule taints.
	repels := func(taints []int) (repelled bool, disliked int) {
		for _, i := range taints {
			switch {
			case !untolerated[i]:
			case a.taints[i].Effect() == taint.PreferNoSchedule:
				disliked++
			default:
				repelled = true
			}
		}
		return repelled, disliked
	}
	var p Placement
	for i := range a.kinds {
		k := &a.kinds[i]
		closed, before := repels(k.before)
		closes, after := repels(k.after)
		was, is := !closed, !closes
		if was {
			p.Before += k.count
		}
		if is {
			p.After += k.count
		}
		switch {
		case was && is:
			p.Repelled += k.count * (after - before)
		case was:
			if p.Lost == 0 {
				p.FirstLost = k.first
			}
			p.Lost += k.count
		case is:
			if p.Gained == 0 {
				p.FirstGained = k.first
			}
			p.Gained += k.count
		}
	}
	return p
}

func (p Placement) String() string {
	nodes := "nodes"
	if p.Before == 1 {
		nodes = "node"
	}
	text := fmt.Sprintf("%d %s before, %d after", p.Before, nodes, p.After)
	if p.Gained > 0 {
		text += fmt.Sprintf(", %d gained (first: node %d)", p.Gained, p.FirstGained)
	}
	if p.Lost > 0 {
		text += fmt.Sprintf(", %d lost (first: node %d)", p.Lost, p.FirstLost)
	}
	switch {
	case p.Repelled > 0:
		text += fmt.Sprintf(", %d more untolerated PreferNoSchedule", p.Repelled)
	case p.Repelled < 0:
		text += fmt.Sprintf(", %d fewer untolerated PreferNoSchedule", -p.Repelled)
	}
	return text
}
