package fleet

import (
	"iter"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Snapshot is a fleet as it was when [Index.Snapshot] was called. It never
// changes and is safe for concurrent use, without a lock, while the Index goes
// on. The zero Snapshot is that of an empty fleet.
//
// While a Snapshot is held, so is the memory of what has changed since.
type Snapshot[ID comparable] struct {
	nodes nodes[ID]
}

// Len returns the number of nodes.
func (s *Snapshot[ID]) Len() int { return s.nodes.total }

// Lists returns the number of distinct taint lists among the nodes.
func (s *Snapshot[ID]) Lists() int { return s.nodes.distinct }

// Slots returns the greatest number of nodes that the Index ever held at once:
// every node's slot is smaller.
func (s *Snapshot[ID]) Slots() int { return int(s.nodes.slots) }

// Slot returns the slot of the node, a number that it keeps as long as it is
// in the Index; false when it is not in the fleet. It does not allocate.
func (s *Snapshot[ID]) Slot(id ID) (slot int, ok bool) {
	u, ok := s.nodes.lookup(id)
	return int(u), ok
}

// ID returns the id of the node in that slot; false when there is none. It
// does not allocate.
func (s *Snapshot[ID]) ID(slot int) (id ID, ok bool) {
	if s.nodes.list(slot) == 0 {
		return id, false
	}
	return *s.nodes.ids.at(uint32(slot)), true
}

func (n *nodes[ID]) lookup(id ID) (slot uint32, ok bool) {
	if n.byID.used == 0 {
		return 0, false
	}
	return n.find(n.hashID(id), id)
}

// list returns the list of the node in that slot, 0 when there is none.
func (n *nodes[ID]) list(slot int) link {
	if slot < 0 || uint64(slot) >= uint64(n.slots) {
		return 0
	}
	return *n.own.at(uint32(slot))
}

// All returns an iterator over the ids of all nodes, by slot.
func (s *Snapshot[ID]) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for slot := range s.nodes.slots {
			if *s.nodes.own.at(slot) != 0 && !yield(*s.nodes.ids.at(slot)) {
				return
			}
		}
	}
}

// AppendTaints appends the taints that the node counts as bearing to dst: each
// once, sorted by [taint.Taint.Compare], without times added, with the virtual
// one of a cordoned node. It returns dst and false when the node is not there.
// It does not allocate when dst has room.
func (s *Snapshot[ID]) AppendTaints(dst []taint.Taint, id ID) ([]taint.Taint, bool) {
	slot, ok := s.nodes.lookup(id)
	if !ok {
		return dst, false
	}
	for _, e := range s.nodes.shapes.at(*s.nodes.own.at(slot) - 1).elems {
		dst = append(dst, e.taint)
	}
	return dst, true
}

// Query makes a the answer for a pod with those tolerations, one list or
// several that match as one. The lists may be changed afterwards.
//
// It does not allocate once a has answered as large a question. It costs a
// look-up for each toleration and a little for each distinct list that is
// reached: one on whose rarest taint a toleration matches. A toleration of
// everything costs nothing more; one without a key but with an effect looks at
// all lists.
func (s *Snapshot[ID]) Query(a *Answer[ID], tolerations ...[]toleration.Toleration) {
	a.snapshot = s
	a.pod.reset(tolerations)
	a.found.ask(&s.nodes.lists, &a.pod)
}

// QueryMatcher is Query for compiled tolerations. It does not know what they
// can reach, so it asks m about every distinct taint.
func (s *Snapshot[ID]) QueryMatcher(a *Answer[ID], m *match.Matcher) {
	a.snapshot = s
	a.pod.compiled(m)
	a.found.ask(&s.nodes.lists, &a.pod)
}
