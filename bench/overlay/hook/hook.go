// Package hook is called first by every swapped function: it counts the calls, and
// selects the body that runs. It imports only the standard library, because any package
// can have a swapped function.
package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Environment variables that package overlay sets for the tests that it runs.
const (
	CallsVar    = "TOLERATE_CALLS"    // the folder to count calls in; if unset, nothing is counted
	OriginalVar = "TOLERATE_ORIGINAL" // if set, the original bodies run
)

// Original selects the original bodies. A benchmark sets it to measure both
// bodies in one process, while no swapped function is running.
var Original = os.Getenv(OriginalVar) != ""

// A counter proves that the swapped functions were called: an overlay that is
// silently not applied would look like perfect agreement.
type counter struct {
	mu    sync.Mutex
	file  *os.File
	calls map[string]int
}

var calls = open()

func open() *counter {
	dir := os.Getenv(CallsVar)
	if dir == "" {
		return nil
	}
	// One file for each process. Its first line is the working directory, from
	// which package overlay derives the package under test.
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

// Called counts one call of the function named name.
func Called(name string) {
	if calls != nil {
		calls.add(name)
	}
}

// add writes the count whenever it is a power of two: a test binary has no exit
// hook, and one write for each call would be slow. So the count in the file is
// exact to a factor of two.
func (c *counter) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[name]++
	if n := c.calls[name]; n&(n-1) == 0 {
		fmt.Fprintf(c.file, "%s %d\n", name, n)
	}
}
