package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/taint"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, time.Now))
}

// The exit statuses.
const (
	statusDone    = 0
	statusRefused = 1 // a chosen node is missing or refuses an edit
	statusBad     = 2 // bad arguments, bad input, or output that cannot be written
)

// run is the whole program. A nil stdin is a terminal.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, clock func() time.Time) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	sayHow := func(err error) int { return complain(stderr, fmt.Errorf("%w (-help tells more)", err)) }
	demo := len(args) == 0 && terminal.Is(stdin)
	if demo {
		args = demoArgs
		fmt.Fprintln(stdout, "# taint", strings.Join(args, " "))
	}
	opts, err := parseArgs(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, usage); err != nil {
			return complain(stderr, err)
		}
		return statusDone
	case err != nil:
		return sayHow(err)
	}
	if opts.now.IsZero() {
		opts.now = clock()
	}
	opts.now = opts.now.UTC().Truncate(time.Second)

	c := load(opts, stdin)
	c.choose(opts)
	c.edit(opts)
	for _, w := range c.warnings {
		fmt.Fprintf(stderr, "taint: warning: %v\n", w)
	}
	for _, p := range c.problems {
		fmt.Fprintf(stderr, "taint: %v\n", p)
	}
	bad := len(c.problems) > c.refusals
	switch {
	case c.refusals > 0 || c.unknownChosen || bad && !opts.dryRun:
		fmt.Fprintln(stderr, "taint: no node is changed")
		if bad {
			return statusBad
		}
		return statusRefused
	case opts.dryRun && opts.json:
		err = writeJSON(stdout, c, newReport(c, opts))
	case opts.dryRun:
		err = writeText(stdout, newReport(c, opts))
	default:
		if err = writeNodes(stdout, c, opts.only); err == nil {
			for _, n := range c.chosen {
				fmt.Fprintf(stderr, "node/%s %v\n", kubejson.Printable(n.name), n.outcome)
			}
		}
	}
	switch {
	case err != nil:
		return complain(stderr, err)
	case bad:
		return statusBad
	}
	return statusDone
}

func complain(stderr io.Writer, err error) int {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(stderr, "taint:", line) // there is no other place to report this
	}
	return statusBad
}

type options struct {
	files     []string
	sample    bool
	names     []string
	selector  []requirement
	all, only bool
	edits     []taint.Edit
	overwrite bool
	stamp     bool
	dryRun    bool
	json      bool
	now       time.Time
}

// demoArgs are what is shown without arguments.
var demoArgs = []string{"-sample", "-dry-run", "-now", "2026-10-14T12:00:00Z", "gpu-1", "gpu-2", "dedicated-", "maintenance=today:NoExecute"}

const usage = `Taint does to nodes in a file what kubectl taint does to nodes in a cluster.

Usage:
  taint [flags] [node ...] edit ...

It reads nodes as kubectl -o json writes them, from the files of -f or standard
input, and writes them with their taints changed, and nothing else. Edits are
  key=value:Effect   put this taint on the node (key:Effect without a value)
  key-               take off all taints with this key
  key:Effect-        take off the one with this effect

Flags:
  -f FILE        read this file, "-" for standard input; may be given again
  -l SELECTOR    choose nodes by their labels: pool=batch,!spot
  -all           choose all nodes
  -only          write the chosen nodes alone
  -overwrite     replace taints with the same key and effect
  -stamp         give new NoExecute taints the time at which they are added
  -dry-run       write what would change, and what that would do to the pods
                 in the input: who is evicted now or later, who may newly come
  -o FORMAT      of a dry run: text or json; text unless given
  -now TIME      instead of the clock's, as in 2026-01-02T15:04:05Z
  -sample        read the embedded sample cluster
  -help          show this text

Examples:
  kubectl get nodes -o json | taint worker-1 dedicated=gpu:NoSchedule | kubectl apply -f -
  taint -f nodes.json -l pool=batch -overwrite spot=yes:NoSchedule > changed.json
  kubectl get nodes,pods -A -o json | taint -dry-run -all maintenance=today:NoExecute
  taint          a dry run on the sample cluster

Exit status:
  0  all is done, or would be
  1  a chosen node is not there, or refuses an edit; nothing is written
  2  bad arguments or input
`

func parseArgs(args []string) (options, error) {
	var (
		opts     options
		selector string
		format   string
	)
	flags := flag.NewFlagSet("taint", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("f", "", func(name string) error { opts.files = append(opts.files, name); return nil })
	flags.StringVar(&selector, "l", "", "")
	flags.BoolVar(&opts.all, "all", false, "")
	flags.BoolVar(&opts.only, "only", false, "")
	flags.BoolVar(&opts.overwrite, "overwrite", false, "")
	flags.BoolVar(&opts.stamp, "stamp", false, "")
	flags.BoolVar(&opts.dryRun, "dry-run", false, "")
	flags.BoolVar(&opts.sample, "sample", false, "")
	flags.StringVar(&format, "o", "", "")
	flags.TextVar(&opts.now, "now", time.Time{}, "")
	var words []string
	for len(args) > 0 { // flags may also follow names and edits
		if err := flags.Parse(args); err != nil {
			return options{}, err
		}
		if done := len(args) - flags.NArg(); done > 0 && args[done-1] == "--" {
			words = append(words, flags.Args()...)
			break
		}
		if args = flags.Args(); len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	names, texts, err := splitWords(words)
	if err != nil {
		return options{}, err
	}
	opts.names = names
	if opts.edits, err = taint.ParseEdits(texts...); err != nil {
		return options{}, err
	}
	if opts.selector, err = parseSelector(selector); err != nil {
		return options{}, err
	}
	opts.json = format == "json"
	ways := 0
	for _, given := range []bool{len(names) > 0, selector != "", opts.all} {
		if given {
			ways++
		}
	}
	switch {
	case format != "" && format != "text" && format != "json":
		return options{}, fmt.Errorf("-o %q: text or json", format)
	case format != "" && !opts.dryRun:
		return options{}, errors.New("-o is for -dry-run: nodes are always written as JSON")
	case opts.sample && len(opts.files) > 0:
		return options{}, errors.New("-sample and -f: one or the other")
	case len(texts) == 0:
		return options{}, errors.New("no edits, such as key=value:NoSchedule or key-")
	case ways != 1:
		return options{}, errors.New("choose nodes by their names, by -l or by -all: one of the three")
	case opts.now.Year() < 1 || opts.now.Year() > 9999:
		return options{}, fmt.Errorf("-now: %v is outside of the years 1 to 9999", opts.now)
	}
	return opts, nil
}

// splitWords separates names of nodes, which are first, from edits.
func splitWords(words []string) (names, edits []string, err error) {
	for _, word := range words {
		isEdit := strings.ContainsAny(word, "=:") || strings.HasSuffix(word, "-")
		switch {
		case isEdit:
			edits = append(edits, word)
		case len(edits) > 0:
			return nil, nil, fmt.Errorf("%q: the names of nodes come before all edits", word)
		default:
			names = append(names, word)
		}
	}
	if len(names) > 0 { // kubectl requires the word
		switch names[0] {
		case "node", "nodes", "no":
			names = names[1:]
		}
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, "node/")
	}
	return names, edits, nil
}
