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

// groups holds the groups of a fleet and the taints that they are indexed under. A copy of
// the struct is a snapshot.
//
// Groups and taints are only added. Those that no node has any more are kept, so that a
// node that changes back and forth costs only a lookup, until there are too many (sweep).
// So nothing counts references, and lists are links from one record to the next: 0 ends
// a list.
type groups struct {
	seed  maphash.Seed
	epoch uint64 // of the writer: 1 more for each snapshot

	records pages[group]
	tallies pages[tally]
	bySet   table[string, uint32] // by the numbers of the taints

	taints    pages[taintRecord]
	withTaint pages[uint32] // for each taint, the number of nodes that have it
	byTaint   table[name, uint32]
	byKey     table[unique.Handle[string], uint32] // the newest taint of the key
	byEffect  [4]uint32                            // the newest taint of the effect

	free       uint32 // a record for the next group; 0 if there is none
	live       int    // groups with nodes
	total      int    // nodes
	unreadable int    // nodes with the zero Taint
}

// A group is a canonical set of taints. It is the set of some nodes, or the blocking or
// the evicting part of such a set, or several of these. Its numbers are in its tally,
// which changes more often.
type group struct {
	taints      []uint32 // the cordon's, then the others in the order of taint.Taint.Compare; never changed
	blocking    uint32   // the group of the NoSchedule and NoExecute taints among them
	evicting    uint32   // the group of the NoExecute taints among them
	nextBlocked uint32   // the next group with the same blocking part, which is the first itself
	nextIndexed uint32   // the next group that is indexed under the same taint; the next free record
}

// A tally counts the nodes whose taints, blocking part and evicting part a group is.
type tally struct{ nodes, blocking, evicting uint32 }

type taintRecord struct {
	taint      taint.Taint
	groups     uint32 // that have it
	indexed    uint32 // the newest group that is indexed under it
	nextKey    uint32 // the next taint with the same key
	nextEffect uint32 // the next taint with the same effect
}

// These records always exist.
const (
	untainted   = 0 // the group without taints
	zeroTaint   = 0 // the zero Taint
	cordonTaint = 1
)

// A name identifies a taint by its canonical form.
type name struct {
	key, value unique.Handle[string]
	effect     taint.Effect
}

func nameOf(t taint.Taint) name {
	return name{value.Taint(t).KeyHandle(), value.Taint(t).ValueHandle(), t.Effect()}
}

// size returns the number of nodes in a group.
func (x *groups) size(id uint32) int { return int(x.tallies.at(id).nodes) }

// taint returns taint i of a group.
func (x *groups) taint(id uint32, i int) taint.Taint {
	return x.taints.at(x.records.at(id).taints[i]).taint
}

// readable reports whether a group does not have the zero Taint.
func (x *groups) readable(id uint32) bool {
	return !slices.Contains(x.records.at(id).taints, zeroTaint)
}

// The rest of this file changes groups. Only an Index calls it, never a Snapshot.

func (x *groups) init() {
	x.seed, x.epoch = maphash.MakeSeed(), 1
	x.clear()
	x.records.push(group{}, x.epoch)
	x.tallies.push(tally{}, x.epoch)
}

// clear removes everything but the records of groups and their tallies.
func (x *groups) clear() {
	x.taints, x.withTaint, x.byEffect = pages[taintRecord]{}, pages[uint32]{}, [4]uint32{}
	x.bySet.init(x.seed, x.epoch)
	x.byTaint.init(x.seed, x.epoch)
	x.byKey.init(x.seed, x.epoch)
	x.taintFor(taint.Taint{})
	x.taintFor(match.CordonTaint())
}

// groupFor returns the node's group, which is added if it is new. A set has each taint
// once, without times added, the taint of a cordon, and the zero Taint if the node has one.
func (x *groups) groupFor(n match.Node) uint32 {
	if x.bySet.used > 4*x.live+256 { // at most 3*x.live remain, so a sweep is O(1) for each group that was added
		x.sweep()
	}
	taints := make([]uint32, 0, 16)
	if n.Unschedulable {
		taints = append(taints, cordonTaint)
	}
	for _, t := range n.Taints {
		taints = append(taints, x.taintFor(t))
	}
	slices.SortFunc(taints, func(a, b uint32) int {
		switch {
		case a == b:
			return 0
		case a == cordonTaint:
			return -1
		case b == cordonTaint:
			return +1
		}
		return x.taints.at(a).taint.Compare(x.taints.at(b).taint)
	})
	return x.intern(slices.Compact(taints))
}

// taintFor returns the taint's record, which is added if it is new.
func (x *groups) taintFor(t taint.Taint) uint32 {
	name := nameOf(t)
	id, ok := x.byTaint.get(name)
	if !ok {
		id = x.taints.n
		nextKey, _ := x.byKey.get(name.key)
		newest := &x.byEffect[name.effect]
		x.taints.push(taintRecord{taint: t.Canonical(), nextKey: nextKey, nextEffect: *newest}, x.epoch)
		x.withTaint.push(0, x.epoch)
		x.byTaint.set(name, id, x.epoch)
		x.byKey.set(name.key, id, x.epoch)
		*newest = id
	}
	return id
}

// intern returns the group with these taints, which is added if it is new.
func (x *groups) intern(taints []uint32) uint32 {
	if len(taints) == 0 {
		return untainted
	}
	id, ok := x.bySet.get(string(appendSet(make([]byte, 0, 64), taints)))
	if ok {
		return id
	}
	id = x.free
	if id > 0 {
		x.free = x.records.at(id).nextIndexed
	} else {
		id = x.records.n
		x.records.push(group{}, x.epoch)
		x.tallies.push(tally{}, x.epoch)
	}
	*x.records.edit(id, x.epoch) = group{taints: slices.Clone(taints)}
	x.index(id)
	blocking, evicting := x.part(id, taint.NoSchedule), x.part(id, taint.NoExecute)
	g := x.records.edit(id, x.epoch)
	g.blocking, g.evicting = blocking, evicting
	x.linkBlocked(id)
	return id
}

// appendSet appends the name of a set.
func appendSet(dst []byte, taints []uint32) []byte {
	for _, t := range taints {
		dst = binary.NativeEndian.AppendUint32(dst, t)
	}
	return dst
}

// part returns the group of the taints of a group that have NoExecute or the other
// effect: the zero Taint counts as NoSchedule.
func (x *groups) part(id uint32, other taint.Effect) uint32 {
	taints := x.records.at(id).taints
	part := slices.DeleteFunc(slices.Clone(taints), func(t uint32) bool {
		effect := max(x.taints.at(t).taint.Effect(), taint.NoSchedule)
		return effect != taint.NoExecute && effect != other
	})
	if len(part) == len(taints) {
		return id
	}
	return x.intern(part)
}

// linkBlocked adds a group to the list that begins with its blocking part.
func (x *groups) linkBlocked(id uint32) {
	if blocking := x.records.at(id).blocking; blocking != id {
		first := x.records.edit(blocking, x.epoch)
		x.records.edit(id, x.epoch).nextBlocked, first.nextBlocked = first.nextBlocked, id
	}
}

// index adds a group to those that are found by its set, and under its rarest taint.
func (x *groups) index(id uint32) {
	taints := x.records.at(id).taints
	x.bySet.set(string(appendSet(nil, taints)), id, x.epoch)
	for _, id := range taints {
		t := x.taints.edit(id, x.epoch)
		if t.groups++; t.groups == 2 && t.indexed != 0 { // the taint was its own, and no longer is: TestSnapshot_Query_rarest
			other := t.indexed
			t.indexed = 0
			x.indexRarest(other)
		}
	}
	x.indexRarest(id)
}

// indexRarest adds a group to those that are found for a pod that tolerates the taint that
// the fewest groups have. One with the zero Taint is never found.
func (x *groups) indexRarest(id uint32) {
	if !x.readable(id) {
		return
	}
	g := x.records.edit(id, x.epoch)
	rarest := slices.MinFunc(g.taints, func(a, b uint32) int { return cmp.Compare(x.taints.at(a).groups, x.taints.at(b).groups) })
	t := x.taints.edit(rarest, x.epoch)
	g.nextIndexed, t.indexed = t.indexed, id
}

// sweep frees the groups that are neither the set of a node nor a part of one, and adds
// the others and their taints again.
func (x *groups) sweep() {
	kept := make([]bool, x.records.n)
	for id := range x.records.n {
		if x.size(id) > 0 {
			g := x.records.at(id)
			kept[id], kept[g.blocking], kept[g.evicting] = true, true, true
		}
	}
	records, taints, withTaint := x.records, x.taints, x.withTaint
	x.records, x.free = pages[group]{}, 0
	x.clear()
	for id := range records.n {
		var g group
		if kept[id] {
			old := records.at(id)
			g.blocking, g.evicting = old.blocking, old.evicting
			for _, t := range old.taints {
				id := x.taintFor(taints.at(t).taint)
				*x.withTaint.edit(id, x.epoch) = *withTaint.at(t)
				g.taints = append(g.taints, id)
			}
		}
		x.records.push(g, x.epoch)
	}
	for id := uint32(1); id < records.n; id++ {
		if kept[id] {
			x.index(id)
			x.linkBlocked(id)
		} else {
			x.records.edit(id, x.epoch).nextIndexed, x.free = x.free, id
		}
	}
}

// count adds by, which is 1 or -1, to all numbers that count a node of the group.
func (x *groups) count(id uint32, by int) {
	g, n := x.records.at(id), uint32(by)
	nodes := &x.tallies.edit(id, x.epoch).nodes
	if *nodes += n; *nodes == 0 {
		x.live--
	} else if *nodes == 1 && by > 0 {
		x.live++
	}
	x.tallies.edit(g.blocking, x.epoch).blocking += n
	x.tallies.edit(g.evicting, x.epoch).evicting += n
	for _, t := range g.taints {
		*x.withTaint.edit(t, x.epoch) += n
	}
	x.total += by
	if !x.readable(id) {
		x.unreadable += by
	}
}
