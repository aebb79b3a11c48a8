package valid

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/inlining"
)

// What is called for each taint.
func TestInlining(t *testing.T) {
	t.Parallel()
	inlining.Test(t, "Time")
}
