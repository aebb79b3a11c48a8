package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-tolerate/tolerate/examples/internal/terminal"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// The exit statuses.
const (
	statusFits    = 0
	statusPending = 1 // some pod that is not yet bound fits nowhere
	statusBad     = 2 // bad input, bad flags, or output that cannot be written
)

// run is the whole program. A nil stdin is a terminal.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	raw, progress := stdout, newProgress(stderr, env)
	stdout, stderr = terminal.Writer(stdout), terminal.Writer(stderr)
	opts, err := parseArgs(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		if _, err := io.WriteString(stdout, usage); err != nil {
			return complain(stderr, err)
		}
		return statusFits
	case err != nil:
		return complain(stderr, fmt.Errorf("%w (-help tells more)", err))
	}

	c := load(inputs(opts, stdin, stderr), opts, progress)
	progress.clear()
	writeProblems(stderr, "", "problem", c.problems)
	writeProblems(stderr, "warning: ", "warning", c.warnings)
	r, err := newReport(c, opts, progress)
	progress.clear()
	if err != nil {
		return complain(stderr, err)
	}
	if terminal.Is(raw) { // the output itself shows how far it is
		r.progress = nil
	}
	out := bufio.NewWriterSize(stdout, 64<<10)
	if opts.json {
		err = r.writeJSON(out)
	} else {
		err = r.writeText(out, raw, palette(raw, env))
	}
	r.progress.clear()
	if err := errors.Join(err, out.Flush()); err != nil {
		return complain(stderr, err)
	}
	switch {
	case len(c.problems) > 0:
		return statusBad
	case len(r.fitNowhere) > 0:
		return statusPending
	}
	return statusFits
}

func complain(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "whypending:", err) // there is no other place to report this
	return statusBad
}

type options struct {
	pod, node string
	reasons   int
	json      bool
	redact    bool
	sample    bool
	files     []string

	sampleDevices bool
}

const usage = `Whypending tells where the pods of a cluster may run, as to the nodes' taints, and why not.

Usage:
  whypending [flags] [file ...]

It reads nodes and pods as kubectl -o json writes them, from the files, or from
standard input without any (or as the file "-"): a List of both, separate lists,
single objects, several of them one after the other. On a terminal, without
files, it shows a sample cluster.

Of pods that claim devices it shows how many devices their taints leave, when the
input has ResourceSlices, ResourceClaims, ResourceClaimTemplates and DeviceTaintRules
of resource.k8s.io/v1 (or v1beta2, and rules of v1alpha3). Device classes, selectors
(CEL), and whether another claim has a device are not evaluated.

Flags:
  -pod NAME      show this pod only, node by node; NAME or NAMESPACE/NAME
  -node NAME     show this node only, pod by pod
  -o FORMAT      text or json; text unless given
  -reasons N     show at most N reasons for each pod, and N taints of a node
                 that is near, 0 for all; 10 unless given
  -redact        leave out the values of taints and tolerations, to pass the output on
  -sample        show the sample cluster, whatever standard input is
  -sample-devices  show a sample cluster with eight GPUs, one of them unhealthy
  -help          show this text

Examples:
  kubectl get nodes,pods -A -o json | whypending
  kubectl get nodes,pods -A -o json | whypending -pod ml/train-0
  kubectl get nodes,pods,resourceclaims,resourceclaimtemplates,resourceslices,devicetaintrules -A -o json | whypending
  whypending -node worker-3 nodes.json pods.json
  whypending -o json cluster.json | jq '.pods[] | select(.fitsNowhere).name'

Only taints and tolerations are judged: resources, affinity, selectors, volumes
and the rest may still say no. Finished pods are left out. A node or pod whose
taints or tolerations cannot be read is unknown: neither fit nor unfit.
A field that no taint or toleration has (operation for operator) is left out of
account, as in Kubernetes, with a warning that does not change the exit status.

Of a pod that fits nowhere, "nearest" tells which nodes come nearest to taking it,
the toleration that was perhaps meant, why it fails, and which one to add.

Seconds until an eviction count from when the taint was added.

Colour is used on a terminal only, and never when NO_COLOR is set.

Exit status:
  0  every pod that is not yet bound may run somewhere
  1  some pod that is not yet bound may run nowhere
  2  bad input, in whole or in part (the rest is judged nevertheless), or bad flags
`

func parseArgs(args []string) (options, error) {
	opts := options{reasons: 10}
	format := "text"
	flags := flag.NewFlagSet("whypending", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&opts.pod, "pod", "", "")
	flags.StringVar(&opts.node, "node", "", "")
	flags.StringVar(&format, "o", format, "")
	flags.IntVar(&opts.reasons, "reasons", opts.reasons, "")
	flags.BoolVar(&opts.redact, "redact", false, "")
	flags.BoolVar(&opts.sample, "sample", false, "")
	flags.BoolVar(&opts.sampleDevices, "sample-devices", false, "")
	for len(args) > 0 { // flags may also follow files
		if err := flags.Parse(args); err != nil {
			return options{}, err
		}
		if done := len(args) - flags.NArg(); done > 0 && args[done-1] == "--" {
			opts.files = append(opts.files, flags.Args()...)
			break
		}
		if args = flags.Args(); len(args) > 0 {
			opts.files = append(opts.files, args[0])
			args = args[1:]
		}
	}
	switch {
	case format != "text" && format != "json":
		return options{}, fmt.Errorf("-o %q: text or json", format)
	case opts.reasons < 0:
		return options{}, fmt.Errorf("-reasons %d: a number from 0 on", opts.reasons)
	case opts.sample && opts.sampleDevices:
		return options{}, errors.New("-sample and -sample-devices: one or the other")
	case opts.sample && len(opts.files) > 0:
		return options{}, errors.New("-sample and files: one or the other")
	case opts.sampleDevices && len(opts.files) > 0:
		return options{}, errors.New("-sample-devices and files: one or the other")
	}
	opts.json = format == "json"
	return opts, nil
}
