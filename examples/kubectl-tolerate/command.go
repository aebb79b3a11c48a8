package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/edit"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/lint"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/why"
)

// run runs the program, and returns its exit status.
func run(ctx context.Context, env *cli.Env, args []string) int {
	connection := pflag.NewFlagSet("", pflag.ContinueOnError) // to a cluster
	env.AddFlags(connection)
	root := &cobra.Command{
		Use:           "kubectl-tolerate",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl tolerate"},
		Short:         "Taints and tolerations: why pods wait, and what a change would do",
		SilenceErrors: true,
		SilenceUsage:  true,
		// An unset variable in a script must not choose the live cluster.
		PersistentPreRunE: func(c *cobra.Command, _ []string) (err error) {
			c.Flags().Visit(func(f *pflag.Flag) {
				list, isList := f.Value.(pflag.SliceValue)
				empty := isList && (len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")) || f.Value.String() == ""
				if empty && connection.Lookup(f.Name) != f && f.Name != "selector" && f.Name != "output" {
					err = c.FlagErrorFunc()(c, fmt.Errorf("--%s: must not be empty", f.Name))
				}
			})
			return err
		},
	}
	root.AddCommand(why.NewCommand(env), why.NewNodesCommand(env)) // these read a cluster, as do the next
	root.AddCommand(edit.NewTaintCommand(env), edit.NewDedicateCommand(env), edit.NewUndoCommand(env))
	for _, c := range root.Commands() {
		c.Flags().AddFlagSet(connection)
	}
	root.AddCommand(lint.NewCommand(env), lint.NewExplainCommand(env), enforce.NewCommand(env), newVersionCommand(env))
	env.Args = args
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	return env.Status(root.ExecuteContext(ctx))
}
