package fleet

import (
	"encoding/binary"
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
	seed maphash.Seed // of this Index alone

	records cow[group]
	tallies cow[tally]
	bySet   table[string, uint32] // the records, by their set

	taints    cow[taintRecord]
	withTaint cow[uint32] // for each taint, the number of nodes that have it
	byTaint   table[name, uint32]

	keys    cow[keyRecord]
	indexed [4]uint32 // by effect, the number of groups that are indexed under its taints
	byKey   table[unique.Handle[string], uint32]

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
	set       string // the numbers of the elems' records: appendSet
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
	effects                   uint8 // of its taints; 0 if the record is free
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

// appendSet appends the name of a set of taint records, whose numbers are sorted.
func appendSet(dst []byte, ids []uint32) []byte {
	for _, id := range ids {
		dst = binary.NativeEndian.AppendUint32(dst, id)
	}
	return dst
}

// findSame returns the group of x with the same taints as g, which may be of
// another Index.
func (x *groups) findSame(g *group) (id uint32, ok bool) {
	ids := make([]uint32, 0, 16)
	for i := range g.elems {
		id, ok := x.byTaint.get(nameOf(g.elems[i].taint))
		if !ok {
			return 0, false
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return x.bySet.get(string(appendSet(make([]byte, 0, 64), ids)))
}

// size returns the number of nodes in a group, 0 if there is no such record.
func (x *groups) size(id uint32) int {
	if id >= x.tallies.n {
		return 0
	}
	return int(x.tallies.at(id).nodes)
}

// each yields the groups with nodes; those with the zero Taint only if
// unreadable is true.
func (x *groups) each(unreadable bool, yield func(id uint32) bool) {
	unreadable = unreadable || x.unreadable == 0
	for id := range x.tallies.n {
		if x.tallies.at(id).nodes > 0 && (unreadable || !x.records.at(id).unreadable()) && !yield(id) {
			return
		}
	}
}
