package cover

import (
	"math"
	"slices"
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// Why the comparison of two lists is exact, although there are more taints than can be
// tried: taints that match the same tolerations of both lists form a class, there are few
// classes, and one taint of each is tried. A toleration matches a taint's key, value and
// effect each alone.
//
// Keys that no toleration names match the same tolerations, so they form one class beside
// the named keys. Finitely many are named, so one of "other", "other1"... is in it. Only
// Exists without a key matches it, so all its values form one class.
//
// Integers under a named key: Equal, Lt and Gt each match an interval of them, or none. From
// n-1 to n, the answer of a toleration changes only if n is the least integer that it
// matches, or follows the greatest. So every class of neighbors begins with such a number,
// which is tried, or with 0. If no toleration's least integer is 0, then only Exists matches
// 0, as it does the values of the last class.
//
// Other values under a named key: Lt and Gt match none, Exists all, and Equal its own. So
// each named value is a class, and all other values together are one. It has the empty
// value, or one of "other", "other1"... if that is named. Under a key without Lt and Gt, an
// integer is a value like any other.
//
// Each toleration adds at most three values to those of its key, under at most three
// effects, so there are O(n) classes.

// A class is a set of taints that match the same tolerations.
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
	named               // a named value; under a key with Lt or Gt, not an integer
	integer             // integers from n on
)

// classesOf returns the classes that exist because of u, without their effects.
// ranged reports whether the lists have Lt or Gt under the key of u. Unless u
// matches no taint, it matches the first class.
func classesOf(u *toleration.Toleration, ranged bool) (classes [3]class, n int) {
	key := keyOf(u)
	if key == anyKey {
		if !u.IsZero() {
			n = 1 // any key that is not named
		}
		return classes, n
	}
	if u.Operator() != toleration.Exists {
		lo, hi := int64(1), int64(0) // no integers
		if ranged {
			lo, hi = cells.Span(u)
		}
		if lo <= hi {
			classes[0], n = class{key: key, kind: integer, n: lo}, 1
		} else if value.Toleration(*u).IsEqual() {
			classes[0], n = class{key: key, kind: named, value: valueOf(u)}, 1
		}
		if lo <= hi && hi < math.MaxInt64 {
			classes[1], n = class{key: key, kind: integer, n: hi + 1}, 2
		}
	}
	classes[n] = class{key: key, kind: other}
	return classes, n + 1
}

// unknown returns a class with the key and an effect of a toleration of the list whose
// operator is unknown, or false if there is none.
func unknown(list toleration.List) (class, bool) {
	for i := range list {
		if u := &list[i]; !isKnown(u) {
			classes, _ := classesOf(u, false)
			classes[0].effect, _ = effectsOf(u)
			return classes[0], true
		}
	}
	return class{}, false
}

// selective reports whether u has a key and matches only some of its values. For
// other tolerations it does not matter whether the key is ranged.
func selective(u *toleration.Toleration) bool {
	return keyOf(u) != anyKey && u.Operator() != toleration.Exists
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
	key := keyOf(u)
	if key != c.key && key != anyKey {
		return false
	}
	if e := u.Effect(); e != c.effect && e != 0 {
		return false
	}
	switch {
	case u.Operator() == toleration.Exists:
		return true
	case key == anyKey:
		return false
	case c.kind == integer:
		lo, hi := cells.Span(u)
		return lo <= c.n && c.n <= hi
	}
	return c.kind == named && value.Toleration(*u).IsEqual() && valueOf(u) == c.value
}

// decides returns the index of the toleration that decides about the class, or
// -1 if none matches it. The toleration at index without is ignored.
func (c *class) decides(choice toleration.Choice, list toleration.List, without int) int {
	best := -1
	for i := range list {
		if i == without || !c.matches(&list[i]) {
			continue
		}
		if best < 0 || choice.Prefers(list[i], list[best]) {
			best = i
		}
		if choice == toleration.First {
			break
		}
	}
	return best
}

// taint returns a taint of the class, which results from the lists.
func (c *class) taint(lists ...toleration.List) taint.Taint {
	var key, val string
	if c.key == anyKey {
		key = unnamed(lists, toleration.Toleration.Key)
	} else {
		key, val = c.key.Value(), c.valueText(lists)
	}
	t, err := taint.New(key, val, c.effect)
	if err != nil {
		panic("cover: " + err.Error()) // not reached
	}
	return t
}

// valueText returns a value of the class, which has a named key.
func (c *class) valueText(lists []toleration.List) string {
	switch {
	case c.kind == integer:
		return strconv.FormatInt(c.n, 10)
	case c.kind == named:
		return value.Text(c.value)
	}
	namesEmpty := func(u toleration.Toleration) bool {
		return value.Toleration(u).KeyHandle() == c.key && u.Operator() != toleration.Exists && u.Value() == ""
	}
	for _, list := range lists {
		if slices.ContainsFunc(list, namesEmpty) {
			return unnamed(lists, toleration.Toleration.Value)
		}
	}
	return ""
}

// unnamed returns the first of "other", "other1", "other2"... that is not the
// field of any toleration of the lists.
func unnamed(lists []toleration.List, field func(toleration.Toleration) string) string {
	taken := make(map[string]bool)
	for _, list := range lists {
		for _, u := range list {
			taken[field(u)] = true
		}
	}
	return set.Unused(func(name string) bool { return taken[name] })
}
