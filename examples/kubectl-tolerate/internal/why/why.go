// Package why is the command that reports why pods are pending and when pods are evicted.
package why

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

type command struct {
	*cli.Env
	from      cluster.Options
	temporary taint.Selector
	output    string
	node      string
	all       bool // namespaces
	exitCode  bool
	names     []string // of pods and workloads
}

// NewCommand returns the command.
func NewCommand(env *cli.Env) *cobra.Command {
	w := command{Env: env}
	c := &cobra.Command{
		Use:   "why [POD | TYPE/NAME]...",
		Short: "Report why pods are pending, what to add, and which running pods are evicted",
		Long: `Report why pods are pending: the scheduler's message, scheduling gates, and how many nodes
are admitted by taints and labels (tolerations, node selector, required node affinity, also of
volumes), and whether they have free what the pods request in sum. If none is, the nearest
nodes are listed with the tolerations to add. For temporary taints, such as
node.kubernetes.io/not-ready, it is what to wait for; name those of your own programs with
--temporary.

Also listed are
  - DaemonSets that lack pods because of taints. Nodes with taints of roles, such as
    control-plane, are only listed with -o wide if there are pods elsewhere, as are nodes
    with a pod that would not be created again.
  - pools without nodes, for pods that no node admits: NodePools of Karpenter, MachineSets of
    OpenShift and Cluster API, and MachineDeployments. "Perhaps" means that a label or taint is unknown.
    From an API server, objects of Cluster API are used only if they describe its own nodes.
  - devices with taints, for pods that wait for ResourceClaims, which cannot be changed; create
    them again.
  - workloads whose pods the API server refuses, and what autoscalers wrote, from events.
  - running pods that NoExecute taints evict, and when. Evictions are computed for the current
    time, also with files.

Not evaluated are resources of single nodes, limits, ports, topology, and the selectors of
devices.

With --filename or --sample, all namespaces are read unless -n is given. A workload, such as
deployment/web, names all its pods. For named pods, the nearest nodes are listed also if some
are admitted, or their own node; with -o wide, all.

The exit status is 2 if nodes, pods or what was named cannot be read, and 1 only with
--exit-code. If other objects, such as events, cannot be listed, a warning says so.`,
		Example: `  # All namespaces
  kubectl tolerate why -A

  # One pod, with the nearest nodes
  kubectl tolerate why train-0 -n ml

  # A DaemonSet, with the nodes that have no pod of it
  kubectl tolerate why daemonset/agent -n mesh

  # The pods of a node, and the pending pods
  kubectl tolerate why -A --node worker-3

  # From files
  kubectl get nodes,pods -A -o json | kubectl tolerate why -f -

  # Again every two seconds
  watch kubectl tolerate why -A`,
		ValidArgsFunction: cluster.Complete(env, "pods"),
		RunE: func(c *cobra.Command, args []string) error {
			w.names = args
			return hint(w.run(c.Context()))
		},
	}
	f := c.Flags()
	f.BoolVarP(&w.all, "all-namespaces", "A", false, "Read the pods of all namespaces")
	f.StringVarP(&w.from.Selector, "selector", "l", "", "Selector (label query) of the pods")
	f.StringVar(&w.node, "node", "", "Report on the pods of this node, and on pending pods for this node only")
	f.TextVar(&w.temporary, "temporary", taint.Selector{}, "More taints that are temporary, such as 'example.com/starting,example.org/*'; with ! before it, a pattern is an exception")
	f.BoolVar(&w.exitCode, "exit-code", false, "Exit with status 1 if taints or labels keep a pending pod from every node")
	_ = c.RegisterFlagCompletionFunc("node", cluster.Complete(env, "nodes"))
	w.from.AddFlags(c)
	cli.OutputFlag(c, &w.output, "wide", "json", "yaml")
	return c
}

// hint adds to the error of an API server that is not reached what else can be read.
func hint(err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		err = fmt.Errorf("%w; for files use -f, without a cluster --sample", err)
	}
	return err
}

func (w *command) run(ctx context.Context) error {
	namespace, explicit, err := w.Loader().Namespace() // explicit if it is of a flag
	switch {
	case err != nil && (explicit || w.from.Live()):
		return err
	case !w.all && (explicit || w.from.Live()):
		w.from.Namespace = namespace
	}
	if w.exitCode && w.node != "" {
		return errors.New("--exit-code cannot be used with --node: the pods may fit on other nodes; omit one of the two")
	}
	w.from.Refusals, w.from.Waiting, w.from.Volumes = len(w.names) == 0 && w.node == "", true, true
	w.from.Daemons = len(w.names) == 0 || !w.from.Live() || slices.ContainsFunc(w.names, func(name string) bool { return parseWorkload(name).kind == "daemonset" })
	c, err := cluster.Read(ctx, w.Env, &w.from)
	if err != nil {
		return err
	}
	found := c.Report(w.Env)
	if len(c.Pods)+len(c.Refused) == 0 && c.NodesErr != nil {
		return c.NodesErr
	}
	if err := w.narrow(c); err != nil {
		return err
	}
	temporary := taint.MustParseSelector(strings.TrimSuffix(condition.Temporary().String()+","+w.temporary.String(), ","))
	r := newReport(c, w.Now(), temporary, w.output != "", len(w.names) > 0)
	if w.output == "json" || w.output == "yaml" {
		err = w.Print(w.output, r)
	} else {
		t := text{bufio.NewWriter(w.Out), r, w.output == "wide", len(w.names), w.node, w.Now(), c.NodesErr != nil}
		err = t.write()
	}
	if err := cmp.Or(err, c.NodesErr, found); err != nil {
		return err
	}
	if w.exitCode && len(r.Incomplete) > 0 {
		return fmt.Errorf("%w; name pods, or narrow them with -n or -l", errWork)
	}
	if w.exitCode && r.Summary.NotAdmitted > 0 {
		return &cli.Exit{Status: 1}
	}
	return nil
}

// narrow removes what was not named.
func (w *command) narrow(c *cluster.Cluster) error {
	if w.node != "" {
		if c.NodesErr != nil {
			return c.NodesErr
		}
		w.node, c.OneNode = strings.TrimPrefix(w.node, "node/"), true
		c.Nodes = slices.DeleteFunc(c.Nodes, func(n *cluster.Node) bool { return n.Name != w.node })
		if len(c.Nodes) == 0 {
			return fmt.Errorf("node %q not found", w.node)
		}
		c.Pods = slices.DeleteFunc(c.Pods, func(p *cluster.Pod) bool { return p.Node != w.node && !p.Waits() })
	}
	if len(w.names) == 0 {
		return nil
	}
	found := make([]bool, len(w.names))
	workloads := make([]workload, len(w.names))
	for i, name := range w.names {
		workloads[i] = parseWorkload(name)
	}
	named := func(p *cluster.Pod, isPod bool) (is bool) {
		for i, name := range w.names {
			if workloads[i].owns(p) || isPod && (slices.Contains([]string{p.Name, p.FullName()}, podName(name))) {
				found[i], is = true, true
			}
		}
		return is
	}
	c.Pods = slices.DeleteFunc(c.Pods, func(p *cluster.Pod) bool { return !named(p, true) })
	c.DaemonSets = slices.DeleteFunc(c.DaemonSets, func(d *cluster.DaemonSet) bool { return !named(&d.Pod, false) })
	for i, name := range w.names {
		if !found[i] {
			return workloads[i].notFound(name, w.node)
		}
	}
	return nil
}

// A workload is what was named as kind/name or kind/namespace/name.
type workload struct {
	kind            string // in lower case, such as daemonset; empty if there is none
	namespace, name string // the namespace is empty for any
}

// kinds are those of workloads, by their short names.
var kinds = map[string]string{
	"cj": "cronjob", "dc": "deploymentconfig", "deploy": "deployment", "ds": "daemonset", "jobs": "job",
	"rc": "replicationcontroller", "rs": "replicaset", "sts": "statefulset",
}

// makes are the kinds that make others, which control the pods. These are named after
// their makers, with - and a hash or a number at the end, so only the pods need to be read.
var makes = map[string]string{"cronjob": "job", "deployment": "replicaset", "deploymentconfig": "replicationcontroller"}

// podName returns the name of a pod without its kind.
func podName(text string) string {
	for _, kind := range []string{"po/", "pod/", "pods/"} {
		text = strings.TrimPrefix(text, kind)
	}
	return text
}

func parseWorkload(text string) (w workload) {
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		return w
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".") // as in deployment.apps/web
	if w.kind = kinds[kind]; w.kind == "" {
		w.kind = strings.TrimSuffix(kind, "s")
	}
	if w.namespace, w.name, ok = strings.Cut(name, "/"); !ok {
		w.namespace, w.name = "", name
	}
	return w
}

// owns reports whether the workload controls the pod.
func (w *workload) owns(p *cluster.Pod) bool {
	if w.kind == "" || w.namespace != "" && w.namespace != p.Namespace {
		return false
	}
	kind, name, _ := strings.Cut(p.Owner, " ")
	kind = strings.ToLower(kind)
	if made := makes[w.kind]; made != "" && made == kind {
		kind, name = w.kind, name[:max(0, strings.LastIndex(name, "-"))]
	}
	return w.kind == kind && w.name == name
}

// notFound returns the error if no pod has the name, or is controlled by the workload.
func (w *workload) notFound(name, node string) error {
	if !slices.Contains(slices.Collect(maps.Values(kinds)), w.kind) {
		return fmt.Errorf("pod %q not found", name)
	}
	if node != "" {
		node = " on node " + node
	}
	return fmt.Errorf("%s has no pods%s, or does not exist", objects.Printable(name), objects.Printable(node))
}
