package cover

import (
	"math"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// UncoveredTaint returns a taint that the list tolerates, and that by does not
// tolerate or not for as long. It returns false if by covers the list. Two lists
// are equivalent if each covers the other.
func UncoveredTaint(list, by toleration.List, choice toleration.Choice) (t taint.Taint, found bool) {
	mustKnow(choice)
	c, found := find(choice, by, list)
	if !found {
		return taint.Taint{}, false
	}
	return c.taint(by, list), true
}

// mustKnow panics if the choice is unknown, whatever the lists.
func mustKnow(choice toleration.Choice) {
	if choice > toleration.ForeverElseShortest {
		choice.Prefers(toleration.Toleration{}, toleration.Toleration{})
	}
}

// Uncovered returns the indexes of the tolerations in the list that no single
// toleration of by covers, in order.
func Uncovered(list, by toleration.List) []int {
	var found []int
	if len(list)+len(by) <= maxScan || len(list) <= 1 || len(by) <= 1 {
		for i := range list {
			if !covered(by, &list[i]) {
				found = append(found, i)
			}
		}
		return found
	}
	x := fullIndex(toleration.Longest, by)
	for i := range list {
		if !x.covers(&list[i]) {
			found = append(found, i)
		}
	}
	return found
}

// UncoveredByList returns the indexes of the tolerations in the list that by, as
// a whole, does not cover, in order. Each toleration of the list is compared
// alone.
func UncoveredByList(list, by toleration.List, choice toleration.Choice) []int {
	mustKnow(choice)
	var found []int
	if len(list)+len(by) <= maxScan || len(list) <= 1 {
		for i := range list {
			if _, uncovered := find(choice, by, list[i:i+1]); uncovered {
				found = append(found, i)
			}
		}
		return found
	}
	b := boundOf(fullIndex(choice, by))
	for i := range list {
		if u := &list[i]; !Empty(*u) && b.least(u) < lengthOf(u) {
			found = append(found, i)
		}
	}
	return found
}

// Redundant reports whether the list tolerates the same taints, each for as
// long, without its toleration at index i. Of tolerations that make each other
// redundant, such as repeated ones, each is redundant: to remove several, use
// [Reduce]. It panics if i is out of range.
func Redundant(list toleration.List, i int, choice toleration.Choice) bool {
	mustKnow(choice)
	u := &list[i]
	if Empty(*u) || choice == toleration.First && shadowed(list[:i], u) {
		return true
	}
	if !isKnown(u) {
		return false
	}
	// The classes of u come first: usually u is needed for one of them.
	s := side{choice: choice, list: list}
	if s.need(u, u, i) {
		return false
	}
	if len(list) > maxScan {
		s.index = newIndex(choice, list)
		for k := range list {
			if k != i {
				s.index.insert(k)
			}
		}
	}
	for k := range list {
		v := &list[k]
		if key := keyOf(u); key != anyKey && key != keyOf(v) || k == i {
			continue // u matches no taint of these classes
		}
		if s.need(u, v, i) {
			return false
		}
	}
	return true
}

// need reports whether u, at index i of the list, is needed for a class that
// exists because of v.
func (s *side) need(u, v *toleration.Toleration, i int) bool {
	classes, n := classesOf(v, selective(v) && s.ranged(keyOf(v)))
	first, last := effectsOf(v)
	for _, c := range classes[:n] {
		for c.effect = first; c.effect <= last; c.effect++ {
			if c.matches(u) && needs(s.choice, s.list, i, s.decidesWithout(&c, i)) {
				return true
			}
		}
	}
	return false
}

// shadowed reports whether an earlier toleration matches everything that u
// matches, so that by First u never decides. This is the usual reason why a
// toleration is redundant.
func shadowed(earlier toleration.List, u *toleration.Toleration) bool {
	for i := range earlier {
		if v := &earlier[i]; coversKey(v, u) && (v.Effect() == 0 || v.Effect() == u.Effect()) && coversValue(v, u) {
			return true
		}
	}
	return false
}

// needs reports whether the list without its toleration at index i does not
// tolerate the taints of a class, or tolerates them for another time. Without
// it, the toleration at index next decides about the class, or none if next is
// -1.
func needs(choice toleration.Choice, list toleration.List, i, next int) bool {
	if next < 0 {
		return true
	}
	// With u in the list, the better of the two decides.
	u, v := &list[i], &list[next]
	decides := i < next && !choice.Prefers(*v, *u) || i > next && choice.Prefers(*u, *v)
	return decides && (longer(u, v) || longer(v, u))
}

// Reduce returns the tolerations of the lists, one list after the other, in
// order, without those that are not needed: the result tolerates the same
// taints, each for as long, and none of it is redundant. It is not always the
// shortest such list. An empty result is nil.
func Reduce(choice toleration.Choice, lists ...toleration.List) toleration.List {
	mustKnow(choice)
	n := total(lists)
	if n == 0 {
		return nil
	}
	list := concat(n, lists)
	if n > maxScan/2 {
		list = reduce(choice, list)
	} else {
		// One pass from the end is enough. A toleration that is removed later is
		// before u, so it does not remove the reason why u stayed: of a taint
		// that u decides, the next best is behind u by First, and by the other
		// choices it does not become better when the list becomes shorter.
		for i := len(list) - 1; i >= 0; i-- {
			if Redundant(list, i, choice) {
				list = slices.Delete(list, i, i+1)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// reduce is Reduce of a long list, which it overwrites.
//
// It visits the list from the end, as Reduce does. After each removal the
// remaining list is equivalent to the original one. So u at index i is needed
// exactly if it decides about some class in the whole list, and either no
// toleration kept behind it matches that class, or the best of them holds for
// another time. If another toleration decides about the class, that one or an
// equivalent one is still in the list. If u decides, no toleration before it
// matches by First, and by the other choices none of those that match is better.
func reduce(choice toleration.Choice, list toleration.List) toleration.List {
	d := decidedClasses(choice, list)
	kept := newIndex(choice, list)
	keep := make([]bool, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		for k := d.last[i]; k >= 0 && !keep[i]; k = d.before[k] {
			keep[i] = needs(choice, list, i, kept.decides(&d.classes[k]))
		}
		if keep[i] {
			kept.insert(i)
		}
	}
	n := 0
	for i := range list {
		if keep[i] {
			list[n] = list[i]
			n++
		}
	}
	clear(list[n:])
	return list[:n]
}

// A decided holds classes in chains, one for each toleration of a list: the
// classes that it decides about. A chain ends at -1.
type decided struct {
	classes []class
	before  []int // by class: the class before it in its chain
	last    []int // by toleration: the last class of its chain
}

func decidedClasses(choice toleration.Choice, list toleration.List) decided {
	d := decided{last: make([]int, len(list))}
	for i := range d.last {
		d.last[i] = -1
	}
	all := fullIndex(choice, list)
	for i := range list {
		classes, n := classesIn(&list[i], all.ranged(keyOf(&list[i])))
		for _, c := range classes[:n] {
			if by := all.decides(&c); by >= 0 {
				d.classes, d.before = append(d.classes, c), append(d.before, d.last[by])
				d.last[by] = len(d.classes) - 1
			}
		}
	}
	return d
}

// A side is one of two lists that are compared. If its index is nil, the list is
// scanned.
type side struct {
	choice toleration.Choice
	list   toleration.List
	index  *index
}

// decides returns the index of the toleration that decides about the class, or
// -1 if none matches it.
func (s *side) decides(c *class) int {
	if s.index != nil {
		return s.index.decides(c)
	}
	return c.decides(s.choice, s.list, -1)
}

// decidesWithout is decides for the list without its toleration at index i,
// which is not in the index.
func (s *side) decidesWithout(c *class, i int) int {
	if s.index != nil {
		return s.index.decides(c)
	}
	return c.decides(s.choice, s.list, i)
}

// ranged reports whether the list has Lt or Gt under the key.
func (s *side) ranged(key unique.Handle[string]) bool {
	if s.index != nil {
		return s.index.ranged(key)
	}
	return ranged(key, s.list)
}

// find returns a class of taints that list tolerates, and that by does not
// tolerate or not for as long.
func find(choice toleration.Choice, by, list toleration.List) (class, bool) {
	if c, found := unknown(list); found {
		return c, true // by is not known to cover it
	}
	a, b := side{choice, by, nil}, side{choice, list, nil}
	if len(by)+len(list) > maxScan {
		a.index, b.index = fullIndex(choice, by), fullIndex(choice, list)
	}
	for _, source := range [...]toleration.List{list, by} {
		for i := range source {
			u := &source[i]
			classes, n := classesOf(u, selective(u) && (a.ranged(keyOf(u)) || b.ranged(keyOf(u))))
			first, last := effectsOf(u)
			for _, c := range classes[:n] {
				for c.effect = first; c.effect <= last; c.effect++ {
					if b.toleratesLonger(&c, &a) {
						return c, true
					}
				}
			}
		}
	}
	return class{}, false
}

// toleratesLonger reports whether s tolerates the class, and other does not or
// not for as long.
func (s *side) toleratesLonger(c *class, other *side) bool {
	j := s.decides(c)
	if j < 0 {
		return false
	}
	i := other.decides(c)
	return i < 0 || longer(&s.list[j], &other.list[i])
}

// longer reports whether u holds longer than v, where both match the same taint.
// Only tolerations of NoExecute have seconds, so for other taints no two
// tolerations differ.
func longer(u, v *toleration.Toleration) bool { return toleration.Longest.Prefers(*u, *v) }

// A length is how long a taint is tolerated: 0 if it is not tolerated, one more
// than the seconds, or forever.
type length uint64

const forever length = math.MaxUint64

func lengthOf(u *toleration.Toleration) length {
	if n, timed := u.Seconds(); timed {
		return length(max(n, 0)) + 1
	}
	return forever
}

// A bound finds how long a list tolerates, at least, all taints that a
// toleration matches.
type bound struct {
	*index
	keys   map[unique.Handle[string]]*lengths
	lowest [effects]length // of all keys
	rest   [effects]length // of the keys that the list does not name
}

// lengths are the least times for which a list tolerates the taints of a key, by
// effect.
type lengths struct {
	each   [effects][]length // by cell
	up     [effects][]length // by interval: the least of it and those below
	down   [effects][]length // by interval: the least of it and those above
	lowest [effects]length   // of all cells
}

func boundOf(x *index) bound {
	b := bound{index: x, keys: make(map[unique.Handle[string]]*lengths)}
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		b.rest[e] = b.of(x.decides(&class{effect: e}))
		b.lowest[e] = b.rest[e]
	}
	for key, g := range x.groups {
		if key == anyKey {
			continue
		}
		l := b.lengths(g)
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			b.lowest[e] = min(b.lowest[e], l.lowest[e])
		}
		b.keys[key] = l
	}
	return b
}

func (b *bound) lengths(g *group) *lengths {
	l := new(lengths)
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		l.each[e] = make([]length, g.cells())
		for cell := range l.each[e] {
			l.each[e][cell] = b.of(b.at(g, e, cell))
		}
		intervals := l.each[e][:len(g.starts)]
		l.up[e], l.down[e] = slices.Clone(intervals), slices.Clone(intervals)
		for i := 1; i < len(intervals); i++ {
			l.up[e][i] = min(l.up[e][i], l.up[e][i-1])
			j := len(intervals) - 1 - i
			l.down[e][j] = min(l.down[e][j], l.down[e][j+1])
		}
		l.lowest[e] = slices.Min(l.each[e])
	}
	return l
}

// of returns the length of the toleration at index i of the list, or 0 if i is
// -1.
func (b *bound) of(i int) length {
	if i < 0 {
		return 0
	}
	return lengthOf(&b.list[i])
}

// least returns how long the list tolerates, at least, all taints that u
// matches. u is not empty.
func (b *bound) least(u *toleration.Toleration) length {
	key := keyOf(u)
	l, g := b.keys[key], b.groups[key]
	lo, hi := span(u)
	first, last := effectsOf(u)
	least := forever
	for e := first; e <= last; e++ {
		switch {
		case key == anyKey:
			least = min(least, b.lowest[e])
		case l == nil:
			least = min(least, b.rest[e])
		case u.Operator() == toleration.Exists:
			least = min(least, l.lowest[e])
		case u.Operator() == toleration.Lt:
			least = min(least, l.up[e][g.interval(hi)])
		case u.Operator() == toleration.Gt:
			least = min(least, l.down[e][g.interval(lo)])
		case isEqual(u):
			least = min(least, l.each[e][b.value(g, valueOf(u))])
		default:
			return 0
		}
	}
	return least
}
