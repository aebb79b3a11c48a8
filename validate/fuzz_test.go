package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/validate"
)

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
	check(t, "Key", s, validate.Key(s), validate.InvalidKey, plain.KeyProblem(s))
	check(t, "Value", s, validate.Value(s), validate.InvalidValue, plain.ValueProblem(s))
	got, err := validate.Integer(s)
	check(t, "Integer", s, err, validate.InvalidInteger, plain.IntegerProblem(s))
	if want, _ := plain.Integer(s); got != want {
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
