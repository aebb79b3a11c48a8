package fleet

import (
	"hash/maphash"
	"iter"

	"github.com/go-tolerate/tolerate/match"
)

// An Index holds the taints of a fleet's nodes. ID is what the caller calls a
// node by: a name, a number, a pointer. Ids are looked up as the keys of a map
// are: one that is not equal to itself (a NaN) is not found again, and one that
// cannot be compared panics. The zero Index is empty and ready to use. It must
// not be copied after first use.
//
// One goroutine at a time may call an Index's methods. What others ask, they
// ask of a [Snapshot].
type Index[ID comparable] struct {
	nodes[ID]
	registry

	freeSlots []uint32
	snapshot  *Snapshot[ID] // the last, while nothing has changed since
}

// nodes is what an Index and its snapshots have in common: the lists, and who
// bears which. A node's slot is its place in ids and own.
type nodes[ID comparable] struct {
	lists
	ids    cow[ID]
	own    cow[link] // for each slot, the node's list; 0 when the slot is free
	byID   table
	idSeed maphash.Seed
	slots  uint32 // as many as were ever in use at once
}

func (n *nodes[ID]) find(h uint64, id ID) (slot uint32, ok bool) {
	for p := n.byID.probe(h); n.byID.next(&p); {
		if *n.ids.at(p.ref) == id {
			return p.ref, true
		}
	}
	return 0, false
}

func (n *nodes[ID]) hashID(id ID) uint64 { return maphash.Comparable(n.idSeed, id) }

func (n *nodes[ID]) slotHash(slot uint32) uint64 { return n.hashID(*n.ids.at(slot)) }

func (x *Index[ID]) init() {
	x.lists.init(&x.registry)
	x.idSeed = maphash.MakeSeed()
	// Pages of 8 KiB for ids of 8 bytes: BenchmarkFleetChange/snapshot=every.
	x.ids.shift, x.nodes.own.shift, x.byID.cells.shift = 10, 11, 11
}

// Put sets what the node of that id says about the pods it takes, and adds the
// node if it is new. It reports whether that changed anything. The node's list
// may be changed afterwards.
//
// It costs what sorting n.Taints costs. In the long run it does not allocate
// when the node is known, its list is one that some nodes bear or bore lately,
// and no snapshot was taken since the last change; now and then the set of a
// list's nodes grows or takes another form, and a new node makes a table grow,
// which is O(Len()).
//
// The first changes after a snapshot copy the pages that they touch, some tens
// of kilobytes, and the directories of these pages: 24 bytes for each thousand
// nodes, and for each 64 distinct lists.
func (x *Index[ID]) Put(id ID, n match.Node) (changed bool) {
	if x.epoch == 0 {
		x.init()
	}
	h := x.hashID(id) // panics before anything is changed, if it does
	list := x.registry.own(&x.lists, n)
	slot, known := x.find(h, id)
	if known {
		old := *x.nodes.own.at(slot) - 1
		if old == list {
			return false
		}
		x.touch()
		x.leave(&x.lists, old, slot)
	} else {
		x.touch()
		slot = x.add(h, id)
	}
	*x.nodes.own.edit(slot, x.epoch) = list + 1
	x.enter(&x.lists, list, slot)
	x.sweep(&x.lists, idleMost)
	return true
}

// add gives the node a slot.
func (x *Index[ID]) add(h uint64, id ID) (slot uint32) {
	slot, ok := pop(&x.freeSlots)
	if !ok {
		slot = x.slots
		x.slots++
		x.ids.grow(x.slots, x.epoch)
		x.nodes.own.grow(x.slots, x.epoch)
	}
	*x.ids.edit(slot, x.epoch) = id
	x.byID.insert(h, slot, x.epoch, x.slotHash)
	return slot
}

// touch is called before every change.
func (x *Index[ID]) touch() {
	x.version++
	x.snapshot = nil
}

// Remove takes the node out. It reports whether it was there. Its slot goes to
// a node that is added later.
//
// It costs what Put costs.
func (x *Index[ID]) Remove(id ID) bool {
	if x.epoch == 0 {
		return false
	}
	h := x.hashID(id)
	slot, known := x.find(h, id)
	if !known {
		return false
	}
	x.touch()
	x.byID.remove(h, slot, x.epoch, x.slotHash)
	x.leave(&x.lists, *x.nodes.own.at(slot)-1, slot)
	*x.nodes.own.edit(slot, x.epoch) = 0
	var none ID
	*x.ids.edit(slot, x.epoch) = none
	x.freeSlots = append(x.freeSlots, slot)
	x.sweep(&x.lists, idleMost)
	return true
}

// Load puts all nodes, and then gives back what memory there is to spare, as
// [Index.Clip] does.
func (x *Index[ID]) Load(nodes iter.Seq2[ID, match.Node]) {
	for id, n := range nodes {
		x.Put(id, n)
	}
	x.Clip()
}

// Clip gives back memory that was kept for nodes to come: about half of what
// the nodes take. The room for the most distinct lists that were ever held at
// once stays: who wants it back loads a new Index. It is O(Len()).
func (x *Index[ID]) Clip() {
	if x.epoch == 0 {
		return
	}
	x.snapshot = nil
	x.sweep(&x.lists, 0)
	x.byID.resize(tight(x.byID.used), x.slots, x.epoch, x.slotHash)
	for i := range x.refs {
		x.members.edit(uint32(i), x.epoch).clip(x.epoch)
	}
}

// Len returns the number of nodes. It is O(1).
func (x *Index[ID]) Len() int { return x.total }

// Snapshot returns the fleet as it is now. While nothing changes it is the
// same one.
//
// It is O(1) and allocates the Snapshot alone, about a kilobyte. It costs more
// later: the first change to anything after it copies the pages that it
// shares.
func (x *Index[ID]) Snapshot() *Snapshot[ID] {
	if x.epoch == 0 {
		x.init()
	}
	if x.snapshot == nil {
		x.snapshot = &Snapshot[ID]{x.nodes}
		x.epoch++
	}
	return x.snapshot
}
