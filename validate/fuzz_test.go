package validate_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/validate"
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

// refValue is refKey for a value.
func refValue(s string) string {
	if s == "" {
		return ""
	}
	return strings.ReplaceAll(refKey(strings.ReplaceAll(s, "/", "!")), "the name ", "")
}

// FuzzKey judges a text as a key, as a value and as an integer.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "a", "a/b", "node.kubernetes.io/not-ready", "a..b/c", "a.-b/c", "/", "a//b", "A/b", "a\n", "é", "-bad/key!", "-/-", strings.Repeat("P", 254) + "/é", strings.Repeat("-", 64) + "!", strings.Repeat("n", 64), strings.Repeat("p.", 127) + "/n", "0_-.9", "-0", "00", "-7", "9223372036854775807", "-9223372036854775809"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tt := range []struct {
			rule    string
			err     error
			accepts bool
			want    string
		}{{"V1", validate.Key(s), plain.Key(s), refKey(s)}, {"V2", validate.Value(s), plain.Value(s), refValue(s)}} {
			if (tt.err == nil) != tt.accepts || wrong(tt.err) != tt.want {
				t.Errorf("%s: %q: %v, want that it %s; accepted: %t", tt.rule, s, tt.err, tt.want, tt.accepts)
			}
		}
		want, ok := plain.Integer(s)
		if got, err := validate.Integer(s); (err == nil) != ok || got != want {
			t.Errorf("V3: Integer(%q) = %d, %v, want %d, accepted: %t", s, got, err, want, ok)
		}
	})
}

// Every short text of bytes that differ in what they may be part of, and every byte
// after the beginnings that differ in what may follow.
func TestKey_enumerated(t *testing.T) {
	check := func(s string) {
		if err, want := validate.Key(s), refKey(s); wrong(err) != want {
			t.Fatalf("V1: Key(%q) = %v, want that it %s", s, err, want)
		}
	}
	var extend func(s string, n int)
	extend = func(s string, n int) {
		check(s)
		for i := 0; i < len("aA-._/!") && n > 0; i++ {
			extend(s+"aA-._/!"[i:i+1], n-1)
		}
	}
	extend("", 5)
	for _, before := range []string{"", "a", "a-", "a.", "A", "A-", "a/", "a/b", "a/b-", "!"} {
		for c := range 256 {
			for _, after := range []string{"", "a", "/a", "a/a"} {
				check(before + string([]byte{byte(c)}) + after)
			}
		}
	}
}
