package eviction_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// FuzzDecide searches, among the nodes and pods of TestDecide_properties, for one for
// which Decide and the reference differ.
func FuzzDecide(f *testing.F) {
	gen.Fuzz(f, property)
}
