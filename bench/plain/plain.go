// Package plain tells once more what a key, a value and an integer are, with
// regular expressions: slow, short, and without any code of package validate,
// so that tests can judge the parsers by it.
package plain

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	name    = regexp.MustCompile(`\A[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?\z`)
	label   = regexp.MustCompile(`\A[a-z0-9]([-a-z0-9]*[a-z0-9])?\z`)
	integer = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)
)

// Key reports whether s is a qualified name (V1).
func Key(s string) bool {
	prefix, rest, found := strings.Cut(s, "/")
	if !found {
		return name.MatchString(s)
	}
	if len(prefix) > 253 || !name.MatchString(rest) {
		return false
	}
	for part := range strings.SplitSeq(prefix, ".") {
		if !label.MatchString(part) {
			return false
		}
	}
	return true
}

// Value reports whether s may be a taint's value (V2).
func Value(s string) bool { return s == "" || name.MatchString(s) }

// Integer returns the integer that s writes, and whether it writes one (V3).
func Integer(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !integer.MatchString(s) {
		return 0, false
	}
	return n, true
}
