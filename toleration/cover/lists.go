package cover

import (
	"slices"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// ListCovers reports whether the list a tolerates every taint that the list b
// tolerates, and for at least as long, as the policy decides. It is exact over
// all valid taints.
//
// It does not allocate. It is O(n²), n being the length of both.
func ListCovers(p toleration.Policy, a, b []toleration.Toleration) bool {
	_, found := find(p, a, b)
	return !found
}

// Equivalent reports whether the lists a and b tolerate the same taints, each
// for as long, as the policy decides: whether each covers the other. It costs
// what two calls of [ListCovers] cost.
func Equivalent(p toleration.Policy, a, b []toleration.Toleration) bool {
	return ListCovers(p, a, b) && ListCovers(p, b, a)
}

// A Witness shows that one list does not cover another: a taint that the other
// tolerates, and it does not, or not for as long. It is comparable.
type Witness struct {
	// Taint is valid, and has no time added.
	Taint taint.Taint
	// A decides about the taint in the list that does not cover: the zero
	// Toleration when none of its tolerations matches.
	A toleration.Toleration
	// B decides in the list that is not covered.
	B toleration.Toleration
}

// FindWitness returns a taint that b tolerates, and that a does not tolerate,
// or not for as long, as the policy decides; false exactly when a covers b. It
// returns the same one every time: the first that the tolerations of b, then
// those of a, lead to.
//
// It is O(n²), n being the length of both. It allocates only what strings of
// the taint are new.
func FindWitness(p toleration.Policy, a, b []toleration.Toleration) (w Witness, found bool) {
	c, found := find(p, a, b)
	if !found {
		return Witness{}, false
	}
	w = Witness{Taint: c.taint(a, b), B: b[c.decides(p, b, -1)]}
	if i := c.decides(p, a, -1); i >= 0 {
		w.A = a[i]
	}
	return w, true
}

// String returns the witness as a sentence. The text may change.
func (w Witness) String() string {
	if w.Taint.IsZero() {
		return ""
	}
	text := w.Taint.String() + " is tolerated by " + quote(w.B)
	if w.A.IsZero() {
		return text + " alone"
	}
	return text + ", and not for as long by " + quote(w.A)
}

func quote(u toleration.Toleration) string { return `"` + u.String() + `"` }

// Redundant reports whether the list means the same without its element i: it
// tolerates the same taints, each for as long, as the policy decides. Of
// elements that are redundant because of each other, such as repeats, each is
// redundant: to do without several, use [Reduced]. It panics when i is out of
// range.
//
// It does not allocate. It is O(n²), n being the length of the list.
func Redundant(p toleration.Policy, list []toleration.Toleration, i int) bool {
	u := &list[i]
	if Empty(*u) || p == toleration.First && shadowed(list[:i], u) {
		return true
	}
	for k := range list {
		// Its own classes first: most often one of them needs u.
		v := &list[(i+k)%len(list)]
		if key := u.KeyHandle(); key != anyKey && key != v.KeyHandle() {
			continue // u matches nothing there
		}
		classes, n := classesOf(v, list, nil)
		first, last := effectsOf(v)
		for _, c := range classes[:n] {
			for c.effect = first; c.effect <= last; c.effect++ {
				if c.needs(p, list, i) {
					return false
				}
			}
		}
	}
	return true
}

// shadowed reports whether one of the earlier tolerations matches whatever u
// matches: under First u never decides then. Most that is redundant is so.
func shadowed(earlier []toleration.Toleration, u *toleration.Toleration) bool {
	for i := range earlier {
		if v := &earlier[i]; coversKey(v, u) && (v.Effect() == 0 || v.Effect() == u.Effect()) && coversValue(v, u) {
			return true
		}
	}
	return false
}

// needs reports whether without the toleration at index i the taints of the
// class are not tolerated, or not for as long, or for longer.
func (c *class) needs(p toleration.Policy, list []toleration.Toleration, i int) bool {
	u := &list[i]
	if !c.matches(u) {
		return false
	}
	next := c.decides(p, list, i)
	if next < 0 {
		return true
	}
	// With u there, the better of the two decides.
	v := &list[next]
	decides := i < next && !p.Prefers(*v, *u) || i > next && p.Prefers(*u, *v)
	return decides && (longer(u, v) || longer(v, u))
}

// Reduced returns the union of the lists, one after the other, without what is
// not needed: it tolerates the same taints, each for as long, as the policy
// decides, and no toleration in it is [Redundant]. From the end each toleration
// is left out that the list means the same without, so what stays is in order
// and as written. It is not always the shortest such list. The lists are not
// changed; the result is nil when nothing stays.
//
// It allocates the result. It is O(n³), n being the length of all lists.
func Reduced(p toleration.Policy, lists ...[]toleration.Toleration) []toleration.Toleration {
	return orNil(AppendReduced(room(lists), p, lists...))
}

// AppendReduced appends what [Reduced] returns to dst, whose own tolerations
// do not count. The lists must not lie in dst's spare room. It does not
// allocate when dst has room for all of them.
func AppendReduced(dst []toleration.Toleration, p toleration.Policy, lists ...[]toleration.Toleration) []toleration.Toleration {
	start := len(dst)
	for _, list := range lists {
		dst = append(dst, list...)
	}
	// One pass is enough. What is left out later stands before u, so it never
	// takes away the reason for which u stayed: of a taint that u decides, the
	// next best after u, if there is one, is under First behind u, and under
	// the other policies no better when fewer are left.
	for i := len(dst) - 1; i >= start; i-- {
		if Redundant(p, dst[start:], i-start) {
			dst = slices.Delete(dst, i, i+1)
		}
	}
	return dst
}

func orNil(list []toleration.Toleration) []toleration.Toleration {
	if len(list) == 0 {
		return nil
	}
	return list
}

// room returns an empty list with room for all of the lists, nil when they
// are empty.
func room(lists [][]toleration.Toleration) []toleration.Toleration {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	return make([]toleration.Toleration, 0, n)
}
