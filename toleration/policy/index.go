package policy

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// An index finds in O(log n) which clauses decide about a toleration.
//
// The same clauses decide about all taints of a cell. Of these, two count: the deny clause
// that denies most, and the allow clause that allows most. A toleration of a pod is refused
// if one of the cells that it reaches is. It reaches one cell (Equal), the first or the last
// intervals of a key (Lt, Gt), all cells of a key, or all cells, so the worst of these are
// kept, too.
type index struct {
	deny, allow []*clause // by descending effect: the first one that has a taint counts
	byKey       map[string]*group
	groups      []*group          // the first is for the keys that no clause has
	unused      string            // a key that no clause has
	worst       [effects]verdicts // of all groups
}

const effects = int(taint.NoExecute) + 1

// A group has the cells of one key, by effect.
type group struct {
	key string
	cells.Values
	members []member
	cells   [effects][]verdicts
	upTo    [effects][]verdicts // the worst of the intervals up to one of them
	from    [effects][]verdicts // and from one of them on
	worst   [effects]verdicts
}

// verdicts are the clauses that decide about a cell, or about the worst of several.
type verdicts struct{ deny, allow verdict }

// A verdict is a clause as its position in index.deny or index.allow, or the length of
// that list for no clause, and a cell about which it decides.
type verdict struct {
	clause int
	group  *group
	effect taint.Effect
	cell   int
}

// worse returns the worse of each verdict.
func (v verdicts) worse(w verdicts) verdicts {
	if w.deny.clause < v.deny.clause {
		v.deny = w.deny
	}
	if w.allow.clause > v.allow.clause {
		v.allow = w.allow
	}
	return v
}

// A member is a toleration in a clause.
type member struct {
	*toleration.Toleration
	side   int      // 0 in Except, 1 in Taints
	clause *matched // shared by the members of a clause
}

// A matched clause counts the tolerations of each side that match the cell.
type matched struct {
	count [2]int
	has   *big.Int // the set of the deny or allow clauses that have the taints of the cell
	i     int      // the clause in has
}

func newIndex(deny, allow []clause) *index {
	x := &index{byKey: make(map[string]*group)}
	for i := range deny {
		x.deny = append(x.deny, &deny[i])
	}
	for i := range allow {
		x.allow = append(x.allow, &allow[i])
	}
	slices.SortStableFunc(x.deny, func(c, d *clause) int { return cmp.Compare(c.denied(), d.denied()) })
	slices.SortStableFunc(x.allow, func(c, d *clause) int { return cmp.Compare(d.limit(), c.limit()) })
	x.group("")
	denied, allowed := x.members(x.deny), x.members(x.allow)
	x.unused = set.Unused(func(s string) bool { return x.byKey[s] != nil })
	for _, g := range x.groups {
		g.Sort()
	}
	every := x.groups[0].members
	x.groups[0].members = nil
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		add(every, e, 1)
		for i, g := range x.groups {
			g.sweep(denied, allowed, e)
			if i == 0 {
				x.worst[e] = g.worst[e]
			}
			x.worst[e] = x.worst[e].worse(g.worst[e])
		}
		add(every, e, -1)
	}
	return x
}

// members adds the tolerations of the clauses to their groups. It returns the set of the
// clauses that have the taints of a cell, which always has the end of the list, too.
func (x *index) members(clauses []*clause) *big.Int {
	has := new(big.Int).SetBit(new(big.Int), len(clauses), 1)
	for i, c := range clauses {
		of := &matched{has: has, i: i}
		for side, list := range [...]toleration.List{c.Except, c.Taints} {
			for j := range list {
				g := x.group(list[j].Key())
				g.members = append(g.members, member{&list[j], side, of})
				g.Add(&list[j])
			}
		}
	}
	return has
}

// group returns the group of a key, which it may make.
func (x *index) group(key string) *group {
	g := x.byKey[key]
	if g == nil {
		g = &group{key: key}
		x.byKey[key] = g
		x.groups = append(x.groups, g)
	}
	return g
}

// add adds the members that match the effect, or removes them if n is -1.
func add(members []member, e taint.Effect, n int) {
	for _, m := range members {
		if of := m.Effect(); of != 0 && of != e {
			continue
		}
		c := m.clause
		c.count[m.side] += n
		bit := uint(0)
		if c.count[0] == 0 && c.count[1] > 0 {
			bit = 1
		}
		if c.has.Bit(c.i) != bit {
			c.has.SetBit(c.has, c.i, bit)
		}
	}
}

// sweep visits cell after cell and sets the verdicts of the group.
func (g *group) sweep(denied, allowed *big.Int, e taint.Effect) {
	all := make([]verdicts, g.Len())
	begin, end := make([][]member, len(all)), make([][]member, len(all)) // by the first and the last cell that they match
	for _, m := range g.members {
		first, last := g.Range(m.Toleration)
		begin[first], end[last] = append(begin[first], m), append(end[last], m)
	}
	for i := range all {
		add(begin[i], e, 1)
		all[i] = verdicts{verdict{int(denied.TrailingZeroBits()), g, e, i}, verdict{int(allowed.TrailingZeroBits()), g, e, i}}
		add(end[i], e, -1)
	}
	ranged := g.Intervals()
	g.cells[e], g.upTo[e], g.from[e] = all, slices.Clone(all[:ranged]), slices.Clone(all[:ranged])
	for i := 1; i < ranged; i++ {
		g.upTo[e][i] = g.upTo[e][i-1].worse(all[i])
		g.from[e][ranged-1-i] = all[ranged-1-i].worse(g.from[e][ranged-i])
	}
	g.worst[e] = all[len(all)-1] // the simplest witness
	for _, v := range all[ranged:] {
		g.worst[e] = g.worst[e].worse(v)
	}
	g.worst[e] = g.worst[e].worse(g.from[e][0])
}

// of returns the worst verdicts about the taints that u matches, which are some.
func (x *index) of(u *toleration.Toleration) verdicts {
	g := x.byKey[u.Key()]
	if g == nil {
		g = x.groups[0]
	}
	first, last := g.Range(u)
	under := func(e taint.Effect) verdicts {
		switch {
		case u.Key() == "":
			return x.worst[e]
		case first == last:
			return g.cells[e][first]
		case u.Operator() == toleration.Exists:
			return g.worst[e]
		case u.Operator() == toleration.Lt:
			return g.upTo[e][last]
		}
		return g.from[e][first]
	}
	e := cmp.Or(u.Effect(), taint.NoSchedule)
	switch u.Operator() {
	case 0, toleration.Equal, toleration.Exists, toleration.Lt, toleration.Gt:
	default: // it is unknown, and refused
		return verdicts{verdict{clause: len(x.deny)}, verdict{len(x.allow), g, e, g.Len() - 1}}
	}
	v := under(e)
	for u.Effect() == 0 && e < taint.NoExecute {
		e++
		v = v.worse(under(e))
	}
	return v
}

// allows reports whether an allow clause allows each taint that u tolerates for as long. u
// matches some.
func (x *index) allows(u *toleration.Toleration) bool {
	allow := x.of(u).allow.clause
	return allow < len(x.allow) && lengthOf(u) <= x.allow[allow].limit()
}

// witness returns a taint of the verdict's cell that u matches.
func (x *index) witness(v verdict, u *toleration.Toleration) taint.Taint {
	val := v.group.Text(v.cell)
	switch u.Operator() {
	case 0, toleration.Equal:
		val = u.Value()
	case toleration.Gt:
		if lo, _ := cells.Span(u); v.group.Interval(lo) == v.cell {
			val = strconv.FormatInt(lo, 10)
		}
	}
	t, err := taint.New(cmp.Or(u.Key(), v.group.key, x.unused), val, v.effect)
	if err != nil {
		panic("policy: " + err.Error()) // not reached
	}
	return t
}
