package syntax

import "math/bits"

// The rules of keys, values and integers, which package validate exports.
const (
	KeyEmpty = iota + 1
	KeySlashes
	PrefixEmpty
	PrefixTooLong
	PrefixForm
	NameEmpty
	NameTooLong
	NameBytes
	NameEnds
	ValueTooLong
	ValueBytes
	ValueEnds
	IntegerForm
	IntegerRange
)

// A Set is a set of rules, such as those that a text breaks: bit n is rule n.
type Set uint64

// All yields the rules of the set in the order of their numbers.
func (s Set) All(yield func(uint8) bool) {
	for ; s != 0; s &= s - 1 {
		if !yield(uint8(bits.TrailingZeros64(uint64(s)))) {
			return
		}
	}
}
