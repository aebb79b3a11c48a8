package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// A version identifies a build of the program.
type version struct {
	Version  string `json:"version"`            // of the module; (devel) if it is unknown
	Commit   string `json:"commit,omitempty"`   // of the checkout that was built, if it was one
	Modified bool   `json:"modified,omitempty"` // since the commit
	Go       string `json:"go"`
}

func newVersion(info *debug.BuildInfo) version {
	v := version{Version: cmp.Or(info.Main.Version, "(devel)"), Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v version) String() string {
	text := "Version: " + v.Version
	if v.Commit != "" {
		text += "\nCommit: " + v.Commit
	}
	if v.Modified {
		text += " (modified)"
	}
	return text + "\nGo: " + v.Go
}

func newVersionCommand(env *cli.Env) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program, its commit and Go's version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return errors.New("the program was built without modules")
			}
			v := newVersion(info)
			if output != "" {
				return env.Print(output, v)
			}
			_, err := fmt.Fprintln(env.Out, v)
			return err
		},
	}
	cli.OutputFlag(c, &output, "json", "yaml")
	return c
}
