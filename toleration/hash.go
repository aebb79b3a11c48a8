package toleration

import "strconv"

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Hash returns a hash of the toleration's canonical form. It is the same in
// every process and every release: the 64-bit FNV-1a of key, operator's name,
// value, effect's name and seconds in decimal, what is absent being empty,
// each followed by a NUL. It does not allocate.
func (u Toleration) Hash() uint64 {
	u = u.Canonical()
	var buf [20]byte
	digits := buf[:0]
	if seconds, ok := u.Seconds(); ok {
		digits = strconv.AppendInt(digits, seconds, 10)
	}
	h := uint64(fnvOffset)
	for _, s := range [...]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String()} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * fnvPrime
		}
		h *= fnvPrime // NUL
	}
	for _, c := range digits {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h * fnvPrime
}

// HashSet returns a hash of the set that the tolerations are: equal for lists
// that are [EqualSets], and the same in every process and every release. It is
// fit for telling filter decisions apart, not for anything that depends on the
// order of tolerations: when a pod is evicted does. It does not allocate for
// at most 32 tolerations.
//
// It is the sum, over the set, of the hashes mixed by the finalizer of
// SplitMix64.
func HashSet(tolerations []Toleration) uint64 {
	sum := uint64(0)
	if len(tolerations) > short {
		for _, u := range AppendCanonical(nil, tolerations) {
			sum += mix(u.Hash())
		}
		return sum
	}
	for i, u := range tolerations {
		if !u.IsZero() && !containsCanonical(tolerations[:i], u) {
			sum += mix(u.Hash())
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
