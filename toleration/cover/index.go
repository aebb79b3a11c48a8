package cover

import (
	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// An index finds in O(log n) which toleration of a list decides about the taints of a
// point. That of a short list scans it, which takes O(n) and does not allocate.
//
// A toleration matches an interval of the points ([cells.Point]). Each tree is a binary
// tree over them: the toleration is stored at the few nodes that the interval consists of,
// and the best on the way from a point to the root decides about the point.
type index struct {
	choice toleration.Choice
	list   toleration.List
	spans  []cells.Span // of the list
	line   *cells.Line  // nil if the list is scanned

	// By the ends of spans, and by effect, where 0 is the absent effect. A toleration covers
	// another that has the least or the greatest integer, and more, exactly if it has that
	// one, too, and matches the other's last or first point.
	trees [1 + (cells.Least | cells.Greatest)][effects]tree
}

// A tree has node 1 as its root, the children 2·i and 2·i+1 of node i, and the points at
// last. A toleration is stored as its index in the list plus 1; 0 is none.
type tree []int32

const effects = int(taint.NoExecute) + 1

// newIndex returns an index of the list, for about so many calls of its methods.
func newIndex(choice toleration.Choice, list toleration.List, spans []cells.Span, line *cells.Line, calls int) index {
	x := index{choice: choice, list: list, spans: spans}
	if min(len(list), calls) > set.Short {
		x.line = line
		for i := range list {
			x.insert(i)
		}
	}
	return x
}

// insert adds the toleration at index i of the list to the trees.
func (x *index) insert(i int) {
	if x.spans[i].IsEmpty() {
		return
	}
	t, n := &x.trees[x.spans[i].Ends()][x.list[i].Effect()], len(x.line.Points)
	if *t == nil {
		*t = make(tree, 2*n)
	}
	first, last := x.line.Find(x.spans[i])
	for l, r := first+n, last+n+1; l < r; l, r = l/2, r/2 {
		if l%2 == 1 {
			(*t)[l] = x.better((*t)[l], int32(i+1))
			l++
		}
		if r%2 == 1 {
			r--
			(*t)[r] = x.better((*t)[r], int32(i+1))
		}
	}
}

// better returns which of two tolerations decides. Both are in the form of a tree.
func (x *index) better(i, j int32) int32 {
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

// best returns the index of the toleration that decides about the point and the effect,
// among those that match at least these ends, or -1 if there is none.
func (x *index) best(point int, e taint.Effect, ends int) int {
	best := int32(0)
	for has := ends; has < len(x.trees); has++ {
		for _, t := range [...]tree{x.trees[has][0], x.trees[has][e]} {
			for i := point + len(x.line.Points); i > 0 && t != nil && has&ends == ends; i /= 2 {
				best = x.better(best, t[i])
			}
		}
	}
	return int(best) - 1
}

// decides returns the index of the toleration that decides about the taints of a point,
// which is p, with the effect, or -1 if none matches them.
func (x *index) decides(point int, p cells.Point, e taint.Effect) int {
	if x.line != nil {
		return x.best(point, e, 0)
	}
	best := int32(0)
	for i := range x.list {
		if of := x.list[i].Effect(); (of == e || of == 0) && x.spans[i].Has(p) {
			best = x.better(best, int32(i+1))
		}
	}
	return int(best) - 1
}

// covers reports whether a single toleration covers u, which matches some taint.
func (x *index) covers(u *toleration.Toleration) bool {
	s := x.line.Span(u)
	if s.IsEmpty() { // the operator is unknown
		return false
	}
	point, last := x.line.Find(s)
	ends := s.Ends() & cells.Greatest
	if ends == 0 && s.First != s.Last {
		point, ends = last, cells.Least
	}
	best := x.best(point, u.Effect(), ends)
	return best >= 0 && !longer(u, &x.list[best])
}
