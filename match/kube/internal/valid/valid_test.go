package valid

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// The check of the length does not change the result.
func TestKey_V1_lengths(t *testing.T) {
	t.Parallel()
	valid := 0
	for prefix := range 300 {
		for name := range 70 {
			n := strings.Repeat("n", name)
			for _, s := range []string{n, strings.Repeat("p", prefix) + "/" + n, strings.Repeat("p.", prefix/2) + "p/" + n} {
				want := validate.Key(s) == nil
				if got := Key(s); got != want {
					t.Errorf("Key(%q) = %v, want %v", s, got, want)
				}
				if want {
					valid++
				}
			}
		}
	}
	if want := (300 + 253 + 254) * 63; valid != want { // without a prefix, with one of 1 to 253 letters, with one of 1 to 253 bytes and dots, each twice
		t.Errorf("%d keys are valid, want %d", valid, want)
	}
}

func TestValue_V2_lengths(t *testing.T) {
	t.Parallel()
	for n := range 70 {
		s := strings.Repeat("v", n)
		if got, want := Value(s), validate.Value(s) == nil; got != want {
			t.Errorf("Value(%q) = %v, want %v", s, got, want)
		}
	}
}
