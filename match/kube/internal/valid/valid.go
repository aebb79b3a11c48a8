// Package valid reports whether the fields of the API's taints are valid. It is package
// validate without errors, and faster for the usual keys.
package valid

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/validate"
)

// The lengths of the longest key and value. Longer ones are invalid, and not read, since
// each toleration without a key would read them again.
const (
	maxKey   = 253 + len("/") + maxValue
	maxValue = 63
)

// Key reports whether [validate.Key] accepts s. It is faster for long keys of the usual
// form: BenchmarkFilter.
func Key(s string) bool {
	return plain(s) || len(s) <= maxKey && validate.Key(s) == nil
}

// Value reports whether [validate.Value] accepts s.
func Value(s string) bool {
	return s == "" || len(s) <= maxValue && validate.Value(s) == nil
}

// Time reports whether a taint can have been added at that time: in the years 1 to 9999,
// in UTC.
func Time(at *metav1.Time) bool {
	return at == nil || unixYear1 <= at.Unix() && at.Unix() < unixYear10000
}

const (
	unixYear1     = -62135596800
	unixYear10000 = 253402300800
)

// plain reports whether s has 9 to 63 bytes and consists of lower-case letters and
// digits with single separators between them, at most one of which is a slash. It
// examines eight bytes at a time, and the last eight together, some of which it may have
// seen before.
func plain(s string) bool {
	if len(s) < 9 || len(s) > maxValue {
		return false
	}
	// At the beginning and at the end, a separator is like one that follows another.
	wrong, sum, before := uint64(0), uint64(0), uint64(first)
	i, last := 0, len(s)-8
	for ; i < last; i += 8 {
		separators, slashes, bad := classes(eight(s[i:]))
		wrong |= bad | separators&(separators<<8|before)
		sum += slashes & tops >> 7 // counted by position
		before = separators >> 56
	}
	seen := (i - last) * 8 & 63 // bits; the operand & 63 makes the shifts faster
	separators, slashes, bad := classes(eight(s[last:]))
	wrong |= bad | separators&(separators<<8|before<<seen|final)
	sum += slashes & tops >> 7 >> seen
	return wrong&tops == 0 && sum*ones>>56 <= 1
}

const (
	ones  = 0x0101010101010101 // the lowest bit of each byte
	tops  = ones << 7          // the highest ones
	first = 0x80               // the highest bit of the first byte of a string
	final = 0x80 << 56         // and of the last one
)

// classes returns, in the highest bit of each byte, whether the byte of x is a separator,
// which is a dash, a dot or a slash, whether it is a slash, and whether it is neither a
// separator nor a lower-case letter nor a digit. The other bits have no meaning.
//
// A sum has that bit set for the ASCII bytes from a bound on, and two of them differ in
// it for those between the bounds. A byte that is not ASCII is bad, so its carry into the
// next one does not matter.
func classes(x uint64) (separators, slashes, bad uint64) {
	dash, slash, digit := x+ones*(0x80-'-'), x+ones*(0x80-'/'), x+ones*(0x80-'0')
	allowed := dash ^ (x + ones*(0x7f-'9')) ^ (x + ones*(0x80-'a')) ^ (x + ones*(0x7f-'z'))
	return dash ^ digit, slash ^ digit, x | ^allowed
}

// eight returns the first eight bytes of s as one word.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
