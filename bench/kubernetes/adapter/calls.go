// Package adapter puts the library in the place of Kubernetes' own functions.
//
// It speaks in strings only, since k8s.io/api/core/v1 itself imports it when
// its functions are overlaid; what needs that package's structs is in adapter/objects.
package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// CallsDir is the environment variable that names the folder to count calls in.
// Unset, nothing is counted.
const CallsDir = "TOLERATE_CALLS"

// A counter proves that a suite ran through the library: an overlay that is
// silently not applied would otherwise look like perfect agreement.
type counter struct {
	mu    sync.Mutex
	file  *os.File
	calls map[string]int
}

var calls = open()

func open() *counter {
	dir := os.Getenv(CallsDir)
	if dir == "" {
		return nil
	}
	// One file for each process; the first line is the package's folder, which
	// is where the go command runs a package's tests.
	wd, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.calls", os.Getpid())))
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, wd)
	return &counter{file: f, calls: map[string]int{}}
}

// Called counts one call of the adapter named name. Each power of two is
// written at once: a test binary has no exit hook, and one write a call would
// be slow. So a count in the file is exact to a factor of two.
func Called(name string) {
	if calls == nil {
		return
	}
	calls.mu.Lock()
	defer calls.mu.Unlock()
	calls.calls[name]++
	if n := calls.calls[name]; n&(n-1) == 0 {
		fmt.Fprintf(calls.file, "%s %d\n", name, n)
	}
}
