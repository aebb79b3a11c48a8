// Package simulate is the command simulate: nodes fail, join and leave on a virtual clock.
package simulate

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
)

const long = `Simulate what happens to the nodes and pods of a cluster when nodes fail, join or leave.
Nothing is changed in the cluster.

A scenario is a file in YAML or JSON with the events. Times begin at 0s.

  end: 2h                             # an hour after the last event if omitted
  nodeMonitorGracePeriod: 50s         # and, as the flags of kube-controller-manager, nodeEvictionRate,
                                      # secondaryNodeEvictionRate, largeClusterSizeThreshold, unhealthyZoneThreshold
  start: Sticky                       # when seconds start, as in Kubernetes; or FromObserved, FromAdded
  choice: First                       # of several tolerations, as in Kubernetes; or Shortest, Longest, …
  events:
  - {at: 1m, event: Unreachable, nodes: [worker-0]}
  - {at: 9m, event: Ready, nodes: [worker-0]}
  - {at: 9m, event: NotReady, selector: topology.kubernetes.io/zone=a, percent: 50}
  - {at: 10m, event: Conditions, nodes: [worker-1], conditions: [{type: MemoryPressure, status: "True"}]}
  - {at: 11m, event: Taint, nodes: [worker-2], edits: ["maintenance=today:NoExecute", "dedicated-"]}
  - {at: 12m, event: Cordon, nodes: [worker-2]}         # and Uncordon
  - {at: 20m, event: Create, objects: [MANIFEST]}       # of a Node or a Pod
  - {at: 21m, event: Initialized, nodes: [worker-9]}    # by the cloud: its taint is removed
  - {at: 30m, event: Delete, nodes: [worker-9]}

A selector is that of kubectl's -l; an empty one selects all nodes. Percent selects the first
nodes by name. Events at the same time happen in the order of the file.

A node is ready unless it has the taint not-ready or unreachable. A new node is not ready until
an event Ready, and has the taints of its manifest. While a node is unreachable, the conditions
that its kubelet reports are unknown. A new pod gets the tolerations of its admission: 300 seconds
for nodes that are not ready or unreachable, and those of its quality of service and extended
resources.

A pod is scheduled to the first node by name whose taints it tolerates, without being evicted at
once, and whose labels its node selector and required node affinity admit; nodes without untolerated
PreferNoSchedule taints are first. Resources, ports, volumes and disruption budgets are not
simulated. An evicted pod with an owner is replaced at once by one with its name, on its own node if
the owner is a DaemonSet; one without an owner is deleted. Pods of DaemonSets are not created on new
nodes. The pods of all namespaces are simulated.
`

// NewCommand returns the command.
func NewCommand(env *cli.Env) *cobra.Command {
	var opts cluster.Options
	var file, output string
	c := &cobra.Command{
		Use:   "simulate --scenario FILE",
		Short: "Simulate what happens when nodes fail, join and leave",
		Long:  long,
		Example: `  # A sample cluster, without a cluster
  kubectl tolerate simulate --sample

  # When are which pods evicted if a node fails
  echo '{events: [{at: 0s, event: Unreachable, nodes: [worker-0]}]}' | kubectl tolerate simulate --scenario -

  # A picture of it
  kubectl tolerate simulate --scenario outage.yaml -o svg > outage.svg`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := open(env, file, &opts)
			if err != nil {
				return err
			}
			read, err := cluster.Read(c.Context(), env, &opts)
			if err != nil {
				return err
			}
			if err := read.Report(env); err != nil { // what is unknown has no result
				return err
			}
			begin := time.Unix(0, 0).UTC()
			if opts.Live() {
				begin = env.Now().UTC().Truncate(time.Second)
			}
			sim, err := newSimulation(read, s, begin)
			if err != nil {
				return err
			}
			if err := sim.run(c.Context()); err != nil {
				return err
			}
			switch r := sim.report(); output {
			case "":
				return r.table(env.Out)
			case "svg":
				return r.svg(env.Out)
			default:
				return env.Print(output, r)
			}
		},
	}
	opts.AddFlags(c)
	c.Flags().StringVar(&file, "scenario", "", "File with the events, in YAML or JSON; - is standard input; with --sample there is one")
	c.MarkFlagsOneRequired("scenario", "sample")
	cli.OutputFlag(c, &output, "json", "yaml", "svg")
	return c
}

// open reads the scenario.
func open(env *cli.Env, file string, opts *cluster.Options) (*scenario, error) {
	switch {
	case file == "":
		return readScenario("sample", strings.NewReader(sample))
	case file == "-" && slices.Contains(opts.Filenames, "-"):
		return nil, errors.New("standard input cannot be both the cluster and the scenario")
	case file == "-":
		return readScenario("standard input", env.In)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readScenario(file, f)
}
