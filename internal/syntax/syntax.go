// Package syntax checks the text of keys, values and integers.
//
// It is package validate without errors: a function returns the set of constraints that
// the text breaks, which is 0 for a valid text. No check allocates.
package syntax

import (
	"math"
	"strings"
)

const (
	maxPrefix = 253 // a DNS subdomain
	maxName   = 63  // a key's name, a value
)

// These bits are the parts in which a byte is allowed.
const (
	inName  = 1 << iota // A-Z a-z 0-9 - _ .
	inner               // - _ . not at an end
	low                 // a-z 0-9
	inLabel             // low - .
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
			t[c] = inName | low | inLabel
		case 'A' <= b && b <= 'Z':
			t[c] = inName
		case b == '_':
			t[c] = inName | inner
		case b == '-', b == '.':
			t[c] = inName | inner | inLabel
		}
	}
	return t
}()

// Key returns the constraints that s breaks as a key. A text with two slashes has no
// prefix and no name, so it breaks only keySlashes.
func Key(s string) Set {
	before, after, prefixed := strings.Cut(s, "/")
	switch {
	case s == "":
		return 1 << keyEmpty
	case !prefixed:
		return name(s)
	case strings.IndexByte(after, '/') >= 0:
		return 1 << keySlashes
	}
	return prefix(before) | name(after)
}

// Value returns the constraints that s breaks as a value.
func Value(s string) Set {
	if s == "" {
		return 0
	}
	return name(s) << (valueTooLong - nameTooLong)
}

// Integer returns the number that s represents, or the constraint that it breaks.
func Integer(s string) (int64, Set) {
	const badForm, badRange = 1 << integerForm, 1 << integerRange
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return 0, badForm
	}
	for i := range len(digits) {
		if digits[i]-'0' > 9 {
			return 0, badForm
		}
	}
	if len(digits) > 19 { // MaxInt64 has 19 digits, and any 19 fit into a uint64
		return 0, badRange
	}
	n := uint64(0)
	for i := range len(digits) {
		n = n*10 + uint64(digits[i]-'0')
	}
	if len(digits) != len(s) {
		if n > -math.MinInt64 {
			return 0, badRange
		}
		return -int64(n), 0
	}
	if n > math.MaxInt64 {
		return 0, badRange
	}
	return int64(n), 0
}

// name returns the constraints that s breaks as a name.
func name(s string) (broken Set) {
	if s == "" {
		return 1 << nameEmpty
	}
	if len(s) > maxName {
		broken |= 1 << nameTooLong
	}
	all := uint8(inName)
	for i := range len(s) {
		all &= class[s[i]]
	}
	if all == 0 {
		broken |= 1 << nameBytes
	}
	if (class[s[0]]|class[s[len(s)-1]])&inner != 0 {
		broken |= 1 << nameEnds
	}
	return broken
}

// prefix returns the constraints that s breaks as a prefix.
func prefix(s string) (broken Set) {
	if s == "" {
		return 1 << prefixEmpty
	}
	if len(s) > maxPrefix {
		broken |= 1 << prefixTooLong
	}
	if !subdomain(s) {
		broken |= 1 << prefixForm
	}
	return broken
}

// subdomain reports whether s, which is not empty, is a DNS subdomain of any
// length.
func subdomain(s string) bool {
	if class[s[0]]&class[s[len(s)-1]]&low == 0 {
		return false
	}
	before := byte('a')
	for i := range len(s) {
		c := s[i]
		if class[c]&inLabel == 0 || before == '.' && class[c]&low == 0 || before == '-' && c == '.' {
			return false
		}
		before = c
	}
	return true
}
