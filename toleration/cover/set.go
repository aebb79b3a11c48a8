package cover

import (
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Set is a set of taints, told by tolerations: those that one of In matches
// and none of Except. Seconds do not count. The zero Set is empty; Set{In: u,
// Except: v} is what u tolerates and v does not.
type Set struct {
	In, Except []toleration.Toleration
}

// Has reports whether the taint is in the set. It does not allocate.
func (s Set) Has(t taint.Taint) bool {
	return toleration.Index(s.In, t) >= 0 && toleration.Index(s.Except, t) < 0
}

// Within reports whether every valid taint that is in s is in one of the others
// too: whether [FindOutside] finds none. It does not allocate. It is O(n²), n
// being the number of all tolerations.
func (s Set) Within(others ...Set) bool {
	_, found := s.find(others, false)
	return !found
}

// FindCommon returns a taint that is in s and in all of the others; false
// exactly when there is no such valid taint. It returns the same one every
// time: the first that the tolerations of s, then those of the others, lead to.
//
// It is O(n²), n being the number of all tolerations. It allocates nothing when
// there is no such taint, and otherwise what strings of it are new.
func FindCommon(s Set, others ...Set) (t taint.Taint, found bool) {
	c, found := s.find(others, true)
	return s.taint(&c, found, others), found
}

// FindOutside returns a taint that is in s and in none of the others; false
// exactly when there is no such valid taint. It returns the same one every
// time, as [FindCommon] does, and costs the same.
func FindOutside(s Set, others ...Set) (t taint.Taint, found bool) {
	c, found := s.find(others, false)
	return s.taint(&c, found, others), found
}

// taint returns a taint of the class, if one was found.
func (s Set) taint(c *class, found bool, others []Set) taint.Taint {
	if !found {
		return taint.Taint{}
	}
	all := slices.Concat(s.In, s.Except)
	for _, o := range others {
		all = slices.Concat(all, o.In, o.Except)
	}
	return c.taint(all, nil)
}

// find returns a class of taints in s which each of the others has or, as within says,
// does not have. Whether a taint is in a set depends on nothing but which
// tolerations match it, so one taint of each class is enough, as it is for two
// lists.
func (s Set) find(others []Set, within bool) (class, bool) {
	for i := -1; i < len(others); i++ {
		from := s
		if i >= 0 {
			from = others[i]
		}
		for _, list := range [...][]toleration.Toleration{from.In, from.Except} {
			for j := range list {
				if c, found := s.findAround(&list[j], others, within); found {
					return c, true
				}
			}
		}
	}
	return class{}, false
}

// findAround looks among the classes that are there because of u.
func (s Set) findAround(u *toleration.Toleration, others []Set, within bool) (class, bool) {
	key := u.KeyHandle()
	if !reaches(s.In, key) || within && slices.ContainsFunc(others, func(o Set) bool { return !reaches(o.In, key) }) {
		return class{}, false // most often all is over here
	}
	classes, n := classesOf(u, s.ranged(key, others), nil)
	first, last := effectsOf(u)
	for _, c := range classes[:n] {
		for c.effect = first; c.effect <= last; c.effect++ {
			if s.has(&c) && !slices.ContainsFunc(others, func(o Set) bool { return o.has(&c) != within }) {
				return c, true
			}
		}
	}
	return class{}, false
}

// has reports whether the taints of the class are in the set.
func (s Set) has(c *class) bool {
	return c.decides(toleration.First, s.In, -1) >= 0 && c.decides(toleration.First, s.Except, -1) < 0
}

// reaches reports whether some toleration has that key, or none.
func reaches(list []toleration.Toleration, key unique.Handle[string]) bool {
	for i := range list {
		if own := list[i].KeyHandle(); own == key || own == anyKey {
			return true
		}
	}
	return false
}

// ranged returns a list in which the key stands with Lt or Gt, nil when there
// is none.
func (s Set) ranged(key unique.Handle[string], others []Set) []toleration.Toleration {
	for i := -1; i < len(others); i++ {
		from := s
		if i >= 0 {
			from = others[i]
		}
		for _, list := range [...][]toleration.Toleration{from.In, from.Except} {
			if ranged(key, list) {
				return list
			}
		}
	}
	return nil
}
