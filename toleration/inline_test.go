package toleration_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// What matchers call for every toleration. Most pairs that Tolerates compares
// differ in their tags, which costs no call then.
func TestInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t,
		"Toleration.Tolerates",
		"Toleration.Key",
		"Toleration.Value",
		"Toleration.Operator",
		"Toleration.Effect",
		"Toleration.Seconds",
		"Toleration.IsZero",
		"Toleration.IsNumeric",
		"Toleration.Canonical",
		"Toleration.WithoutSeconds",
		"Toleration.String",
		"Parse",
	)
}
