package cover

import (
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// An index finds in O(log n) which toleration of a list decides about a class of
// taints. That of a short list scans it, which takes O(n) and does not allocate.
//
// The tolerations of one key divide that key's values into cells. Lt matches the
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
}

// A group holds the tolerations of one key, by effect, where 0 is the absent
// effect. A toleration is stored as its index in the list plus 1; 0 is none.
type group struct {
	cells.Values
	ranged bool // a toleration has Lt or Gt
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
	x.groups = make(map[unique.Handle[string]]*group)
	for i := range list {
		u := &list[i]
		g := x.groups[keyOf(u)]
		if g == nil {
			g = new(group)
			x.groups[keyOf(u)] = g
		}
		g.ranged = g.ranged || u.IsNumeric()
		if !u.IsZero() {
			g.Add(u)
		}
	}
	for _, g := range x.groups {
		g.Sort()
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
	first, last := g.Range(u)
	switch u.Operator() {
	case toleration.Exists:
		g.exists[e] = x.better(g.exists[e], i+1)
	case toleration.Lt:
		x.raise(&g.lt[e], g.Intervals(), g.Intervals()-1-last, i+1)
	case toleration.Gt:
		x.raise(&g.gt[e], g.Intervals(), first, i+1)
	case 0, toleration.Equal:
		if g.equal[e] == nil {
			g.equal[e] = make([]int, g.Len())
		}
		g.equal[e][first] = x.better(g.equal[e][first], i+1)
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
	g := x.groups[c.key]
	if g == nil || c.key == anyKey {
		return x.at(nil, c.effect, 0, 0)
	}
	cell := g.Len() - 1
	switch c.kind {
	case integer:
		cell = g.Interval(c.n)
	case named:
		cell = g.Cell(value.Text(c.value))
	}
	return x.at(g, c.effect, cell, cell)
}

// at returns the index of the toleration that decides about the taints with the effect
// in these cells of the group, among those that match all of them, or -1 if there is
// none. The effect 0 is every effect. A nil group is that of the keys that are not named.
func (x *index) at(g *group, effect taint.Effect, first, last int) int {
	best, every := 0, x.groups[anyKey]
	for _, e := range [...]taint.Effect{0, effect} {
		if every != nil {
			best = x.better(best, every.exists[e])
		}
		if g == nil {
			continue
		}
		best = x.better(best, g.exists[e])
		if first == last && g.equal[e] != nil {
			best = x.better(best, g.equal[e][first])
		}
		if last < g.Intervals() {
			best = x.best(g.lt[e], g.Intervals()-1-last, best)
			best = x.best(g.gt[e], first, best)
		}
	}
	return best - 1
}

// covers reports whether a single toleration covers u. The choice is Longest.
func (x *index) covers(u *toleration.Toleration) bool {
	if MatchesNothing(*u) {
		return len(x.list) > 0
	}
	if x.groups == nil {
		for i := range x.list {
			if covers(&x.list[i], u) {
				return true
			}
		}
		return false
	}
	g, first, last := x.groups[keyOf(u)], 0, 0
	if keyOf(u) == anyKey {
		g = nil
	}
	if g != nil {
		first, last = g.Range(u)
	}
	best := x.at(g, u.Effect(), first, last)
	return best >= 0 && !longer(u, &x.list[best])
}

// ranged reports whether the list has Lt or Gt under the key.
func (x *index) ranged(key unique.Handle[string]) bool {
	if x.groups == nil {
		return slices.ContainsFunc(x.list, func(u toleration.Toleration) bool { return keyOf(&u) == key && u.IsNumeric() })
	}
	g := x.groups[key]
	return g != nil && g.ranged
}
