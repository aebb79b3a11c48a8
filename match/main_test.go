package match_test

import (
	"flag"
	"os"
	"testing"
)

// The properties are cheap here, so more than the usual 100 draws are tried
// when neither RAPID_CHECKS nor the flag says how many.
func TestMain(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", "1000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
