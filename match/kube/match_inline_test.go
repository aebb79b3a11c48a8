package kube_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// These are the functions that Match calls for each toleration, and Untolerated and
// UntoleratedNode, whose iterators do not allocate because the functions are inlined.
func TestMatchInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t,
		"mayMatch",
		"Untolerated",
		"UntoleratedNode",
		"comparesEqual",
		"isNumeric",
	)
}
