package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/match/lint"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	statusClean = 0
	statusFound = 1 // something was found, and not fixed
	statusBad   = 2 // something could not be read or written, or the flags are wrong
)

// run is the whole program. A nil stdin means a terminal.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseArgs(args)
	out := bufio.NewWriter(stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(stdout, usage)
		return statusOf(nil, err, stderr)
	case err != nil:
		return statusOf(nil, err, stderr)
	case opts.rules:
		writeRules(out)
		return statusOf(nil, out.Flush(), stderr)
	}
	if opts.policed && len(opts.args) == 0 && terminal.Is(stdin) { // do not check the sample
		return statusOf(nil, errors.New("-policy: no files, and no standard input"), stderr)
	}
	r := &report{opts: opts}
	for in := range inputs(opts.args, stdin) {
		r.add(in, out)
	}
	if opts.cluster {
		r.findings = append(r.findings, r.all.findings(opts.config)...)
	}
	var bad error
	switch {
	case opts.output == "json":
		bad = r.writeJSON(out)
	case opts.output == "sarif":
		bad = r.writeSARIF(out)
	case opts.diff || r.printed: // standard output has the text of the files
		notes := bufio.NewWriter(stderr)
		r.writeText(notes)
		bad = notes.Flush()
	default:
		r.writeText(out)
	}
	if opts.output == "text" || len(r.failures) > 0 {
		r.writeNotes(stderr)
	}
	return statusOf(r, errors.Join(bad, out.Flush()), stderr)
}

// statusOf returns the exit status, and writes the error if there is one.
func statusOf(r *report, err error, stderr io.Writer) int {
	switch {
	case err != nil:
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(stderr, "tollint:", line)
		}
		return statusBad
	case r == nil:
		return statusClean
	case len(r.failures) > 0:
		return statusBad
	case len(r.findings) > 0 || r.opts.diff && len(r.fixed) > 0:
		return statusFound
	}
	return statusClean
}

// A report holds the findings in all inputs.
type report struct {
	opts     options
	findings []*finding
	fixed    []*finding
	skipped  []note
	failures []note
	inputs   int
	lists    int
	all      cluster
	printed  bool // whether a fixed text was written to standard output
	some     bool // whether anything in the current directory was checked, skipped or a failure
}

// add checks one input, and fixes it if a flag says so.
func (r *report) add(in input, out io.Writer) {
	if in.end {
		if !r.some {
			r.failures = append(r.failures, note{file: in.name, message: "no manifest in any .yaml, .yml or .json file below"})
		}
		r.some = false
		return
	}
	r.inputs++
	if in.err != nil {
		if at := new(fs.PathError); errors.As(in.err, &at) { // the name is printed already
			in.err = at.Err
		}
		r.failures = append(r.failures, note{file: in.name, message: in.err.Error()})
		r.some = true
		return
	}
	found := r.opts.config.check(newSource(in.name, in.text))
	if r.opts.fix.any || r.opts.diff {
		r.opts.diff = r.opts.diff || in.name == sampleName && in.file == "" // there is no file to fix
		f := r.opts.config.fix(found, r.opts.fix.all)
		if err := r.save(in, f, out); err != nil {
			r.failures = append(r.failures, note{file: in.name, message: err.Error()})
		} else {
			found = f.rest
			r.fixed = append(r.fixed, f.done...)
		}
	}
	switch some := found.manifest || len(found.skipped)+len(found.failures) > 0; {
	case in.dir != "":
		r.some = r.some || some
	case strings.TrimSpace(in.text) == "":
		r.failures = append(r.failures, note{file: in.name, message: "empty"})
	case !some:
		r.failures = append(r.failures, note{file: in.name, message: "no manifest: no object with a kind, and no list of tolerations or taints"})
	}
	r.findings = append(r.findings, found.findings...)
	r.skipped = append(r.skipped, found.skipped...)
	r.failures = append(r.failures, found.failures...)
	r.lists += len(found.lists)
	if r.opts.cluster {
		r.all.add(found.lists)
	}
}

// save writes the fixed text, or the difference.
func (r *report) save(in input, f fixed, out io.Writer) error {
	switch {
	case r.opts.diff:
		_, err := io.WriteString(out, udiff.Unified(in.name, in.name, in.text, f.text))
		return err
	case in.file == "" && in.name == stdinName:
		r.printed = true
		_, err := io.WriteString(out, f.text)
		return err
	case f.text == in.text || in.file == "":
		return nil
	}
	return replace(in.file, f.text)
}

// count returns the number of findings with this severity.
func (r *report) count(s lint.Severity) int {
	n := 0
	for _, f := range r.findings {
		if f.severity == s {
			n++
		}
	}
	return n
}
