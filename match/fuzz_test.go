package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// FuzzFilter searches, among the nodes and pods that TestFilter_property draws,
// for one about which match and the reference differ.
func FuzzFilter(f *testing.F) {
	gen.Fuzz(f, property)
}
