// Package measure tests which functions the compiler inlines, counts allocations, and
// measures the heap.
package measure

import (
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"
)

var canInline = regexp.MustCompile(`(?m)^[^ ]+: can inline (\S+)`)

// Inlined fails the test for each of these functions of the package in the current
// directory that the compiler cannot inline, by its own report. Methods are written as
// Type.Method or (*Type).Method.
//
// The test requires the go command, and is skipped with -short. It is also skipped on
// 32-bit machines, where the compiler estimates costs differently.
func Inlined(t *testing.T, functions ...string) {
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

// Allocs requires that f allocates exactly this often. No other test must run in
// parallel.
func Allocs(t *testing.T, name string, want float64, f func()) {
	t.Helper()
	if got := testing.AllocsPerRun(100, f); got != want {
		t.Errorf("%s: %v allocations, want %v", name, got, want)
	}
}

// InUse returns the size of the heap after a collection, in bytes.
func InUse() int64 {
	runtime.GC()
	runtime.GC() // finalizers, weak pointers and interned strings need two
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
