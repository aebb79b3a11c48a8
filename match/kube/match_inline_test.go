package kube_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// What Match calls for each toleration; and Untolerated and UntoleratedNode, whose iterators
// are not allocated because they are inlined.
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
