package value

import (
	"hash/maphash"

	"github.com/go-tolerate/tolerate/internal/syntax"
)

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

// hash returns hashBits bits for s, 0 for the empty text. It has a seed, so that a
// stranger cannot make texts with equal hashes.
func hash(s string) uint32 {
	if s == "" {
		return 0
	}
	return uint32(maphash.String(seed, s) >> (64 - hashBits))
}

var seed = maphash.MakeSeed()
