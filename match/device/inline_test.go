package device_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// What is called for each taint, and the iterator, which does not allocate because it
// is inlined.
func TestInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t,
		"Device.AllTaints",
		"Device.Allocatable",
		"(*Selector).Selects",
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
