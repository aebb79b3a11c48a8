package toleration_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// These are the functions that matchers call for every toleration. Most pairs that
// Tolerates compares differ in their tags, which then costs no call.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t, "Toleration.Tolerates", "Toleration.Key", "Toleration.Value", "Toleration.Operator", "Toleration.Effect", "Toleration.Seconds",
		"Toleration.IsZero", "Toleration.IsNumeric", "Toleration.Canonical", "Toleration.WithoutSeconds", "Toleration.String", "Parse")
}
