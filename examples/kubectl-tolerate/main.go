// Kubectl-tolerate is a kubectl plugin for taints and tolerations. With the program in the
// PATH, "kubectl tolerate" lists its commands.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/edit"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/lint"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/why"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends what does not react to the first
	status := run(ctx, cli.NewEnv(os.Stdin, os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(status)
}

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

// describe returns the version of the module, the commit of a checkout that was built, and
// Go's version.
func describe(info *debug.BuildInfo) string {
	text, modified := "Version: "+cmp.Or(info.Main.Version, "(devel)"), ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += "\nCommit: " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = " (modified)"
		}
	}
	return text + modified + "\nGo: " + info.GoVersion
}

func newVersionCommand(env *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program, its commit and Go's version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return errors.New("the program was built without modules")
			}
			_, err := fmt.Fprintln(env.Out, describe(info))
			return err
		},
	}
}
