package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	statusPlaced  = 0
	statusWaiting = 1 // some pod has found no node
	statusBad     = 2 // bad input, bad flags, or output that cannot be written
)

const usage = `Scheduler decides where the waiting pods of a cluster go: filter, then score.

Usage:
  scheduler [flags] [file ...]

The files are what kubectl get nodes,pods,runtimeclasses -A -o json writes; "-"
is standard input, and without any there is a sample cluster.

Flags:
`

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	flags := flag.NewFlagSet("scheduler", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	seed := flags.Uint64("seed", 1, "draw among equally good nodes from this `number`")
	form := flags.String("o", "text", "write `text or json`")
	nodes := flags.Int("scores", 3, "show at most `n` scores of each pod, 0 for all (json has all)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return statusPlaced
	case err != nil:
		return complain(stderr, fmt.Errorf("%w (see -help)", err))
	case *form != "text" && *form != "json":
		return complain(stderr, fmt.Errorf("-o %q: text or json", *form))
	case *nodes < 0:
		return complain(stderr, fmt.Errorf("-scores %d: a number from 0 on", *nodes))
	}
	c, err := load(flags.Args(), stdin)
	if err != nil {
		return complain(stderr, err)
	}
	for _, problem := range c.problems {
		fmt.Fprintln(stderr, "scheduler:", problem)
	}
	decisions := c.schedule(*seed)

	out := bufio.NewWriter(stdout)
	if *form == "json" {
		err = writeJSON(out, *seed, decisions)
	} else {
		writeText(out, len(c.nodes), *nodes, decisions)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return complain(stderr, err)
	}
	if len(c.problems) > 0 {
		return statusBad
	}
	for _, d := range decisions {
		if d.chosen == nil {
			return statusWaiting
		}
	}
	return statusPlaced
}

func complain(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "scheduler:", err)
	return statusBad
}

// writeText writes each decision with its two steps. Errors of writing stay in
// the buffered writer, for the caller.
func writeText(w *bufio.Writer, nodes, most int, decisions []decision) {
	line := func(label, form string, args ...any) {
		fmt.Fprintf(w, "  %-8s%s\n", label, kubejson.Printable(fmt.Sprintf(form, args...)))
	}
	for _, d := range decisions {
		p := d.pod
		fmt.Fprintln(w, kubejson.Printable(p.title()))
		if p.err != nil {
			line("waits", "%v", p.err)
			continue
		}
		line("needs", "%s%s", cmp.Or(p.requests.String(), "nothing but a place"), overheadText(p))
		if len(p.ignored) > 0 {
			line("note", "not looked at: %s", strings.Join(p.ignored, ", "))
		}
		line("filter", "%d of %d nodes can take it", len(d.candidates), nodes)
		for _, r := range d.reasons {
			line("", "%d: %s", r.Nodes, r.Reason)
		}
		for i, n := range d.candidates {
			if i == most && most > 0 {
				line("", "and %d more nodes", len(d.candidates)-i)
				break
			}
			line(map[bool]string{true: "score"}[i == 0], "%d: %s (%d for taints, %d for room)", n.Score, n.Node, taintWeight*n.Taint, roomWeight*n.Room)
		}
		switch {
		case d.chosen == nil:
			line("waits", "no node can take it")
		case d.best > 1:
			line("goes to", "%s, drawn from %d that are equally good", d.chosen.name, d.best)
		default:
			line("goes to", "%s", d.chosen.name)
		}
	}
}

func overheadText(p *pod) string {
	text := p.overhead.String()
	if text == "" {
		return ""
	}
	if p.class != "" {
		return ", of which " + text + " is the overhead of runtime class " + p.class
	}
	return ", of which " + text + " is overhead"
}

// A report is a decision in JSON. Quantities are written as in manifests.
type report struct {
	Pod        string            `json:"pod"`
	Node       string            `json:"node,omitempty"`
	Error      string            `json:"error,omitempty"`
	Requests   map[string]string `json:"requests,omitempty"`
	Overhead   map[string]string `json:"overhead,omitempty"`
	Ignored    []string          `json:"notLookedAt,omitempty"`
	Reasons    []reason          `json:"filteredOut,omitempty"`
	Candidates []candidate       `json:"candidates,omitempty"`
	Best       int               `json:"equallyGood,omitempty"`
}

func writeJSON(w io.Writer, seed uint64, decisions []decision) error {
	out := struct {
		Seed uint64   `json:"seed"`
		Pods []report `json:"pods"`
	}{seed, []report{}}
	for _, d := range decisions {
		r := report{
			Pod:        d.pod.title(),
			Requests:   texts(d.pod.requests),
			Overhead:   texts(d.pod.overhead),
			Ignored:    d.pod.ignored,
			Reasons:    d.reasons,
			Candidates: d.candidates,
			Best:       d.best,
		}
		if d.pod.err != nil {
			r.Error = d.pod.err.Error()
		}
		if d.chosen != nil {
			r.Node = d.chosen.name
		}
		out.Pods = append(out.Pods, r)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func texts(a amounts) map[string]string {
	m := map[string]string{}
	for resource, n := range a {
		m[resource] = format(resource, n)
	}
	return m
}
