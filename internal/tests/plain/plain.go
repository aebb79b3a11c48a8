// Package plain is a second implementation of keys, values and integers, by regular
// expressions, and of reading a JSON object. It is slow, short and without any code of
// package validate, so that tests can compare the parsers with it.
package plain

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	name    = regexp.MustCompile(`\A[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?\z`)
	domain  = regexp.MustCompile(`\A[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\z`)
	integer = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)
)

// Key reports whether s is a qualified name (V1).
func Key(s string) bool {
	prefix, rest, found := strings.Cut(s, "/")
	if !found {
		return name.MatchString(s)
	}
	return len(prefix) <= 253 && domain.MatchString(prefix) && name.MatchString(rest)
}

// Value reports whether s may be a taint's value (V2).
func Value(s string) bool { return s == "" || name.MatchString(s) }

// Integer returns the integer that s represents, and whether it represents one (V3).
func Integer(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !integer.MatchString(s) {
		return 0, false
	}
	return n, true
}

// Object returns the members of a JSON object as Kubernetes reads them (K4). The last
// value of a repeated name counts. A null does not replace an earlier value, unless
// unset has the name. Numbers are json.Numbers. It returns false for input that is not
// an object.
func Object(data []byte, unset ...string) (members map[string]any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !json.Valid(data) {
		return nil, false
	}
	members = make(map[string]any)
	for d.More() {
		token, _ := d.Token()
		name := token.(string)
		var v any
		if d.Decode(&v) != nil {
			return nil, false
		}
		if v != nil || slices.Contains(unset, name) {
			members[name] = v
		}
	}
	return members, true
}
