package validate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/validate"
)

// refKeyRules are the rules that s breaks as a key, from the words of the
// constants alone.
func refKeyRules(s string) (broken []validate.Rule) {
	add := func(r validate.Rule, is bool) {
		if is {
			broken = append(broken, r)
		}
	}
	before, name, prefixed := strings.Cut(s, "/")
	switch {
	case s == "":
		return []validate.Rule{validate.KeyEmpty}
	case strings.Contains(name, "/"):
		return []validate.Rule{validate.KeySlashes}
	case !prefixed:
		name = s
	default:
		add(validate.PrefixEmpty, before == "")
		add(validate.PrefixTooLong, len(before) > 253)
		add(validate.PrefixForm, before != "" && !subdomain.MatchString(before))
		add(validate.NameEmpty, name == "")
	}
	add(validate.NameTooLong, len(name) > 63)
	add(validate.NameBytes, strings.Trim(name, nameBytes) != "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(nameBytes, r) }))
	add(validate.NameEnds, strings.Trim(name, "-_.") != name)
	return broken
}

const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

var subdomain = regexp.MustCompile(`\A[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\z`)

// refValueRules is refKeyRules for a value.
func refValueRules(s string) (broken []validate.Rule) {
	if s == "" {
		return nil
	}
	for _, r := range refKeyRules(strings.ReplaceAll(s, "/", "!")) {
		broken = append(broken, r-validate.NameTooLong+validate.ValueTooLong)
	}
	return broken
}

func rulesOf(err error) (rules []validate.Rule) {
	ps, _ := err.(validate.Problems)
	for _, p := range ps {
		rules = append(rules, p.Rule)
	}
	return rules
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
			want    []validate.Rule
		}{{"V1", validate.Key(s), plain.Key(s), refKeyRules(s)}, {"V2", validate.Value(s), plain.Value(s), refValueRules(s)}} {
			if got := rulesOf(tt.err); (tt.err == nil) != tt.accepts || !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q breaks %v, want %v; accepted: %t", tt.rule, s, got, tt.want, tt.accepts)
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
		if got, want := rulesOf(validate.Key(s)), refKeyRules(s); !slices.Equal(got, want) {
			t.Fatalf("V1: Key(%q) breaks %v, want %v", s, got, want)
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
