package fleet

// How an Index works. A Snapshot shares the structure (groups.go):
//
//	Index
//	├─ byID     id ─────────────────> group, place among its members
//	├─ byKey    key ────────────────> taintRecord, and by links the others of the key
//	├─ byTaint  key, value, effect ─> taintRecord, and by links the groups indexed under it
//	└─ bySet    taints ─────────────> group
//	                                    ├─ taints:   the cordon's, then sorted
//	                                    ├─ blocking: the group of the NoSchedule and NoExecute ones
//	                                    ├─ evicting: the group of the NoExecute ones
//	                                    ├─ tally:    numbers of nodes
//	                                    └─ members:  the ids of its nodes
//
// A pod tolerates a group only if it tolerates each of its taints. So each group is
// indexed under only one of its taints: the one that the fewest groups had when it was
// added. A search (search.go) finds the taints that its tolerations match: by key and
// value, among those of a key, or among all. Then it compares the other taints of each
// group that is indexed under them.
//
// A group whose taints are all tolerated answers for three sets of nodes. The nodes that
// have exactly these taints are preferred. Those whose blocking part it is are schedulable.
// Those whose evicting part it is are not evicted. The tally of a group has the three
// numbers, so that a query only adds them up. To list the schedulable nodes, an Answer
// (query.go) follows the links from each tolerated group to those whose blocking part it
// is, and takes their members.
//
// Everything is in pages (pages.go), also the hash tables. A snapshot copies the
// roots of these structures. The epoch of the writer is the number of snapshots. A fork
// begins with the epoch after the snapshot's, so pages that it makes are its own.
//
// Rules, and where to change them: which taints are one, and in which order a group has
// them, nameOf and groupFor; when groups without nodes are freed, groupFor and sweep; what
// each effect does, groups.part and search.run; which toleration matches, pod.add and
// pod.tolerates; what is counted, groups.count.

import (
	"sync/atomic"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match"
)

// An Index holds the taints of nodes by id. The zero Index is empty and ready to use. It
// must not be copied, and is not safe for concurrent use; its snapshots are. An id is like
// the key of a map: one that cannot be compared makes Put panic.
type Index[ID comparable] struct {
	_     nocopy.NoCopy
	state *state[ID]
}

// A state is that of an Index, made on first use.
type state[ID comparable] struct {
	nodes[ID]
	last *Snapshot[ID] // nil if something has changed since
}

// nodes is what a snapshot shares with its Index: the groups, and which node is
// in which.
type nodes[ID comparable] struct {
	groups
	members pages[members[ID]] // by group
	byID    table[ID, place]
}

// members are the nodes of a group.
type members[ID comparable] struct {
	ids     pages[ID] // in any order
	number  uint64    // the version in which the group got its first node
	version uint64
}

// A place is where a node is among the members.
type place struct{ group, at uint32 }

// versions counts the changes of all groups in this process, so that forks that change in
// parallel never draw the same version.
var versions atomic.Uint64

// use returns the state for a change.
func (x *Index[ID]) use() *state[ID] {
	if x.state == nil {
		x.state = new(state[ID])
		x.state.init()
		x.state.byID.init(x.state.seed, x.state.epoch)
	}
	return x.state
}

// Put sets the taints of a node, which it copies, and reports whether that changed
// anything. It usually allocates only for new nodes and groups, and after a snapshot.
func (x *Index[ID]) Put(id ID, n match.Node) (changed bool) {
	s := x.use()
	list, i := s.byID.find(id) // if it panics, nothing has changed
	group := s.groupFor(n)
	p, known := place{}, i >= 0
	if known {
		p = s.byID.lists.at(list).elems[i].value
	}
	if known && p.group == group {
		return false
	}
	s.last = nil
	s.count(group, +1)
	version := versions.Add(1)
	if known {
		s.leave(p, version)
	}
	for s.members.n <= group {
		s.members.push(members[ID]{}, s.epoch)
	}
	m := s.members.edit(group, s.epoch)
	if m.version = version; m.ids.n == 0 {
		m.number = version // of no other group, as only one is joined
	}
	s.byID.put(list, i, pair[ID, place]{id, place{group, m.ids.n}}, s.epoch)
	m.ids.push(id, s.epoch)
	return true
}

// leave removes a node from its group.
func (s *nodes[ID]) leave(p place, version uint64) {
	m := s.members.edit(p.group, s.epoch)
	m.version = version
	moved, ok := m.ids.remove(p.at, s.epoch)
	if ok && moved == moved { // a NaN would be added again
		s.byID.set(moved, p, s.epoch)
	}
	s.count(p.group, -1)
}

// Remove removes a node and reports whether it was there.
func (x *Index[ID]) Remove(id ID) bool {
	s := x.use()
	p, known := s.byID.get(id)
	if known {
		s.last = nil
		s.leave(p, versions.Add(1))
		s.byID.delete(id, s.epoch)
	}
	return known
}

func (x *Index[ID]) Len() int { return x.use().total }

// Snapshot returns the fleet, as the same Snapshot until the Index changes. It is O(1)
// and allocates about 700 bytes.
func (x *Index[ID]) Snapshot() *Snapshot[ID] {
	s := x.use()
	if s.last == nil {
		s.last = &Snapshot[ID]{s.nodes}
		s.epoch++
	}
	return s.last
}

// A Snapshot is a fleet at one time. It is immutable and safe for concurrent use. The
// zero Snapshot is empty. It holds the memory of what has changed since.
type Snapshot[ID comparable] struct {
	nodes nodes[ID]
}

func (s *Snapshot[ID]) Len() int { return s.nodes.total }

// Fork returns a new Index with the nodes of the snapshot. It is O(1), as both share
// memory.
func (s *Snapshot[ID]) Fork() *Index[ID] {
	x := new(Index[ID])
	if s.nodes.epoch > 0 {
		x.state = &state[ID]{nodes: s.nodes}
		x.state.epoch++
	}
	return x
}
