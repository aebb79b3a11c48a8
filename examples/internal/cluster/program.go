// Package cluster reads nodes and pods for the programs in examples, which all
// have the same input:
//
//   - Arguments are files with the output of kubectl get nodes,pods -A -o json; "-"
//     is standard input.
//   - Without arguments, standard input is read, unless it is a terminal.
//   - The sample is read with -sample, or without arguments on a terminal.
//
// What is wrong is reported with its place, and the exit status is then 2. An object
// has at most 2 MiB, and the input 1 GiB and 1,000,000 objects. The order of objects
// is that of the input.
package cluster

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

// A Program evaluates a cluster.
type Program struct {
	Flags  *flag.FlagSet // its name is the program's; Run adds -sample
	Sample func() string
	Each   func(*Object) // reads a Node or a Pod
	// Report writes the result. The count is that of what is wrong in the input.
	Report func(out io.Writer, wrong int) (status int, err error)
}

const maxReported = 20 // of what is wrong; the rest is counted

// Count returns "1 node" and "2 nodes" for "node".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Run runs the program and returns its exit status.
func (p Program) Run(args []string, in io.Reader, out, errOut io.Writer) int {
	errOut = terminal.Writer(errOut)
	complain := func(err error) int {
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		fmt.Fprintf(errOut, "%s: %.1000s\n", p.Flags.Name(), text)
		return 2
	}
	sample := p.Flags.Bool("sample", false, "read a sample")
	p.Flags.SetOutput(errOut)
	p.Flags.Usage = func() {
		fmt.Fprintf(errOut, "Usage: kubectl get nodes,pods -A -o json | %s [flags] [file or -]...\n", p.Flags.Name())
		p.Flags.PrintDefaults()
	}
	if err := p.Flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has reported it
	}
	r := reader{each: p.Each, seen: map[string]bool{}}
	r.report = func(err error) {
		if r.wrong++; r.wrong <= maxReported {
			complain(err)
		}
	}
	files := p.Flags.Args()
	switch {
	case *sample && len(files) > 0:
		return complain(errors.New("-sample and files exclude each other"))
	case *sample || len(files) == 0 && terminal.Is(in):
		complain(errors.New("this is a sample; -h describes how to read a cluster"))
		r.read("sample", strings.NewReader(p.Sample()))
	case len(files) == 0:
		files = []string{"-"}
	}
	for _, name := range files {
		if name == "-" {
			r.read("standard input", in)
		} else if f, err := os.Open(name); err != nil {
			r.report(err)
		} else {
			r.read(name, f)
			_ = f.Close() // it was only read
		}
	}
	if more := r.wrong - maxReported; more > 0 {
		complain(fmt.Errorf("and %d more errors", more))
	}
	if r.nodes == 0 {
		return complain(errors.New("the input has no nodes; kubectl get nodes,pods -A -o json writes nodes and pods"))
	}
	w := bufio.NewWriter(terminal.Writer(out))
	status, err := p.Report(w, r.wrong)
	if err := errors.Join(err, w.Flush()); err != nil {
		return complain(err)
	}
	if r.wrong > 0 {
		return 2
	}
	return status
}
