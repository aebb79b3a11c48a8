package fleet

import (
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

	pageBits uint8         // of members
	snapshot *Snapshot[ID] // the last one, if nothing has changed since
}

// nodes is what a snapshot shares with its Index: the groups, and which node is
// in which.
type nodes[ID comparable] struct {
	groups
	members cow[cow[ID]] // by group, in any order
	byID    table[ID, place]
}

// A place is where a node is among the members.
type place struct{ group, at uint32 }

// lookup returns the taints of the node's group.
func (n *nodes[ID]) lookup(id ID) (elems []elem, ok bool) {
	p, ok := n.byID.get(id)
	if !ok {
		return nil, false
	}
	return n.records.at(p.group).elems, true
}

func (x *Index[ID]) check() { x.guard.Check("fleet.Index") }

func (x *Index[ID]) init() {
	x.nodes.groups.init(&x.writer)
	// Pages of 4 KiB for ids of 8 bytes: BenchmarkFleetChange/snapshot=every.
	x.nodes.members.shift, x.pageBits = 6, 8
	x.nodes.byID.init(x.nodes.seed, x.epoch)
}

// Put sets the taints of a node, and adds the node if it is new. It reports
// whether it changed anything. It does not keep n.Taints.
//
// As a rule it does not allocate for a known node whose group is known, unless
// a snapshot shares the memory.
func (x *Index[ID]) Put(id ID, n match.Node) (changed bool) {
	x.check()
	if x.epoch == 0 {
		x.init()
	}
	p, known := x.nodes.byID.get(id) // if it panics, nothing has changed
	group := x.groupFor(&x.nodes.groups, n)
	if known && p.group == group {
		return false
	}
	x.touch()
	if known {
		x.leave(p)
	}
	x.enter(id, group)
	x.sweep(&x.nodes.groups, x.idleMost)
	return true
}

// enter adds a node to a group.
func (x *Index[ID]) enter(id ID, group uint32) {
	for x.nodes.members.n <= group {
		x.nodes.members.push(cow[ID]{shift: x.pageBits}, x.epoch)
	}
	members := x.nodes.members.edit(group, x.epoch)
	x.nodes.byID.set(id, place{group, members.n}, x.epoch)
	members.push(id, x.epoch)
	x.entered(&x.nodes.groups, group)
}

// leave removes a node from its group.
func (x *Index[ID]) leave(p place) {
	moved, ok := x.nodes.members.edit(p.group, x.epoch).remove(p.at, x.epoch)
	if ok && moved == moved { // a NaN would be added again
		x.nodes.byID.set(moved, p, x.epoch)
	}
	x.left(&x.nodes.groups, p.group)
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
	p, known := x.nodes.byID.get(id)
	if !known {
		return false
	}
	x.touch()
	x.leave(p)
	x.nodes.byID.delete(id, x.epoch)
	x.sweep(&x.nodes.groups, x.idleMost)
	return true
}

// Load puts all these nodes, and then frees spare memory. It is O(Len()).
//
// It puts each node before it takes the next one. So the sequence can read and
// change the Index, also with Load, and the last change of a node counts. If the
// sequence panics, the Index has the nodes before.
func (x *Index[ID]) Load(nodes iter.Seq2[ID, match.Node]) {
	x.check()
	if x.epoch == 0 {
		x.init()
	}
	for id, n := range nodes {
		x.Put(id, n)
	}
	x.snapshot = nil
	x.sweep(&x.nodes.groups, 0)
	x.nodes.byID.trim(x.epoch)
	for group := range x.nodes.members.n {
		x.nodes.members.edit(group, x.epoch).trim(x.epoch)
	}
}

// Len returns the number of nodes.
func (x *Index[ID]) Len() int {
	x.check()
	return x.nodes.total
}

// Snapshot returns the fleet as it is now: the same Snapshot until the Index
// changes. It is O(1) and allocates about 500 bytes.
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
		for group := range s.nodes.members.n {
			if !eachMember(s, group, yield) {
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
	r := a.result
	if r == nil || r.used.Load() > 0 {
		r = new(result[ID])
		a.result = r
	}
	r.snapshot = s
	r.pod.reset(tolerations)
	if x := &s.nodes.groups; a.Memo.remembers(x, &r.pod) {
		a.Memo.query(x, &r.found, &r.pod)
	} else {
		r.found.search(x, &r.pod)
	}
}
