package validate

import (
	"math"
	"strings"
)

const (
	maxPrefix = 253 // a DNS subdomain
	maxName   = 63  // a key's name, a value
)

// What a byte may be part of.
const (
	alnum  = 1 << iota // A-Z a-z 0-9
	inName             // alnum - _ .
	low                // a-z 0-9
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
			t[c] = alnum | inName | low
		case 'A' <= b && b <= 'Z':
			t[c] = alnum | inName
		case b == '-', b == '_', b == '.':
			t[c] = inName
		}
	}
	return t
}()

// Key reports what keeps s from being a key, a qualified name such as
// "dedicated" or "node.kubernetes.io/not-ready"; nil when it is one.
//
// It does not allocate when s is a key. It is O(len(s)).
func Key(s string) error {
	if r := KeyRule(s); r != 0 {
		return Problems{{Func: "validate.Key", Input: s, Value: s, Rule: r}}
	}
	return nil
}

// Value reports what keeps s from being a value, such as "gpu" or the empty
// text; nil when it is one.
//
// It does not allocate when s is a value. It is O(len(s)).
func Value(s string) error {
	if r := ValueRule(s); r != 0 {
		return Problems{{Func: "validate.Value", Input: s, Value: s, Rule: r}}
	}
	return nil
}

// Integer returns the number that s stands for, in the one form that the
// operators Lt and Gt take: decimal, within int64, with no plus sign, leading
// zero, negative zero, fraction, exponent or white space. On an error it
// returns 0.
//
// It does not allocate when s is such a number. It is O(1).
func Integer(s string) (int64, error) {
	n, r := IntegerRule(s)
	if r != 0 {
		return 0, Problems{{Func: "validate.Integer", Input: s, Value: s, Rule: r}}
	}
	return n, nil
}

// KeyRule returns the first rule that s breaks as a key, 0 when it is one: the
// answer of [Key] for callers who tell the problem in their own words. It does
// not allocate.
func KeyRule(s string) Rule {
	slash := strings.IndexByte(s, '/')
	if slash < 0 {
		if s == "" {
			return KeyEmpty
		}
		return nameRule(s)
	}
	name := s[slash+1:]
	if strings.IndexByte(name, '/') >= 0 {
		return KeySlashes
	}
	if r := prefixRule(s[:slash]); r != 0 {
		return r
	}
	if name == "" {
		return NameEmpty
	}
	return nameRule(name)
}

// ValueRule returns the first rule that s breaks as a value, 0 when it is one:
// the answer of [Value] for callers who tell the problem in their own words.
// It does not allocate.
func ValueRule(s string) Rule {
	if s == "" {
		return 0
	}
	switch nameRule(s) {
	case NameTooLong:
		return ValueTooLong
	case NameBytes:
		return ValueBytes
	case NameEnds:
		return ValueEnds
	}
	return 0
}

// IntegerRule returns the number that s stands for, or the rule that it
// breaks: the answer of [Integer] for callers who tell the problem in their
// own words. It does not allocate.
func IntegerRule(s string) (int64, Rule) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return 0, IntegerForm
	}
	for i := range len(digits) {
		if digits[i]-'0' > 9 {
			return 0, IntegerForm
		}
	}
	if len(digits) > 19 { // MaxInt64 has 19 digits, and any 19 fit into a uint64
		return 0, IntegerRange
	}
	n := uint64(0)
	for i := range len(digits) {
		n = n*10 + uint64(digits[i]-'0')
	}
	if len(digits) != len(s) {
		if n > -math.MinInt64 {
			return 0, IntegerRange
		}
		return -int64(n), 0
	}
	if n > math.MaxInt64 {
		return 0, IntegerRange
	}
	return int64(n), 0
}

// nameRule judges a non-empty name or value.
func nameRule(s string) Rule {
	if len(s) > maxName {
		return NameTooLong
	}
	all := uint8(inName)
	for i := range len(s) {
		all &= class[s[i]]
	}
	if all&inName == 0 {
		return NameBytes
	}
	if class[s[0]]&class[s[len(s)-1]]&alnum == 0 {
		return NameEnds
	}
	return 0
}

func prefixRule(s string) Rule {
	if s == "" {
		return PrefixEmpty
	}
	if len(s) > maxPrefix {
		return PrefixTooLong
	}
	if class[s[0]]&class[s[len(s)-1]]&low == 0 {
		return PrefixForm
	}
	// Both ends are letters or digits, so both neighbours of any other byte exist.
	for i := range len(s) {
		if class[s[i]]&low != 0 {
			continue
		}
		switch s[i] {
		case '-': // its neighbours are judged on their own
		case '.':
			if class[s[i-1]]&class[s[i+1]]&low == 0 {
				return PrefixForm
			}
		default:
			return PrefixForm
		}
	}
	return 0
}
