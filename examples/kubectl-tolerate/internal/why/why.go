// Package why is the command that reports why pods wait and when pods are evicted.
package why

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
)

type command struct {
	*cli.Env
	from     cluster.Options
	output   string
	node     string
	all      bool // namespaces
	exitCode bool
	pods     []string
}

// NewCommand returns the command.
func NewCommand(env *cli.Env) *cobra.Command {
	w := command{Env: env}
	c := &cobra.Command{
		Use:   "why [POD...]",
		Short: "Report why pods wait, what to add, and which running pods are evicted",
		Long: `Report why pods wait for a node, which tolerations would allow them onto the nearest ones,
and which running pods are evicted. Taints, tolerations, node selectors and required node
affinity are evaluated. Pods and nodes that are alike are one group. The nearest nodes are those that need the fewest more tolerations.

With --filename or --sample, all namespaces are read unless -n is given. Evictions are
computed for the current time, also with files.

With -o wide the output also has the YAML to add, and all groups. With -o json and -o yaml
it is one object with the fields summary, podGroups, nodeGroups, evictions and unknown. In
podGroups, nodes has numbers of nodes, and verdicts has one verdict for each of nodeGroups.`,
		Example: `  # What matters in all namespaces
  kubectl tolerate why -A

  # One pod, with the YAML to add
  kubectl tolerate why train-0 -n ml

  # The pods of a node, and the pods that wait
  kubectl tolerate why -A --node worker-3

  # From files
  kubectl get nodes,pods -A -o json | kubectl tolerate why -f -

  # Again every two seconds
  watch kubectl tolerate why -A`,
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return cluster.Complete(c.Context(), env, "pods")
		},
		RunE: func(c *cobra.Command, args []string) error {
			w.pods = args
			err := w.run(c.Context())
			if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
				err = fmt.Errorf("%w; for files use -f, without a cluster --sample", err)
			}
			return err
		},
	}
	f := c.Flags()
	f.BoolVarP(&w.all, "all-namespaces", "A", false, "List the pods of all namespaces")
	f.StringVarP(&w.from.Selector, "selector", "l", "", "Selector (label query) of the pods")
	f.StringVar(&w.node, "node", "", "List the pods on this node, and evaluate the waiting pods against this node only")
	f.BoolVar(&w.exitCode, "exit-code", false, "Exit with status 1 if a pod cannot be scheduled")
	_ = c.RegisterFlagCompletionFunc("node", func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return cluster.Complete(c.Context(), env, "nodes")
	})
	w.from.AddFlags(c)
	cli.OutputFlag(c, &w.output, "wide", "json", "yaml")
	return c
}

func (w *command) run(ctx context.Context) error {
	namespace, explicit, err := w.Namespace()
	switch {
	case err != nil && (explicit || w.from.Live()):
		return err
	case !w.all && (explicit || w.from.Live()):
		w.from.Namespace = namespace
	}
	if w.exitCode && w.node != "" {
		return errors.New("--exit-code cannot be used with --node: the pods may fit on other nodes; omit one of the two")
	}
	c, err := cluster.Read(ctx, w.Env, &w.from)
	if err != nil {
		return err
	}
	r, err := w.report(c)
	if err != nil {
		return errors.Join(c.Report(w.Env), err)
	}
	if err := w.write(w.Out, r); err != nil {
		return err
	}
	if err := c.Report(w.Env); err != nil {
		return err
	}
	if w.exitCode && r.Summary.CannotBeScheduled > 0 {
		return &cli.Exit{Status: 1}
	}
	return nil
}

// report evaluates the pods and nodes that were named.
func (w *command) report(c *cluster.Cluster) (*Report, error) {
	if c.NodesErr != nil {
		return nil, c.NodesErr
	}
	if err := w.narrow(c); err != nil {
		return nil, err
	}
	others := len(c.Pods)
	if w.output == "" && len(w.pods) == 0 {
		others = maxGroups
	}
	r, err := newReport(c, w.Now(), others, len(w.pods) > 0 || w.output != "" && w.output != "wide")
	if err == nil && w.node != "" {
		r.only = c.Nodes[0].Name
	}
	return r, err
}

// narrow removes what was not named.
func (w *command) narrow(c *cluster.Cluster) error {
	if w.node != "" {
		name := strings.TrimPrefix(w.node, "node/")
		c.Nodes = slices.DeleteFunc(c.Nodes, func(n *cluster.Node) bool { return n.Name != name })
		if len(c.Nodes) == 0 {
			return fmt.Errorf("node %q not found", name)
		}
		c.Pods = slices.DeleteFunc(c.Pods, func(p *cluster.Pod) bool { return p.Node != name && !p.Waits() })
	}
	if len(w.pods) == 0 {
		return nil
	}
	found := make(map[string]bool)
	c.Pods = slices.DeleteFunc(c.Pods, func(p *cluster.Pod) bool {
		for _, name := range w.pods {
			if name == p.Name || name == p.FullName() || name == "pod/"+p.Name {
				found[name] = true
				return false
			}
		}
		return true
	})
	for _, name := range w.pods {
		if !found[name] {
			return fmt.Errorf("pod %q not found", name)
		}
	}
	return nil
}

func (w *command) write(out io.Writer, r *Report) error {
	switch w.output {
	case "json", "yaml":
		env := *w.Env
		env.Out = out
		return env.Print(w.output, r)
	}
	return r.text(out, w.output == "wide", len(w.pods) > 0)
}
