// Package program is the command line of the programs in examples that read a cluster.
package program

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

const most = 20 // problems; the rest is counted

// A Program evaluates a cluster: what it reads from standard input, or the sample with
// -sample or on a terminal.
type Program struct {
	Flags  *flag.FlagSet // its name is the program's
	Sample string
	Each   func(*cluster.Object)
	Report func(out io.Writer, wrong int) error // wrong counts the problems of the input
}

// Run runs the program. The exit status is 2 if anything is wrong.
func (p Program) Run(args []string, in io.Reader, out, errOut io.Writer) int {
	errOut = terminal.Writer(errOut)
	complain := func(format string, args ...any) {
		text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")
		fmt.Fprintf(errOut, "%s: %.1000s\n", p.Flags.Name(), text)
	}
	isSample := p.Flags.Bool("sample", false, "read a sample")
	p.Flags.SetOutput(errOut)
	p.Flags.Usage = func() {
		fmt.Fprintf(errOut, "Usage: kubectl get nodes,pods -A -o json | %s [flags]\n", p.Flags.Name())
		p.Flags.PrintDefaults()
	}
	if err := p.Flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // Parse has reported it
	} else if p.Flags.NArg() > 0 {
		p.Flags.Usage()
		return 2
	}
	if *isSample || terminal.Is(in) {
		complain("this is a sample; -h describes how to read a cluster")
		in = strings.NewReader(p.Sample)
	}
	wrong, nodes := 0, 0
	cluster.Read(in, func(o *cluster.Object) {
		if o.Kind == "Node" {
			nodes++
		}
		p.Each(o)
	}, func(err error) {
		if wrong++; wrong <= most {
			complain("%v", err)
		}
	})
	if wrong > most {
		complain("and %d more errors", wrong-most)
	}
	w, err := bufio.NewWriter(terminal.Writer(out)), errors.New("the input has no nodes")
	if nodes > 0 {
		err = p.Report(w, wrong)
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		complain("%v", err)
	}
	if err != nil || wrong > 0 {
		return 2
	}
	return 0
}

// Count returns "1 node" and "2 nodes" for "node".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
