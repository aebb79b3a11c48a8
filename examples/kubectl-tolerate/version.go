package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

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
