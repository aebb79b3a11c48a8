package explain

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/lint"
)

func run(args ...string) (status int, out string) {
	var b bytes.Buffer
	env := cli.NewEnv(strings.NewReader(""), &b, &b)
	c := NewCommand(env)
	c.SetArgs(args)
	c.SetOut(&b)
	c.SilenceErrors, c.SilenceUsage = true, true
	return env.Status(c.Execute()), b.String()
}

// Run go generate if this fails.
func TestRules_current(t *testing.T) {
	text, err := os.ReadFile("../../../../SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(text), "\n## V")
	want, _, _ = strings.Cut("## V"+want, "## Differences from the doc")
	if diff := cmp.Diff(want, semantics); diff != "" {
		t.Errorf("rules.txt mismatch (-SEMANTICS.md +rules.txt):\n%s", diff)
	}
}

// Every rule is listed and has a text, and each line of SEMANTICS.md that has an id is in
// the text of that rule.
func TestExplain(t *testing.T) {
	_, list := run()
	texts := make(map[string]string)
	for _, r := range all() {
		if _, out := run(r.name); len(out) < len(r.name)+30 || !strings.Contains(list, "  "+r.name+" ") {
			t.Errorf("%s: %q", r.name, out)
		} else if _, there := texts[r.name]; there {
			t.Errorf("%s is repeated", r.name)
		} else {
			texts[r.name] = out
		}
	}
	for _, r := range lint.Rules() {
		if !strings.Contains(texts[r.Name], r.Text) {
			t.Errorf("%s is not explained", r.Name)
		}
	}
	ids := regexp.MustCompile(`(?m)^(?:- \*\*|\| )([A-Z][0-9]+(?:-[a-z0-9-]+)?)(?:\*\* | \| )(.*)$`).FindAllStringSubmatch(semantics, -1)
	if len(ids) < 100 {
		t.Errorf("%d ids", len(ids))
	}
	for _, id := range ids {
		for _, cell := range strings.Split(strings.TrimSuffix(id[2], " |"), " | ") {
			if !strings.Contains(plain.Replace(texts[id[1]]), plain.Replace(cell)) {
				t.Errorf("%s: no %q", id[1], cell)
			}
		}
	}
	const m6 = `M6 (M. One toleration, one taint)

Gt and Lt never match a taint whose value is not an integer by V3. This is not an error.

Examples:
| rule | taint | toleration | matches |
| M6 | cores=016:NoSchedule | cores=8 op=Gt | no |
| M6 | cores=many:NoSchedule | cores=8 op=Lt | no |
`
	if status, out := run("m6"); status != 0 || out != m6 {
		t.Errorf("status %d: %s", status, cmp.Diff(m6, out))
	}
	if _, out := run("shadowed"); !strings.HasPrefix(out, "shadowed (Lint rules of tolerations)\n\nEarlier tolerations decide, so the seconds of this one have no effect.\n") {
		t.Error(out)
	}
	if _, out := run("K3"); !strings.Contains(out, "`key=value:Effect op=Operator for 300s`") {
		t.Error(out)
	}
	if regexp.MustCompile(`(?m)\.$|^  [a-z-]+ +[a-z]`).MatchString(list) {
		t.Error("a summary ends with a period, or begins with a small letter:", list)
	}
	if status, out := run("shadow"); status != 1 || !strings.Contains(out, "did you mean shadowed?") {
		t.Errorf("status %d: %s", status, out)
	}
	if status, out := run("xyzzy"); status != 1 || strings.Contains(out, "mean") {
		t.Errorf("status %d: %s", status, out)
	}
}

func TestExplain_completion(t *testing.T) {
	names, _ := NewCommand(cli.NewEnv(nil, nil, nil)).ValidArgsFunction(nil, nil, "")
	if len(names) != len(all()) || !strings.HasPrefix(names[0], "invalid\t") {
		t.Errorf("%q", names)
	}
}
