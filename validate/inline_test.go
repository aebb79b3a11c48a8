package validate_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// What every parser calls for each error, and what a problem is found by.
func TestInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t,
		"Problems.Err",
		"Problems.Unwrap",
		"(*Problem).Unwrap",
	)
}
