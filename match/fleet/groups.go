package fleet

import (
	"hash/maphash"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
)

// groups holds the groups of a fleet, the taints that they are indexed under,
// and the keys of these. All of it is in pages, so that a copy of the struct is
// a snapshot.
type groups struct {
	seed maphash.Seed

	records cow[group]
	tallies cow[tally]
	members cow[slotSet] // the slots of the group's nodes
	byHash  table        // of records, by the hash of their taints

	taints    cow[taintRecord]
	withTaint cow[uint32] // for each taint, the number of nodes that have it
	byTaint   table

	keys  cow[keyRecord]
	byKey table

	total      int    // nodes
	unreadable int    // nodes with the zero Taint
	distinct   int    // groups with nodes
	version    uint64 // changes with every change
	structure  uint64 // changes when a group is added or removed
}

// A link is the number of a record plus one; 0 is the end of a list.
type link = uint32

// A group is a canonical set of taints. It is the set of some nodes, or the
// blocking or the evicting part of such a set, or several of these. Its numbers
// are in its tally, which changes more often.
type group struct {
	elems     []elem // sorted by taint.Taint.Compare
	hash      uint64
	serial    uint64 // never used for another group
	blocking  uint32 // the group of the NoSchedule and NoExecute taints among elems
	evicting  uint32 // the group of the NoExecute taints among elems
	indexed   link   // the taint that the group is indexed under; 0 if elems is empty, or the record is free
	nextIndex link   // the next group that is indexed under the same taint
	prevIndex link
	users     link // the first group whose blocking part this is
	nextUser  link // the next group with the same blocking part
	prevUser  link
}

// An elem is a taint of a group, and the number of its record.
type elem struct {
	taint taint.Taint
	id    uint32
}

// A tally counts the nodes whose taints, whose blocking part, and whose
// evicting part a group is.
type tally struct {
	nodes, blocking, evicting uint32
}

type taintRecord struct {
	taint   taint.Taint
	key     uint32
	groups  uint32 // that have it; 0 if the record is free
	indexed link   // the first group that is indexed under it
	next    link   // the next taint of this key and effect under which groups are indexed
	prev    link
}

type keyRecord struct {
	key     unique.Handle[string]
	taints  uint32   // that have it; 0 if the record is free
	indexed [4]link  // by effect, the first taint under which groups are indexed
	numbers integers // the integers among the values of these taints
}

// untainted is the group without taints, which always exists.
const untainted = 0

// unreadable reports whether the group has the zero Taint, which is its first.
func (g *group) unreadable() bool { return len(g.elems) > 0 && g.elems[0].taint.IsZero() }

// A name identifies a taint by its canonical form, without the checks of a
// conversion.
type name struct {
	key, value unique.Handle[string]
	effect     taint.Effect
}

func nameOf(t taint.Taint) name {
	return name{value.Taint(t).KeyHandle(), value.Taint(t).ValueHandle(), t.Effect()}
}

func (x *groups) hashName(n name) uint64 { return maphash.Comparable(x.seed, n) }

func (x *groups) hashKey(k unique.Handle[string]) uint64 { return maphash.Comparable(x.seed, k) }

// hashSet returns the same hash for every order of distinct taints.
func (x *groups) hashSet(set taint.List) uint64 {
	sum := uint64(0)
	for _, t := range set {
		sum += x.hashName(nameOf(t))
	}
	return sum
}

func (x *groups) taintHash(ref uint32) uint64 { return x.hashName(nameOf(x.taints.at(ref).taint)) }

func (x *groups) keyHash(ref uint32) uint64 { return x.hashKey(x.keys.at(ref).key) }

func (x *groups) groupHash(ref uint32) uint64 { return x.records.at(ref).hash }

func (x *groups) findTaint(n name) (id uint32, ok bool) {
	for p := x.byTaint.probe(x.hashName(n)); x.byTaint.next(&p); {
		if nameOf(x.taints.at(p.ref).taint) == n {
			return p.ref, true
		}
	}
	return 0, false
}

func (x *groups) findKey(k unique.Handle[string]) (id uint32, ok bool) {
	for p := x.byKey.probe(x.hashKey(k)); x.byKey.next(&p); {
		if x.keys.at(p.ref).key == k {
			return p.ref, true
		}
	}
	return 0, false
}

// quadratic is the number of taints up to which two sets are compared without
// sorting them first.
const quadratic = 16

// findSet returns the group with these taints, whose hash is h. A set of more
// than quadratic taints must be sorted by taint.Taint.Compare.
func (x *groups) findSet(h uint64, set taint.List) (id uint32, ok bool) {
	for p := x.byHash.probe(h); x.byHash.next(&p); {
		if g := x.records.at(p.ref); g.hash == h && g.is(set) {
			return p.ref, true
		}
	}
	return 0, false
}

func (g *group) is(set taint.List) bool {
	if len(g.elems) != len(set) {
		return false
	}
	for i, t := range set {
		if g.elems[i].taint == t {
			continue
		}
		if len(set) > quadratic || !slices.ContainsFunc(g.elems, func(e elem) bool { return e.taint == t }) {
			return false
		}
	}
	return true
}

// findSame returns the group of x with the same taints as g, which may be of
// another Index.
func (x *groups) findSame(g *group) (id uint32, ok bool) {
	if x.records.len() == 0 || len(g.elems) == 0 {
		return untainted, x.records.len() > 0
	}
	h := uint64(0)
	for i := range g.elems {
		h += x.hashName(nameOf(g.elems[i].taint))
	}
	for p := x.byHash.probe(h); x.byHash.next(&p); {
		if c := x.records.at(p.ref); c.hash == h && slices.EqualFunc(c.elems, g.elems, func(a, b elem) bool { return a.taint == b.taint }) {
			return p.ref, true
		}
	}
	return 0, false
}

// size returns the number of nodes in a group, 0 if there is no such record.
func (x *groups) size(id uint32) int {
	if id >= x.tallies.len() {
		return 0
	}
	return int(x.tallies.at(id).nodes)
}

// each yields the groups with nodes; those with the zero Taint only if
// unreadable is true.
func (x *groups) each(unreadable bool, yield func(id uint32) bool) {
	unreadable = unreadable || x.unreadable == 0
	for id := range x.tallies.len() {
		if x.tallies.at(id).nodes > 0 && (unreadable || !x.records.at(id).unreadable()) && !yield(id) {
			return
		}
	}
}
