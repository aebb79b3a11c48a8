package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/validate"
)

func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "a", "a/b", "node.kubernetes.io/not-ready", "a..b/c", "a.-b/c", "/", "a//b", "A/b", "a\n", "é", strings.Repeat("n", 64), strings.Repeat("p.", 127) + "/n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// V1
		if got, want := validate.Key(s) == nil, plain.Key(s); got != want {
			t.Errorf("Key(%q) accepts: %t, want %t", s, got, want)
		}
		if got, want := validate.KeyRule(s) == 0, plain.Key(s); got != want {
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
		if got, want := validate.Value(s) == nil, plain.Value(s); got != want {
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
		want, ok := plain.Integer(s)
		got, err := validate.Integer(s)
		if (err == nil) != ok || got != want {
			t.Errorf("Integer(%q) = %d, %v, want %d, accepted: %t", s, got, err, want, ok)
		}
	})
}
