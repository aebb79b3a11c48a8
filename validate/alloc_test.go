package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkErr error
	sinkInt int64
)

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	key := strings.Repeat("p", 253) + "/" + strings.Repeat("n", 63)
	tests := []struct {
		name string
		want float64
		f    func()
	}{
		{"Key", 0, func() { sinkErr = validate.Key(key) }},
		{"Value", 0, func() { sinkErr = validate.Value("gpu") }},
		{"Integer", 0, func() { sinkInt, sinkErr = validate.Integer("-9223372036854775808") }},
	}
	for _, tt := range tests {
		if got := testing.AllocsPerRun(100, tt.f); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
}
