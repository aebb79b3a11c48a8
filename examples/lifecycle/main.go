package main

import (
	"bufio"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	statusPlaced  = 0
	statusWaiting = 1 // in the end a pod waits for a node, or a node refused an edit
	statusBad     = 2 // bad arguments, bad input, or output that cannot be written
)

//go:embed sample.txt
var sample string

// run is the whole program.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	complain := func(err error) int {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintln(stderr, "lifecycle:", line) // there is no other place to report this
		}
		return statusBad
	}
	opts, err := parseArgs(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, usage); err != nil {
			return complain(err)
		}
		return statusPlaced
	case err != nil:
		return complain(fmt.Errorf("%w (-help tells more)", err))
	}
	s := &script{}
	s.load(opts.scripts, opts.clusters, stdin)
	text := opts.complete(s)
	sim := s.build(opts.settings)
	if len(s.problems) > 0 {
		return complain(errors.Join(s.problems...))
	}
	out := bufio.NewWriter(stdout)
	if opts.form == "script" {
		out.WriteString(text)
		if err := out.Flush(); err != nil {
			return complain(err)
		}
		return statusPlaced
	}
	if err := sim.run(); err != nil {
		return complain(err)
	}
	r := sim.report()
	if opts.form == "json" {
		err = writeJSON(out, r)
	} else {
		writeText(out, r, !opts.summary, opts.most)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return complain(err)
	}
	if r.Summary.Waiting+r.Summary.Refused > 0 {
		return statusWaiting
	}
	return statusPlaced
}

// complete adds to what was read what is missing: the sample, or a cluster and
// what happens to it, from the seed. It returns the text of that.
func (o *options) complete(s *script) (text string) {
	if o.sample {
		s.parse("sample", sample)
		return sample
	}
	if len(o.scripts) > 0 {
		return ""
	}
	if len(o.clusters) == 0 {
		text = randomCluster(o.seed, o.nodes, o.pods, o.zones)
		s.parse("cluster", text)
	}
	day := randomDay(o.seed, s.nodes, o.end)
	s.parse("day", day)
	return text + "\n" + day
}

type options struct {
	settings
	scripts, clusters  []string
	sample             bool
	random             bool
	nodes, pods, zones int
	form               string
	summary            bool
	most               int
}

const usage = `Lifecycle simulates a day of a cluster on a virtual clock.

Usage:
  lifecycle [flags] [script ...]

The scripts say what nodes and pods there are, and what happens to the nodes; "-"
is standard input. With -cluster and no script, the nodes fail by the seed; with
-seed, -nodes, -pods or -zones alone, the cluster is made by the seed as well.
Without any of these there is a sample, which "lifecycle -o script" shows.

Input:
  -cluster FILE   nodes and pods, as kubectl get nodes,pods -A -o json writes
                  them; "-" is standard input; may be given again
  -seed N         all that is left to chance follows from it (1)
  -nodes N        of a cluster made by the seed (30)
  -pods N         and its pods, beside those of daemons (300)
  -zones N        and its zones (3)
  -for DURATION   how long the day is (24h)

The control plane:
  -grace DURATION    until a silent node is noticed (40s)
  -spread DURATION   and how much longer at most, drawn for each (10s)
  -startup DURATION  from being scheduled to running (20s)
  -max-pods N        the pods that a node has room for (110)
  -node-eviction-rate R            nodes of a zone that get their NoExecute
                                   taint in a second (0.1)
  -secondary-node-eviction-rate R  the same in a large zone in partial
                                   disruption (0.01)
  -large-cluster-size-threshold N  nodes that a large zone has more of (50)
  -unhealthy-zone-threshold SHARE  not ready in a partial disruption (0.55)
  -default-not-ready-toleration-seconds N    for pods that say nothing: seconds,
  -default-unreachable-toleration-seconds N  or off (300)
  -choice NAME       which of several tolerations counts: first, shortest,
                     longest, forever-else-shortest (first)
  -start NAME        when seconds begin: when the taint was observed, or added
                     (observed)
  -sticky            one start and one deadline for a pod, as in Kubernetes

Output:
  -o FORMAT   text, json, or script: the sample or random day as a script (text)
  -summary    leave the timeline out of the text
  -most N     pods told of in the text's summary, 0 for all (20)
  -help       show this text

Exit status:
  0  the day is over, and every pod that is to run has a node
  1  in the end a pod waits for a node, or a node refused an edit
  2  bad arguments or input
`

func parseArgs(args []string) (options, error) {
	var (
		o      = options{settings: settings{rates: disruption.DefaultRates()}}
		start  string
		choice string
		sticky bool
		times  struct{ grace, spread, startup, end time.Duration }
	)
	flags := flag.NewFlagSet("lifecycle", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("cluster", "", func(name string) error { o.clusters = append(o.clusters, name); return nil })
	flags.Uint64Var(&o.seed, "seed", 1, "")
	flags.IntVar(&o.nodes, "nodes", 30, "")
	flags.IntVar(&o.pods, "pods", 300, "")
	flags.IntVar(&o.zones, "zones", 3, "")
	flags.DurationVar(&times.end, "for", 24*time.Hour, "")
	flags.DurationVar(&times.grace, "grace", 40*time.Second, "")
	flags.DurationVar(&times.spread, "spread", 10*time.Second, "")
	flags.DurationVar(&times.startup, "startup", 20*time.Second, "")
	flags.IntVar(&o.maxPods, "max-pods", 110, "")
	flags.Float64Var(&o.rates.Usual, "node-eviction-rate", o.rates.Usual, "")
	flags.Float64Var(&o.rates.Reduced, "secondary-node-eviction-rate", o.rates.Reduced, "")
	flags.IntVar(&o.rates.LargeZone, "large-cluster-size-threshold", o.rates.LargeZone, "")
	flags.Float64Var(&o.rates.Unhealthy, "unhealthy-zone-threshold", o.rates.Unhealthy, "")
	flags.Func("default-not-ready-toleration-seconds", "", secondsOrOff(&o.seconds.NotReady, &o.seconds.NotReadyOff))
	flags.Func("default-unreachable-toleration-seconds", "", secondsOrOff(&o.seconds.Unreachable, &o.seconds.UnreachableOff))
	flags.StringVar(&choice, "choice", "first", "")
	flags.StringVar(&start, "start", "", "")
	flags.BoolVar(&sticky, "sticky", false, "")
	flags.StringVar(&o.form, "o", "text", "")
	flags.BoolVar(&o.summary, "summary", false, "")
	flags.IntVar(&o.most, "most", 20, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.scripts = flags.Args()
	flags.Visit(func(f *flag.Flag) {
		o.random = o.random || slices.Contains([]string{"seed", "nodes", "pods", "zones"}, f.Name)
	})
	o.sample = len(o.scripts)+len(o.clusters) == 0 && !o.random
	o.grace, o.spread, o.startup, o.end = clock(times.grace), clock(times.spread), clock(times.startup), clock(times.end)
	return o, errors.Join(o.check(), o.readDeadlines(choice, start, sticky))
}

// check reports all numbers that are out of their ranges.
func (o *options) check() error {
	var errs []error
	among := func(name string, value, least, most float64) {
		if !(value >= least && value <= most) { // a NaN is not
			errs = append(errs, fmt.Errorf("-%s %v: a number from %v to %v", name, value, least, most))
		}
	}
	span := func(name string, value clock) {
		if value < 0 || value > clock(longest) {
			errs = append(errs, fmt.Errorf("-%s %v: a duration from 0s to %v", name, time.Duration(value), longest))
		}
	}
	span("for", o.end)
	span("grace", o.grace)
	span("spread", o.spread)
	span("startup", o.startup)
	among("node-eviction-rate", o.rates.Usual, 0, math.MaxFloat64)
	among("secondary-node-eviction-rate", o.rates.Reduced, 0, math.MaxFloat64)
	among("unhealthy-zone-threshold", o.rates.Unhealthy, 0, 1)
	among("large-cluster-size-threshold", float64(o.rates.LargeZone), 0, math.MaxInt32)
	among("max-pods", float64(o.maxPods), 1, mostReplicas)
	among("nodes", float64(o.nodes), 1, mostNodes)
	among("pods", float64(o.pods), 0, mostReplicas)
	among("zones", float64(o.zones), 1, 1000)
	among("most", float64(o.most), 0, math.MaxInt32)
	if o.form == "script" && len(o.scripts)+len(o.clusters) > 0 {
		errs = append(errs, errors.New("-o script: for what is made here, the sample or a day from a seed; the input is a script already"))
	}
	if o.form != "text" && o.form != "json" && o.form != "script" {
		errs = append(errs, fmt.Errorf("-o %q: text, json or script", o.form))
	}
	return errors.Join(errs...)
}

// readDeadlines reads how deadlines are decided.
func (o *options) readDeadlines(choice, start string, sticky bool) error {
	choices := map[string]toleration.Choice{
		"first": toleration.First, "shortest": toleration.Shortest, "longest": toleration.Longest, "forever-else-shortest": toleration.ForeverElseShortest,
	}
	starts := map[string]eviction.Start{"": eviction.FromObserved, "observed": eviction.FromObserved, "added": eviction.FromAdded}
	var errs []error
	var ok bool
	if o.deadlines.Choice, ok = choices[choice]; !ok {
		errs = append(errs, fmt.Errorf("-choice %q: first, shortest, longest or forever-else-shortest", choice))
	}
	if o.deadlines.Start, ok = starts[start]; !ok {
		errs = append(errs, fmt.Errorf("-start %q: observed or added", start))
	}
	if sticky {
		if start != "" {
			errs = append(errs, errors.New("-start and -sticky: one or the other"))
		}
		o.deadlines.Start = eviction.Sticky
	}
	return errors.Join(errs...)
}

// secondsOrOff reads a flag that is a number of seconds, or off.
func secondsOrOff(seconds **int64, off *bool) func(string) error {
	return func(text string) error {
		if *off = text == "off"; *off {
			return nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		*seconds = &n
		return err
	}
}
