package fleet

import (
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A found is the result of a search: the groups that a pod tolerates, and the
// numbers of nodes that follow.
type found struct {
	groups []uint32 // those whose taints are all tolerated, untainted first; none if the pod tolerates everything
	buf    []uint32 // memory for groups, which may be a Memo's

	schedulable, preferred, evicted int
}

// search finds the groups that the pod tolerates.
func (f *found) search(x *groups, p *pod) {
	f.groups = f.buf[:0]
	f.schedulable, f.preferred, f.evicted = 0, 0, 0
	switch {
	case p.all:
		open := x.total - x.unreadable
		f.schedulable, f.preferred = open, open
	case x.records.n > 0: // not in the zero Snapshot
		f.groups = append(f.groups, untainted)
		p.prepare()
		if x.indexedUnder(p.plan.effects) > x.records.n/4 {
			f.scan(x, p) // takes less for each group: BenchmarkFleetAdversary
		} else {
			f.reach(x, p)
		}
		f.buf = f.groups
		f.sum(x)
	}
}

// sum computes the numbers of nodes.
func (f *found) sum(x *groups) {
	var sum tally
	for _, id := range f.groups {
		t := x.tallies.at(id)
		sum.nodes += t.nodes
		sum.blocking += t.blocking
		sum.evicting += t.evicting
	}
	f.preferred, f.schedulable, f.evicted = int(sum.nodes), int(sum.blocking), x.total-int(sum.evicting)
}

// indexedUnder returns how many groups are indexed under taints of these effects.
func (x *groups) indexedUnder(effects uint8) (n uint32) {
	for e, groups := range x.indexed {
		if effects&(1<<e) != 0 {
			n += groups
		}
	}
	return n
}

// scan finds the groups among all of them.
func (f *found) scan(x *groups, p *pod) {
	for i, page := range x.tallies.pages {
		for j := range page.elems {
			id, effects := uint32(i)<<x.tallies.shift|uint32(j), page.elems[j].effects
			if effects != 0 && (effects&^p.plan.effects == 0 || p.toleratesAll(x.records.at(id).elems, 0)) {
				f.groups = append(f.groups, id)
			}
		}
	}
}

// reach calls take once for each taint that some toleration matches and under
// which groups are indexed.
func (f *found) reach(x *groups, p *pod) {
	plan := &p.plan
	if plan.effects != 0 {
		for _, page := range x.keys.pages {
			for i := range page.elems {
				f.takeKey(x, p, &page.elems[i], plan.effects)
			}
		}
	}
	for i := range plan.keys {
		k := &plan.keys[i]
		exists := k.exists &^ plan.effects
		numeric := k.numeric &^ k.exists &^ plan.effects
		if exists|numeric == 0 {
			continue
		}
		if id, ok := x.byKey.get(k.key); ok {
			f.takeKey(x, p, x.keys.at(id), exists)
			if numeric != 0 {
				f.takeNumbers(x, p, &plan.bounds[k.bounds], &x.keys.at(id).numbers, numeric)
			}
		}
	}
	for i := range plan.values {
		f.takeValue(x, p, &plan.values[i])
	}
}

// takeKey takes the taints of a key with these effects.
func (f *found) takeKey(x *groups, p *pod, key *keyRecord, effects uint8) {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if effects&(1<<e) == 0 {
			continue
		}
		for l := key.indexed[e]; l != 0; {
			t := x.taints.at(l - 1)
			f.take(x, p, t)
			l = t.next
		}
	}
}

// takeNumbers takes the taints of a key with these effects whose integer is
// tolerated. It visits the integers that are tolerated under any of the effects.
func (f *found) takeNumbers(x *groups, p *pod, b *bounds, numbers *integers, effects uint8) {
	below, above := int64(math.MinInt64), int64(math.MaxInt64)
	for e := range b.below {
		if effects&(1<<e) != 0 {
			below, above = max(below, b.below[e]), min(above, b.above[e])
		}
	}
	take := func(n entry) {
		if t := x.taints.at(n.taint); effects&(1<<t.taint.Effect()) != 0 && b.admits(n.n, t.taint.Effect()) {
			f.take(x, p, t)
		}
	}
	numbers.upTo(below, take)
	if below > math.MinInt64 {
		above = max(above, below-1) // each integer once
	}
	numbers.after(above, take)
}

// takeValue takes the taints of a key and value, except those that were taken
// for their effect, key or integer.
func (f *found) takeValue(x *groups, p *pod, v *valuePlan) {
	k := &p.plan.keys[v.key]
	effects := v.effects &^ k.exists &^ p.plan.effects
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if effects&(1<<e) == 0 {
			continue
		}
		if id, ok := x.byTaint.get(name{key: k.key, value: v.value, effect: e}); ok {
			if t := x.taints.at(id); !p.plan.compares(k, t.taint) {
				f.take(x, p, t)
			}
		}
	}
}

// take adds the groups that are indexed under a tolerated taint and whose other
// taints are tolerated too.
func (f *found) take(x *groups, p *pod, t *taintRecord) {
	for l := t.indexed; l != 0; {
		g := x.records.at(l - 1)
		if len(g.elems) == 1 || p.toleratesAll(g.elems, g.indexed) {
			f.groups = append(f.groups, l-1)
		}
		l = g.nextIndex
	}
}

// A Memo remembers answers for pods with the same tolerations, such as those of
// one workload. To use one, set [Answer.Memo]. It does not change any answer.
//
// Make a Memo with [NewMemo]; the zero Memo remembers nothing. A Memo is safe
// for concurrent use, for any snapshots of one Index. It must not be copied: a
// query with a copy panics.
type Memo struct {
	guard   nocopy.Guard // checked from NewMemo on
	seed    maphash.Seed
	entries []atomic.Pointer[remembered]
}

// A remembered is an entry of a Memo. It is immutable.
type remembered struct {
	of          maphash.Seed // of the Index
	version     uint64
	structure   uint64
	tolerations toleration.List
	found       found
}

// The most that an entry has, so that the memory of a Memo is bounded.
const (
	memoTolerations = 64
	memoGroups      = 1024
)

// NewMemo returns a Memo with that many entries: twice the number of workloads is
// enough. An entry takes at most 8 KiB: more than 64 tolerations or 1,024 groups
// are not remembered.
func NewMemo(entries int) *Memo {
	m := &Memo{seed: maphash.MakeSeed(), entries: make([]atomic.Pointer[remembered], max(entries, 0))}
	m.guard.Check("fleet.Memo")
	return m
}

// remembers reports whether m keeps answers for such a pod.
func (m *Memo) remembers(x *groups, p *pod) bool {
	if m == nil || len(m.entries) == 0 {
		return false
	}
	m.guard.Check("fleet.Memo")
	return !p.all && len(p.tolerations) <= memoTolerations && x.records.n > 0
}

// query does what found.search does, from memory if possible.
func (m *Memo) query(x *groups, f *found, p *pod) {
	at, e := m.find(x, p.tolerations)
	hit := e != nil
	if hit {
		buf := f.buf
		*f = e.found
		f.buf = buf
		if e.version == x.version {
			return
		}
		f.sum(x)
	} else {
		f.search(x, p)
	}
	if len(f.groups) > memoGroups || hit && e.version > x.version {
		return
	}
	next := &remembered{of: x.seed, version: x.version, structure: x.structure, found: *f}
	if hit {
		next.tolerations = e.tolerations
	} else {
		next.tolerations = slices.Clone(p.tolerations)
		next.found.groups = slices.Clone(f.groups)
	}
	next.found.buf = nil
	at.Store(next)
}

// find returns the entry for these tolerations, and its place; nil and the
// place for a new entry if there is none. Each list has two places, so that two
// lists seldom replace each other in turn.
func (m *Memo) find(x *groups, tolerations toleration.List) (at *atomic.Pointer[remembered], e *remembered) {
	h, n := m.hash(tolerations), uint64(len(m.entries))
	at = &m.entries[h>>32%n]
	first := at.Load()
	if first.answers(x, tolerations) {
		return at, first
	}
	other := &m.entries[h&(1<<32-1)%n]
	second := other.Load()
	if second.answers(x, tolerations) {
		return other, second
	}
	if first != nil && (second == nil || second.version < first.version || second.version == first.version && h&1 == 0) {
		at = other
	}
	return at, nil
}

// answers reports whether e has the groups of x that these tolerations tolerate.
func (e *remembered) answers(x *groups, tolerations toleration.List) bool {
	return e != nil && e.structure == x.structure && e.of == x.seed && slices.Equal(e.tolerations, tolerations)
}

func (m *Memo) hash(tolerations toleration.List) uint64 {
	h := uint64(len(tolerations))
	for _, u := range tolerations {
		h = h*0x9e3779b97f4a7c15 + maphash.Comparable(m.seed, u)
	}
	return h
}
