package fleet

import (
	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/taint"
)

// Linear is the number of wants above which a query looks them up in a map.
const Linear = set.Short

// Held is what an Index keeps. Live are the groups with nodes, as counted by changes; Sets
// and Taints can be more than those of its nodes until the next sweep.
type Held struct{ Live, Sets, Taints int }

// Holds returns what the Index keeps.
func Holds[ID comparable](x *Index[ID]) Held {
	s := x.use()
	free := 0
	for id := s.free; id != 0; id = s.records.at(id).nextIndexed {
		free++
	}
	return Held{s.live, int(s.records.n) - free - 1, int(s.taints.n) - 2}
}

// Sweep removes what no node has, as changes do from time to time.
func Sweep[ID comparable](x *Index[ID]) { x.use().sweep() }

// Groups returns the number of groups.
func (s *Snapshot[ID]) Groups() int { return s.nodes.live }

// GroupsUnder returns the number of groups that a query compares for a pod that
// tolerates the taint.
func GroupsUnder[ID comparable](x *Index[ID], t taint.Taint) (n int) {
	s := x.use()
	id, _ := s.byTaint.get(nameOf(t))
	for g := s.taints.at(id).indexed; g != untainted; g = s.records.at(g).nextIndexed {
		n++
	}
	return n
}

// PlanSize returns how many effects and keys or values a query looks for.
func PlanSize[ID comparable](a *Answer[ID]) (effects uint8, wants int) {
	return uint8(a.result.pod.effects), len(a.result.pod.wants)
}
