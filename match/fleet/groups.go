package fleet

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// groups holds the groups of a fleet, the taints that they are indexed under,
// and the keys of these. A copy of the struct is a snapshot.
type groups struct {
	seed  maphash.Seed
	epoch uint64 // of the writer: 1 more for each snapshot

	records cow[group]
	tallies cow[tally]
	bySet   table[string, uint32] // the records, by their set

	taints    cow[taintRecord]
	withTaint cow[uint32] // for each taint, the number of nodes that have it
	byTaint   table[name, uint32]

	keys  cow[keyRecord]
	byKey table[unique.Handle[string], uint32]

	freeGroups, freeTaints, freeKeys cow[uint32]

	idle  cow[uint32] // a ring of groups that lost their last node
	turns uint32      // of the ring, in places

	total      int // nodes
	unreadable int // nodes with the zero Taint
}

// A group is a canonical set of taints. It is the set of some nodes, or the
// blocking or the evicting part of such a set, or several of these. Its numbers
// are in its tally, which changes more often.
type group struct {
	elems    []elem      // sorted by taint.Taint.Compare; never changed
	blocking uint32      // the group of the NoSchedule and NoExecute taints among elems
	evicting uint32      // the group of the NoExecute taints among elems
	under    uint32      // the taint that the group is indexed under, if it has taints
	at       uint32      // its place among the groups of that taint
	usersAt  uint32      // its place among the users of its blocking part
	refs     uint32      // groups in use that have it as themselves, as blocking and as evicting part
	inUse    bool        // nodes have it, or had it recently
	isIdle   bool        // it is in the ring
	users    cow[uint32] // the groups in use whose blocking part this is
}

// An elem is a taint of a group, and the number of its record.
type elem struct {
	taint taint.Taint
	id    uint32
}

// A tally counts the nodes whose taints, blocking part and evicting part a group is.
type tally struct{ nodes, blocking, evicting uint32 }

type taintRecord struct {
	taint   taint.Taint
	key     uint32
	groups  uint32      // that have it; 0 if the record is free
	at      uint32      // its place among the taints of its key and effect
	indexed cow[uint32] // the groups that are indexed under it
}

type keyRecord struct {
	key     unique.Handle[string]
	taints  uint32         // that have it; 0 if the record is free
	indexed [4]cow[uint32] // by effect, the taints under which groups are indexed
}

const untainted = 0 // the group without taints, which always exists

// idleMost is how many groups without nodes are kept, so that a node that
// changes back and forth costs only a lookup.
const idleMost = 256

// unreadable reports whether the group has the zero Taint, which is its first.
func (g *group) unreadable() bool { return len(g.elems) > 0 && g.elems[0].taint.IsZero() }

// A name identifies a taint by its canonical form.
type name struct {
	key, value unique.Handle[string]
	effect     taint.Effect
}

func nameOf(t taint.Taint) name {
	return name{value.Taint(t).KeyHandle(), value.Taint(t).ValueHandle(), t.Effect()}
}

// appendSet appends the name of a set.
func appendSet(dst []byte, elems []elem) []byte {
	for _, e := range elems {
		dst = binary.NativeEndian.AppendUint32(dst, e.id)
	}
	return dst
}

// size returns the number of nodes in a group, 0 if there is no such record.
func (x *groups) size(id uint32) int {
	if id >= x.tallies.n {
		return 0
	}
	return int(x.tallies.at(id).nodes)
}

// sizeOf returns the number of nodes with these taints, which may be of another fleet.
func (x *groups) sizeOf(elems []elem) int {
	set := make([]byte, 0, 64)
	for _, e := range elems {
		id, ok := x.byTaint.get(nameOf(e.taint))
		if !ok {
			return 0
		}
		set = appendSet(set, []elem{{id: id}})
	}
	if id, ok := x.bySet.get(string(set)); ok {
		return x.size(id)
	}
	return 0
}

// The rest of this file changes groups. Only an Index calls it, never a Snapshot.

func (x *groups) init() {
	x.seed, x.epoch = maphash.MakeSeed(), 1
	x.bySet.init(x.seed, x.epoch)
	x.byTaint.init(x.seed, x.epoch)
	x.byKey.init(x.seed, x.epoch)
	x.add("", nil)
	x.editGroup(untainted).refs = 1 // so that it is never freed
	for range idleMost {
		x.idle.push(untainted, x.epoch)
	}
}

func (x *groups) editGroup(id uint32) *group { return x.records.edit(id, x.epoch) }

func (x *groups) editTaint(id uint32) *taintRecord { return x.taints.edit(id, x.epoch) }

// groupFor returns the node's group, which is created if it is new. A set has
// each taint once, without times added, the taint of a cordon, and the zero
// Taint if the node has one.
func (x *groups) groupFor(n match.Node) uint32 {
	elems := make([]elem, 0, 16)
	if n.Unschedulable {
		elems = append(elems, x.elemFor(match.CordonTaint()))
	}
	for _, t := range n.Taints {
		elems = append(elems, x.elemFor(t.Canonical()))
	}
	slices.SortFunc(elems, func(a, b elem) int { return a.taint.Compare(b.taint) })
	id := x.intern(slices.Compact(elems))
	if !x.records.at(id).inUse {
		x.use(id)
	}
	return id
}

// intern returns the group with these taints, which is created if it is new.
func (x *groups) intern(elems []elem) uint32 {
	if len(elems) == 0 {
		return untainted
	}
	set := appendSet(make([]byte, 0, 64), elems)
	if id, ok := x.bySet.get(string(set)); ok {
		return id
	}
	return x.add(string(set), slices.Clone(elems))
}

// use makes a group ready for nodes: it gets its blocking and evicting parts.
func (x *groups) use(id uint32) {
	part := func(least taint.Effect) uint32 {
		return x.intern(slices.DeleteFunc(slices.Clone(x.records.at(id).elems), func(e elem) bool {
			effect := max(e.taint.Effect(), taint.NoSchedule) // of the zero Taint, too
			return effect != taint.NoExecute && effect != least
		}))
	}
	blocking, evicting := part(taint.NoSchedule), part(taint.NoExecute)
	g := x.editGroup(id)
	g.inUse, g.blocking, g.evicting = true, blocking, evicting
	for _, part := range [...]uint32{id, blocking, evicting} {
		x.editGroup(part).refs++
	}
	users := &x.editGroup(blocking).users
	g.usersAt = users.n
	users.push(id, x.epoch)
}

// disuse undoes use for a group without nodes, and frees what is not used any
// more.
func (x *groups) disuse(id uint32) {
	g := x.editGroup(id)
	g.inUse = false
	if moved, ok := x.editGroup(g.blocking).users.remove(g.usersAt, x.epoch); ok {
		x.editGroup(moved).usersAt = g.usersAt
	}
	for _, part := range [...]uint32{id, g.blocking, g.evicting} {
		p := x.editGroup(part)
		if p.refs--; p.refs == 0 {
			x.free(part)
		}
	}
}

// add adds a group and indexes it.
func (x *groups) add(set string, elems []elem) uint32 {
	id := newRecord(&x.freeGroups, &x.records, x.epoch)
	if id == x.tallies.n {
		x.tallies.push(tally{}, x.epoch)
	}
	*x.editGroup(id) = group{elems: elems}
	x.bySet.set(set, id, x.epoch)
	for _, e := range elems {
		t := x.editTaint(e.id)
		if t.groups++; t.groups == 2 && t.indexed.n > 0 { // the taint was its own, and no longer is: TestSnapshot_Query_rarest
			x.reindex(*t.indexed.at(0))
		}
	}
	if len(elems) > 0 {
		x.index(id, x.rarest(elems))
	}
	return id
}

// newRecord returns the number of a free record, which is added if there is none.
func newRecord[T any](free *cow[uint32], records *cow[T], epoch uint64) uint32 {
	if free.n == 0 {
		var zero T
		records.push(zero, epoch)
		return records.n - 1
	}
	id := *free.at(free.n - 1)
	free.remove(free.n-1, epoch)
	return id
}

func (x *groups) free(id uint32) {
	g := x.editGroup(id)
	x.unindex(g)
	x.bySet.delete(string(appendSet(nil, g.elems)), x.epoch)
	for _, e := range g.elems {
		if t := x.editTaint(e.id); t.groups > 1 {
			t.groups--
		} else {
			x.freeTaint(e.id)
		}
	}
	*g = group{}
	x.freeGroups.push(id, x.epoch)
}

// rarest returns the taint that the fewest groups have; the zero Taint if it is
// among them, so that no query reaches the group.
func (x *groups) rarest(elems []elem) uint32 {
	if elems[0].taint.IsZero() {
		return elems[0].id
	}
	return slices.MinFunc(elems, func(a, b elem) int {
		return cmp.Compare(x.taints.at(a.id).groups, x.taints.at(b.id).groups)
	}).id
}

// reindex moves a group to the taint that is its rarest now.
func (x *groups) reindex(id uint32) {
	g := x.editGroup(id)
	if best := x.rarest(g.elems); best != g.under {
		x.unindex(g)
		x.index(id, best)
	}
}

// index adds a group to those that a query finds for a pod that tolerates the
// taint.
func (x *groups) index(id, under uint32) {
	g, t := x.editGroup(id), x.editTaint(under)
	if t.indexed.n == 0 {
		list := &x.keys.edit(t.key, x.epoch).indexed[t.taint.Effect()]
		t.at = list.n
		list.push(under, x.epoch)
	}
	g.under, g.at = under, t.indexed.n
	t.indexed.push(id, x.epoch)
}

func (x *groups) unindex(g *group) {
	t := x.editTaint(g.under)
	if moved, ok := t.indexed.remove(g.at, x.epoch); ok {
		x.editGroup(moved).at = g.at
	}
	if t.indexed.n > 0 {
		return
	}
	if moved, ok := x.keys.edit(t.key, x.epoch).indexed[t.taint.Effect()].remove(t.at, x.epoch); ok {
		x.editTaint(moved).at = t.at
	}
}

// elemFor returns the taint with its record, which is created if it is new.
func (x *groups) elemFor(t taint.Taint) elem {
	n := nameOf(t)
	if id, ok := x.byTaint.get(n); ok {
		return elem{t, id}
	}
	key, ok := x.byKey.get(n.key)
	if !ok {
		key = newRecord(&x.freeKeys, &x.keys, x.epoch)
		*x.keys.edit(key, x.epoch) = keyRecord{key: n.key}
		x.byKey.set(n.key, key, x.epoch)
	}
	x.keys.edit(key, x.epoch).taints++
	id := newRecord(&x.freeTaints, &x.taints, x.epoch)
	if id == x.withTaint.n {
		x.withTaint.push(0, x.epoch)
	}
	*x.editTaint(id) = taintRecord{taint: t, key: key}
	x.byTaint.set(n, id, x.epoch)
	return elem{t, id}
}

func (x *groups) freeTaint(id uint32) {
	t := x.editTaint(id)
	x.byTaint.delete(nameOf(t.taint), x.epoch)
	key := t.key
	*t = taintRecord{}
	x.freeTaints.push(id, x.epoch)
	k := x.keys.edit(key, x.epoch)
	if k.taints--; k.taints == 0 {
		x.byKey.delete(k.key, x.epoch)
		*k = keyRecord{}
		x.freeKeys.push(key, x.epoch)
	}
}

// count adds by, which is 1 or -1, to all numbers that count a node of the
// group. A group that loses its last node is kept for some time.
func (x *groups) count(id uint32, by int) {
	g, n := x.records.at(id), uint32(by)
	x.tallies.edit(id, x.epoch).nodes += n
	x.tallies.edit(g.blocking, x.epoch).blocking += n
	x.tallies.edit(g.evicting, x.epoch).evicting += n
	for i := range g.elems {
		*x.withTaint.edit(g.elems[i].id, x.epoch) += n
	}
	x.total += by
	if g.unreadable() {
		x.unreadable += by
	}
	if id != untainted && x.tallies.at(id).nodes == 0 && !g.isIdle {
		x.editGroup(id).isIdle = true
		x.retire(id)
	}
}

// retire puts a group into the ring, in the place of the one that is in it
// longest, which is freed unless it has nodes again. The group untainted
// represents an empty place.
func (x *groups) retire(id uint32) {
	at := x.turns % x.idle.n
	x.turns++
	oldest := *x.idle.at(at)
	*x.idle.edit(at, x.epoch) = id
	if oldest == untainted {
		return
	}
	x.editGroup(oldest).isIdle = false
	if x.tallies.at(oldest).nodes == 0 {
		x.disuse(oldest)
	}
}
