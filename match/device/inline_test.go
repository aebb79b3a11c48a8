package device_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// These functions are called for each taint.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t,
		"Device.Allocatable",
		"(*TaintSelector).Selects",
		"(*Taint).blocks",
		"(*Taint).evicts",
		"Taint.Key",
		"Taint.Value",
		"Taint.IsZero",
		"Toleration.Key",
		"Toleration.Effect",
		"Toleration.Seconds",
		"Toleration.IsZero",
	)
}
