// Package repo tests the repository as a whole: its pages, the API, and which package imports which.
package repo_test

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
