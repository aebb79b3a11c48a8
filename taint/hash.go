package taint

// FNV-1a, 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Hash returns a hash of the taint's canonical form. It is the same in every
// process and every release: the 64-bit FNV-1a of key, value and the effect's
// name, each followed by a NUL. It does not allocate.
func (t Taint) Hash() uint64 {
	h := uint64(fnvOffset)
	for _, s := range [...]string{t.Key(), t.Value(), t.Effect().String()} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * fnvPrime
		}
		h *= fnvPrime // NUL
	}
	return h
}
