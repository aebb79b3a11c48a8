package policy

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// An index finds in O(log n) which clauses decide about a toleration.
//
// The tolerations in the clauses divide the taints of a key and effect into cells. The
// taints of a cell match the same tolerations, so the same clauses decide about all of
// them. The cells of a key are intervals of integers, then single values that are not
// integers, then all other values. Of a cell, two clauses count: the deny clause that
// denies most, and the allow clause that allows most. A toleration of a pod is refused if
// one of the cells that it reaches is. It reaches one cell (Equal), the first or the last
// intervals of a key (Lt, Gt), all cells of a key, or all cells, so the worst of these are
// kept, too.
type index struct {
	deny, allow []*clause // by descending effect: the first one that has a taint counts
	groups      []*group  // the first is for the keys that no clause has
	byKey       map[string]*group
	unused      string            // a key that no clause has
	worst       [effects]verdicts // of all groups
}

const effects = int(taint.NoExecute) + 1

// A group has the cells of one key, by effect.
type group struct {
	key    string
	starts []int64        // of the intervals; the first is 0
	names  map[string]int // the cells of single values that are not integers
	values []string       // these values
	unused string         // a value in no other cell
	cells  [effects][]verdicts
	upTo   [effects][]verdicts // the worst of the intervals up to one of them
	from   [effects][]verdicts // and from one of them on
	worst  [effects]verdicts
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
	clause int // deny clauses first
	side   int // 0 in Except, 1 in Taints
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

	x.groups = append(x.groups, &group{starts: make([]int64, 1)})
	members := map[string][]member{}
	for i, c := range slices.Concat(x.deny, x.allow) {
		for side, list := range [...]toleration.List{c.Except, c.Taints} {
			for j := range list {
				u := &list[j]
				members[u.Key()] = append(members[u.Key()], member{u, i, side})
				if u.Key() != "" {
					x.group(u.Key()).divide(u)
				}
			}
		}
	}
	w := walk{x: x, matching: make([][2]int, len(deny)+len(allow)), has: make([]uint64, (len(deny)+len(allow))/64+1)}
	x.unused = set.Unused(func(s string) bool { return x.byKey[s] != nil })
	for _, g := range x.groups {
		if named := func(s string) bool { _, ok := g.names[s]; return ok }; named("") {
			g.unused = set.Unused(named)
		}
	}
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		w.add(members[""], e, 1)
		for i, g := range x.groups {
			if i == 0 {
				w.through(g, nil, e)
				x.worst[e] = g.worst[e]
				continue
			}
			w.through(g, members[g.key], e)
			x.worst[e] = x.worst[e].worse(g.worst[e])
		}
		w.add(members[""], e, -1)
	}
	return x
}

// group returns the group of a key, which it may make.
func (x *index) group(key string) *group {
	g := x.byKey[key]
	if g == nil {
		g = &group{key: key, starts: make([]int64, 1), names: make(map[string]int)}
		x.byKey[key] = g
		x.groups = append(x.groups, g)
	}
	return g
}

// divide adds the cells that exist because of u. The starts are sorted later.
func (g *group) divide(u *toleration.Toleration) {
	lo, hi, ok := span(u)
	switch {
	case u.Operator() == toleration.Exists:
	case ok:
		g.starts = append(g.starts, lo)
		if hi < math.MaxInt64 {
			g.starts = append(g.starts, hi+1)
		}
	default:
		if _, known := g.names[u.Value()]; !known {
			g.names[u.Value()] = len(g.values)
			g.values = append(g.values, u.Value())
		}
	}
}

// span returns the integers that u matches, which has an operator other than Exists, or
// false if it matches a value that is not an integer.
func span(u *toleration.Toleration) (lo, hi int64, ok bool) {
	n, rule := syntax.Integer(u.Value())
	switch {
	case rule != 0:
		return 0, 0, false
	case u.Operator() == toleration.Lt:
		return 0, n - 1, true // n > 0, since u matches a taint
	case u.Operator() == toleration.Gt:
		return max(n+1, 0), math.MaxInt64, true // n < math.MaxInt64
	}
	return n, n, true // taints have no negative numbers, so n >= 0
}

// interval returns the cell of an integer.
func (g *group) interval(n int64) int {
	return sort.Search(len(g.starts), func(i int) bool { return g.starts[i] > n }) - 1
}

// rest returns the cell of the values in no other cell.
func (g *group) rest() int { return len(g.starts) + len(g.values) }

// cell returns the cell of the value of u, whose operator is Equal.
func (g *group) cell(u *toleration.Toleration) int {
	if n, _, ok := span(u); ok {
		return g.interval(n)
	}
	if i, ok := g.names[u.Value()]; ok {
		return len(g.starts) + i
	}
	return g.rest()
}

// A walk visits cell after cell and knows which clauses have the taints of the cell.
type walk struct {
	x        *index
	matching [][2]int // by clause: how many tolerations of each side match the cell
	has      []uint64 // a bit for each clause that has the taints of the cell
}

// add adds the members that match the effect, or removes them if n is -1.
func (w *walk) add(members []member, e taint.Effect, n int) {
	for _, m := range members {
		if of := m.Effect(); of != 0 && of != e {
			continue
		}
		c := &w.matching[m.clause]
		c[m.side] += n
		bit := uint64(1) << (m.clause % 64)
		w.has[m.clause/64] &^= bit
		if c[0] == 0 && c[1] > 0 {
			w.has[m.clause/64] |= bit
		}
	}
}

// first returns the first clause from one on that has the taints of the cell, or end.
func (w *walk) first(from, end int) int {
	for i := from / 64; i < len(w.has); i++ {
		word := w.has[i]
		if i == from/64 {
			word &= ^uint64(0) << (from % 64)
		}
		if word != 0 {
			return min(i*64+bits.TrailingZeros64(word), end)
		}
	}
	return end
}

// through sets the verdicts of a group whose key these members have. It leaves the walk as
// it was.
func (w *walk) through(g *group, members []member, e taint.Effect) {
	slices.Sort(g.starts)
	g.starts = slices.Compact(g.starts)
	cells := make([]verdicts, g.rest()+1)
	begin, end := make([][]member, len(cells)), make([][]member, len(cells)) // by the first and the last cell that they match
	var exists []member
	for _, m := range members {
		lo, hi, ok := span(m.Toleration)
		switch {
		case m.Operator() == toleration.Exists:
			exists = append(exists, m)
			continue
		case ok:
			lo, hi = int64(g.interval(lo)), int64(g.interval(hi))
		default:
			lo = int64(g.cell(m.Toleration))
			hi = lo
		}
		begin[lo], end[hi] = append(begin[lo], m), append(end[hi], m)
	}
	denies, all := len(w.x.deny), len(w.x.deny)+len(w.x.allow)
	w.add(exists, e, 1)
	for i := range cells {
		w.add(begin[i], e, 1)
		cells[i] = verdicts{verdict{w.first(0, denies), g, e, i}, verdict{w.first(denies, all) - denies, g, e, i}}
		w.add(end[i], e, -1)
	}
	w.add(exists, e, -1)

	ranged := len(g.starts)
	g.cells[e], g.upTo[e], g.from[e] = cells, slices.Clone(cells[:ranged]), slices.Clone(cells[:ranged])
	for i := 1; i < ranged; i++ {
		g.upTo[e][i] = g.upTo[e][i-1].worse(cells[i])
		g.from[e][ranged-1-i] = cells[ranged-1-i].worse(g.from[e][ranged-i])
	}
	g.worst[e] = cells[g.rest()] // the simplest witness
	for _, v := range cells[ranged:g.rest()] {
		g.worst[e] = g.worst[e].worse(v)
	}
	g.worst[e] = g.worst[e].worse(g.from[e][0])
}

// of returns the worst verdicts about the taints that u matches, which are some.
func (x *index) of(u *toleration.Toleration) verdicts {
	if e := u.Effect(); e != 0 {
		return x.under(u, e)
	}
	v := x.under(u, taint.NoSchedule)
	for e := taint.PreferNoSchedule; e <= taint.NoExecute; e++ {
		v = v.worse(x.under(u, e))
	}
	return v
}

func (x *index) under(u *toleration.Toleration, e taint.Effect) verdicts {
	if u.Key() == "" {
		return x.worst[e]
	}
	g := x.byKey[u.Key()]
	if g == nil {
		g = x.groups[0]
	}
	switch u.Operator() {
	case 0, toleration.Equal:
		return g.cells[e][g.cell(u)]
	case toleration.Exists:
		return g.worst[e]
	case toleration.Lt:
		_, hi, _ := span(u)
		return g.upTo[e][g.interval(hi)]
	case toleration.Gt:
		lo, _, _ := span(u)
		return g.from[e][g.interval(lo)]
	}
	return verdicts{allow: verdict{len(x.allow), g, e, g.rest()}, deny: verdict{clause: len(x.deny)}} // an unknown operator is refused
}

// allows reports whether an allow clause allows each taint that u tolerates for as long. u
// matches some.
func (x *index) allows(u *toleration.Toleration) bool {
	allow := x.of(u).allow.clause
	return allow < len(x.allow) && lengthOf(u) <= x.allow[allow].limit()
}

// indexOf returns the index of a policy that allows what the list as a whole covers by
// [toleration.Longest].
func indexOf(list toleration.List) *index {
	var clauses []clause // one for each length of time
	at := make(map[length]int)
	for _, u := range list {
		if cover.MatchesNothing(u) || u.Operator() > toleration.Gt { // the index does not know it
			continue
		}
		i, known := at[lengthOf(&u)]
		if !known {
			i = len(clauses)
			at[lengthOf(&u)] = i
			var c clause
			if n, timed := u.Seconds(); timed {
				c.MaxSeconds = &n
			}
			clauses = append(clauses, c)
		}
		clauses[i].Taints = append(clauses[i].Taints, u.WithoutSeconds())
	}
	return newIndex(nil, clauses)
}

// witness returns a taint of the verdict's cell that u matches.
func (x *index) witness(v verdict, u *toleration.Toleration) taint.Taint {
	g := v.group
	key := cmp.Or(u.Key(), g.key)
	if key == "" {
		key = x.unused
	}
	var val string
	switch {
	case u.Operator() == 0 || u.Operator() == toleration.Equal:
		val = u.Value()
	case v.cell < len(g.starts):
		n := g.starts[v.cell]
		if u.Operator() == toleration.Gt {
			lo, _, _ := span(u)
			n = max(n, lo)
		}
		val = strconv.FormatInt(n, 10)
	case v.cell < g.rest():
		val = g.values[v.cell-len(g.starts)]
	default:
		val = g.unused
	}
	t, err := taint.New(key, val, v.effect)
	if err != nil {
		panic("policy: " + err.Error()) // not reached
	}
	return t
}
