package cover_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// FuzzUncoveredTaint searches, among the lists that TestUncoveredTaint/R2_property
// draws, for two for which the result and a comparison taint by taint differ.
func FuzzUncoveredTaint(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzMerge searches, among the lists that TestMerge/R3_property draws, for lists for
// which a merge breaks its promise.
func FuzzMerge(f *testing.F) {
	gen.Fuzz(f, mergeProperty)
}
