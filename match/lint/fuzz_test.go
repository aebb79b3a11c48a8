package lint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// FuzzFind searches the lists of TestFind_property.
func FuzzFind(f *testing.F) {
	gen.Fuzz(f, property)
}
