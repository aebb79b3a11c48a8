package validate

import (
	"math"
	"strings"
)

const (
	maxPrefix = 253 // a DNS subdomain
	maxName   = 63  // a key's name, a value
)

// What a byte may be part of. The last four tell which bytes may not be
// neighbours in a prefix, '.' and '-' after '.' and '.' after either: then the
// upper two of a byte, shifted down by pairUp, meet the lower two of the byte
// before it.
const (
	alnum   = 1 << iota // A-Z a-z 0-9
	inName              // alnum - _ .
	low                 // a-z 0-9
	inLabel             // low - .
	dot
	dotOrDash
	dotOrDashUp
	dotUp

	pairUp = 2
	pair   = dot | dotOrDash
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
			t[c] = alnum | inName | low | inLabel
		case 'A' <= b && b <= 'Z':
			t[c] = alnum | inName
		case b == '_':
			t[c] = inName
		case b == '-':
			t[c] = inName | inLabel | dotOrDash | dotOrDashUp
		case b == '.':
			t[c] = inName | inLabel | pair | dotUp | dotOrDashUp
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
	if s == "" || nameRule(s) == 0 {
		return nil
	}
	return Problems{{Func: "validate.Value", Input: s, Value: s, Rule: ValueRule(s)}}
}

// Integer returns the number that s stands for, in the one form that the
// operators Lt and Gt take: decimal, within int64, with no plus sign, leading
// zero, negative zero, fraction, exponent or white space. On an error it
// returns 0.
//
// It does not allocate when s is such a number. It is O(len(s)).
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
	prefixR, nameR := prefixRule(s[:slash]), NameEmpty
	if name != "" {
		nameR = nameRule(name)
	}
	switch {
	case prefixR|nameR == 0:
		return 0
	case strings.IndexByte(name, '/') >= 0: // told first, looked for last
		return KeySlashes
	case prefixR != 0:
		return prefixR
	}
	return nameR
}

// ValueRule returns the first rule that s breaks as a value, 0 when it is one:
// the answer of [Value] for callers who tell the problem in their own words.
// It does not allocate.
func ValueRule(s string) Rule {
	if s == "" {
		return 0
	}
	r := nameRule(s)
	if r == 0 {
		return 0
	}
	switch r {
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
	// What all bytes may be part of, read eight at a time, the last ones twice if
	// need be: BenchmarkValue.
	all, n := uint8(0), len(s)
	switch {
	case n >= 8:
		all = eight(s[n-8:])
		for rest := s; len(rest) > 8; rest = rest[8:] {
			all &= eight(rest)
		}
	case n >= 4:
		all = four(s) & four(s[n-4:])
	default:
		all = class[s[0]] & class[s[n/2]] & class[s[n-1]]
	}
	if all&inName == 0 {
		return NameBytes
	}
	if class[s[0]]&class[s[len(s)-1]]&alnum == 0 {
		return NameEnds
	}
	return 0
}

// eight and four return what their first bytes may all be part of.
func eight(s string) uint8 { return four(s) & four(s[4:]) }

func four(s string) uint8 {
	_ = s[3]
	return class[s[0]] & class[s[1]] & class[s[2]] & class[s[3]]
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
	all, bad, before := uint8(inLabel), uint8(0), uint8(low)
	rest := s
	for len(rest) >= 4 { // four at a time: BenchmarkKey
		a, b, c, d := class[rest[0]], class[rest[1]], class[rest[2]], class[rest[3]]
		all &= a & b & c & d
		bad |= before&(a>>pairUp) | a&(b>>pairUp) | b&(c>>pairUp) | c&(d>>pairUp)
		before, rest = d, rest[4:]
	}
	for i := range len(rest) {
		c := class[rest[i]]
		all &= c
		bad |= before & (c >> pairUp)
		before = c
	}
	if all&inLabel == 0 || bad&pair != 0 {
		return PrefixForm
	}
	return 0
}
