package cover

import (
	"math"
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// How two lists are compared exactly, though there are more taints than can be
// tried: taints that every toleration of both lists treats alike form a class,
// there are few classes, and one taint of each is tried.
//
// Which tolerations match a taint, and so which decides, depends on its key,
// its value and its effect, each by itself.
//
// Key: a toleration has one key or none. All keys that no toleration names are
// treated alike, so they are one class beside the named ones. It is not empty:
// finitely many keys are named, and "other", "other1", "other2"... are all
// valid, short of 63 bytes even with 20 digits.
//
// Value, under a key that is not named: only Exists without a key matches. All
// values are one class.
//
// Value, under a named key, when it is an integer (0 to MaxInt64, each with one
// spelling of at most 19 bytes, which is a valid value): Equal, Lt and Gt match
// an interval of them, or none. Going up from n-1 to n, a toleration changes its
// mind only where n is the least that it matches, or follows the greatest.
// Between such numbers all are of one mind, so every class of neighbours begins
// with one of them, and those within 0 to MaxInt64 are tried; or it begins with
// 0. If Equal, Lt or Gt matches 0, 0 is its least and is tried. If none does,
// only Exists matches there, as it does the values of the last class below.
//
// Value, under a named key, when it is no integer: Lt and Gt match none, Exists
// all, Equal its own. So each value that is named is a class of its own, and
// all others together are one. That one is not empty either: the empty value
// is in it when it is not named, and otherwise one of "other", "other1"...,
// which are valid values and no integers.
//
// Value, under a key that is named but never with Lt or Gt: an integer is a
// value like any other there, so there are the named ones and all others.
//
// Effect: there are three. Under one of them only the tolerations count that
// match it, so a value, or a key, is named there only by those.
//
// Each toleration adds at most three values to its key's, under at most three
// effects, so there are O(n) classes, and each is judged in O(n).

// A class is one of those. Its representative is made only when asked for.
type class struct {
	key    unique.Handle[string] // zero: any key that is not named
	kind   kind
	value  unique.Handle[string] // of a named value
	n      int64                 // the first of an interval of integers
	effect taint.Effect
}

type kind uint8

const (
	other   kind = iota // any value that is in no other class of the key
	named               // a value that is named and, if Lt or Gt are there, no integer
	integer             // integers from n on
)

// classesOf returns those classes, but for their effects, that are there
// because u is, in lists of which a and b are all. Unless u matches nothing it
// matches the first.
func classesOf(u *toleration.Toleration, a, b []toleration.Toleration) (classes [3]class, n int) {
	key := u.KeyHandle()
	if key == anyKey {
		if !u.IsZero() {
			n = 1 // any key that is not named
		}
		return classes, n
	}
	if u.Operator() != toleration.Exists {
		lo, hi := int64(1), int64(0) // no integers
		if ranged(key, a) || ranged(key, b) {
			lo, hi = span(u)
		}
		if lo > hi && !u.IsNumeric() {
			classes[n] = class{key: key, kind: named, value: u.ValueHandle()}
			n++
		}
		if lo <= hi {
			classes[n] = class{key: key, kind: integer, n: lo}
			n++
		}
		if lo <= hi && hi < math.MaxInt64 {
			classes[n] = class{key: key, kind: integer, n: hi + 1}
			n++
		}
	}
	classes[n] = class{key: key, kind: other}
	return classes, n + 1
}

// ranged reports whether some toleration has the key together with Lt or Gt.
func ranged(key unique.Handle[string], list []toleration.Toleration) bool {
	for i := range list {
		if list[i].KeyHandle() == key && list[i].IsNumeric() {
			return true
		}
	}
	return false
}

// effectsOf returns the first and the last effect that u matches.
func effectsOf(u *toleration.Toleration) (first, last taint.Effect) {
	if e := u.Effect(); e != 0 {
		return e, e
	}
	return taint.NoSchedule, taint.NoExecute
}

// matches reports whether u matches the taints of the class.
func (c *class) matches(u *toleration.Toleration) bool {
	key := u.KeyHandle()
	if key != c.key && key != anyKey {
		return false
	}
	if e := u.Effect(); e != c.effect && e != 0 {
		return false
	}
	switch {
	case key == anyKey:
		return !u.IsZero()
	case u.Operator() == toleration.Exists:
		return true
	case c.kind == integer:
		lo, hi := span(u)
		return lo <= c.n && c.n <= hi
	}
	return c.kind == named && u.ValueHandle() == c.value // and so no Lt or Gt, whose values are never such
}

// decides returns the index of the toleration that decides, by the policy,
// about the taints of the class, leaving the one at index without out of
// account; -1 when none matches.
func (c *class) decides(p toleration.Policy, list []toleration.Toleration, without int) int {
	best := -1
	for i := range list {
		if i == without || !c.matches(&list[i]) {
			continue
		}
		if best < 0 || p.Prefers(list[i], list[best]) {
			best = i
		}
		if p == toleration.First {
			break
		}
	}
	return best
}

// taint returns a representative of the class among those of both lists.
func (c *class) taint(a, b []toleration.Toleration) taint.Taint {
	names := func(field func(toleration.Toleration) string, s string) bool {
		for _, list := range [...][]toleration.Toleration{a, b} {
			for _, u := range list {
				if field(u) == s {
					return true
				}
			}
		}
		return false
	}
	fresh := func(field func(toleration.Toleration) string) string {
		s := "other"
		for i := 1; names(field, s); i++ {
			s = "other" + strconv.Itoa(i)
		}
		return s
	}
	var key, value string
	if c.key == anyKey {
		key = fresh(toleration.Toleration.Key)
	} else {
		key = c.key.Value()
		switch c.kind {
		case integer:
			value = strconv.FormatInt(c.n, 10)
		case named:
			if c.value != (unique.Handle[string]{}) {
				value = c.value.Value()
			}
		case other:
			empty := func(u toleration.Toleration) string {
				if u.Key() == key && u.Operator() != toleration.Exists {
					return u.Value()
				}
				return "-" // no value
			}
			if names(empty, "") {
				value = fresh(toleration.Toleration.Value)
			}
		}
	}
	t, err := taint.New(key, value, c.effect)
	if err != nil {
		panic("cover: " + err.Error()) // not reached
	}
	return t
}

// find returns a class of taints that b tolerates and a does not, or not for
// as long.
func find(p toleration.Policy, a, b []toleration.Toleration) (class, bool) {
	for _, list := range [...][]toleration.Toleration{b, a} {
		for i := range list {
			classes, n := classesOf(&list[i], a, b)
			first, last := effectsOf(&list[i])
			for _, c := range classes[:n] {
				for c.effect = first; c.effect <= last; c.effect++ {
					if c.isWitness(p, a, b) {
						return c, true
					}
				}
			}
		}
	}
	return class{}, false
}

// isWitness reports whether b tolerates the taints of the class and a does not,
// or not for as long.
func (c *class) isWitness(p toleration.Policy, a, b []toleration.Toleration) bool {
	j := c.decides(p, b, -1)
	if j < 0 {
		return false
	}
	i := c.decides(p, a, -1)
	return i < 0 || longer(&b[j], &a[i])
}

// longer reports whether u holds longer than v, both matching the same taint:
// seconds come with NoExecute alone, so of other taints no two differ.
func longer(u, v *toleration.Toleration) bool { return toleration.Longest.Prefers(*u, *v) }
