package fleet

import (
	"hash/maphash"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
)

// What a fleet's taints are, apart from which nodes bear them. All of it is in
// pages, so that a snapshot is a copy of the struct.
//
// A list is a set of taints: what a node bears, or the part of that which keeps
// pods away (NoSchedule and NoExecute: the node's hard list), or the part that
// evicts (NoExecute). Whether a pod tolerates all of a list decides one
// question for all nodes at once whose own, hard or evicting list it is: whether
// they are preferred, schedulable, or not left. Each list knows the numbers of
// these.
//
// A list is tolerated only when each of its taints is, so it hangs on one of
// them, the rarest, and is found by pods that tolerate that one.
type lists struct {
	seed maphash.Seed

	shapes  cow[shape]
	tallies cow[tally]
	members cow[slotSet] // the nodes whose own list it is
	byHash  table

	taints  cow[taintRecord]
	bearing cow[uint32] // for each taint, how many nodes bear it
	byTaint table

	keys  cow[keyRecord]
	byKey table

	total     int    // nodes
	distinct  int    // lists that some node bears
	version   uint64 // of the contents
	structure uint64 // of which lists there are
}

// Links between records are a record's number and one; 0 is the end.
type link = uint32

// A shape is what a list is; it changes only when lists come and go.
type shape struct {
	elems  []elem // by taint.Compare
	hash   uint64
	serial uint64 // no two lists ever had the same
	hard   uint32 // the list of the NoSchedule and NoExecute taints among elems; itself, often
	evict  uint32 // that of the NoExecute taints

	anchor       link // the taint that it hangs on; none for the empty list and for free records
	hangs        link // the next that hangs on the anchor
	hangsBefore  link
	child        link // the first node's list whose hard list this is
	sibling      link // the next that has the same hard list
	siblingAhead link
}

type elem struct {
	taint taint.Taint
	id    uint32
}

// A tally is how many nodes have a list as their own, as their hard list, and
// as their evicting list.
type tally struct {
	own, hard, evict uint32
}

type taintRecord struct {
	taint taint.Taint // zero when the record is free
	key   uint32
	lists uint32 // that hold it
	hangs link   // the first list that hangs on it
	next  link   // the next taint of the key and effect on which some list hangs
	prev  link
}

type keyRecord struct {
	key     unique.Handle[string] // zero when the record is free
	taints  uint32                // that have it
	first   [4]link               // by effect, the first of these on which some list hangs
	numbers integers              // those of these whose value is an integer
}

// emptyList is the number of the list of no taints, which is always there.
const emptyList = 0

// A name is how a taint is looked up: what its canonical form is, made without
// any checks.
type name struct {
	key, value unique.Handle[string]
	effect     taint.Effect
}

func nameOf(t taint.Taint) name {
	return name{t.KeyHandle(), t.ValueHandle(), t.Effect()}
}

func (x *lists) hashName(n name) uint64 { return maphash.Comparable(x.seed, n) }

func (x *lists) hashKey(k unique.Handle[string]) uint64 { return maphash.Comparable(x.seed, k) }

// hashSet is the same for every order. The taints must be distinct.
func (x *lists) hashSet(set []taint.Taint) uint64 {
	sum := uint64(0)
	for _, t := range set {
		sum += x.hashName(nameOf(t))
	}
	return sum
}

func (x *lists) findTaint(n name) (id uint32, ok bool) {
	for p := x.byTaint.probe(x.hashName(n)); x.byTaint.next(&p); {
		if nameOf(x.taints.at(p.ref).taint) == n {
			return p.ref, true
		}
	}
	return 0, false
}

func (x *lists) findKey(k unique.Handle[string]) (id uint32, ok bool) {
	for p := x.byKey.probe(x.hashKey(k)); x.byKey.next(&p); {
		if x.keys.at(p.ref).key == k {
			return p.ref, true
		}
	}
	return 0, false
}

// quadratic is up to how many taints two sets are compared one by one.
const quadratic = 16

// findSet looks for the list that is that set. A set of more than quadratic
// taints must be sorted by taint.Compare.
func (x *lists) findSet(h uint64, set []taint.Taint) (id uint32, ok bool) {
	for p := x.byHash.probe(h); x.byHash.next(&p); {
		if s := x.shapes.at(p.ref); s.hash == h && s.is(set) {
			return p.ref, true
		}
	}
	return 0, false
}

func (s *shape) is(set []taint.Taint) bool {
	if len(s.elems) != len(set) {
		return false
	}
	for i, t := range set {
		if s.elems[i].taint == t {
			continue
		}
		if len(set) > quadratic || !slices.ContainsFunc(s.elems, func(e elem) bool { return e.taint == t }) {
			return false
		}
	}
	return true
}

// findSame looks in x for the list that is s, of any other lists.
func (x *lists) findSame(s *shape) (id uint32, ok bool) {
	if x.shapes.len() == 0 || len(s.elems) == 0 {
		return emptyList, x.shapes.len() > 0
	}
	h := uint64(0)
	for i := range s.elems {
		h += x.hashName(nameOf(s.elems[i].taint))
	}
	for p := x.byHash.probe(h); x.byHash.next(&p); {
		if c := x.shapes.at(p.ref); c.hash == h && slices.EqualFunc(c.elems, s.elems, func(a, b elem) bool { return a.taint == b.taint }) {
			return p.ref, true
		}
	}
	return 0, false
}
