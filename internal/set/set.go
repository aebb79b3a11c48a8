// Package set compares lists of taints or tolerations as sets.
package set

import "slices"

// An Element is a taint or a toleration.
type Element[E any] interface {
	comparable
	IsZero() bool
	Canonical() E
	Compare(E) int
}

// Short is the length up to which a list is searched instead of sorted:
// taint.List.EqualSet and toleration.List.EqualSet in BenchmarkGrowth.
const Short = 32

// Canonical returns the canonical forms of the elements, sorted, each once.
// Zero elements are in it only if zeros.
func Canonical[L ~[]E, E Element[E]](list L, zeros bool) L {
	if len(list) == 0 {
		return nil
	}
	set := make(L, 0, len(list))
	for _, e := range list {
		if zeros || !e.IsZero() {
			set = append(set, e.Canonical())
		}
	}
	slices.SortFunc(set, E.Compare)
	return slices.Compact(set)
}

// Equal reports whether a and b have equal [Canonical] lists. It does not
// allocate if both have at most Short elements.
func Equal[L ~[]E, E Element[E]](a, b L, zeros bool) bool {
	if len(a) <= Short && len(b) <= Short {
		return subset(a, b, zeros) && subset(b, a, zeros)
	}
	return slices.Equal(Canonical(a, zeros), Canonical(b, zeros))
}

func subset[L ~[]E, E Element[E]](a, b L, zeros bool) bool {
	for _, e := range a {
		if (zeros || !e.IsZero()) && !contains(b, e.Canonical()) {
			return false
		}
	}
	return true
}

func contains[L ~[]E, E Element[E]](list L, canonical E) bool {
	for _, e := range list {
		if e.Canonical() == canonical {
			return true
		}
	}
	return false
}
