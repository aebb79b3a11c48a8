package validate_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// The rules once more, as regular expressions: they share nothing with the
// code that they judge.
var (
	nameExpr    = regexp.MustCompile(`\A[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?\z`)
	prefixExpr  = regexp.MustCompile(`\A[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\z`)
	integerExpr = regexp.MustCompile(`\A(0|-?[1-9][0-9]*)\z`)
)

func isName(s string) bool { return len(s) <= 63 && nameExpr.MatchString(s) }

func isKey(s string) bool {
	prefix, name, prefixed := strings.Cut(s, "/")
	if !prefixed {
		return isName(s)
	}
	return len(prefix) <= 253 && prefixExpr.MatchString(prefix) && isName(name)
}

func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "a", "a/b", "node.kubernetes.io/not-ready", "a..b/c", "a.-b/c", "/", "a//b", "A/b", "a\n", "é", strings.Repeat("n", 64), strings.Repeat("p.", 127) + "/n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// V1
		if got, want := validate.Key(s) == nil, isKey(s); got != want {
			t.Errorf("Key(%q) accepts: %t, want %t", s, got, want)
		}
		if got, want := validate.KeyRule(s) == 0, isKey(s); got != want {
			t.Errorf("KeyRule(%q) accepts: %t, want %t", s, got, want)
		}
	})
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{"", "a", "-a", "a.", "a/b", "a b", "0_-.9", strings.Repeat("v", 64)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// V2
		if got, want := validate.Value(s) == nil, s == "" || isName(s); got != want {
			t.Errorf("Value(%q) accepts: %t, want %t", s, got, want)
		}
	})
}

func FuzzInteger(f *testing.F) {
	for _, s := range []string{"", "0", "-0", "00", "7", "-7", "+1", "1e3", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// V3
		want, ok := new(big.Int), integerExpr.MatchString(s)
		if ok {
			want.SetString(s, 10)
			ok = want.IsInt64()
		}
		got, err := validate.Integer(s)
		if (err == nil) != ok || ok && got != want.Int64() || !ok && got != 0 {
			t.Errorf("Integer(%q) = %d, %v, want %v, accepted: %t", s, got, err, want, ok)
		}
	})
}
