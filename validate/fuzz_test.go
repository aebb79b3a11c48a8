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

var integer = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)

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

// rulesOf returns the rules of the problems. Each has the function and the text.
func rulesOf(t *testing.T, function, text string, err error) (rules []validate.Rule) {
	t.Helper()
	ps, _ := err.(validate.Problems)
	for _, p := range ps {
		rules = append(rules, p.Rule)
		if p.Func != "validate."+function || p.Input != text || p.Value != text {
			t.Errorf("%s(%q) fails with %#v", function, text, p)
		}
	}
	return rules
}

// judge compares a text as a key, as a value and as an integer with the references.
func judge(t *testing.T, s string) {
	t.Helper()
	for _, tt := range []struct {
		rule, function string
		err            error
		accepts        bool
		want           []validate.Rule
	}{
		{"V1", "Key", validate.Key(s), plain.Key(s), refKeyRules(s)},
		{"V2", "Value", validate.Value(s), plain.Value(s), refValueRules(s)},
	} {
		if got := rulesOf(t, tt.function, s, tt.err); (tt.err == nil) != tt.accepts || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q breaks %v, want %v; accepted: %t", tt.rule, s, got, tt.want, tt.accepts)
		}
	}
	want, ok := plain.Integer(s)
	got, err := validate.Integer(s)
	var rules []validate.Rule
	if !ok {
		rules = []validate.Rule{validate.IntegerForm}
		if integer.MatchString(s) {
			rules[0] = validate.IntegerRange
		}
	}
	if broken := rulesOf(t, "Integer", s, err); !slices.Equal(broken, rules) || got != want {
		t.Errorf("V3: Integer(%q) = %d, %v, want %d, %v", s, got, err, want, rules)
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
