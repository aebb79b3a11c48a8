package fleet

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-tolerate/tolerate/internal/value"
)

// Small returns an empty Index whose pages, leaves and queue are so small that a few
// nodes fill several.
func Small[ID comparable]() *Index[ID] {
	x := new(Index[ID])
	x.init()
	const page = 2 // pages of four elements
	x.pageBits, x.nodes.members.shift, x.nodes.byID.lists.shift = page, page, page
	x.nodes.records.shift, x.nodes.tallies.shift = page, page
	x.nodes.taints.shift, x.nodes.withTaint.shift, x.nodes.keys.shift = page, page, page
	x.nodes.bySet.lists.shift, x.nodes.byTaint.lists.shift, x.nodes.byKey.lists.shift = page, page, page
	x.idleMost, x.leafMost = 2, 4
	return x
}

// Above these thresholds, data has another form.
const (
	ListMost        = listMost        // on average in one list of a table
	Linear          = linear          // tolerations that are compared one by one
	MemoTolerations = memoTolerations // that a Memo remembers
	MemoGroups      = memoGroups
)

// An inspection collects what is wrong with the state of an Index, and what the state
// should be.
type inspection[ID comparable] struct {
	x    *Index[ID]
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
	if x.epoch == 0 {
		return nil
	}
	c := &inspection[ID]{
		x: x, refs: make([]uint32, len(x.refs)), tallies: make([]tally, len(x.refs)),
		withTaint: map[string]uint32{}, groups: map[string]uint32{},
	}
	c.refs[untainted] = 1
	for id := range x.refs {
		c.group(uint32(id))
	}
	for id := range c.tallies {
		for _, e := range x.nodes.records.at(uint32(id)).elems {
			c.tallies[id].effects |= 1 << e.taint.Effect()
		}
		if got := *x.nodes.tallies.at(uint32(id)); c.tallies[id] != got || c.refs[id] != x.refs[id] && x.refs[id] != 0 {
			c.fail("group %d: tally %v, want %v; refs %d, want %d", id, got, c.tallies[id], x.refs[id], c.refs[id])
		}
	}
	c.taints()
	if sum := x.nodes.indexedUnder(15); int(sum) != c.indexed {
		c.fail("%d groups indexed under effects, want %d", sum, c.indexed)
	}
	c.idle()
	tableInvariants(c, "byID", &x.nodes.byID)
	tableInvariants(c, "bySet", &x.nodes.bySet)
	tableInvariants(c, "byTaint", &x.nodes.byTaint)
	tableInvariants(c, "byKey", &x.nodes.byKey)
	return errors.Join(c.errs...)
}

// group inspects one group.
func (c *inspection[ID]) group(id uint32) {
	x, g := c.x, c.x.nodes.records.at(id)
	if g.indexed == 0 && id != untainted {
		if x.state[id] != 0 || x.refs[id] != 0 || !slices.Contains(x.freeGroups, id) || g.elems != nil {
			c.fail("group %d is neither in use nor free", id)
		}
		return
	}
	for _, e := range g.elems {
		c.groups[e.taint.String()]++
		c.keys = append(c.keys, e.taint.Key())
		if r := x.nodes.taints.at(e.id); r.taint != e.taint {
			c.fail("group %d has taint %d as %v, which is %v", id, e.id, e.taint, r.taint)
		}
	}
	if id != untainted {
		c.indexed++
		if got, ok := x.nodes.findSame(g); !ok || got != id {
			c.fail("group %d is found as %d, %v", id, got, ok)
		}
	}
	if x.state[id]&isInUse != 0 {
		c.members(id, g)
	}
}

// members inspects the nodes of a group that is in use.
func (c *inspection[ID]) members(id uint32, g *group) {
	x, n := c.x, uint32(0)
	if id < c.x.nodes.members.n {
		n = c.x.nodes.members.at(id).n
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
	eachMember(&Snapshot[ID]{x.nodes}, id, func(member ID) bool {
		if p, ok := x.nodes.byID.get(member); member == member && (!ok || p != place{id, seen}) {
			c.fail("%v is member %d of group %d, and has %v, %v", member, seen, id, p, ok)
		}
		seen++
		return true
	})
	user := false
	for l := x.nodes.records.at(g.blocking).users; l != 0; l = x.nodes.records.at(l - 1).nextUser {
		user = user || l-1 == id
	}
	if seen != n || !user {
		c.fail("group %d has %d members, yields %d; uses its blocking part: %v", id, n, seen, user)
	}
}

// taints inspects all taints and keys.
func (c *inspection[ID]) taints() {
	x, known, indexed := c.x, 0, 0
	for id := range x.nodes.taints.n {
		t := x.nodes.taints.at(id)
		if t.groups == 0 {
			continue
		}
		known++
		text := t.taint.String()
		if got, ok := x.nodes.byTaint.get(nameOf(t.taint)); !ok || got != id || t.groups != c.groups[text] || *x.nodes.withTaint.at(id) != c.withTaint[text] {
			c.fail("taint %d, %v: found as %d, %v; %d groups, want %d; %d nodes, want %d", id, text, got, ok, t.groups, c.groups[text], *x.nodes.withTaint.at(id), c.withTaint[text])
		}
		indexed += c.index(id, t)
		c.key(id, t)
	}
	slices.Sort(c.keys)
	c.keys = slices.Compact(c.keys)
	if known != len(c.groups) || indexed != c.indexed || x.nodes.byKey.used != len(c.keys) || x.nodes.bySet.used != c.indexed+1 {
		c.fail("%d taints, want %d; %d indexed, want %d; %d keys, want %q", known, len(c.groups), indexed, c.indexed, x.nodes.byKey.used, c.keys)
	}
}

// index inspects the groups that are indexed under a taint.
func (c *inspection[ID]) index(id uint32, t *taintRecord) (indexed int) {
	before := link(0)
	for l := t.indexed; l != 0; l = c.x.nodes.records.at(l - 1).nextIndex {
		indexed++
		if g := c.x.nodes.records.at(l - 1); g.indexed != id+1 || g.prevIndex != before {
			c.fail("group %d is indexed under %d, has %d; before it %d, has %d", l-1, id, g.indexed-1, before, g.prevIndex)
		}
		before = l
	}
	return indexed
}

// key inspects the entries of a key and of its taints.
func (c *inspection[ID]) key(id uint32, t *taintRecord) {
	k := c.x.nodes.keys.at(t.key)
	listed := false
	for l := k.indexed[t.taint.Effect()]; l != 0; l = c.x.nodes.taints.at(l - 1).next {
		listed = listed || l == id+1
	}
	_, number := t.taint.Integer()
	numbered := false
	for _, l := range k.numbers.leaves {
		for _, e := range l.entries {
			numbered = numbered || e.taint == id
		}
	}
	if k.key != value.Taint(t.taint).KeyHandle() || listed != (t.indexed != 0) || numbered != (number && listed) {
		c.fail("taint %d, %v: listed: %v, numbered: %v", id, t.taint, listed, numbered)
	}
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

// idle inspects the queue of groups without nodes.
func (c *inspection[ID]) idle() {
	x := c.x
	if len(x.idle) > x.idleMost {
		c.fail("%d groups without a node", len(x.idle))
	}
	queued := map[uint32]bool{}
	for _, id := range x.idle {
		if queued[id] || x.state[id] != isInUse|isIdle {
			c.fail("group %d is in the queue, with state %b, twice: %v", id, x.state[id], queued[id])
		}
		queued[id] = true
	}
}

// GroupsHeld returns the number of groups that the Index keeps, including those without
// nodes.
func GroupsHeld[ID comparable](x *Index[ID]) int { return len(x.refs) - len(x.freeGroups) }

// PlanSize returns how many effects, keys, values and bounds of integers a query looks
// for.
func PlanSize[ID comparable](a *Answer[ID]) (effects uint8, keys, values, bounds int) {
	p := &a.result.pod.plan
	return p.effects, len(p.keys), len(p.values), len(p.bounds)
}
