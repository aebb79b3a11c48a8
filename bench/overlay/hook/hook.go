// Package hook is called first by every swapped function: it notes the call, and
// selects the body that runs. It imports only the standard library, because any package
// can have a swapped function.
package hook

import (
	"os"
	"sync"
)

// Environment variables that package overlay sets for the tests that it runs.
const (
	CallsVar    = "TOLERATE_CALLS"    // if set, the first call of each function is written
	OriginalVar = "TOLERATE_ORIGINAL" // if set, the original bodies run
)

// Mark is how a line of output begins that has the name of a called function.
const Mark = "tolerate-called "

// Original selects the original bodies. A benchmark sets it to measure both
// bodies in one process, while no swapped function is running.
var Original = os.Getenv(OriginalVar) != ""

var (
	noted  = os.Getenv(CallsVar) != ""
	stderr = os.Stderr // tests may replace os.Stderr
	called sync.Map
)

// Called notes a call of the function named name. It proves that swapped functions were
// called: an overlay that is silently not applied would look like perfect agreement.
func Called(name string) {
	if !noted {
		return
	}
	if _, again := called.LoadOrStore(name, true); !again {
		stderr.WriteString("\n" + Mark + name + "\n") // one write, so that the line is whole
	}
}
