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
	label   = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	domain  = regexp.MustCompile(`\A` + label + `(\.` + label + `)*\z`)
	other   = regexp.MustCompile(`[^-_.A-Za-z0-9]`)
	inner   = regexp.MustCompile(`\A[-_.]|[-_.]\z`)
	integer = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)
)

// KeyProblem returns what is wrong with s as a qualified name (V1), "" if it is one.
func KeyProblem(s string) string {
	before, rest, found := strings.Cut(s, "/")
	if !found {
		before, rest = "no.prefix", s
	}
	switch {
	case s == "":
		return "must not be empty"
	case strings.Contains(rest, "/"):
		return "must contain at most one '/'"
	}
	return strings.Join(slices.Concat(
		when(before == "", "the prefix before '/' must not be empty"),
		when(len(before) > 253, "the prefix before '/' must be at most 253 bytes long"),
		when(before != "" && !domain.MatchString(before), "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit"),
		when(rest == "", "the name after '/' must not be empty"),
		when(len(rest) > 63, "the name must be at most 63 bytes long"),
		when(other.MatchString(rest), "the name must contain only letters, digits, '-', '_' and '.'"),
		when(inner.MatchString(rest), "the name must begin and end with a letter or digit"),
	), "; ")
}

func when(is bool, text string) []string {
	if is {
		return []string{text}
	}
	return nil
}

// ValueProblem is KeyProblem for the value of a taint (V2).
func ValueProblem(s string) string {
	if s == "" {
		return ""
	}
	return strings.ReplaceAll(KeyProblem(strings.ReplaceAll(s, "/", "!")), "the name ", "")
}

// IntegerProblem is KeyProblem for an integer (V3).
func IntegerProblem(s string) string {
	_, err := strconv.ParseInt(s, 10, 64)
	switch {
	case !integer.MatchString(s):
		return "must be a decimal integer such as 0, 42 or -7"
	case err != nil:
		return "must be within int64"
	}
	return ""
}

// Key reports whether s is a qualified name (V1).
func Key(s string) bool { return KeyProblem(s) == "" }

// Value reports whether s may be a taint's value (V2).
func Value(s string) bool { return ValueProblem(s) == "" }

// Integer returns the integer that s represents, and whether it represents one (V3).
func Integer(s string) (n int64, ok bool) {
	if IntegerProblem(s) != "" {
		return 0, false
	}
	n, _ = strconv.ParseInt(s, 10, 64)
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
