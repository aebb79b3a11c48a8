package fleet

import (
	"errors"
	"fmt"
	"slices"
)

// Invariants returns what is wrong with the Index's inner state.
func Invariants[ID comparable](x *Index[ID]) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if x.epoch == 0 {
		return nil
	}
	// Lists.
	live, hung, refs := 0, 0, make([]uint32, len(x.refs))
	refs[emptyList] = 1
	tallies := make([]tally, len(x.refs))
	bearing := map[string]uint32{}
	ofTaint := map[string]uint32{}
	var keys []string
	for i := range x.refs {
		id := uint32(i)
		s := x.shapes.at(id)
		if s.anchor == 0 && id != emptyList {
			if x.state[id] != 0 || x.refs[id] != 0 || !slices.Contains(x.freeLists, id) || s.elems != nil {
				fail("list %d is neither in use nor free", id)
			}
			continue
		}
		live++
		for _, e := range s.elems {
			ofTaint[e.taint.String()]++
			keys = append(keys, e.taint.Key())
			if r := x.taints.at(e.id); r.taint != e.taint {
				fail("list %d holds taint %d as %v, which is %v", id, e.id, e.taint, r.taint)
			}
		}
		if id != emptyList {
			hung++
			if got, ok := x.findSame(s); !ok || got != id {
				fail("list %d is found as %d, %v", id, got, ok)
			}
		}
		if x.state[id]&isOwn == 0 {
			continue
		}
		n := x.members.at(id).n
		tallies[id].own += n
		tallies[s.hard].hard += n
		tallies[s.evict].evict += n
		refs[id]++
		refs[s.hard]++
		refs[s.evict]++
		for _, e := range s.elems {
			bearing[e.taint.String()] += n
		}
		seen := uint32(0)
		x.members.at(id).each(func(slot uint32) bool {
			seen++
			if *x.nodes.own.at(slot) != id+1 {
				fail("slot %d is a member of %d, and has %d", slot, id, *x.nodes.own.at(slot)-1)
			}
			return true
		})
		child := false
		for l := x.shapes.at(s.hard).child; l != 0; l = x.shapes.at(l - 1).sibling {
			child = child || l-1 == id
		}
		if seen != n || !child {
			fail("list %d has %d members, yields %d; is a child: %v", id, n, seen, child)
		}
	}
	for id := range tallies {
		if tallies[id] != *x.tallies.at(uint32(id)) || refs[id] != x.refs[id] && x.refs[id] != 0 {
			fail("list %d: tally %v, want %v; refs %d, want %d", id, *x.tallies.at(uint32(id)), tallies[id], x.refs[id], refs[id])
		}
	}
	// Taints and keys.
	known, hangs := 0, 0
	for id := range x.taints.len() {
		t := x.taints.at(id)
		if t.taint.IsZero() {
			continue
		}
		known++
		text := t.taint.String()
		if got, ok := x.findTaint(nameOf(t.taint)); !ok || got != id || t.lists != ofTaint[text] || *x.bearing.at(id) != bearing[text] {
			fail("taint %d, %v: found as %d, %v; %d lists, want %d; %d nodes, want %d", id, text, got, ok, t.lists, ofTaint[text], *x.bearing.at(id), bearing[text])
		}
		before := link(0)
		for l := t.hangs; l != 0; l = x.shapes.at(l - 1).hangs {
			hangs++
			if s := x.shapes.at(l - 1); s.anchor != id+1 || s.hangsBefore != before {
				fail("list %d hangs on %d, has %d; before it %d, has %d", l-1, id, s.anchor-1, before, s.hangsBefore)
			}
			before = l
		}
		k := x.keys.at(t.key)
		listed := false
		for l := k.first[t.taint.Effect()]; l != 0; l = x.taints.at(l - 1).next {
			listed = listed || l == id+1
		}
		_, number := t.taint.Integer()
		numbered := false
		for _, l := range k.numbers.leaves {
			for _, e := range l.entries {
				numbered = numbered || e.taint == id
			}
		}
		if k.key != t.taint.KeyHandle() || listed != (t.hangs != 0) || numbered != (number && listed) {
			fail("taint %d, %v: listed: %v, numbered: %v", id, text, listed, numbered)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if known != len(ofTaint) || hangs != hung || int(x.byKey.used) != len(keys) || int(x.byHash.used) != hung {
		fail("%d taints, want %d; %d hang, want %d; %d keys, want %q", known, len(ofTaint), hangs, hung, x.byKey.used, keys)
	}
	if len(x.idle) > idleMost {
		fail("%d lists without a node", len(x.idle))
	}
	queued := map[uint32]bool{}
	for _, id := range x.idle {
		if queued[id] || x.state[id] != isOwn|isIdle {
			fail("list %d is in the queue, with state %b, twice: %v", id, x.state[id], queued[id])
		}
		queued[id] = true
	}
	return errors.Join(errs...)
}

// ListsHeld returns how many distinct lists the Index keeps, those among them
// that no node bears any more.
func ListsHeld[ID comparable](x *Index[ID]) int { return len(x.refs) - len(x.freeLists) }
