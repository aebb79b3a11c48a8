package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const (
	statusOK    = 0
	statusWrong = 1 // the index and the plain filter disagree
	statusBad   = 2 // bad input, bad flags, or output that cannot be written
)

// mostProblems are printed.
const mostProblems = 50

type options struct {
	nodes, pools int
	tainted      float64
	seed         uint64
	workloads    int
	pods         int
	time         time.Duration
	readers      int
	flap         int
	memo         bool
	file         string // empty: make a fleet
}

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := newProgress(stderr)
	defer p.clear()
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	opts, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return complain(stderr, fmt.Errorf("%w (see -help)", err))
	}
	f := new(input)
	if opts.file == "" {
		f.generate(opts)
	} else if err := f.read(opts, stdin, p); err != nil {
		return complain(stderr, err)
	}
	p.clear()
	for i, problem := range f.problems {
		if i == mostProblems {
			fmt.Fprintf(stderr, "capacity: and %d more\n", len(f.problems)-i)
			break
		}
		fmt.Fprintln(stderr, "capacity:", problem)
	}
	if len(f.nodes) == 0 {
		return complain(stderr, errors.New("there are no nodes in the input"))
	}

	out := bufio.NewWriter(stdout)
	agreed := show(out, opts, f, p)
	if err := out.Flush(); err != nil {
		return complain(stderr, err)
	}
	if !agreed {
		return statusWrong
	}
	if len(f.problems) > 0 {
		return statusBad
	}
	return statusOK
}

func complain(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "capacity:", err)
	return statusBad
}

func parse(args []string, stdout io.Writer) (options, error) {
	o := options{readers: max(runtime.GOMAXPROCS(0)-1, 1)}
	flags := flag.NewFlagSet("capacity", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.nodes, "nodes", 100_000, "make a fleet of `n` nodes")
	flags.IntVar(&o.pools, "pools", 100, "in `n` dedicated pools")
	flags.Float64Var(&o.tainted, "tainted", 0.6, "of which this `share` has taints, 0 to 1")
	flags.Uint64Var(&o.seed, "seed", 1, "make everything from this `number`")
	flags.IntVar(&o.workloads, "workloads", 200, "make pods of `n` workloads, each with its own tolerations")
	flags.IntVar(&o.pods, "pods", 0, "query `n` pods in each run, instead of -time")
	flags.DurationVar(&o.time, "time", time.Second, "`how long` each run takes")
	flags.IntVar(&o.readers, "readers", o.readers, "query from `n` goroutines at once")
	flags.IntVar(&o.flap, "flap", 5_000, "change `n` nodes a second in the second run; 0 leaves it out")
	flags.BoolVar(&o.memo, "memo", false, "reuse the answers of pods with the same tolerations")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, "Usage: capacity [flags] [file, or - for standard input]\n\nThe file is what kubectl get nodes,pods -A -o json writes; without one a fleet is made.\n\n")
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, err
	}
	o.file = flags.Arg(0)
	switch {
	case flags.NArg() > 1:
		return o, fmt.Errorf("one file at most, not %d", flags.NArg())
	case o.nodes < 1 || o.nodes > 20_000_000:
		return o, errors.New("-nodes must be 1 to 20000000")
	case o.pools < 1 || o.workloads < 1 || o.readers < 1:
		return o, errors.New("-pools, -workloads and -readers must be at least 1")
	case o.pools > 1_000_000 || o.workloads > 1_000_000 || o.readers > 1_000:
		return o, errors.New("-pools and -workloads must be at most 1000000, -readers at most 1000")
	case !(o.tainted >= 0 && o.tainted <= 1):
		return o, errors.New("-tainted must be 0 to 1")
	case o.pods < 0 || o.flap < 0:
		return o, errors.New("-pods and -flap must not be negative")
	case o.flap > 10_000_000:
		return o, errors.New("-flap must be at most 10000000")
	case o.pods == 0 && (o.time <= 0 || o.time > time.Hour):
		return o, errors.New("-time must be above 0 and at most 1h")
	}
	return o, nil
}
