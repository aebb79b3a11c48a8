package value

import "github.com/go-tolerate/tolerate/internal/syntax"

// A tag is a word made from a key, a value and an effect. Matchers compare tags first:
// taints with different tags differ, without a comparison of text. An absent part has
// none of its bits set.
//
//	bits  0-1   number of the effect
//	bits  2-12  hash of the key
//	bits 13-23  hash of the value
//	bit  24     whether the value is an integer
const (
	// TagEffect is the bits of the effect.
	TagEffect = 1<<effectBits - 1
	// TagKeyEffect is the bits of the key and the effect.
	TagKeyEffect = 1<<valueShift - 1

	tagKey     = hashMask << keyShift
	tagValue   = hashMask << valueShift
	tagInteger = 1 << (tagBits - 1)
	tagAll     = 1<<tagBits - 1
	tagBits    = valueShift + hashBits + 1

	effectBits = 2
	keyShift   = effectBits
	hashBits   = 11
	hashMask   = 1<<hashBits - 1
	valueShift = keyShift + hashBits
)

// TagOf returns the tag of every taint with that key, value and effect. It does
// not allocate.
func TagOf(key, value string, effect uint8) uint32 {
	tag := hash(key)<<keyShift | hash(value)<<valueShift | uint32(effect)&TagEffect
	if value != "" && value[0] <= '9' { // most values begin with a letter
		if _, broken := syntax.Integer(value); broken == 0 {
			tag |= tagInteger
		}
	}
	return tag
}

// hash returns hashBits bits for s, 0 for the empty text. It reads eight bytes
// at a time, or four, the last ones twice if need be.
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
	case n >= 4:
		h ^= uint64(half(s))<<32 | uint64(half(s[n-4:]))
	case n > 0:
		h ^= uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return uint32(h * prime >> (64 - hashBits))
}

func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func half(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
