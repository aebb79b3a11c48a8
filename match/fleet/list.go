package fleet

import (
	"iter"

	"github.com/go-tolerate/tolerate/taint"
)

// A List is one of the distinct taint lists of a fleet, with the nodes that
// bear it. It belongs to its snapshot. The zero List has neither taints nor
// nodes.
//
// A List is a small value to be copied. It is safe for concurrent use.
type List[ID comparable] struct {
	snapshot *Snapshot[ID]
	id       uint32
}

// Len returns the number of nodes that bear the list.
func (l List[ID]) Len() int {
	if l.snapshot == nil {
		return 0
	}
	return int(l.snapshot.nodes.tallies.at(l.id).own)
}

// Taints returns an iterator over the taints: each once, by
// [taint.Taint.Compare], without times added, with the virtual one of cordoned
// nodes.
//
// It does not allocate when it is ranged over at once.
func (l List[ID]) Taints() iter.Seq[taint.Taint] {
	return func(yield func(taint.Taint) bool) { l.eachTaint(yield) }
}

func (l List[ID]) eachTaint(yield func(taint.Taint) bool) {
	if l.snapshot == nil {
		return
	}
	for _, e := range l.snapshot.nodes.shapes.at(l.id).elems {
		if !yield(e.taint) {
			return
		}
	}
}

// Nodes returns an iterator over the nodes that bear the list, by slot.
//
// It does not allocate when it is ranged over at once.
func (l List[ID]) Nodes() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		if l.snapshot != nil {
			eachMember(l.snapshot, l.id, yield)
		}
	}
}
