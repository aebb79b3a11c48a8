package taint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// These are the functions that matchers call for every taint.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t, "Taint.Key", "Taint.Value", "Taint.Effect", "Taint.IsZero", "Taint.Canonical",
		"Taint.SameKeyEffect", "Effect.IsValid", "Effect.String", "Taint.String", "Parse")
}
