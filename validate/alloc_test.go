package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
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
	measure.Allocs(t, "Key", 0, func() { sinkErr = validate.Key(key) })
	measure.Allocs(t, "Value", 0, func() { sinkErr = validate.Value("gpu") })
	measure.Allocs(t, "Integer", 0, func() { sinkInt, sinkErr = validate.Integer("-9223372036854775808") })
}
