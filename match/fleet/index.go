package fleet

import (
	"hash/maphash"
	"iter"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An Index holds the taints of the nodes of a fleet. The zero Index is empty and
// ready to use. To query it, take a [Snapshot].
//
// An id is like the key of a map: one that is not equal to itself (a NaN) is
// never found, and one that cannot be compared makes Put panic.
//
// An Index is not safe for concurrent use; its snapshots are. It must not be
// copied after first use: a method of a copy panics.
type Index[ID comparable] struct {
	guard nocopy.Guard
	nodes nodes[ID]
	writer

	freeSlots []uint32
	snapshot  *Snapshot[ID] // the last one, if nothing has changed since
}

// nodes is what a snapshot shares with its Index: the groups, and which node is
// in which. A slot is the number of a node; a removed node's slot is reused.
type nodes[ID comparable] struct {
	groups
	ids     cow[ID]   // by slot
	groupOf cow[link] // by slot; 0 for a free one
	byID    table     // of slots
	idSeed  maphash.Seed
	slots   uint32
}

func (n *nodes[ID]) find(h uint64, id ID) (slot uint32, ok bool) {
	for p := n.byID.probe(h); n.byID.next(&p); {
		if *n.ids.at(p.ref) == id {
			return p.ref, true
		}
	}
	return 0, false
}

// lookup returns the taints of the node's group.
func (n *nodes[ID]) lookup(id ID) (elems []elem, ok bool) {
	if n.byID.used == 0 {
		return nil, false
	}
	slot, ok := n.find(n.hashID(id), id)
	if !ok {
		return nil, false
	}
	return n.records.at(*n.groupOf.at(slot) - 1).elems, true
}

func (n *nodes[ID]) hashID(id ID) uint64 { return maphash.Comparable(n.idSeed, id) }

func (n *nodes[ID]) slotHash(slot uint32) uint64 { return n.hashID(*n.ids.at(slot)) }

func (x *Index[ID]) check() { x.guard.Check("fleet.Index") }

func (x *Index[ID]) init() {
	x.nodes.groups.init(&x.writer)
	x.nodes.idSeed = maphash.MakeSeed()
	// Pages of 8 KiB for ids of 8 bytes: BenchmarkFleetChange/snapshot=every.
	x.nodes.ids.shift, x.nodes.groupOf.shift, x.nodes.byID.cells.shift = 10, 11, 11
}

// Put sets the taints of a node, and adds the node if it is new. It reports
// whether it changed anything. It does not keep n.Taints.
//
// As a rule it does not allocate for a known node whose group is known, unless
// a snapshot shares the memory. A new node may make a table grow, which is
// O(Len()).
func (x *Index[ID]) Put(id ID, n match.Node) (changed bool) {
	x.check()
	if x.epoch == 0 {
		x.init()
	}
	h := x.nodes.hashID(id) // if it panics, nothing has changed
	group := x.groupFor(&x.nodes.groups, n)
	slot, known := x.nodes.find(h, id)
	if known {
		old := *x.nodes.groupOf.at(slot) - 1
		if old == group {
			return false
		}
		x.touch()
		x.leave(&x.nodes.groups, old, slot)
	} else {
		x.touch()
		slot = x.add(h, id)
	}
	*x.nodes.groupOf.edit(slot, x.epoch) = group + 1
	x.enter(&x.nodes.groups, group, slot)
	x.sweep(&x.nodes.groups, x.idleMost)
	return true
}

// add gives a new node a slot.
func (x *Index[ID]) add(h uint64, id ID) (slot uint32) {
	slot, ok := pop(&x.freeSlots)
	if !ok {
		slot = x.nodes.slots
		x.nodes.slots++
		x.nodes.ids.grow(x.nodes.slots, x.epoch)
		x.nodes.groupOf.grow(x.nodes.slots, x.epoch)
	}
	*x.nodes.ids.edit(slot, x.epoch) = id
	x.nodes.byID.insert(h, slot, x.epoch, x.nodes.slotHash)
	return slot
}

// touch is called before a change.
func (x *Index[ID]) touch() {
	x.nodes.version++
	x.snapshot = nil
}

// Remove removes a node and reports whether it was there.
func (x *Index[ID]) Remove(id ID) bool {
	x.check()
	if x.epoch == 0 {
		return false
	}
	h := x.nodes.hashID(id)
	slot, known := x.nodes.find(h, id)
	if !known {
		return false
	}
	x.touch()
	x.nodes.byID.remove(h, slot, x.epoch, x.nodes.slotHash)
	x.leave(&x.nodes.groups, *x.nodes.groupOf.at(slot)-1, slot)
	*x.nodes.groupOf.edit(slot, x.epoch) = 0
	var none ID
	*x.nodes.ids.edit(slot, x.epoch) = none
	x.freeSlots = append(x.freeSlots, slot)
	x.sweep(&x.nodes.groups, x.idleMost)
	return true
}

// Load puts all these nodes, and then frees spare memory. It is O(Len()).
func (x *Index[ID]) Load(nodes iter.Seq2[ID, match.Node]) {
	x.check()
	for id, n := range nodes {
		x.Put(id, n)
	}
	if x.epoch == 0 {
		return
	}
	x.snapshot = nil
	x.sweep(&x.nodes.groups, 0)
	x.nodes.byID.trim(x.epoch, x.nodes.slotHash)
	for i := range x.refs {
		x.nodes.members.edit(uint32(i), x.epoch).trim(x.epoch)
	}
}

// Len returns the number of nodes.
func (x *Index[ID]) Len() int {
	x.check()
	return x.nodes.total
}

// Snapshot returns the fleet as it is now: the same Snapshot until the Index
// changes. It is O(1) and allocates about a kilobyte.
func (x *Index[ID]) Snapshot() *Snapshot[ID] {
	x.check()
	if x.epoch == 0 {
		x.init()
	}
	if x.snapshot == nil {
		x.snapshot = &Snapshot[ID]{x.nodes}
		x.epoch++
	}
	return x.snapshot
}

// A Snapshot is a fleet at the time of [Index.Snapshot]. It is immutable and safe
// for concurrent use, also while the Index changes. The zero Snapshot is an
// empty fleet. A Snapshot holds the memory of what has changed since.
type Snapshot[ID comparable] struct {
	nodes nodes[ID]
}

// Len returns the number of nodes.
func (s *Snapshot[ID]) Len() int { return s.nodes.total }

// Groups returns the number of groups.
func (s *Snapshot[ID]) Groups() int { return s.nodes.distinct }

// All returns an iterator over the ids of all nodes.
func (s *Snapshot[ID]) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for slot := range s.nodes.slots {
			if *s.nodes.groupOf.at(slot) != 0 && !yield(*s.nodes.ids.at(slot)) {
				return
			}
		}
	}
}

// Taints returns the taints of a node's [Group] in a new list, nil if there are
// none; false if there is no such node.
func (s *Snapshot[ID]) Taints(id ID) (taints taint.List, ok bool) {
	elems, ok := s.nodes.lookup(id)
	if len(elems) > 0 {
		taints = make(taint.List, len(elems))
	}
	for i, e := range elems {
		taints[i] = e.taint
	}
	return taints, ok
}

// Query sets a to the answer for a pod with these tolerations (several lists
// match as one). Query does not keep them.
//
// It does not allocate once a has had an answer of that size. With a [Memo], a
// query for known tolerations costs one lookup, and a sum over the groups of the
// answer if nodes have changed since; a new or changed entry allocates.
func (s *Snapshot[ID]) Query(a *Answer[ID], tolerations ...toleration.List) {
	a.guard.Check("fleet.Answer")
	a.snapshot = s
	a.pod.reset(tolerations)
	if x := &s.nodes.groups; a.Memo.remembers(x, &a.pod) {
		a.Memo.query(x, &a.found, &a.pod)
	} else {
		a.found.search(x, &a.pod)
	}
}
