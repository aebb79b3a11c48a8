package validate_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/validate"
)

// What a text that is no key, value or integer must be.
const (
	empty      = "must not be empty"
	slashes    = "must contain at most one '/'"
	noPrefix   = "the prefix before '/' must not be empty"
	longPrefix = "the prefix before '/' must be at most 253 bytes long"
	badPrefix  = "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit"
	noName     = "the name after '/' must not be empty"
	longName   = "the name " + longValue
	nameBytes  = "the name " + valueBytes
	nameEnds   = "the name " + valueEnds
	longValue  = "must be at most 63 bytes long"
	valueBytes = "must contain only letters, digits, '-', '_' and '.'"
	valueEnds  = "must begin and end with a letter or digit"
	noInteger  = "must be a decimal integer such as 0, 42 or -7"
	noInt64    = "must be within int64"
)

// refKey says what is wrong with s as a key.
func refKey(s string) string {
	var broken []string
	add := func(text string, is bool) {
		if is {
			broken = append(broken, text)
		}
	}
	before, name, prefixed := strings.Cut(s, "/")
	switch {
	case s == "":
		return empty
	case strings.Contains(name, "/"):
		return slashes
	case !prefixed:
		name = s
	default:
		add(noPrefix, before == "")
		add(longPrefix, len(before) > 253)
		add(badPrefix, before != "" && !subdomain.MatchString(before))
		add(noName, name == "")
	}
	add(longName, len(name) > 63)
	add(nameBytes, strings.Trim(name, allowed) != "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(allowed, r) }))
	add(nameEnds, strings.Trim(name, "-_.") != name)
	return strings.Join(broken, "; ")
}

const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

var subdomain = regexp.MustCompile(`\A[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\z`)

var integer = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)

// refInteger says what is wrong with s as an integer that is not in int64.
func refInteger(s string) string {
	if integer.MatchString(s) {
		return noInt64
	}
	return noInteger
}

// refValue is refKey for a value.
func refValue(s string) string {
	if s == "" {
		return ""
	}
	return strings.ReplaceAll(refKey(strings.ReplaceAll(s, "/", "!")), "the name ", "")
}

// check requires one problem that says what the text must be, or none.
func check(t *testing.T, function, text string, err error, rule validate.Rule, want string) {
	t.Helper()
	if got := wrong(err); got != want {
		t.Errorf("%s(%q) = %v, want that it %s", function, text, err, want)
	}
	ps, _ := err.(validate.Problems)
	if len(ps) != min(len(want), 1) {
		t.Errorf("%s(%q) has %d problems", function, text, len(ps))
	}
	for _, p := range ps {
		if p.Rule != rule || p.Value != text || p.Input != text || p.Func != "validate."+function {
			t.Errorf("%s(%q) fails with %#v", function, text, p)
		}
	}
}

// wrong returns what the text of an error says of its value.
func wrong(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.TrimSuffix(text[strings.LastIndex(text, "): ")+len("): "):], "; remove the white space")
}

// judge compares a text as a key, as a value and as an integer with the references.
func judge(t *testing.T, s string) {
	t.Helper()
	err := validate.Key(s)
	if check(t, "Key", s, err, validate.InvalidKey, refKey(s)); (err == nil) != plain.Key(s) {
		t.Errorf("V1: Key(%q) = %v", s, err)
	}
	err = validate.Value(s)
	if check(t, "Value", s, err, validate.InvalidValue, refValue(s)); (err == nil) != plain.Value(s) {
		t.Errorf("V2: Value(%q) = %v", s, err)
	}
	wrong := ""
	want, ok := plain.Integer(s)
	if !ok {
		wrong = refInteger(s)
	}
	got, err := validate.Integer(s)
	if check(t, "Integer", s, err, validate.InvalidInteger, wrong); got != want {
		t.Errorf("V3: Integer(%q) = %d, want %d", s, got, want)
	}
}

// FuzzKey judges any text. The seeds have what the enumeration has not: long texts, and
// the ends of int64.
func FuzzKey(f *testing.F) {
	n, p := strings.Repeat("n", 63), strings.Repeat("p", 253)
	for _, s := range []string{
		n, n + "n", "a/" + n, "a/" + n + "n", "-" + n + "!", "a/-" + n + "!", p + "/k", p + "p/k", strings.Repeat("P", 254) + "/é",
		strings.Repeat("p.", 126) + "p/n", strings.Repeat("p.", 127) + "/n", "node.kubernetes.io/not-ready", "schlüssel", "٣",
		"999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808", "10000000000000000000",
		"-9223372036854775808", "-9223372036854775809", "99999999999999999999",
	} {
		f.Add(s)
	}
	f.Fuzz(judge)
}

// Every short text of bytes that differ in what they may be part of, and every byte
// after the beginnings that differ in what may follow.
func TestKey(t *testing.T) {
	t.Run("V1_V2_parts", func(t *testing.T) { judgeAll(t, "", "aA-._/!", 5) })
	t.Run("V3_digits", func(t *testing.T) { judgeAll(t, "", "-+01x", 4) })
	t.Run("V1_bytes", func(t *testing.T) {
		for _, before := range []string{"", "a", "a-", "a.", "A", "A-", "a/", "a/b", "a/b-", "!"} {
			for c := range 256 {
				for _, after := range []string{"", "a", "/a", "a/a"} {
					judge(t, before+string([]byte{byte(c)})+after)
				}
			}
		}
	})
}

// judgeAll judges s with up to n of the bytes behind it.
func judgeAll(t *testing.T, s, bytes string, n int) {
	judge(t, s)
	for i := 0; i < len(bytes) && n > 0 && !t.Failed(); i++ {
		judgeAll(t, s+bytes[i:i+1], bytes, n-1)
	}
}
