package fleet

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
)

// Small returns an empty Index whose ring is so small that a few groups fill it.
func Small[ID comparable]() *Index[ID] {
	x := new(Index[ID])
	s := x.use()
	s.idle = cow[uint32]{}
	for range 2 {
		s.idle.push(untainted, s.epoch)
	}
	return x
}

// Linear is the number of wants above which a query looks them up in a map.
const Linear = set.Short

// Groups returns the number of groups.
func (s *Snapshot[ID]) Groups() (n int) {
	for id := range s.nodes.tallies.n {
		n += min(1, s.nodes.size(id))
	}
	return n
}

// An inspection collects what is wrong with the state of an Index, and what the state
// should be.
type inspection[ID comparable] struct {
	x    *state[ID]
	errs []error

	indexed   int // groups
	refs      []uint32
	tallies   []tally
	withTaint map[string]uint32 // nodes, by the text of a taint
	groups    map[string]uint32 // groups, by the text of a taint
	keys      []string
}

func (c *inspection[ID]) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// Invariants returns an error that describes what is wrong with the state of an Index.
func Invariants[ID comparable](x *Index[ID]) error {
	if x.state == nil {
		return nil
	}
	c := &inspection[ID]{
		x: x.state, refs: make([]uint32, x.state.records.n), tallies: make([]tally, x.state.records.n),
		withTaint: map[string]uint32{}, groups: map[string]uint32{},
	}
	c.refs[untainted] = 1
	for id := range c.x.records.n {
		c.group(id)
	}
	for id := range c.x.records.n {
		if got, refs := *c.x.tallies.at(id), c.x.records.at(id).refs; c.tallies[id] != got || c.refs[id] != refs && refs != 0 {
			c.fail("group %d: tally %v, want %v; refs %d, want %d", id, got, c.tallies[id], refs, c.refs[id])
		}
	}
	c.taints()
	c.idle()
	tableInvariants(c, "byID", &c.x.byID)
	tableInvariants(c, "bySet", &c.x.bySet)
	tableInvariants(c, "byTaint", &c.x.byTaint)
	tableInvariants(c, "byKey", &c.x.byKey)
	return errors.Join(c.errs...)
}

// group inspects one group.
func (c *inspection[ID]) group(id uint32) {
	x, g := c.x, c.x.records.at(id)
	if len(g.elems) == 0 && id != untainted {
		if g.inUse || g.isIdle || g.refs != 0 || !slices.Contains(all(&x.freeGroups), id) {
			c.fail("group %d is neither in use nor free", id)
		}
		return
	}
	for _, e := range g.elems {
		c.groups[e.taint.String()]++
		c.keys = append(c.keys, e.taint.Key())
		if r := x.taints.at(e.id); r.taint != e.taint {
			c.fail("group %d has taint %d as %v, which is %v", id, e.id, e.taint, r.taint)
		}
	}
	if id != untainted {
		c.indexed++
		if got, _ := x.bySet.get(string(appendSet(nil, g.elems))); got != id {
			c.fail("group %d is found as %d", id, got)
		}
	}
	if g.inUse {
		c.members(id, g)
	}
}

// members inspects the nodes of a group that is in use.
func (c *inspection[ID]) members(id uint32, g *group) {
	x, n := c.x, uint32(0)
	if id < c.x.members.n {
		n = c.x.members.at(id).ids.n
	}
	c.tallies[id].nodes += n
	c.tallies[g.blocking].blocking += n
	c.tallies[g.evicting].evicting += n
	for _, part := range []uint32{id, g.blocking, g.evicting} {
		c.refs[part]++
	}
	for _, e := range g.elems {
		c.withTaint[e.taint.String()] += n
	}
	seen := uint32(0)
	for member := range (Group[ID]{&Snapshot[ID]{x.nodes}, id}).Nodes() {
		if p, ok := x.byID.get(member); member == member && (!ok || p != place{id, seen}) {
			c.fail("%v is member %d of group %d, and has %v, %v", member, seen, id, p, ok)
		}
		seen++
	}
	user := *x.records.at(g.blocking).users.at(g.usersAt) == id
	if seen != n || !user {
		c.fail("group %d has %d members, yields %d; uses its blocking part: %v", id, n, seen, user)
	}
}

// taints inspects all taints and keys.
func (c *inspection[ID]) taints() {
	x, known, indexed := c.x, 0, 0
	for id := range x.taints.n {
		t := x.taints.at(id)
		if t.groups == 0 {
			continue
		}
		known++
		text := t.taint.String()
		if got, ok := x.byTaint.get(nameOf(t.taint)); !ok || got != id || t.groups != c.groups[text] || *x.withTaint.at(id) != c.withTaint[text] {
			c.fail("taint %d, %v: found as %d, %v; %d groups, want %d; %d nodes, want %d", id, text, got, ok, t.groups, c.groups[text], *x.withTaint.at(id), c.withTaint[text])
		}
		indexed += c.index(id, t)
		c.key(id, t)
	}
	slices.Sort(c.keys)
	c.keys = slices.Compact(c.keys)
	if known != len(c.groups) || indexed != c.indexed || x.byKey.used != len(c.keys) || x.bySet.used != c.indexed+1 {
		c.fail("%d taints, want %d; %d indexed, want %d; %d keys, want %q", known, len(c.groups), indexed, c.indexed, x.byKey.used, c.keys)
	}
}

// index inspects the groups that are indexed under a taint.
func (c *inspection[ID]) index(id uint32, t *taintRecord) int {
	for at, group := range all(&t.indexed) {
		if g := c.x.records.at(group); g.under != id || g.at != uint32(at) {
			c.fail("group %d is number %d under %d, has %d, %d", group, at, id, g.at, g.under)
		}
	}
	return int(t.indexed.n)
}

// key inspects the entries of a key and of its taints.
func (c *inspection[ID]) key(id uint32, t *taintRecord) {
	k := c.x.keys.at(t.key)
	at := slices.Index(all(&k.indexed[t.taint.Effect()]), id)
	if k.key != value.Taint(t.taint).KeyHandle() || (at >= 0) != (t.indexed.n > 0) || at >= 0 && at != int(t.at) {
		c.fail("taint %d, %v, is number %d of its key, has %d", id, t.taint, at, t.at)
	}
}

// all returns the elements.
func all[T any](c *cow[T]) (elems []T) {
	for _, page := range c.pages {
		elems = append(elems, page.elems...)
	}
	return elems
}

// tableInvariants inspects the parts of a table.
func tableInvariants[ID, K comparable, V any](c *inspection[ID], name string, t *table[K, V]) {
	n := 0
	for i := range t.lists.n {
		for _, p := range t.lists.at(i).elems {
			n++
			if got := t.list(p.key); p.key == p.key && got != i {
				c.fail("%s: %v is in list %d of %d, and looked for in %d", name, p.key, i, t.lists.n, got)
			}
		}
	}
	if n != t.used || n > int(t.lists.n)*listMost {
		c.fail("%s: %d keys in %d lists, want %d", name, n, t.lists.n, t.used)
	}
}

// idle inspects the ring of groups without nodes.
func (c *inspection[ID]) idle() {
	queued := map[uint32]bool{}
	for _, id := range all(&c.x.idle) {
		if id != untainted && (queued[id] || !c.x.records.at(id).isIdle) {
			c.fail("group %d is in the ring, twice: %v", id, queued[id])
		}
		queued[id] = true
	}
	for id := range c.x.records.n {
		if g := c.x.records.at(id); id != untainted && g.isIdle != queued[id] || g.inUse && !g.isIdle && id != untainted && c.x.size(id) == 0 {
			c.fail("group %d of %d nodes is in the ring: %v, and marked as such: %v", id, c.x.size(id), queued[id], g.isIdle)
		}
	}
}

// GroupsHeld returns the number of groups that the Index keeps, including those without
// nodes.
func GroupsHeld[ID comparable](x *Index[ID]) int {
	return int(x.state.records.n - x.state.freeGroups.n)
}

// GroupsUnder returns the number of groups that a query compares for a pod that
// tolerates the taint.
func GroupsUnder[ID comparable](x *Index[ID], t taint.Taint) int {
	id, _ := x.state.byTaint.get(nameOf(t))
	return int(x.state.taints.at(id).indexed.n)
}

// PlanSize returns how many effects and keys or values a query looks for.
func PlanSize[ID comparable](a *Answer[ID]) (effects uint8, wants int) {
	return a.result.pod.effects, len(a.result.pod.wants)
}
