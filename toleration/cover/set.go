package cover

import (
	"unique"

	"github.com/go-tolerate/tolerate/toleration"
)

// A Set is the set of the taints that a toleration of In matches and no
// toleration of Except matches. Seconds do not count. The zero Set is empty.
// Set{In: a, Except: b} has the taints that a tolerates and b does not.
type Set struct {
	In, Except toleration.List
}

// Within reports whether every taint in s is in the other set.
//
// Whether a taint is in a set depends only on which tolerations match it, so one
// taint of each class is enough.
func (s Set) Within(other Set) bool {
	if _, found := unknown(s.In); found {
		return false // it is not known to be in the other
	}
	lists := [...]toleration.List{s.In, s.Except, other.In, other.Except}
	if isLarge(lists[:]) {
		return s.withinIndexed(other, lists[:])
	}
	for _, list := range lists {
		for j := range list {
			key := keyOf(&list[j])
			if !reaches(s.In, key) {
				continue // as for most tolerations
			}
			classes, n := classesOf(&list[j], selective(&list[j]) && anyRanged(key, lists[:]))
			first, last := effectsOf(&list[j])
			for _, c := range classes[:n] {
				for c.effect = first; c.effect <= last; c.effect++ {
					if s.has(&c) && !other.has(&c) {
						return false
					}
				}
			}
		}
	}
	return true
}

// isLarge reports whether there are too many tolerations to scan them for each one
// whose key the first list reaches.
func isLarge(lists []toleration.List) bool {
	all, near := 0, 0
	for _, list := range lists {
		all += len(list)
		for j := range list {
			if reaches(lists[0], keyOf(&list[j])) {
				near++
			}
			if all > maxScan && all*near > maxScan*maxScan {
				return true
			}
		}
	}
	return false
}

// withinIndexed is Within for many tolerations.
func (s Set) withinIndexed(other Set, lists []toleration.List) bool {
	own, others := indexed(s), indexed(other)
	for _, list := range lists {
		for j := range list {
			key := keyOf(&list[j])
			if own.in.groups[key] == nil && own.in.groups[anyKey] == nil {
				continue
			}
			classes, n := classesIn(&list[j], own.ranged(key) || others.ranged(key))
			for k := range classes[:n] {
				if c := &classes[k]; own.has(c) && !others.has(c) {
					return false
				}
			}
		}
	}
	return true
}

// An indexedSet is a Set with an index of each list.
type indexedSet struct{ in, except *index }

func indexed(s Set) indexedSet {
	return indexedSet{fullIndex(toleration.First, s.In), fullIndex(toleration.First, s.Except)}
}

func (s indexedSet) has(c *class) bool { return s.in.decides(c) >= 0 && s.except.decides(c) < 0 }

func (s indexedSet) ranged(key unique.Handle[string]) bool {
	return s.in.ranged(key) || s.except.ranged(key)
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

// anyRanged reports whether one of the lists has Lt or Gt under the key.
func anyRanged(key unique.Handle[string], lists []toleration.List) bool {
	for _, list := range lists {
		if ranged(key, list) {
			return true
		}
	}
	return false
}
