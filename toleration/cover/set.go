package cover

import (
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Set is the set of the taints that a toleration of In matches and no
// toleration of Except matches. Seconds do not count. The zero Set is empty.
// Set{In: a, Except: b} has the taints that a tolerates and b does not.
type Set struct {
	In, Except toleration.List
}

// Within reports whether every taint in s is in at least one of the others.
func (s Set) Within(others ...Set) bool {
	_, found := s.find(others, false)
	return !found
}

// Common returns a taint that is in s and in all of the others, or false if
// there is none.
func (s Set) Common(others ...Set) (t taint.Taint, found bool) {
	c, found := s.find(others, true)
	return s.taint(&c, found, others), found
}

// Outside returns a taint that is in s and in none of the others, or false if
// there is none.
func (s Set) Outside(others ...Set) (t taint.Taint, found bool) {
	c, found := s.find(others, false)
	return s.taint(&c, found, others), found
}

// taint returns a taint of the class if one was found.
func (s Set) taint(c *class, found bool, others []Set) taint.Taint {
	if !found {
		return taint.Taint{}
	}
	return c.taint(s, others)
}

// find returns a class of taints in s that is in each of the others if inOthers
// is set, and in none of them otherwise. Whether a taint is in a set depends only
// on which tolerations match it, so one taint of each class is enough.
func (s Set) find(others []Set, inOthers bool) (class, bool) {
	if c, found := unknown(s.In); found && !inOthers {
		return c, true // it is not known to be in any of them
	}
	if s.isLarge(others) {
		return s.findCounted(others, inOthers)
	}
	for i := range 2 + 2*len(others) {
		list := s.list(others, i)
		for j := range list {
			key := keyOf(&list[j])
			if !reaches(s.In, key) || inOthers && slices.ContainsFunc(others, func(o Set) bool { return !reaches(o.In, key) }) {
				continue // as for most tolerations
			}
			classes, n := classesOf(&list[j], selective(&list[j]) && s.ranged(key, others))
			first, last := effectsOf(&list[j])
			for _, c := range classes[:n] {
				for c.effect = first; c.effect <= last; c.effect++ {
					if s.has(&c) && !slices.ContainsFunc(others, func(o Set) bool { return o.has(&c) != inOthers }) {
						return c, true
					}
				}
			}
		}
	}
	return class{}, false
}

// isLarge reports whether there are too many tolerations to scan them for each one
// whose key s reaches.
func (s Set) isLarge(others []Set) bool {
	all, near := 0, 0
	for i := range 2 + 2*len(others) {
		list := s.list(others, i)
		all += len(list)
		for j := range list {
			if reaches(s.In, keyOf(&list[j])) {
				near++
			}
			if all > maxScan && all*near > maxScan*maxScan {
				return true
			}
		}
	}
	return false
}

// list returns list i of s and the others: In and Except of s, then those of each
// of the others.
func (s *Set) list(others []Set, i int) toleration.List {
	if i > 1 {
		s = &others[i/2-1]
	}
	if i%2 == 0 {
		return s.In
	}
	return s.Except
}

// findCounted is find for many tolerations.
func (s Set) findCounted(others []Set, inOthers bool) (class, bool) {
	in, except := fullIndex(toleration.First, s.In), fullIndex(toleration.First, s.Except)
	counts := count(others)
	want := 0
	if inOthers {
		want = len(others)
	}
	for i := range 2 + 2*len(others) {
		list := s.list(others, i)
		for j := range list {
			key := keyOf(&list[j])
			if in.groups[key] == nil && in.groups[anyKey] == nil {
				continue
			}
			classes, n := classesIn(&list[j], in.ranged(key) || except.ranged(key) || counts.ranged(key))
			for k := range classes[:n] {
				if c := &classes[k]; in.decides(c) >= 0 && except.decides(c) < 0 && counts.of(c) == want {
					return *c, true
				}
			}
		}
	}
	return class{}, false
}

// has reports whether the set has the taints of the class.
func (s Set) has(c *class) bool {
	return c.decides(toleration.First, s.In, -1) >= 0 && c.decides(toleration.First, s.Except, -1) < 0
}

// reaches reports whether the list has a toleration with the key or without a
// key.
func reaches(list toleration.List, key unique.Handle[string]) bool {
	for i := range list {
		if k := keyOf(&list[i]); k == key || k == anyKey {
			return true
		}
	}
	return false
}

// ranged reports whether one of the sets has Lt or Gt under the key.
func (s Set) ranged(key unique.Handle[string], others []Set) bool {
	for i := range 2 + 2*len(others) {
		if ranged(key, s.list(others, i)) {
			return true
		}
	}
	return false
}

// A tally holds, for each class of taints, how many of some sets have it.
type tally struct {
	*index                                    // with no toleration inserted: it divides the values
	cells  map[unique.Handle[string]]*tallied // by key; anyKey: the keys that are not named
}

// A tallied holds, for each effect and each cell of a group, how many sets have
// its taints. For anyKey there is one cell.
type tallied [effects][]int

// A member is a toleration of a set.
type member struct {
	toleration toleration.Toleration
	set        int
	side       int // 0 in the set's Except, 1 in its In
}

// count returns the tally of the sets. It takes O(n·log n): a walk through the
// cells of a key adds each toleration of that key once and removes it once.
func count(sets []Set) tally {
	var list toleration.List
	byKey := make(map[unique.Handle[string]][]member)
	for i, s := range sets {
		for side, part := range [...]toleration.List{s.Except, s.In} {
			list = append(list, part...)
			for _, u := range part {
				if !Empty(u) {
					byKey[keyOf(&u)] = append(byKey[keyOf(&u)], member{u, i, side})
				}
			}
		}
	}
	t := tally{newIndex(toleration.First, list), make(map[unique.Handle[string]]*tallied)}
	t.cells[anyKey] = new(tallied)
	w := walk{matching: make([][2]int, len(sets))}
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		w.add(byKey[anyKey], e, 1)
		t.cells[anyKey][e] = []int{w.have}
		for key, members := range byKey {
			if key == anyKey {
				continue
			}
			if t.cells[key] == nil {
				t.cells[key] = new(tallied)
			}
			t.cells[key][e] = t.through(&w, t.groups[key], members, e)
		}
		w.add(byKey[anyKey], e, -1)
	}
	return t
}

// of returns how many sets have the class.
func (t tally) of(c *class) int {
	cells := t.cells[c.key]
	if cells == nil || c.key == anyKey {
		return t.cells[anyKey][c.effect][0]
	}
	return cells[c.effect][t.cell(t.groups[c.key], c)]
}

// A walk visits cell after cell and counts the tolerations that match the current
// cell.
type walk struct {
	matching [][2]int // by set: how many tolerations of Except and of In match
	have     int      // how many sets have the taints of the cell
}

// add adds the tolerations that match the effect, or removes them if n is -1.
func (w *walk) add(members []member, e taint.Effect, n int) {
	for _, m := range members {
		if of := m.toleration.Effect(); of != 0 && of != e {
			continue
		}
		of := &w.matching[m.set]
		if of[0] == 0 && of[1] > 0 {
			w.have--
		}
		of[m.side] += n
		if of[0] == 0 && of[1] > 0 {
			w.have++
		}
	}
}

// through returns how many sets have the taints of each cell of the group. It
// leaves the walk as it was.
func (t tally) through(w *walk, g *group, members []member, e taint.Effect) []int {
	first := make([][]member, g.cells()) // by the first cell that they match
	last := make([][]member, g.cells())  // by the last cell that they match
	var exists []member
	for _, m := range members {
		var from, to int
		switch lo, hi := span(&m.toleration); {
		case m.toleration.Operator() == toleration.Exists:
			exists = append(exists, m)
			continue
		case lo > hi && !isEqual(&m.toleration):
			continue
		case lo > hi:
			from = t.value(g, valueOf(&m.toleration))
			to = from
		default:
			from, to = g.interval(lo), g.interval(hi)
		}
		first[from], last[to] = append(first[from], m), append(last[to], m)
	}
	w.add(exists, e, 1)
	counts := make([]int, g.cells())
	for cell := range counts {
		w.add(first[cell], e, 1)
		counts[cell] = w.have
		w.add(last[cell], e, -1)
	}
	w.add(exists, e, -1)
	return counts
}
