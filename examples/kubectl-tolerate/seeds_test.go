package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// asTool is set in the environment of a process that is the tool, not its tests.
const asTool = "KUBECTL_TOLERATE"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		env := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
		env.Now = func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }
		os.Exit(run(context.Background(), env, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// shell is what the commands of SEEDS.md find: the tool under test, and the repository.
const shell = `
kubectl() { shift; ` + asTool + `=1 "$TOOL" "$@"; }
go() ( cd "$REPOSITORY" && command go "$@" )
`

// isError matches the lines with an error, and those with a place and a finding.
var isError = regexp.MustCompile(`^(error|\S+:\d+:\d+: (error|warning)): `)

// The commands of SEEDS.md print what it shows. Those of a part run one after the other
// in a copy of the directory seeds, and exit with status 1 if the page shows an error.
func TestSeeds(t *testing.T) {
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(read(t, "../SEEDS.md"), "\n## ")[1:]
	if len(parts) != 5 {
		t.Fatalf("%d parts, want one for each of 5 seeds", len(parts))
	}
	for i, part := range parts {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../seeds")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(repository, "examples"), filepath.Join(dir, "examples")); err != nil {
				t.Fatal(err)
			}
			steps := steps(part)
			if len(steps) == 0 {
				t.Fatal("no commands")
			}
			for _, step := range steps {
				c := exec.CommandContext(t.Context(), "sh", "-c", shell+step.command)
				c.Dir = dir
				c.Env = append(os.Environ(), "TOOL="+tool, "REPOSITORY="+repository, "HOME="+dir, "KUBECONFIG="+dir+"/none", "TZ=UTC")
				out, err := c.CombinedOutput()
				if c.ProcessState == nil {
					t.Fatal(err)
				}
				if got := lines(string(out)); !matches(got, step.output) {
					t.Errorf("$ %s\n%s\n--- is what it prints, not:\n%s", step.command, strings.Join(got, "\n"), strings.Join(step.output, "\n"))
				}
				want := 0
				if slices.ContainsFunc(step.output, isError.MatchString) {
					want = 1
				}
				if got := c.ProcessState.ExitCode(); got != want {
					t.Errorf("$ %s\nexit status %d, want %d", step.command, got, want)
				}
			}
		})
	}
}

// The Examples that SEEDS.md names are in the files that it links to.
func TestSeeds_examples(t *testing.T) {
	named := regexp.MustCompile("`(Example\\w+)`\\s+in\\s+\\[.*?\\]\\((.*?)\\)").FindAllStringSubmatch(read(t, "../SEEDS.md"), -1)
	for _, m := range named {
		if !strings.Contains(read(t, filepath.Join("..", m[2])), "func "+m[1]+"()") {
			t.Errorf("%s is not in %s", m[1], m[2])
		}
	}
	if len(named) != 3 {
		t.Errorf("%d Examples are named, want 3", len(named))
	}
}

// A step is a command and the lines that it prints. The line "..." represents any lines.
type step struct {
	command string
	output  []string
}

// steps returns the commands in the blocks of a page that begin with ```console.
func steps(page string) (all []step) {
	console := false
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			console = line == "```console"
		case console && isCommand:
			all = append(all, step{command: command})
		case console:
			last := &all[len(all)-1]
			last.output = append(last.output, line)
		}
	}
	return all
}

// lines returns the lines without spaces at their ends, which a page does not show.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimRight(line, " \n"))
	}
	return all
}

func matches(got, want []string) bool {
	for ; len(want) > 0; got, want = got[1:], want[1:] {
		if want[0] == "..." {
			for i := range len(got) + 1 {
				if matches(got[i:], want[1:]) {
					return true
				}
			}
			return false
		}
		if len(got) == 0 || got[0] != want[0] {
			return false
		}
	}
	return len(got) == 0
}
