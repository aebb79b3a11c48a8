package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
)

// The properties are cheap here, so more than the usual 100 draws are tried
// when neither RAPID_CHECKS nor the flag says how many.
func TestMain(m *testing.M) { gen.Main(m, 1000) }
