package taint

// A tag holds some bits of a taint's identity in one word: two taints that
// differ have different tags nearly always, which shows without a look at
// their strings.
//
//	bits  0-1   effect
//	bits  2-12  hash of the key
//	bits 13-23  hash of the value
const (
	// TagBits is how many bits a tag has at most.
	TagBits = valueShift + hashBits
	// TagEffect, TagKey and TagValue are the bits of a tag that stand for the
	// effect, the key and the value.
	TagEffect = 1<<effectBits - 1
	TagKey    = hashMask << keyShift
	TagValue  = hashMask << valueShift

	effectBits = 2
	keyShift   = effectBits
	hashBits   = 11
	hashMask   = 1<<hashBits - 1
	valueShift = keyShift + hashBits
	tagMask    = 1<<TagBits - 1
)

// TagOf returns the tag of every taint with that key, value and effect: a few
// bits by which matchers sieve before they compare, since taints with different
// tags are different. What is absent has no bits set. It may be another one in
// another release. It does not allocate.
func TagOf(key, value string, effect Effect) uint32 {
	return hash(key)<<keyShift | hash(value)<<valueShift | uint32(effect&TagEffect)
}

// Tag returns the taint's [TagOf], 0 for the zero Taint. The time added is not
// in it.
func (t Taint) Tag() uint32 { return uint32(t.meta & tagMask) }

// hash returns hashBits bits for s, 0 for the empty text. It reads eight bytes
// at a time, the last ones twice if need be.
func hash(s string) uint32 {
	const prime = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	n := len(s)
	h := uint64(n) * prime
	switch {
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			h = (h ^ word(s[i:])) * prime
			h ^= h >> 32
		}
		h ^= word(s[n-8:])
	case n > 0: // three bytes of up to seven: those of "gpu" and "gpt" differ
		h ^= uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return uint32(h * prime >> (64 - hashBits))
}

func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
