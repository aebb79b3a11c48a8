package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"sigs.k8s.io/yaml"
)

const (
	module  = "github.com/go-tolerate/tolerate/examples/kubectl-tolerate"
	hooks   = "../../.pre-commit-hooks.yaml"
	goodPod = "kind: Pod\nspec: {tolerations: [{key: a, operator: Exists}]}\n"
	badPod  = "kind: Pod\nspec: {tolerations: [{key: a, operator: exists}]}\n"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// blocks returns the n blocks of a page in YAML. Those of README.md are the configuration of
// pre-commit, the workflow, and rules.
func blocks(t *testing.T, page string, n int) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(read(t, page), -1) {
		all = append(all, m[1])
	}
	if len(all) != n {
		t.Fatalf("%s has %d blocks in YAML, want %d", page, len(all), n)
	}
	return all
}

// A checkout is a directory with two manifests, and the tool in the PATH.
func checkout(t *testing.T) (run func(args ...string) (status int, out string)) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"deploy/good.yaml": goodPod, "deploy/bad.yaml": badPod,
		"bin/kubectl-tolerate": "#!/bin/sh\n" + asTool + "=1 exec '" + self + "' \"$@\"\n",
	} {
		name = filepath.Join(dir, name)
		_ = os.Mkdir(filepath.Dir(name), 0o755)
		write(t, name, text)
	}
	t.Chdir(dir)
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	return func(args ...string) (int, string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return c.ProcessState.ExitCode(), string(out)
	}
}

// The steps of the workflow clone the plugin, print what code scanning reads, and fail if there are findings.
func TestReadme_workflow(t *testing.T) {
	type step struct {
		Uses, Run, If string
		With          map[string]string
	}
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal([]byte(blocks(t, "README.md", 3)[1]), &workflow); err != nil {
		t.Fatal(err)
	}
	steps := workflow.Jobs["lint"].Steps
	if len(steps) != 5 || workflow.Permissions["security-events"] != "write" {
		t.Fatalf("%+v", workflow)
	}
	build(t, strings.ReplaceAll(steps[2].Run, "COMMIT", "HEAD"))
	upload := steps[4]
	if !strings.HasPrefix(upload.Uses, "github/codeql-action/upload-sarif@v") || upload.If != "${{ !cancelled() }}" {
		t.Errorf("%+v is to upload the findings, although the step before fails", upload)
	}
	run := checkout(t)
	for _, want := range []int{1, 0} {
		if status, out := run("bash", "-e", "-c", steps[3].Run); status != want || out != "" {
			t.Errorf("%s: status %d, want %d: %s", steps[3].Run, status, want, out)
		}
		report, err := sarif.Open(upload.With["sarif_file"])
		if err != nil {
			t.Fatal(err)
		}
		results := report.Runs[0].Results
		if len(results) != want || want > 0 && *results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI != "deploy/bad.yaml" {
			t.Errorf("findings %+v", results)
		}
		write(t, "deploy/bad.yaml", goodPod)
	}
}

// build runs the step that clones the repository and builds the plugin. The clone is of this checkout. In a new folder
// everything would be compiled again, so go lists the package instead.
func build(t *testing.T, commands string) {
	t.Helper()
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		t.Skip("not in a clone: ", err)
	}
	c := exec.CommandContext(t.Context(), "bash", "-e", "-c", strings.Replace(commands, "build -o ~/go/bin/ .", "list .", 1))
	c.Env = append(os.Environ(), "RUNNER_TEMP="+t.TempDir(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+
		strings.TrimSpace(string(top))+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/go-tolerate/tolerate")
	if out, err := c.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "\n"+module+"\n") {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// The hook gets the names of the changed files that have its types.
func TestReadme_preCommit(t *testing.T) {
	type hook struct {
		ID, Name, Description, Entry, Language, Files string

		Types        []string `json:"types_or"`
		Dependencies []string `json:"additional_dependencies"`
	}
	var all []hook
	if err := yaml.UnmarshalStrict([]byte(read(t, hooks)), &all); err != nil || len(all) != 1 {
		t.Fatal(err, all)
	}
	h := all[0]
	if got, want := strings.Join(h.Dependencies, " "), module+"@"+releaseVersion(t); h.Language != "golang" || got != want {
		t.Errorf("%s installs %s, want %s", h.Language, got, want)
	}
	if got := strings.Join(h.Types, " "); got != "yaml json" || h.Name == "" || h.Description == "" {
		t.Errorf("%+v", h)
	}
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []hook
		}
	}
	if err := yaml.UnmarshalStrict([]byte(blocks(t, "README.md", 3)[0]), &config); err != nil {
		t.Fatal(err)
	}
	local := config.Repos[0].Hooks[0]
	if config.Repos[0].Repo != "local" || local.Language != "system" || !regexp.MustCompile(local.Files).MatchString("deploy/bad.yaml") ||
		local.ID != h.ID || local.Name != h.Name || local.Entry != h.Entry || !slices.Equal(local.Types, h.Types) {
		t.Errorf("%+v", config)
	}
	run := checkout(t)
	for files, want := range map[string]int{"deploy/good.yaml": 0, "deploy/good.yaml deploy/bad.yaml": 1} {
		if status, out := run(strings.Fields(h.Entry + " " + files)...); status != want {
			t.Errorf("%s %s: status %d, want %d: %s", h.Entry, files, status, want, out)
		}
	}
}

// The rules are compiled, and refuse what the page shows.
func TestReadme_rules(t *testing.T) {
	page, rules := read(t, "README.md"), blocks(t, "README.md", 3)[2]
	run := checkout(t)
	write(t, "rules.yaml", rules)
	pod := "kind: Pod\nmetadata: {name: web, namespace: NS}\nspec: {tolerations: [{key: dedicated, value: gpu, effect: NoSchedule}, {operator: Exists}]}\n"
	for namespace, want := range map[string]string{"shop": "(rules[2].policy.deny[0]) (policy)", "kube-system": "0 findings"} {
		write(t, "pod.yaml", strings.Replace(pod, "NS", namespace, 1))
		if _, out := run("kubectl-tolerate", "lint", "--severity=error", "pod.yaml", "--rules", "rules.yaml"); !strings.Contains(out, want) || strings.Contains(out, "error:") {
			t.Errorf("%s: no %q, or an error, in %s", namespace, want, out)
		}
	}
	status, out := run("kubectl-tolerate", "enforce", "-f", "rules.yaml")
	const clause, reason = "rules[2].policy.deny[0]", "denies it: ask the ML team"
	for _, want := range []string{"name: tolerate-warn\n", "name: tolerate-names\n", `"` + clause + `"`, `"` + reason + `"`} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in %s", status, want, out)
		}
	}
	if want := ": " + clause + " " + reason + "\n"; !strings.Contains(page, want) {
		t.Errorf("the page has no %q", want)
	}
}

// The README of the repository shows a part of what why --sample prints. A line that ends in … is cut.
func TestReadme_sample(t *testing.T) {
	page := read(t, "../../README.md")
	_, screen, _ := strings.Cut(page, "```console\n")
	screen, _, _ = strings.Cut(screen, "```")
	if !strings.Contains(page, "\n    kubectl tolerate why --sample ") || strings.Count(screen, "\n") < 3 {
		t.Fatalf("README.md shows %q", screen)
	}
	_, out := checkout(t)("kubectl-tolerate", "why", "--sample")
	var want []string
	for line := range strings.Lines(screen) {
		want = append(want, strings.Replace(regexp.QuoteMeta(strings.TrimSuffix(line, "\n")), "…", ".*", 1))
	}
	if !regexp.MustCompile(strings.Join(want, "\n")).MatchString(out) {
		t.Errorf("why --sample does not print\n%s\nbut\n%s", screen, out)
	}
}

// releaseVersion returns the version of the library that go.mod requires, which that of the tool equals.
func releaseVersion(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`\sgithub.com/go-tolerate/tolerate (v\S+)\n`).FindStringSubmatch(read(t, "go.mod"))
	if m == nil {
		t.Fatal("go.mod does not require the library")
	}
	return m[1]
}

// The page about running it: its files compile, and its line for CI finds an exception that is over.
func TestEnforcePage(t *testing.T) {
	all := blocks(t, "enforce.md", 2)
	line := regexp.MustCompile(`(?m)^    (\(test -r .*)`).FindStringSubmatch(read(t, "enforce.md"))
	rules := strings.Replace(all[0], "rules:\n", "rules:\n"+all[1], 1) // the exception first
	run := checkout(t)
	for name, want := range map[string]string{all[0]: "others.policy.deny[0]", rules: "until-2027-01-31"} {
		write(t, "rules.yaml", name)
		if status, out := run("kubectl-tolerate", "enforce", "-f", "rules.yaml"); status != 0 || want == "others.policy.deny[0]" && !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in %s", status, want, out)
		}
	}
	if status, _ := run("bash", "-c", strings.ReplaceAll(line[1], "rules.yaml", "nowhere.yaml")); status != 1 {
		t.Errorf("no file: status %d", status)
	}
	for day, want := range map[string]int{"2999-01-31": 0, "2999-01-31-shop": 0, "2026-01-31": 1, "2026-01-31-shop": 1} {
		write(t, "rules.yaml", strings.ReplaceAll(rules, "2027-01-31", day))
		if status, out := run("bash", "-c", line[1]); status != want || want == 1 && out != "2026-01-31 is over\n" {
			t.Errorf("%s: status %d, %s", day, status, out)
		}
	}
}
