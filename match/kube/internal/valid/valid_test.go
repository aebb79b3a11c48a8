package valid

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// equalsValidate compares the functions with those of package validate.
func equalsValidate(t *testing.T, s string) (valid bool) {
	key, value := validate.Key(s) == nil, validate.Value(s) == nil
	if got := Key(s); got != key {
		t.Errorf("Key(%q) = %v, want %v", s, got, key)
	}
	if got := Value(s); got != value {
		t.Errorf("Value(%q) = %v, want %v", s, got, value)
	}
	return key
}

// All strings of at most six bytes, with a byte of each kind.
func TestKey_V1_all_short(t *testing.T) {
	t.Parallel()
	valid := 0
	var extend func(s string)
	extend = func(s string) {
		if equalsValidate(t, s) {
			valid++
		}
		if len(s) < 6 {
			for _, c := range []string{"a", "0", "Z", "-", ".", "/", "_", " ", "\xff"} {
				extend(s + c)
			}
		}
	}
	extend("")
	if valid < 10_000 {
		t.Errorf("only %d keys are valid", valid)
	}
}

// Every byte at every position, and every two separators at every two.
func TestKey_V1_all_positions(t *testing.T) {
	t.Parallel()
	valid := 0
	for n := range 70 {
		base := []byte(strings.Repeat("n", n))
		for i := range n {
			for b := range 256 {
				base[i] = byte(b)
				if equalsValidate(t, string(base)) {
					valid++
				}
			}
			for _, one := range []byte("-./_Z\xff") {
				base[i] = one
				for j := range i {
					for _, other := range []byte("-./\xff") {
						base[j] = other
						equalsValidate(t, string(base))
					}
					base[j] = 'n'
				}
			}
			base[i] = 'n'
		}
	}
	for _, prefix := range []int{252, 253, 254} {
		for _, name := range []int{62, 63, 64} {
			equalsValidate(t, strings.Repeat("p", prefix)+"/"+strings.Repeat("n", name))
		}
	}
	if valid < 10_000 {
		t.Errorf("only %d keys are valid", valid)
	}
}

// The usual form takes the fast path.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"dedicated", "amd.com/gpu", "nvidia.com/gpu", "a/bcdefgh", "abcdefg/h", "gpu.example.com/reserved", "node.kubernetes.io/unreachable", strings.Repeat("n", 63)} {
		if !plain(s) {
			t.Errorf("plain(%q) = false", s)
		}
	}
}
