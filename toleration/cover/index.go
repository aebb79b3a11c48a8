package cover

import (
	"math"
	"slices"
	"sort"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An index finds in O(log n) which toleration of a list decides about a class of
// taints. That of a short list scans it, which takes O(n) and does not allocate.
//
// The tolerations of one key divide that key's values into cells; the taints of
// a cell match the same tolerations. The cells are intervals of integers, single
// values that are not integers, and one cell of all other values. Lt matches the
// intervals up to one of them, Gt those from one of them on, Equal one cell, and
// Exists all cells. So the toleration that decides is the best of a few: of
// Exists with the key and without one, of Equal in the cell, of Lt that end in
// the cell or above it, and of Gt that begin in it or below it. The last two are
// kept in Fenwick trees of the best, which accept additions in any order.
//
// An index is made for all tolerations of its list, but only those that were
// inserted decide.
type index struct {
	choice  toleration.Choice
	list    toleration.List
	without int                              // the index of a toleration that is not inserted, or -1
	groups  map[unique.Handle[string]]*group // by key; that of anyKey has only exists; nil if the list is scanned
	named   map[keyValue]int                 // cells of the values that are not integers, counted from the end of the intervals
}

type keyValue struct{ key, value unique.Handle[string] }

// A group holds the tolerations of one key, by effect, where 0 is the absent
// effect. A toleration is stored as its index in the list plus 1; 0 is none.
type group struct {
	key    unique.Handle[string]
	starts []int64 // of the intervals, in order; the first is 0
	values int     // number of named values that are not integers
	ranged bool    // a toleration has Lt or Gt
	exists [effects]int
	equal  [effects][]int // by cell
	lt, gt [effects][]int // Fenwick trees over the intervals, lt from the last one down
}

const effects = int(taint.NoExecute) + 1

// newIndex returns an index of the list with no toleration inserted, for about so many
// calls of its methods.
func newIndex(choice toleration.Choice, list toleration.List, calls int) index {
	x := index{choice: choice, list: list, without: -1}
	if min(len(list), calls) <= set.Short {
		x.list = list[:0]
		return x
	}
	x.groups, x.named = make(map[unique.Handle[string]]*group), make(map[keyValue]int)
	for i := range list {
		u := &list[i]
		g := x.groups[keyOf(u)]
		if g == nil {
			g = &group{key: keyOf(u), starts: make([]int64, 1, 3)}
			x.groups[g.key] = g
		}
		x.divide(g, u)
	}
	for _, g := range x.groups {
		slices.Sort(g.starts)
		g.starts = slices.Compact(g.starts)
	}
	return x
}

// fullIndex returns an index of the list with all tolerations inserted except that at
// index without.
func fullIndex(choice toleration.Choice, list toleration.List, calls, without int) index {
	x := newIndex(choice, list, calls)
	x.list, x.without = list, without
	for i := range list {
		if x.groups != nil && i != without {
			x.insert(i)
		}
	}
	return x
}

// divide adds the cells that exist because of u.
func (x *index) divide(g *group, u *toleration.Toleration) {
	g.ranged = g.ranged || u.IsNumeric()
	if u.Operator() == toleration.Exists || u.IsZero() {
		return
	}
	lo, hi := span(u)
	switch {
	case lo > hi && isEqual(u):
		name := keyValue{g.key, valueOf(u)}
		if _, ok := x.named[name]; !ok {
			x.named[name] = g.values
			g.values++
		}
	case lo <= hi:
		g.starts = append(g.starts, lo)
		if hi < math.MaxInt64 {
			g.starts = append(g.starts, hi+1)
		}
	}
}

// cells returns the number of cells: first the intervals, then the named values,
// then the cell of all other values.
func (g *group) cells() int { return len(g.starts) + g.values + 1 }

// interval returns the cell of an integer.
func (g *group) interval(n int64) int {
	return sort.Search(len(g.starts), func(i int) bool { return g.starts[i] > n }) - 1
}

// value returns the cell of a value.
func (x *index) value(g *group, h unique.Handle[string]) int {
	if cell, ok := x.named[keyValue{g.key, h}]; ok {
		return len(g.starts) + cell
	}
	if h != (unique.Handle[string]{}) {
		if n, rule := syntax.Integer(h.Value()); rule == 0 && n >= 0 {
			return g.interval(n)
		}
	}
	return g.cells() - 1
}

// cell returns the cell of the taints of the class.
func (x *index) cell(g *group, c *class) int {
	switch c.kind {
	case integer:
		return g.interval(c.n)
	case named:
		return x.value(g, c.value)
	}
	return g.cells() - 1
}

// insert adds the toleration at index i to those that decide. It takes O(log n).
func (x *index) insert(i int) {
	if x.groups == nil {
		x.list = x.list[:i+1]
		return
	}
	u := &x.list[i]
	if MatchesNothing(*u) {
		return
	}
	g, e := x.groups[keyOf(u)], u.Effect()
	switch u.Operator() {
	case toleration.Exists:
		g.exists[e] = x.better(g.exists[e], i+1)
	case toleration.Lt:
		_, hi := span(u)
		x.raise(&g.lt[e], len(g.starts), len(g.starts)-1-g.interval(hi), i+1)
	case toleration.Gt:
		lo, _ := span(u)
		x.raise(&g.gt[e], len(g.starts), g.interval(lo), i+1)
	case 0, toleration.Equal:
		if g.equal[e] == nil {
			g.equal[e] = make([]int, g.cells())
		}
		cell := &g.equal[e][x.value(g, valueOf(u))]
		*cell = x.better(*cell, i+1)
	}
}

// raise makes i the best at a position of a Fenwick tree and at those behind it,
// where no better one is stored.
func (x *index) raise(tree *[]int, size, at, i int) {
	if *tree == nil {
		*tree = make([]int, size+1)
	}
	for at++; at <= size; at += at & -at {
		(*tree)[at] = x.better((*tree)[at], i)
	}
}

// best returns the better of i and the best at a position of a Fenwick tree or
// before it.
func (x *index) best(tree []int, at, i int) int {
	if tree == nil {
		return i
	}
	for at++; at > 0; at &= at - 1 {
		i = x.better(i, tree[at])
	}
	return i
}

// better returns which of two tolerations decides. Both are in the form in which
// a group stores them.
func (x *index) better(i, j int) int {
	switch {
	case i == 0 || j == 0:
		return i + j
	case i > j:
		i, j = j, i
	}
	if x.choice != toleration.First && x.choice.Prefers(x.list[j-1], x.list[i-1]) {
		return j
	}
	return i
}

// decides returns the index of the toleration that decides about the class, or
// -1 if none matches it.
func (x *index) decides(c *class) int {
	if x.groups == nil {
		return c.decides(x.choice, x.list, x.without)
	}
	if g := x.groups[c.key]; g != nil && c.key != anyKey {
		return x.at(g, c.effect, x.cell(g, c))
	}
	return x.at(nil, c.effect, 0)
}

// at returns the index of the toleration that decides about the taints with the
// effect in a cell of the group, or -1 if none matches. A nil group is that of
// the keys that are not named.
func (x *index) at(g *group, effect taint.Effect, cell int) int {
	best, every := 0, x.groups[anyKey]
	for _, e := range [...]taint.Effect{0, effect} {
		if every != nil {
			best = x.better(best, every.exists[e])
		}
		if g != nil {
			best = x.inCell(g, e, cell, best)
		}
	}
	return best - 1
}

// inCell returns the best of i and of the tolerations with the group's key and
// exactly this effect that match the cell.
func (x *index) inCell(g *group, e taint.Effect, cell, i int) int {
	i = x.better(i, g.exists[e])
	if g.equal[e] != nil {
		i = x.better(i, g.equal[e][cell])
	}
	if cell < len(g.starts) {
		i = x.best(g.lt[e], len(g.starts)-1-cell, i)
		i = x.best(g.gt[e], cell, i)
	}
	return i
}

// covers reports whether a single toleration covers u. The choice is Longest.
func (x *index) covers(u *toleration.Toleration) bool {
	if x.groups == nil {
		for i := range x.list {
			if covers(&x.list[i], u) {
				return true
			}
		}
		return false
	}
	if MatchesNothing(*u) {
		return len(x.list) > 0
	}
	best, g := 0, x.groups[keyOf(u)]
	// A toleration without an effect matches every effect.
	for e := taint.Effect(0); ; e = u.Effect() {
		if every := x.groups[anyKey]; every != nil {
			best = x.better(best, every.exists[e])
		}
		if g != nil && keyOf(u) != anyKey {
			best = x.around(g, e, u, best)
		}
		if e == u.Effect() {
			return best > 0 && !longer(u, &x.list[best-1])
		}
	}
}

// around returns the best of i and of the tolerations with the group's key and
// exactly this effect that match all values that u matches.
func (x *index) around(g *group, e taint.Effect, u *toleration.Toleration, i int) int {
	if u.Operator() == toleration.Exists {
		return x.better(i, g.exists[e])
	}
	lo, hi := span(u)
	if lo > hi {
		return x.inCell(g, e, x.value(g, valueOf(u)), i)
	}
	i = x.better(i, g.exists[e])
	if lo == hi && g.equal[e] != nil {
		i = x.better(i, g.equal[e][g.interval(lo)])
	}
	i = x.best(g.lt[e], len(g.starts)-1-g.interval(hi), i)
	return x.best(g.gt[e], g.interval(lo), i)
}

// ranged reports whether the list has Lt or Gt under the key.
func (x *index) ranged(key unique.Handle[string]) bool {
	if x.groups == nil {
		return slices.ContainsFunc(x.list, func(u toleration.Toleration) bool { return keyOf(&u) == key && u.IsNumeric() })
	}
	g := x.groups[key]
	return g != nil && g.ranged
}
