// Package program runs the programs of examples in their tests.
package program

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/golden"
)

// A Result is everything that one run shows.
type Result struct {
	Status         int
	Stdout, Stderr string
}

// Run runs a program with that standard input; a nil one is a terminal.
func Run(stdin io.Reader, args []string, run func(args []string, stdin io.Reader, stdout, stderr io.Writer) int) Result {
	var stdout, stderr bytes.Buffer
	status := run(args, stdin, &stdout, &stderr)
	return Result{status, stdout.String(), stderr.String()}
}

// String returns the output, the errors and the status, as a golden file has
// them.
func (r Result) String() string {
	text := r.Stdout
	if r.Stderr != "" {
		text += "---- standard error ----\n" + r.Stderr
	}
	return text + fmt.Sprintf("---- exit status %d ----\n", r.Status)
}

// Golden compares the command line and the result with testdata/golden/NAME.txt.
func (r Result) Golden(t *testing.T, name string, command ...string) {
	t.Helper()
	golden.Check(t, filepath.Join("testdata", "golden", name+".txt"), "$ "+strings.Join(command, " ")+"\n"+r.String())
}
