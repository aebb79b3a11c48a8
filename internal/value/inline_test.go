package value_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// What engines call for every taint and every toleration.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t,
		"Taint.Key",
		"Taint.Value",
		"Taint.KeyHandle",
		"Taint.ValueHandle",
		"Taint.Tag",
		"Taint.Effect",
		"Taint.Canonical",
		"Taint.SameKeyEffect",
		"Toleration.Key",
		"Toleration.Value",
		"Toleration.KeyHandle",
		"Toleration.ValueHandle",
		"Toleration.Operator",
		"Toleration.Effect",
		"Toleration.Seconds",
		"Toleration.IsNumeric",
		"Toleration.Canonical",
		"Toleration.Matches",
		"(*Toleration).MayMatch",
		"(*Toleration).MatchesText",
	)
}
