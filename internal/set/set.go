// Package set makes sets of lists of taints or tolerations, and finds elements in them.
package set

import "slices"

// An Element is a taint or a toleration.
type Element[E any] interface {
	comparable
	IsZero() bool
	Canonical() E
	Compare(E) int
}

// Short is the length up to which a list is searched instead of hashed, so that it is
// found without allocating: BenchmarkFinder.
const Short = 32

// A Finder finds the first element of a list with a key. Use [FinderOf] to make one.
type Finder[E any, K comparable] struct {
	list  []E
	key   func(E) K
	first map[K]int // nil if the list is searched
}

// FinderOf returns a Finder of the list, for at most so many calls of Index. It does not
// allocate if the list or that number is at most Short. The list must not change.
func FinderOf[L ~[]E, E any, K comparable](list L, calls int, key func(E) K) Finder[E, K] {
	f := Finder[E, K]{list: list, key: key}
	if min(len(list), calls) > Short {
		f.first = make(map[K]int, len(list))
		for i, e := range slices.Backward(list) {
			f.first[key(e)] = i
		}
	}
	return f
}

// Index returns the index of the first element with the key, or -1.
func (f *Finder[E, K]) Index(key K) int {
	if f.first != nil {
		if i, ok := f.first[key]; ok {
			return i
		}
		return -1
	}
	for i := range f.list {
		if f.key(f.list[i]) == key {
			return i
		}
	}
	return -1
}

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
