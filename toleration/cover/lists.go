package cover

import (
	"slices"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Merge returns the first list, followed by each toleration of the others that matches
// some taint and that none before it covers. An empty result is nil. It is idempotent.
//
// [toleration.List.ValidateUpdate] accepts the result as an update of the first list. By
// [toleration.First], a taint that the first list tolerates is tolerated for as long as
// before.
func Merge(lists ...toleration.List) toleration.List {
	all := slices.Concat(lists...)
	if len(all) == 0 {
		return nil
	}
	x := newIndex(toleration.Longest, all, len(all))
	first, dropped := len(lists[0]), false
	for i := range all {
		if u := &all[i]; i < first || !MatchesNothing(*u) && !x.covers(u) {
			x.insert(i)
		} else {
			*u, dropped = toleration.Toleration{}, true
		}
	}
	if dropped {
		all = all[:first+len(slices.DeleteFunc(all[first:], toleration.Toleration.IsZero))]
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Uncovered returns the indices of the tolerations in the list that no single one of by
// covers.
func Uncovered(list, by toleration.List) []int {
	var found []int
	x := fullIndex(toleration.Longest, by, len(list), -1)
	for i := range list {
		if !x.covers(&list[i]) {
			found = append(found, i)
		}
	}
	return found
}

// UncoveredTaint returns a taint that the list tolerates, and that by does not tolerate
// or not for as long; false if by covers the list.
func UncoveredTaint(list, by toleration.List, choice toleration.Choice) (t taint.Taint, found bool) {
	mustKnow(choice)
	c, found := uncovered(list, by, choice)
	if !found {
		return taint.Taint{}, false
	}
	return c.taint(by, list), true
}

// uncovered returns a class of the taints that UncoveredTaint can return.
func uncovered(list, by toleration.List, choice toleration.Choice) (class, bool) {
	if c, found := unknown(list); found {
		return c, true // by is not known to cover it
	}
	calls := len(list) + len(by)
	x, other := fullIndex(choice, list, calls, -1), fullIndex(choice, by, calls, -1)
	for _, source := range [...]toleration.List{list, by} {
		for i := range source {
			u := &source[i]
			classes, n := classesOf(u, selective(u) && (x.ranged(keyOf(u)) || other.ranged(keyOf(u))))
			first, last := effectsOf(u)
			for _, c := range classes[:n] {
				for c.effect = first; c.effect <= last; c.effect++ {
					j := x.decides(&c)
					if j < 0 {
						continue
					}
					if k := other.decides(&c); k < 0 || longer(&list[j], &by[k]) {
						return c, true
					}
				}
			}
		}
	}
	return class{}, false
}

// mustKnow panics if the choice is unknown, whatever the lists.
func mustKnow(choice toleration.Choice) {
	if choice > toleration.ForeverElseShortest {
		choice.Prefers(toleration.Toleration{}, toleration.Toleration{})
	}
}

// Redundant reports whether the list tolerates the same taints, each for as long, without
// its toleration at index i. Of tolerations that make each other redundant, each is:
// remove one after the other. It panics if i is out of range.
func Redundant(list toleration.List, i int, choice toleration.Choice) bool {
	mustKnow(choice)
	u := &list[i]
	if MatchesNothing(*u) {
		return true
	}
	if !isKnown(u) {
		return false
	}
	// The classes of u come first: usually u is needed for one of them.
	x := fullIndex(choice, list, 1, i)
	if x.needs(u, u, i) {
		return false
	}
	x = fullIndex(choice, list, len(list), i)
	for k := range list {
		v := &list[k]
		if key := keyOf(u); key != anyKey && key != keyOf(v) || k == i {
			continue // u matches no taint of these classes
		}
		if x.needs(u, v, i) {
			return false
		}
	}
	return true
}

// needs reports whether u, at index i of the list but not in the index, is needed for
// a class that exists because of v: without u, the list does not tolerate its taints,
// or tolerates them for another time.
func (x *index) needs(u, v *toleration.Toleration, i int) bool {
	classes, n := classesOf(v, selective(v) && x.ranged(keyOf(v)))
	first, last := effectsOf(v)
	for _, c := range classes[:n] {
		for c.effect = first; c.effect <= last; c.effect++ {
			if !c.matches(u) {
				continue
			}
			next := x.decides(&c)
			if next < 0 {
				return true
			}
			// With u in the list, the better of the two decides.
			w := &x.list[next]
			decides := i < next && !x.choice.Prefers(*w, *u) || i > next && x.choice.Prefers(*u, *w)
			if decides && (longer(u, w) || longer(w, u)) {
				return true
			}
		}
	}
	return false
}

// longer reports whether u holds longer than v, where both match the same taint.
// Only tolerations of NoExecute have seconds, so for other taints no two
// tolerations differ.
func longer(u, v *toleration.Toleration) bool { return toleration.Longest.Prefers(*u, *v) }
