package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }
