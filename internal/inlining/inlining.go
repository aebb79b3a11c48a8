// Package inlining tests which functions the compiler can inline.
package inlining

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

var canInline = regexp.MustCompile(`(?m)^[^ ]+: can inline (\S+)`)

// Test fails the test for each of the functions of the package in the current
// directory that the compiler cannot inline, by its own report. Methods are
// written as Type.Method or (*Type).Method.
//
// It needs the go command, so it is skipped where tests are to be short. On
// 32-bit machines the compiler estimates costs otherwise, and nothing is tested.
func Test(t *testing.T, functions ...string) {
	t.Helper()
	if testing.Short() || strconv.IntSize < 64 {
		t.Skip("needs the go command and 64 bits")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m=1", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	inlined := make(map[string]bool)
	for _, m := range canInline.FindAllStringSubmatch(string(out), -1) {
		inlined[m[1]] = true
	}
	for _, f := range functions {
		if !inlined[f] {
			t.Errorf("%s is not inlined", f)
		}
	}
}
