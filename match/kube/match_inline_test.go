package kube_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// These are the functions that Match calls for each toleration, and Untolerated,
// whose iterator does not allocate because it is inlined.
func TestMatchInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t,
		"mayMatch",
		"Untolerated",
		"comparesEqual",
		"isNumeric",
	)
}
