//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

func TestAllocs(t *testing.T) {
	key := strings.Repeat("p", 253) + "/" + strings.Repeat("n", 63)
	bad, badValue := key+"/", "gpu/"
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"Key", 0, func() { _ = validate.Key(key) }},
		{"KeyRule", 0, func() { _ = validate.KeyRule(key) }},
		{"KeyRule_bad", 0, func() { _ = validate.KeyRule(bad) }},
		{"Value", 0, func() { _ = validate.Value("gpu") }},
		{"ValueRule_bad", 0, func() { _ = validate.ValueRule(badValue) }},
		{"Integer", 0, func() { _, _ = validate.Integer("-9223372036854775808") }},
		{"IntegerRule", 0, func() { _, _ = validate.IntegerRule("9223372036854775807") }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
