package kube_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// These are the functions that return at once for a node without taints: most nodes.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t, "Schedulable", "SchedulableNode", "Blocking", "FilterNode", "Seconds")
}
