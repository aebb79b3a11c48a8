package fleet

import (
	"hash/maphash"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// A writer is what an Index needs to change its groups, and a snapshot does not
// need.
type writer struct {
	epoch  uint64 // the number of snapshots, plus one; 0 before init
	serial uint64 // of the last group

	ids        []uint32 // of a node's taints
	set        []byte
	refs       []uint32 // for each group, how many groups that are in use have it as themselves, as blocking and as evicting part
	state      []uint8  // for each group
	freeGroups []uint32
	freeTaints []uint32
	freeKeys   []uint32
	idle       []uint32 // a queue of groups that lost their last node
	idleMost   int
	leafMost   int
}

// States of a group.
const (
	isInUse = 1 << iota // nodes have it, or had it recently
	isIdle              // it is in the queue
)

// idleMost is how many groups without nodes are kept, so that a node that
// changes back and forth costs only a lookup: BenchmarkFleetFlap.
const idleMost = 256

func (x *groups) init(w *writer) {
	x.seed = maphash.MakeSeed()
	w.epoch, w.idleMost, w.leafMost = 1, idleMost, leafMost
	// Pages of 4 to 8 KiB: BenchmarkFleetChange/snapshot=every.
	x.records.shift, x.tallies.shift = 6, 8
	x.taints.shift, x.withTaint.shift, x.keys.shift = 6, 9, 6
	x.bySet.init(x.seed, w.epoch)
	x.byTaint.init(x.seed, w.epoch)
	x.byKey.init(x.seed, w.epoch)
	w.newGroup(x, "", nil)
	w.refs[untainted] = 1 // so that it is never freed
}

// groupFor returns the node's group, which is created if it is new. A set has
// each taint once, without times added, the taint of a cordon, and the zero
// Taint if the node has one.
func (w *writer) groupFor(x *groups, n match.Node) uint32 {
	w.ids = w.ids[:0]
	if n.Unschedulable {
		w.ids = append(w.ids, w.taint(x, match.CordonTaint()))
	}
	for _, t := range n.Taints {
		w.ids = append(w.ids, w.taint(x, t.Canonical()))
	}
	id := w.intern(x, w.ids)
	if w.state[id]&isInUse == 0 {
		w.use(x, id)
	}
	return id
}

// intern returns the group with these taints, which is created if it is new. It
// changes ids.
func (w *writer) intern(x *groups, ids []uint32) uint32 {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	w.set = appendSet(w.set[:0], ids)
	if id, ok := x.bySet.get(string(w.set)); ok {
		return id
	}
	elems := make([]elem, len(ids))
	for i, id := range ids {
		elems[i] = elem{x.taints.at(id).taint, id}
	}
	slices.SortFunc(elems, func(a, b elem) int { return a.taint.Compare(b.taint) })
	return w.newGroup(x, string(w.set), elems)
}

// use makes a group ready for nodes: it gets its blocking and evicting parts.
func (w *writer) use(x *groups, id uint32) {
	w.state[id] |= isInUse
	var hard, evict []uint32
	elems := x.records.at(id).elems
	for _, e := range elems {
		switch effectOf(e.taint) {
		case taint.NoExecute:
			evict = append(evict, e.id)
			hard = append(hard, e.id)
		case taint.NoSchedule:
			hard = append(hard, e.id)
		}
	}
	blocking, evicting := id, id
	if len(hard) < len(elems) {
		blocking = w.intern(x, hard)
	}
	if len(evict) < len(elems) {
		evicting = w.intern(x, evict)
	}
	for _, part := range [...]uint32{id, blocking, evicting} {
		w.refs[part]++
	}
	g := x.records.edit(id, w.epoch)
	g.blocking, g.evicting = blocking, evicting
	part := x.records.edit(blocking, w.epoch)
	g.nextUser, g.prevUser = part.users, 0
	if part.users != 0 {
		x.records.edit(part.users-1, w.epoch).prevUser = id + 1
	}
	part.users = id + 1
}

// disuse undoes use for a group without nodes, and frees what is not used any
// more.
func (w *writer) disuse(x *groups, id uint32) {
	w.state[id] &^= isInUse
	g := x.records.edit(id, w.epoch)
	if g.prevUser != 0 {
		x.records.edit(g.prevUser-1, w.epoch).nextUser = g.nextUser
	} else {
		x.records.edit(g.blocking, w.epoch).users = g.nextUser
	}
	if g.nextUser != 0 {
		x.records.edit(g.nextUser-1, w.epoch).prevUser = g.prevUser
	}
	g.nextUser, g.prevUser = 0, 0
	for _, part := range [...]uint32{id, g.blocking, g.evicting} {
		if w.refs[part]--; w.refs[part] == 0 {
			w.freeGroup(x, part)
		}
	}
}

// newGroup adds a group and indexes it.
func (w *writer) newGroup(x *groups, set string, elems []elem) uint32 {
	x.structure++
	w.serial++
	id, reused := pop(&w.freeGroups)
	if !reused {
		id = uint32(len(w.refs))
		w.refs = append(w.refs, 0)
		w.state = append(w.state, 0)
		x.records.push(group{}, w.epoch)
		x.tallies.push(tally{}, w.epoch)
	}
	*x.records.edit(id, w.epoch) = group{elems: elems, set: set, serial: w.serial}
	x.bySet.set(set, id, w.epoch)
	if len(elems) == 0 {
		return id
	}
	effects := uint8(0)
	for _, e := range elems {
		effects |= 1 << e.taint.Effect()
		t := x.taints.edit(e.id, w.epoch)
		t.groups++
		if t.groups == 2 && t.indexed != 0 {
			w.reindex(x, t.indexed-1) // the taint was its own, and no longer is
		}
	}
	x.tallies.edit(id, w.epoch).effects = effects
	w.index(x, id, x.rarest(elems))
	return id
}

func (w *writer) freeGroup(x *groups, id uint32) {
	x.structure++
	g := x.records.edit(id, w.epoch)
	w.unindex(x, g)
	x.bySet.delete(g.set, w.epoch)
	for _, e := range g.elems {
		if t := x.taints.edit(e.id, w.epoch); t.groups > 1 {
			t.groups--
		} else {
			w.freeTaint(x, e.id)
		}
	}
	*g = group{}
	*x.tallies.edit(id, w.epoch) = tally{}
	w.freeGroups = append(w.freeGroups, id)
}

// rarest returns the taint that the fewest groups have; the zero Taint if it is
// among them, so that no query reaches the group.
func (x *groups) rarest(elems []elem) (id uint32) {
	if elems[0].taint.IsZero() {
		return elems[0].id
	}
	least := ^uint32(0)
	for i, e := range elems {
		// Most pods tolerate some NoExecute taints on nodes of every kind, so
		// that many queries would visit the group unnecessarily.
		cost := x.taints.at(e.id).groups
		if e.taint.Effect() == taint.NoExecute && cost < 1<<29 {
			cost *= 8
		}
		if i == 0 || cost < least {
			id, least = e.id, cost
		}
	}
	return id
}

// reindex moves a group to the taint that is its rarest now.
func (w *writer) reindex(x *groups, id uint32) {
	g := x.records.edit(id, w.epoch)
	if best := x.rarest(g.elems); best+1 != g.indexed {
		w.unindex(x, g)
		w.index(x, id, best)
	}
}

// index adds a group to those that a query finds for a pod that tolerates the
// taint.
func (w *writer) index(x *groups, id, under uint32) {
	g := x.records.edit(id, w.epoch)
	t := x.taints.edit(under, w.epoch)
	x.indexed[t.taint.Effect()]++
	g.indexed, g.nextIndex, g.prevIndex = under+1, t.indexed, 0
	if t.indexed != 0 {
		x.records.edit(t.indexed-1, w.epoch).prevIndex = id + 1
	} else {
		w.indexTaint(x, under, t)
	}
	t.indexed = id + 1
}

// indexTaint adds a taint to those of its key under which groups are indexed.
func (w *writer) indexTaint(x *groups, id uint32, t *taintRecord) {
	k := x.keys.edit(t.key, w.epoch)
	first := &k.indexed[t.taint.Effect()]
	t.next, t.prev = *first, 0
	if *first != 0 {
		x.taints.edit(*first-1, w.epoch).prev = id + 1
	}
	*first = id + 1
	if n, ok := t.taint.Integer(); ok {
		k.numbers.insert(entry{n, id}, w.epoch, w.leafMost)
	}
}

func (w *writer) unindex(x *groups, g *group) {
	under := g.indexed - 1
	t := x.taints.edit(under, w.epoch)
	x.indexed[t.taint.Effect()]--
	if g.nextIndex != 0 {
		x.records.edit(g.nextIndex-1, w.epoch).prevIndex = g.prevIndex
	}
	if g.prevIndex != 0 {
		x.records.edit(g.prevIndex-1, w.epoch).nextIndex = g.nextIndex
	} else {
		t.indexed = g.nextIndex
	}
	if t.indexed == 0 {
		w.unindexTaint(x, under, t)
	}
}

func (w *writer) unindexTaint(x *groups, id uint32, t *taintRecord) {
	k := x.keys.edit(t.key, w.epoch)
	if t.next != 0 {
		x.taints.edit(t.next-1, w.epoch).prev = t.prev
	}
	if t.prev != 0 {
		x.taints.edit(t.prev-1, w.epoch).next = t.next
	} else {
		k.indexed[t.taint.Effect()] = t.next
	}
	t.next, t.prev = 0, 0
	if n, ok := t.taint.Integer(); ok {
		k.numbers.remove(entry{n, id}, w.epoch)
	}
}

// taint returns the record of the taint, which is created if it is new.
func (w *writer) taint(x *groups, t taint.Taint) uint32 {
	if id, ok := x.byTaint.get(nameOf(t)); ok {
		return id
	}
	key := w.key(x, value.Taint(t).KeyHandle())
	x.keys.edit(key, w.epoch).taints++
	id, ok := pop(&w.freeTaints)
	if !ok {
		id = x.taints.n
		x.taints.push(taintRecord{}, w.epoch)
		x.withTaint.push(0, w.epoch)
	}
	*x.taints.edit(id, w.epoch) = taintRecord{taint: t, key: key}
	x.byTaint.set(nameOf(t), id, w.epoch)
	return id
}

// key returns the record of the key, which is created if it is new.
func (w *writer) key(x *groups, key unique.Handle[string]) uint32 {
	if id, ok := x.byKey.get(key); ok {
		return id
	}
	id, ok := pop(&w.freeKeys)
	if !ok {
		id = x.keys.n
		x.keys.push(keyRecord{}, w.epoch)
	}
	*x.keys.edit(id, w.epoch) = keyRecord{key: key}
	x.byKey.set(key, id, w.epoch)
	return id
}

func (w *writer) freeTaint(x *groups, id uint32) {
	t := x.taints.edit(id, w.epoch)
	x.byTaint.delete(nameOf(t.taint), w.epoch)
	key := t.key
	*t = taintRecord{}
	w.freeTaints = append(w.freeTaints, id)
	if k := x.keys.edit(key, w.epoch); k.taints > 1 {
		k.taints--
		return
	}
	x.byKey.delete(x.keys.at(key).key, w.epoch)
	*x.keys.edit(key, w.epoch) = keyRecord{}
	w.freeKeys = append(w.freeKeys, key)
}

// entered counts a node that was added to a group.
func (w *writer) entered(x *groups, id uint32) {
	if w.count(x, id, +1) == 1 {
		x.distinct++
	}
	x.total++
}

// left counts a node that was removed from a group. A group that loses its last
// node is kept for some time.
func (w *writer) left(x *groups, id uint32) {
	x.total--
	if w.count(x, id, ^uint32(0)) > 0 {
		return
	}
	x.distinct--
	if id != untainted && w.state[id]&isIdle == 0 {
		w.state[id] |= isIdle
		w.idle = append(w.idle, id)
	}
}

// count adds by to all numbers that count a node of the group, and returns the
// number of its nodes.
func (w *writer) count(x *groups, id, by uint32) (nodes uint32) {
	g := x.records.at(id)
	x.tallies.edit(id, w.epoch).nodes += by
	x.tallies.edit(g.blocking, w.epoch).blocking += by
	x.tallies.edit(g.evicting, w.epoch).evicting += by
	for i := range g.elems {
		*x.withTaint.edit(g.elems[i].id, w.epoch) += by
	}
	if g.unreadable() {
		x.unreadable += int(int32(by))
	}
	return x.tallies.at(id).nodes
}

// sweep frees the groups that lost their last node first, until at most that
// many are left in the queue.
func (w *writer) sweep(x *groups, most int) {
	for len(w.idle) > most {
		id := w.idle[0]
		w.idle = w.idle[:copy(w.idle, w.idle[1:])]
		w.state[id] &^= isIdle
		if x.tallies.at(id).nodes == 0 {
			w.disuse(x, id)
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
