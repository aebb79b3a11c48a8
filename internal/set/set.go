// Package set compares and hashes lists of taints or tolerations as sets.
package set

import "slices"

// An Element is a taint or a toleration.
type Element[E any] interface {
	comparable
	IsZero() bool
	Canonical() E
	Compare(E) int
	Hash() uint64
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

// Hash returns the sum, over the elements of [Canonical], of their hashes mixed
// by the finalizer of SplitMix64. It does not allocate for at most Short
// elements.
func Hash[L ~[]E, E Element[E]](list L, zeros bool) uint64 {
	sum := uint64(0)
	if len(list) > Short {
		for _, e := range Canonical(list, zeros) {
			sum += mix(e.Hash())
		}
		return sum
	}
	for i, e := range list {
		if (zeros || !e.IsZero()) && !contains(list[:i], e.Canonical()) {
			sum += mix(e.Canonical().Hash())
		}
	}
	return sum
}

// mix is the finalizer of SplitMix64: FNV-1a alone adds up badly.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// FNV is a 64-bit FNV-1a hash. The zero FNV is not one: see [NewFNV].
type FNV uint64

const fnvPrime = 1099511628211

// NewFNV returns the hash of nothing.
func NewFNV() FNV { return 14695981039346656037 }

// Field returns h extended by s and a NUL.
func (h FNV) Field(s string) FNV {
	for i := range len(s) {
		h = (h ^ FNV(s[i])) * fnvPrime
	}
	return h * fnvPrime
}
