package fleet

import (
	"hash/maphash"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// A registry is what the writer keeps beside the lists themselves.
type registry struct {
	epoch  uint64 // raised by each snapshot
	serial uint64

	scratch    []taint.Taint
	refs       []uint32 // for each list, how many node's lists have it as theirs, hard or evicting one
	state      []uint8  // for each list
	freeLists  []uint32
	freeTaints []uint32
	freeKeys   []uint32
	idle       []uint32 // a queue of lists that no node had when they came in
}

const (
	isOwn  = 1 << iota // a node's list, or one until lately
	isIdle             // in the queue
)

// idleMost is how many lists are kept that no node bears, so that a node that
// goes back and forth costs no more than a look-up.
const idleMost = 256

func (x *lists) init(r *registry) {
	x.seed = maphash.MakeSeed()
	// Pages of 4 to 8 KiB: BenchmarkFleetChange/snapshot=every.
	x.shapes.shift, x.tallies.shift, x.members.shift = 6, 8, 6
	x.taints.shift, x.bearing.shift, x.keys.shift = 6, 9, 6
	for _, t := range []*table{&x.byHash, &x.byTaint, &x.byKey} {
		t.cells.shift = 11
	}
	r.epoch = 1
	r.newList(x, 0, nil)
	r.refs[emptyList] = 1 // for good
}

// set returns the node's taints as a set: each once, without times added, the
// virtual one of a cordoned node among them. It is valid until the next call.
func (r *registry) set(n match.Node) []taint.Taint {
	set := r.scratch[:0]
	if n.Unschedulable {
		set = append(set, match.Cordon())
	}
	if len(n.Taints)+len(set) > quadratic {
		set = taint.AppendCanonical(set, n.Taints)
		if n.Unschedulable {
			slices.SortFunc(set, taint.Taint.Compare)
			set = slices.Compact(set)
		}
	} else {
		for _, t := range n.Taints {
			if t = t.Canonical(); !t.IsZero() && !slices.Contains(set, t) {
				set = append(set, t)
			}
		}
	}
	r.scratch = set
	return set
}

// own returns the number of the node's list, made if it is new.
func (r *registry) own(x *lists, n match.Node) uint32 {
	set := r.set(n)
	id := r.intern(x, set)
	if r.state[id]&isOwn == 0 {
		r.makeOwn(x, id)
	}
	return id
}

func (r *registry) intern(x *lists, set []taint.Taint) uint32 {
	if len(set) == 0 {
		return emptyList
	}
	h := x.hashSet(set)
	if id, ok := x.findSet(h, set); ok {
		return id
	}
	sorted := slices.Clone(set)
	slices.SortFunc(sorted, taint.Taint.Compare)
	elems := make([]elem, len(sorted))
	for i, t := range sorted {
		elems[i] = elem{t, r.taint(x, t)}
	}
	return r.newList(x, h, elems)
}

// makeOwn makes a list one that nodes can bear: it gets its hard and its
// evicting list.
func (r *registry) makeOwn(x *lists, id uint32) {
	r.state[id] |= isOwn
	var hard, evict []taint.Taint
	elems := x.shapes.at(id).elems
	for _, e := range elems {
		switch e.taint.Effect() {
		case taint.NoExecute:
			evict = append(evict, e.taint)
			hard = append(hard, e.taint)
		case taint.NoSchedule:
			hard = append(hard, e.taint)
		}
	}
	hardID, evictID := id, id
	if len(hard) < len(elems) {
		hardID = r.intern(x, hard)
	}
	if len(evict) < len(elems) {
		evictID = r.intern(x, evict)
	}
	for _, l := range [...]uint32{id, hardID, evictID} {
		r.refs[l]++
	}
	s := x.shapes.edit(id, r.epoch)
	s.hard, s.evict = hardID, evictID
	parent := x.shapes.edit(hardID, r.epoch)
	s.sibling, s.siblingAhead = parent.child, 0
	if parent.child != 0 {
		x.shapes.edit(parent.child-1, r.epoch).siblingAhead = id + 1
	}
	parent.child = id + 1
}

// retire is makeOwn undone, for a list that no node bears.
func (r *registry) retire(x *lists, id uint32) {
	r.state[id] &^= isOwn
	s := x.shapes.edit(id, r.epoch)
	if s.siblingAhead != 0 {
		x.shapes.edit(s.siblingAhead-1, r.epoch).sibling = s.sibling
	} else {
		x.shapes.edit(s.hard, r.epoch).child = s.sibling
	}
	if s.sibling != 0 {
		x.shapes.edit(s.sibling-1, r.epoch).siblingAhead = s.siblingAhead
	}
	hard, evict := s.hard, s.evict
	s.sibling, s.siblingAhead = 0, 0
	*x.members.edit(id, r.epoch) = slotSet{}
	for _, l := range [...]uint32{id, hard, evict} {
		if r.refs[l]--; r.refs[l] == 0 {
			r.freeList(x, l)
		}
	}
}

// newList adds a list and hangs it on its rarest taint.
func (r *registry) newList(x *lists, h uint64, elems []elem) uint32 {
	x.structure++
	r.serial++
	id, reused := pop(&r.freeLists)
	if !reused {
		id = uint32(len(r.refs))
		r.refs = append(r.refs, 0)
		r.state = append(r.state, 0)
		x.shapes.grow(id+1, r.epoch)
		x.tallies.grow(id+1, r.epoch)
		x.members.grow(id+1, r.epoch)
	}
	s := x.shapes.edit(id, r.epoch)
	*s = shape{elems: elems, hash: h, serial: r.serial}
	if len(elems) == 0 {
		return id
	}
	for _, e := range elems {
		t := x.taints.edit(e.id, r.epoch)
		t.lists++
		if t.lists == 2 && t.hangs != 0 {
			r.rehang(x, t.hangs-1) // it was the only one, and is no longer
		}
	}
	r.hang(x, id, x.rarest(elems))
	x.byHash.insert(h, id, r.epoch, func(ref uint32) uint64 { return x.shapes.at(ref).hash })
	return id
}

// rarest returns the taint that the fewest lists hold.
func (x *lists) rarest(elems []elem) (id uint32) {
	least := ^uint32(0)
	for i, e := range elems {
		// Most pods tolerate some NoExecute taints, of whatever kind their
		// nodes are, so that many would look at the list in vain.
		cost := x.taints.at(e.id).lists
		if e.taint.Effect() == taint.NoExecute && cost < 1<<29 {
			cost *= 8
		}
		if i == 0 || cost < least {
			id, least = e.id, cost
		}
	}
	return id
}

// rehang hangs a list on the taint that is its rarest by now.
func (r *registry) rehang(x *lists, id uint32) {
	s := x.shapes.edit(id, r.epoch)
	if best := x.rarest(s.elems); best+1 != s.anchor {
		r.unhang(x, s)
		r.hang(x, id, best)
	}
}

func (r *registry) freeList(x *lists, id uint32) {
	x.structure++
	s := x.shapes.edit(id, r.epoch)
	r.unhang(x, s)
	x.byHash.remove(s.hash, id, r.epoch, func(ref uint32) uint64 { return x.shapes.at(ref).hash })
	for _, e := range s.elems {
		if t := x.taints.edit(e.id, r.epoch); t.lists > 1 {
			t.lists--
		} else {
			r.freeTaint(x, e.id)
		}
	}
	*s = shape{}
	r.freeLists = append(r.freeLists, id)
}

// hang makes a list one of those that a pod finds which tolerates the taint.
func (r *registry) hang(x *lists, id, on uint32) {
	s := x.shapes.edit(id, r.epoch)
	t := x.taints.edit(on, r.epoch)
	s.anchor, s.hangs, s.hangsBefore = on+1, t.hangs, 0
	if t.hangs != 0 {
		x.shapes.edit(t.hangs-1, r.epoch).hangsBefore = id + 1
	} else {
		k := x.keys.edit(t.key, r.epoch)
		first := &k.first[t.taint.Effect()]
		t.next, t.prev = *first, 0
		if *first != 0 {
			x.taints.edit(*first-1, r.epoch).prev = on + 1
		}
		*first = on + 1
		if n, ok := t.taint.Integer(); ok {
			k.numbers.insert(entry{n, on}, r.epoch)
		}
	}
	t.hangs = id + 1
}

func (r *registry) unhang(x *lists, s *shape) {
	on := s.anchor - 1
	t := x.taints.edit(on, r.epoch)
	if s.hangs != 0 {
		x.shapes.edit(s.hangs-1, r.epoch).hangsBefore = s.hangsBefore
	}
	if s.hangsBefore != 0 {
		x.shapes.edit(s.hangsBefore-1, r.epoch).hangs = s.hangs
	} else {
		t.hangs = s.hangs
	}
	if t.hangs != 0 {
		return
	}
	k := x.keys.edit(t.key, r.epoch)
	if t.next != 0 {
		x.taints.edit(t.next-1, r.epoch).prev = t.prev
	}
	if t.prev != 0 {
		x.taints.edit(t.prev-1, r.epoch).next = t.next
	} else {
		k.first[t.taint.Effect()] = t.next
	}
	t.next, t.prev = 0, 0
	if n, ok := t.taint.Integer(); ok {
		k.numbers.remove(entry{n, on}, r.epoch)
	}
}

// taint returns the number of the taint, made if it is new.
func (r *registry) taint(x *lists, t taint.Taint) uint32 {
	if id, ok := x.findTaint(nameOf(t)); ok {
		return id
	}
	k, ok := x.findKey(t.KeyHandle())
	if !ok {
		if k, ok = pop(&r.freeKeys); !ok {
			k = x.byKey.used // all are in use
			x.keys.grow(k+1, r.epoch)
		}
		*x.keys.edit(k, r.epoch) = keyRecord{key: t.KeyHandle()}
		x.byKey.insert(x.hashKey(t.KeyHandle()), k, r.epoch, x.keyHash)
	}
	x.keys.edit(k, r.epoch).taints++
	id, ok := pop(&r.freeTaints)
	if !ok {
		id = x.byTaint.used // all are in use
		x.taints.grow(id+1, r.epoch)
		x.bearing.grow(id+1, r.epoch)
	}
	*x.taints.edit(id, r.epoch) = taintRecord{taint: t, key: k}
	x.byTaint.insert(x.hashName(nameOf(t)), id, r.epoch, x.taintHash)
	return id
}

func (r *registry) freeTaint(x *lists, id uint32) {
	t := x.taints.edit(id, r.epoch)
	x.byTaint.remove(x.hashName(nameOf(t.taint)), id, r.epoch, x.taintHash)
	k := t.key
	*t = taintRecord{}
	r.freeTaints = append(r.freeTaints, id)
	if key := x.keys.edit(k, r.epoch); key.taints > 1 {
		key.taints--
	} else {
		x.byKey.remove(x.hashKey(key.key), k, r.epoch, x.keyHash)
		*key = keyRecord{}
		r.freeKeys = append(r.freeKeys, k)
	}
}

func (x *lists) taintHash(ref uint32) uint64 { return x.hashName(nameOf(x.taints.at(ref).taint)) }

func (x *lists) keyHash(ref uint32) uint64 { return x.hashKey(x.keys.at(ref).key) }

// enter counts a node in under its list.
func (r *registry) enter(x *lists, id, slot uint32) {
	x.members.edit(id, r.epoch).add(slot, r.epoch)
	if r.count(x, id, +1) == 1 {
		x.distinct++
	}
	x.total++
}

// leave counts a node out. A list that has no node left is kept a while.
func (r *registry) leave(x *lists, id, slot uint32) {
	x.members.edit(id, r.epoch).remove(slot, r.epoch)
	x.total--
	if r.count(x, id, ^uint32(0)) > 0 {
		return
	}
	x.distinct--
	if id != emptyList && r.state[id]&isIdle == 0 {
		r.state[id] |= isIdle
		r.idle = append(r.idle, id)
	}
}

// count adds by to all numbers of nodes that a node of the list is in.
func (r *registry) count(x *lists, id, by uint32) (own uint32) {
	s := x.shapes.at(id)
	t := x.tallies.edit(id, r.epoch)
	t.own += by
	x.tallies.edit(s.hard, r.epoch).hard += by
	x.tallies.edit(s.evict, r.epoch).evict += by
	for i := range s.elems {
		*x.bearing.edit(s.elems[i].id, r.epoch) += by
	}
	return x.tallies.at(id).own
}

// sweep forgets the lists that have been without a node for longest, down to
// most.
func (r *registry) sweep(x *lists, most int) {
	for len(r.idle) > most {
		id := r.idle[0]
		r.idle = r.idle[:copy(r.idle, r.idle[1:])]
		r.state[id] &^= isIdle
		if x.tallies.at(id).own == 0 {
			r.retire(x, id)
		}
	}
}

func pop(s *[]uint32) (v uint32, ok bool) {
	n := len(*s)
	if n == 0 {
		return 0, false
	}
	v = (*s)[n-1]
	*s = (*s)[:n-1]
	return v, true
}
