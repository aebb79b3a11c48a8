package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Builds, as "go version -m" prints them without the dependencies.
func TestVersion(t *testing.T) {
	const module = "path\tgithub.com/go-tolerate/tolerate/examples/kubectl-tolerate\nmod\tgithub.com/go-tolerate/tolerate/examples/kubectl-tolerate\t"
	for name, test := range map[string]struct{ info, want string }{
		"go install": {module + "v0.1.0\th1:6KShCNLqGvwBQuVsOvyYpeVgcnAqVUJF2JgYcpGQK1c=\nbuild\t-compiler=gc\n",
			"Version: v0.1.0\nGo: go1.26.8"},
		"tagged checkout": {module + "v0.1.0\t\nbuild\tvcs=git\nbuild\tvcs.revision=90fe69c\nbuild\tvcs.modified=false\n",
			"Version: v0.1.0\nCommit: 90fe69c\nGo: go1.26.8"},
		"modified checkout": {module + "v0.1.1-0.20261123170632-90fe69c00000+dirty\t\nbuild\tvcs.revision=90fe69c\nbuild\tvcs.modified=true\n",
			"Version: v0.1.1-0.20261123170632-90fe69c00000+dirty\nCommit: 90fe69c (modified)\nGo: go1.26.8"},
		"no version control": {module + "(devel)\t\n", "Version: (devel)\nGo: go1.26.8"},
		"no module":          {"", "Version: (devel)\nGo: go1.26.8"},
	} {
		info, err := debug.ParseBuildInfo(test.info)
		if err != nil {
			t.Fatal(name, err)
		}
		info.GoVersion = "go1.26.8" // which ParseBuildInfo omits
		if got := describe(info); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestVersion_command(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "Version: (devel)\nGo: " + runtime.Version() + "\n"},
		{[]string{"--context", "x"}, "error: unknown flag: --context\n"}, // it reads no cluster
	} {
		var p program
		p.start(t.Context(), "", "", append([]string{"version"}, test.args...)...)
		if got := p.out.String() + p.errOut.String(); got != test.want {
			t.Errorf("version %q: got %s, want %s", test.args, got, test.want)
		}
	}
}
