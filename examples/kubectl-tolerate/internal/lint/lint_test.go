package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

const manifests = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  tolerations: [{key: a, operator: Exists}]
  template:
    spec:
      containers:
      - name: c
        tolerations: [{key: b, operator: Exists}]
      taints: [{key: c, effect: NoSchedule}]
      tolerations:
      - key: dedicated
        value: true # a string is needed
        effect: PreferredNoSchedule
      - {key: gpu, operator: Exists, effect: NoSchedule, tolerationSeconds: 60}
      # tolerate:ignore equal-empty-value: the value is empty
      - key: x
      - {key: z, tolerationSeconds: 5}
--- # others
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1}
  spec:
    taints:
    - {key: a, effect: NoSchedule}
    - {key: a, value: b, effect: NoSchedule}
    - {key: c, effect: NO_EXECUTE}
    tolerations: [{key: b, operator: Exists}]
- apiVersion: machine.openshift.io/v1beta1
  kind: MachineSet
  metadata: {name: m}
  spec:
    taints: [{key: a, effect: NoSchedule}]
    template: {spec: {taints: [{key: gpu, effect: no-schedule, time: now}]}}
- apiVersion: kops.k8s.io/v1alpha2
  kind: InstanceGroup
  metadata: {name: ig}
  spec: {taints: ["dedicated=gpu:NoSchedul", "spot=true:NoSchedule"]}
- apiVersion: cluster.x-k8s.io/v1beta2
  kind: MachineDeployment
  spec: {template: {spec: {taints: [{key: a, effect: NoSchedule, propagation: Always}]}}}
- apiVersion: container.example.com/v1
  kind: CloudPool
  spec: {taints: [{key: a, value: b, effect: NO_SCHEDULE}]}
- apiVersion: kyverno.io/v1
  kind: ClusterPolicy
  spec: {rules: [{validate: {pattern: {spec: {tolerations: [{key: "!x/*"}]}}}}, {mutate: {patchStrategicMerge: {spec: {tolerations: [{operator: exists}]}}}}]}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent}
  spec: {template: {spec: {containers: [], tolerations: [{operator: Exists}, {$patch: replace}]}}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  spec: {devices: {requests: [{exactly: {tolerations: [{key: a, effect: None}]}}]}}
---
controller: {tolerations: {{ .Values.tolerations }}}
---
controller: {tolerations: [{key: "${KEY}"}]}
`

// run runs the command lint, and returns its status and output.
func run(stdin string, args ...string) (status int, stdout, stderr string) {
	return runCommand(NewCommand, strings.NewReader(stdin), args...)
}

// runCommand runs one of the commands with an input.
func runCommand(command func(*cli.Env) *cobra.Command, in io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	env := cli.NewEnv(in, &out, &errOut)
	c := command(env)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	status = env.Status(c.Execute())
	return status, out.String(), errOut.String()
}

// check runs the command lint, and reports another status, or a text that is not in the output.
func check(t *testing.T, stdin, args string, status int, want string) {
	t.Helper()
	if got, out, errOut := run(stdin, strings.Fields(args)...); got != status || !strings.Contains(errOut+out, want) {
		t.Errorf("%s: status %d, want %d, %q, of %.500s:\n%s%s", args, got, status, want, stdin, errOut, out)
	}
}

// inOrder reports the texts that are not in what was written, in this order.
func inOrder(t *testing.T, rest string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		before, after, found := strings.Cut(rest, text)
		if rest = after; !found {
			t.Errorf("no %q in %q", text, before)
		}
	}
}

// A report is the output of -o json.
type report struct {
	Findings []Finding
	Notes    []note
}

func TestCommand(t *testing.T) {
	status, out, errOut := run(manifests, "-f", "-")
	const want = `standard input:5:3: error: tolerations have no effect here: a Deployment has them in spec.template.spec.tolerations; move them (misplaced)
    Deployment shop/web spec.tolerations
standard input:10:9: error: tolerations have no effect here: a Deployment has them in spec.template.spec.tolerations; move them (misplaced)
    Deployment shop/web spec.template.spec.containers[0].tolerations
standard input:11:7: error: a Deployment has no taints; remove them (it has tolerations in spec.template.spec.tolerations) (misplaced)
    Deployment shop/web spec.template.spec.taints
`
	if status != 2 || !strings.HasPrefix(out, want) {
		t.Errorf("status %d\n%s", status, cmp.Diff(want, out))
	}
	inOrder(t, out, "14:16: error: value true: must be a string, so put it in quotes (invalid)\n    Deployment shop/web spec.template.spec.tolerations[0].value\n    fix: write \"true\"\n",
		"15:17: error: effect: unknown effect \"PreferredNoSchedule\" (allowed:",
		"16:77: error: tolerationSeconds 60: needs the effect NoExecute (invalid)", "fix: remove tolerationSeconds, or write effect: NoExecute\n",
		"30:7: error: \"a=b:NoSchedule\": repeats the key and effect of an earlier taint (invalid)",
		"31:24: error: effect: unknown effect \"NO_EXECUTE\"",
		"32:5: error: a Node has no tolerations; remove them (it has taints in spec.taints) (misplaced)",
		"37:5: error: taints have no effect here: a MachineSet has them in spec.template.spec.taints; move them (misplaced)",
		"38:51: error: effect: unknown effect \"no-schedule\", did you mean NoSchedule?", "38:64: error: unknown field \"time\" (allowed:",
		"42:19: error: effect: unknown effect \"NoSchedul\", did you mean NoSchedule?", "fix: write NoSchedule\n", "51:145: error: operator: unknown operator \"exists\", did you mean Exists?", "findings (")
	if n := strings.Count(out, "standard input:"); n != 15 {
		t.Errorf("%d findings:\n%s", n, out)
	}
	if strings.Count(errOut, "a template") != 2 || !strings.Contains(errOut, "input:60: is a template (pipe the output of helm template) or has a mistake: a list or an object as") {
		t.Errorf("%s", errOut)
	}
}

func TestCommand_output(t *testing.T) {
	status, out, _ := run(manifests, "-f", "-", "-o", "json")
	var got report
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 2 || len(got.Findings) != 15 || got.Findings[3].Column != 16 {
		t.Errorf("status %d, %v: %s", status, err, out)
	}
	_, out, _ = run(manifests, "-f", "-", "-o", "sarif")
	report, err := sarif.FromString(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil {
		t.Error(err)
	}
	if r := report.Runs[0].Results[3]; *r.RuleID != "invalid" || r.RuleIndex != 0 || *r.Locations[0].PhysicalLocation.Region.StartColumn != 16 {
		t.Errorf("%s", out)
	}
	const escape = "kind: \"Pod\\e[2J\"\nmetadata: {name: \"a\\nb\\e\"}\nspec: {containers: [], tolerations: [{key: \"\\e\", \"\\e\": 1}]}\n"
	for _, output := range []string{"", "json", "sarif"} {
		status, out, errOut := run(escape, "-f", "-", "-o", output)
		if status != 1 || strings.Contains(out+errOut, "\x1b") || strings.Contains(out, "\nb") {
			t.Errorf("status %d: %q %q", status, out, errOut)
		}
	}
}

const head = "kind: Pod\nspec:\n"

// What is reported of texts, in order.
func TestFindings(t *testing.T) {
	const bad = "kind: Pod\nspec:\n  tolerations:\n  - key: a\n    value: true # ü\n"
	for name, tt := range map[string]struct {
		text   string
		status int
		want   []string
	}{
		"plain":              {bad, 1, []string{"input:5:12: error: value true: must be a string"}},
		"CRLF":               {strings.ReplaceAll(bad, "\n", "\r\n"), 1, []string{"input:5:12: "}},
		"CR":                 {strings.ReplaceAll(bad, "\n", "\r"), 1, []string{"input:5:12: "}},
		"documents":          {"# a\n---\na: b\n--- # c\n" + bad, 1, []string{"input:9:12: "}},
		"characters":         {"kind: Pod\nspec: {n: üöä, tolerations: [{key: a, value: 5}]}\n", 1, []string{"input:2:46: "}},
		"JSON":               {`{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"a","value":5}]}}]}`, 1, []string{"standard input: error: value 5: ", "    items[0] Pod p spec.tolerations[0].value\n", "fix: write \"5\""}},
		"a PodList":          {`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p"},"tolerations":[{"key":"a"}]}]}`, 1, []string{"a Pod has them in spec.tolerations"}},
		"a merge":            {"x: &t {key: 5}\nkind: Pod\nspec:\n  tolerations:\n  - <<: *t\n", 1, []string{"input:1:13: error: key 5"}},
		"a merge behind":     {"x: &t {key: 5}\nkind: Pod\nspec:\n  tolerations:\n  - key: a\n    <<: [{key: 6}, *t]\n", 1, []string{"input:6:16: error: key 6"}},
		"a merge before":     {"x: &t {key: 5}\nkind: Pod\nspec:\n  tolerations:\n  - <<: *t\n    key: a\n    operator: Exists\n", 0, []string{"0 findings"}},
		"an alias":           {"x: &t [{key: 5}]\nkind: Pod\nspec:\n  tolerations: *t\n", 1, []string{"input:1:14: error: key 5"}},
		"a comment":          {head + "  tolerations:\n  - {operator: Exists} # tolerate:ignore tolerates-everything: agent\n", 0, []string{"0 findings"}},
		"another comment":    {head + "  tolerations:\n  - {operator: Exists} # tolerate:ignore shadowed\n", 1, []string{"(tolerates-everything)"}},
		"no list":            {head + "  tolerations: all\n", 1, []string{"input:3:3: error: must be a list"}},
		"no element":         {head + "  tolerations: [null]\n", 1, []string{"must not be null"}},
		"seconds":            {head + "  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: '300'}]\n", 1, []string{"write it without quotes: 300"}},
		"fixes, info":        {head + "  tolerations: [{key: a, operator: Exists}, {key: a, operator: Exists}, {key: node.alpha.kubernetes.io/unreachable, operator: Exists}]\n", 1, []string{"(redundant)", "fix: remove it\n", "(outdated-key)", "fix: replace it with node.kubernetes.io/unreachable op=Exists"}},
		"gates":              {head + "  tolerations: [{key: a, operator: Gt, value: '5'}]\n", 0, []string{"0 findings"}},
		"gates, info":        {head + "  tolerations: [{key: a, operator: Gt, value: '5'}]\n", 1, []string{"(needs-feature-gate)"}},
		"a template":         {"kind: Pod\nspec: {{ x }}\n---\n" + bad, 2, []string{"input:2: is a template (pipe the output of helm template) or has a mistake: ", "input:8:12: "}},
		"a template in it":   {head + "  tolerations: [{key: '{{ x }}'}]\n", 2, []string{"input:3: Pod: spec.tolerations: a template; check its output"}},
		"no manifest":        {"a: b\n", 2, []string{"-: nothing to check: no object with an apiVersion or a kind"}},
		"empty":              {"", 2, []string{"nothing to check"}},
		"repeated":           {head + "  tolerations: [{key: 5}]\n  tolerations: []\n", 2, []string{`input:4: key "tolerations" already set in map`}},
		"repeated in JSON":   {`{"kind":"Pod","spec":{},"spec":{}}`, 2, []string{"duplicate object member name"}},
		"cut off":            {`{"kind":"PodList","items":[{"metadata":{}}`, 2, []string{"not JSON: jsontext: unexpected EOF"}},
		"deep":               {strings.Repeat("[", 2000) + strings.Repeat("]", 2000), 2, []string{"not an object"}},
		"too many in a list": {head + "  tolerations: [" + strings.Repeat("{},", maxElements+1) + "]\n", 2, []string{"more than 10000 elements"}},
		"tolerations of DRA": {"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: {requests: [{exactly: {tolerations: [{key: 5}]}}]}}\n", 1, []string{"input:3:60: error: key 5"}},
		"unknown checks":     {head + "  tolerations: # tolerate:ignore misplaced: reason, tolerate:ignore x\n  - {key: a, operator: Exists} # tolerate:ignore shadowd, redundant\n", 1, []string{`input:4:5: warning: tolerate:ignore: unknown check "shadowd", did you mean shadowed? (unknown-check)`, "1 finding"}},
		"toleration":         {head + "  containers: []\n  toleration: [{key: 5}]\n", 1, []string{`input:4:3: error: unknown field "toleration", did you mean tolerations? (misplaced)`, "1 finding"}},
		"taint":              {"kind: Node\nspec: {taint: []}\n", 1, []string{`input:2:8: error: unknown field "taint", did you mean taints? (misplaced)`}},
		"Tolerations":        {"apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {Tolerations: []}}}}}\n", 1, []string{`unknown field "Tolerations"`}},
		"toleration, custom": {"kind: Other\nspec: {toleration: [{key: a}]}\n", 0, []string{"in 0 lists"}},
		"Kind":               {"apiVersion: v1\nKind: Pod\nspec: {tolerations: [{key: 5}]}\n", 2, []string{`input:1: unknown field "Kind", did you mean kind?`, "error: key 5"}},
		"no kind":            {"apiVersion: v1\nspec: {}\n", 2, []string{"an object without a kind"}},
		"apiversion":         {"apiversion: v1\nkind: Pod\n", 2, []string{`unknown field "apiversion", did you mean apiVersion?`}},
		"a patch":            {"- {op: test, path: /spec/tolerations, value: [{key: 5}]}\n- op: add\n  path: /spec/tolerations/-\n  value: {key: 6}\n", 1, []string{"input:4:16: error: key 6", "[1] /spec/tolerations/- value.key", "1 finding"}},
		"a patch in JSON":    {`[{"op": "add", "path": "/spec/template/spec/tolerations", "value": [{}]}]`, 1, []string{"key: must be set", "[0] /spec/template/spec/tolerations value[0].key"}},
		"a patch of a spec":  {`[{"op": "replace", "path": "/spec", "value": {"taints": [{"key": "a", "effect": "x"}]}}]`, 1, []string{"unknown effect", "/spec value.taints[0].effect"}},
		"another patch":      {`[{"op": "add", "path": "/spec/replicas", "value": 3}]`, 0, []string{"in 0 lists of 1 file"}},
		"a kustomization": {"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: a.yaml\n- patch: |-\n    - op: add\n      path: /spec/tolerations/-\n" +
			"      # tolerate:ignore invalid: for the test\n      value: {key: 5}\n    - {op: add, path: /spec/tolerations/-, value: {key: 6}}\n- patch: '[{\"op\": \"add\", \"path\": \"/spec/tolerations\", \"value\": [{\"key\": 7}]}]'\n" +
			"patchesStrategicMerge:\n- a.yaml\n- |\n  kind: Pod\n  ---\n  kind: Pod\n  metadata: {name: p}\n  spec: {tolerations: [{key: 8}]}\n", 1,
			[]string{"input:10: error: key 6", "[1] /spec/tolerations/-", "input:11: error: key 7", "[0] /spec/tolerations value[0].key", "input:19: error: key 8", "Pod p spec.tolerations[0].key", "3 findings"}},
		"a kustomization, JSON": {`{"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "spec": {"patches": [{"patch": "kind: Pod\nspec: {tolerations: [{key: 5}]}"}]}}`, 1, []string{"standard input: error: key 5"}},
		"a patch of a template": {"apiVersion: kustomize.config.k8s.io/v1\nkind: Component\npatches:\n- patch: |-\n    {{ a }}: [\n", 2, []string{"input:5: Component: patches[0].patch: is a template"}},
		"patches in a patch":    {"kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1\npatches:\n- patch: |-\n    kind: Kustomization\n    apiVersion: kustomize.config.k8s.io/v1\n    patches: [{patch: '['}]\n", 0, []string{"0 findings"}},
		"rules":                 {"rules: [{policy: {deny: [{taints: [{operator: Exists}]}], allow: [{taints: [{operator: Exists}]}]}}]\n", 0, []string{"in 0 lists of 1 file"}},
		"rules, a mistake":      {"rules:\n- policy: {allow: [{taints: [{operator: Exist}]}]}\n", 2, []string{`rules[0].policy.allow[0].taints[0].operator: unknown operator "Exist"`}},
		"values of a chart":     {"controller: {tolerations: [{key: 5}]}\n", 1, []string{"input:1:34: error: key 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-f", "-"}
			if strings.HasSuffix(name, "info") {
				args = append(args, "--severity=info")
			}
			status, out, errOut := run(tt.text, args...)
			inOrder(t, errOut+out, tt.want...)
			if status != tt.status {
				t.Errorf("status %d: %s%s", status, errOut, out)
			}
		})
	}
}

// write writes files below a new current directory.
func write(t *testing.T, files map[string]string) {
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommand_files(t *testing.T) {
	const bad, good = head + "  tolerations: [{key: 5}]\n", head + "  tolerations: [{key: \"5\", operator: Exists}]\n"
	write(t, map[string]string{"real/a.yaml": bad, "deploy/b.yml": good, "deploy/values.yaml": "a: b", "deploy/sub/c.json": "{}", "deploy/d.txt": bad, "empty/x.txt": "", "rules.json": `{"rules": [{"denyNodeName": false}]}`, "odd/[.yaml": bad})
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-f deploy", 0, "0 findings (0 errors) in 1 list of 1 file; not manifests: 1 file (-v lists them)\n"},
		{"-f deploy -v", 0, "deploy/values.yaml: no object with an apiVersion or a kind, and no list of tolerations or taints\n0 findings"},
		{"-f deploy -o json", 0, `"skipped": [` + "\n        {\n            \"file\": \"deploy/values.yaml\""},
		{"-f deploy -f deploy/values.yaml", 2, "deploy/values.yaml: nothing to check: no object with"},
		{"-f deploy -R", 0, "of 1 file; not manifests: 2 files"},
		{"-f deploy -R --rules rules.json", 2, "deploy/values.yaml: nothing to check"},
		{"-f deploy -R --rules rules.json --exclude values.yaml,deploy/s*", 0, "of 1 file\n"},
		{"-f deploy -R --exclude ./deploy/sub/ --exclude *values*", 0, "of 1 file\n"},
		{"-f deploy --exclude b.yml", 2, "deploy: nothing was checked: no object with"},
		{"-f real --exclude *", 2, "real: nothing was checked"},
		{"-f real --exclude a[", 2, "a[: syntax error in pattern"},
		{"-f odd --exclude b*", 1, "odd/[.yaml:3:23: error"},
		{"-f deploy/d.txt", 1, "deploy/d.txt:3:23: error"},
		{"-f real -f deploy", 1, "of 2 files; not manifests: 1 file"},
		{"-f deploy/sub", 2, "deploy/sub: nothing was checked"},
		{"-f nowhere", 2, "no such file"},
		{"-f empty", 2, "no .json, .yaml or .yml files"},
		{"-f empty/x.txt", 2, "nothing to check"},
		{"deploy/d.txt -f real", 1, "of 2 files"},
		{"", 2, "no input"},
		{"-f real --severity bad", 2, `unknown severity "bad" (allowed: info, warning, error)`},
		{"-f real -o xml", 2, "unknown output format"},
		{"-f real --rules rules.json -n ${NS}", 2, "--namespace: ${NS} is not the name of a namespace"},
		{"-f real --rules nowhere", 2, "no such file"},
		{"-f real --rules a --rules b", 2, "can be given only once"},
		{"-f real --rules real/a.yaml", 2, "error: real/a.yaml: unknown field \"kind\""},
		{"-f real --fix", 2, "unknown flag: --fix"},
		{"-f real --context x", 2, "unknown flag: --context"},
		{"-f https://example.com/a.yaml", 2, "use curl and -f -"},
	} {
		check(t, good, tt.args, tt.status, tt.want)
	}
}

// Beside manifests, a repository has files that are none.
func TestCommand_repository(t *testing.T) {
	others := map[string]string{
		"chart/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n", "chart/ci/values.yaml": "# nothing\n",
		"chart/templates/a.yaml": "kind: {{ .Values.kind }}\n", "chart/templates/sub/b.yaml": "kind: Pod\n{{- end }}\n", "chart/charts/b/Chart.yaml": "apiVersion: v1\n",
		"chart/charts/b/templates/c.json": "{{", "index.yaml": "apiVersion: v1\nentries: {}\n", "base/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nresources: [a.yaml]\n",
		"overlay/kustomization.yml": "resources: [../base]\n", "empty.yaml": "", "comments.yml": "---\n# a\n---\n", "text.yaml": "some text\n", "list.yaml": "- a\n- b\n", "null.json": "null",
		".vscode/settings.json": "{\n  // a\n  \"a\": 1,\n}", ".devcontainer/a/b.json": `{"a": 1,}`, ".mirrorrc.json": "{'a': 1}", "site/tsconfig.json": "{\n  \"a\": {} /* a */\n}",
		"grafana/datasources.yaml": "apiVersion: 1\ndatasources: []\n", "group_vars/all.yml": "apiVersion: kubeadm.k8s.io/v1\nversion: 1\n", "numbers.yaml": "- {version: 3.0, metadata: 4.0}\n", "kind.json": `{"kind": {"type": "string"}}`,
		"bindata/a.yaml": "{{ if .A }}\n# a\nkind: Pod\n{{ end }}\n", "roles/a/templates/a.yml": "a: 1\n{% if b %}\nc: 2\n{% endif %}\n", "arm/vm.json": "{\n  \"a\": {{ b }}\n}",
		"package.json": `{"name": "a"}`, "numbers.json": "[1, 2]", ".github/workflows/ci.yaml": "on: [push]\njobs: {}\n", "templates/README.yaml": "a: b\n",
	}
	write(t, others)
	for name := range others {
		if status, out, errOut := run("", "-f", name); status != 2 && name != "chart/Chart.yaml" {
			t.Errorf("%s, by name: status %d\n%s%s", name, status, errOut, out)
		}
	}
	others["pod.yaml"], others[".git/a.yaml"] = "kind: Pod\n", "kind: [" // which is skipped
	write(t, others)
	files := len(others) - 2
	status, out, errOut := run("", "-R", "-f", ".", "-v")
	if want := fmt.Sprintf("0 findings (0 errors) in 0 lists of 1 file; not manifests: %d files (-v lists them)\n", files); status != 0 || out != want || strings.Count(errOut, "\n") != files ||
		strings.Count(errOut, ": a template of a chart; check the output of helm template\n") != 3 {
		t.Errorf("status %d\n%s%s", status, errOut, out)
	}
	if status, _, errOut := run("", "-R", "-f", ".", "--rules", withRules(t, rulesFile)); status != 2 || strings.Count(errOut, "\n") < files {
		t.Errorf("with rules: status %d\n%s", status, errOut)
	}
	for name, text := range map[string]string{
		"templates/a.yaml": "kind: {{ .Values.kind }}\na: 1\nb: 2\nc: [\n", "mixed.yaml": "kind: Pod\n---\nsome text\n", "cut.json": `{"a": [`, "kind.yaml": "Kind: Pod\napiVersion: v1\n", "chart/values.yaml": "a: b\na: c\n",
		"version.yaml": "apiversion: v1\nkind: Pod\n", "number.yaml": "apiVersion: 1\nkind: Pod\n", "alert.yaml": "a: '{{ $labels.x }}'\nb:\n  c: 1\n d: 2\n", "comment.json": "{\"kind\": \"Pod\" /",
		".tekton/pod.yaml": "Kind: Pod\napiVersion: v1\n",
	} {
		write(t, map[string]string{"pod.yaml": "kind: Pod\n", name: text, "chart/Chart.yaml": "name: a\n"})
		t.Run(name, func(t *testing.T) { check(t, "", "-R -f .", 2, "") })
	}
}

// A part of a file that is not read is counted, and what is beside it is checked.
func TestCommand_places(t *testing.T) {
	const bad, good = "kind: Pod\nspec: {tolerations: [{key: 5}]}\n", "kind: Pod\nspec: {}\n"
	for _, tt := range []struct {
		name, text string
		status     int
		want       string
	}{
		{".tekton/a.yaml", bad, 1, "1 finding (1 error) in 1 list of 1 file\n"},
		{".a.yaml", bad + "---\n[\n", 1, "in 1 list of 1 file; not read: 1 place (-v lists them)\n"},
		{"a/.a.yaml", "a\n---\n" + good, 0, "of 1 file; not read: 1 place"},
		{"a/b.yaml", bad + "---\n{{ a }}\nb: c\n", 1, "in 1 list of 1 file; not read: 1 place (-v lists them)\n"},
		{"a/b.yaml", good + "---\n{{ a }}\nb: c\n---\n[\n", 2, "a/b.yaml:7: did not find"},
		{"a/b.yaml", "{{ a }}\nb: c\n---\n{{ a }}\nb: c\n---\n[\n", 2, "in 0 lists of 1 file; not read: 1 place"},
		{"a/b.yaml", "kind: Pod\nspec: {tolerations: [{key: '{{ a }}'}]}\n", 0, "in 0 lists of 1 file; not read: 1 place (-v lists them)\n"},
		{"a/b.yaml", "kind: ConfigMap\ndata:\n  a: |\n    tolerations:\n    - {\n", 0, "in 0 lists of 1 file; not read: 1 place (-v lists them)\n"},
		{"a/b.yaml", "kind: Pod\nspec: {tolerations: [" + strings.Repeat("{},", maxElements+1) + "]}\n", 2, "more than 10000 elements"},
	} {
		write(t, map[string]string{tt.name: tt.text})
		check(t, "", "-R -f .", tt.status, tt.want)
		if status, out, errOut := run("", "-R", "-f", ".", "--rules", withRules(t, rulesFile), "-n", "ml"); status == 0 {
			t.Errorf("%s, with rules: status %d\n%s%s", tt.text, status, errOut, out)
		}
	}
	check(t, "", "-R -f . -f a", 2, "") // of a directory twice
	write(t, map[string]string{".a/b.yaml": "[", ".a/pod.yaml": good})
	check(t, "", "-f .a", 2, "") // the directory is named
}

// What is a chart's values has lists.
func TestCommand_values(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // "" if nothing is wrong
	}{
		{"tolerations: {}\n", "values.yaml:1:1: info: an empty text or object; most templates need a list (values)\n    tolerations\n    fix: write []\n"},
		{"a: {scanTolerations: ''}\n", "values.yaml:1:5: info: an empty text or object"},
		{"nodeTAINTS: {}\n", "info: an empty text or object"},
		{"a:\n  tolerations:\n    key: a\n    operator: Exists\n", "values.yaml:2:3: warning: must be a list (values)\n    a.tolerations\n    fix: write it as an element of a list\n"},
		{"tolarations: [{operator: Exists}]\n", "values.yaml:1:1: warning: \"tolarations\" is probably tolerations (values)"},
		{"tainst: [{key: a, effect: NoSchedule}]\n", "is probably taints (values)"},
		{"controllerTolerations: [{key: 5}]\n", "error: key 5: must be a string"},
		{"TOLERATIONS: [{key: a, operator: Exist}]\n", "fix: write Exists"},
		{"workerTolerations: [{operator: Exists}]\n", "info: \"op=Exists\" tolerates every taint"}, // which can be of a DaemonSet
		{"tolerations: \"- key: a\\n  operator: Exist\"\n", "values.yaml:1: error: operator: unknown operator \"Exist\""},
		{"tolerations:\n", ""},
		{"tolerations: {key: '', operator: '', effect: ''}\n", ""},
		{"ownTolerations: {key: a}\n", ""}, // of which the template writes a list
		{"tolerations: true\n", ""},
		{"tolerations: '{{ .Values.a }}'\n", ""},
		{"tolerations: {a: [], b: [{key: a, operator: Exists}]}\n", ""},
		{"tolerations: {enabled: false, key: null}\n", ""},
		{"toleration: [{operator: Exists}]\ntaint: [{key: a, effect: b}]\n", ""}, // a chart's own name
		{"hints: [{key: a}]\npoints: [{key: a, value: b}]\npaints: [{operator: a}]\ntraits: [{key: a}]\n", ""},
		{"kind: Pod\ntolarations: [{operator: Exists}]\n", ""},
		{"replicas: 1\n", ""},
	} {
		write(t, map[string]string{"chart/Chart.yaml": "apiVersion: v2\nname: a\n", "chart/values.yaml": tt.text, "chart/a.json": `{"tolerations": {}}`, "values.yaml": tt.text,
			"chart/templates/a.yaml": "a: {{ .Values.ownTolerations.key }}\n", "templates/a.yaml": "a: {{ .Values.ownTolerations.key }}\n"})
		for _, args := range [][]string{{"-R", "-f", "chart"}, {"-f", "values.yaml"}, {"-f", "chart/values.yaml"}} {
			_, out, errOut := run("", append(args, "--severity=info")...)
			if !strings.Contains(out, tt.want) || tt.want == "" && !strings.HasPrefix(out, "0 findings") {
				t.Errorf("%q: %s%s", tt.text, errOut, out)
			}
		}
		for args, want := range map[string]int{"-f values.yaml": 0, "-R -f .": 0, "-f values.yaml --severity info": 1} {
			if status, out, errOut := run("", strings.Fields(args)...); strings.Contains(tt.want, "info: an") && status != want {
				t.Errorf("%s, %q: status %d\n%s%s", args, tt.text, status, errOut, out)
			}
		}
	}
}

// Texts in fields are read, with the lines of a block.
func TestTexts(t *testing.T) {
	configMap := func(text string) string {
		return "kind: ConfigMap\nmetadata: {name: c}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
	}
	const bad = "a: 1\ntolerations:\n- key: a\n  operator: Exist"
	for name, tt := range map[string]struct {
		text   string
		status int
		want   string
	}{
		"a block":           {configMap(bad), 1, "input:8: error: operator: unknown operator \"Exist\", did you mean Exists? (allowed: Equal, Exists, Lt, Gt) (invalid)\n    ConfigMap c data.a.yaml tolerations[0].operator\n    fix: write Exists\n"},
		"in quotes":         {"kind: ConfigMap\ndata:\n  a: 'tolerations: [{key: 5}]'\n", 1, "input:3: error: key 5"},
		"folded":            {"kind: ConfigMap\ndata:\n  a: >\n    tolerations: [{key: 5}]\n", 1, "input:3: error: key 5"},
		"an object":         {configMap("kind: Pod\nmetadata: {name: p}\nspec:\n  containers: []\n  taints: []\n  tolerations: [{key: 5}]"), 1, "input:10: error: key 5: must be a string, so put it in quotes (invalid)\n    ConfigMap c data.a.yaml Pod p spec.tolerations[0].key\n"},
		"documents":         {configMap("---\nkind: Pod\n---\n" + bad), 1, "input:11: error: operator"},
		"a List":            {configMap("kind: List\nitems:\n- kind: Pod\n  spec: {tolerations: [{key: 5}]}"), 1, "input:8: error: key 5: must be a string, so put it in quotes (invalid)\n    ConfigMap c data.a.yaml items[0] Pod spec.tolerations[0].key"},
		"in JSON":           {`{"kind": "ConfigMap", "data": {"a": "tolerations: [{key: 5}]", "b": "[{\"taints\": [{\"key\": 6, \"effect\": \"NoExecute\"}]}]"}}`, 1, "ConfigMap data.a tolerations[0].key"},
		"JSON in it":        {configMap(`{"taints": [{"key": "a", "effect": "NoExecut"}]}`), 1, "ConfigMap c data.a.yaml taints[0].effect\n    fix: write NoExecute"},
		"a text in it":      {configMap("b: |\n  c: |\n    tolerations:\n    - key: 5"), 1, "input:8: error: key 5: must be a string, so put it in quotes (invalid)\n    ConfigMap c data.a.yaml b c tolerations[0].key"},
		"in it, in quotes":  {"kind: ConfigMap\ndata:\n  a: \"b: |\\n  c: 1\\n  tolerations: [{key: 5}]\"\n", 1, "input:3: error: key 5: must be a string, so put it in quotes (invalid)\n    ConfigMap data.a b tolerations[0].key"},
		"a text in JSON":    {"kind: ConfigMap\ndata: {a: '{\"a\": \"b: 1\\ntolerations: [{key: 5}]\"}'}\n", 1, "ConfigMap data.a a tolerations[0].key"},
		"by its name":       {"kind: ConfigMap\ndata:\n  CSI_PLUGIN_TOLERATIONS: |\n    - key: a\n      operator: Exist\n", 1, "input:5: error: operator: unknown operator \"Exist\""},
		"in a list":         {"kind: Other\nspec:\n  args:\n  - a\n  - 'tolerations: [{key: 5}]'\n", 1, "input:5: error: key 5: must be a string, so put it in quotes (invalid)\n    Other spec.args[1] tolerations[0].key"},
		"a variable":        {"kind: Pod\nspec: {containers: [{env: [{name: PLUGIN_TOLERATIONS, value: '[{operator: Exist}]'}]}]}\n", 1, "Pod spec.containers[0].env[0].value PLUGIN_TOLERATIONS[0].operator"},
		"texts of taints":   {"kind: Pod\nspec: {containers: [{env: [{name: NODE_TAINTS, value: 'a=b:NoSchedule,c:NoExecute'}], args: ['--register-with-taints=a:NoSchedule']}]}\n", 0, "in 0 lists"},
		"values of a chart": {"apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    helm:\n      values: |\n        a:\n          tolerations: [{key: 5}]\n", 1, "input:8: error: key 5: must be a string, so put it in quotes (invalid)\n    Application spec.source.helm.values a.tolerations[0].key"},
		"a patch":           {"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  postRenderers:\n  - kustomize:\n      patches:\n      - patch: |\n          - op: add\n            path: /spec/template/spec/tolerations/-\n            value: {key: 5}\n", 1, "input:10: error: key 5: must be a string, so put it in quotes (invalid)\n    HelmRelease spec.postRenderers[0].kustomize.patches[0].patch [0] /spec/template/spec/tolerations/- value.key"},
		"for a DaemonSet":   {"kind: HelmRelease\nspec: {a: [{target: {kind: DaemonSet}, patch: '{spec: {template: {spec: {containers: [], tolerations: [{operator: Exists}]}}}}'}]}\n", 0, "in 1 list"},
		"a comment":         {configMap("tolerations:\n# tolerate:ignore invalid\n- {key: a, operator: Exist}"), 0, "in 1 list"},
		"prose":             {configMap("Pods have tolerations: what they tolerate.") + "  b: 'taints: none'\n", 0, "in 0 lists"},
		"a script":          {configMap("#!/bin/sh\nkubectl patch -p '{\"tolerations\": []}' \\\n  a: b: c\n"), 0, "in 0 lists of 1 file; not read: 1 place (-v lists them)"},
		"a template":        {configMap("tolerations:\n{{- toYaml .Values.tolerations }}\n"), 0, "in 0 lists of 1 file; not read: 1 place (-v lists them)"},
		"a description":     {"kind: CustomResourceDefinition\nspec: {description: 'tolerations: [{key: 5}]'}\n", 0, "in 0 lists of 1 file\n"},
		"a copy":            {"kind: Pod\nmetadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"spec\": {\"tolerations\": [{\"key\": 5}]}}'}}\n", 0, "in 0 lists of 1 file\n"},
		"another copy":      {"kind: A\nspec: {a: b, status: 'the taints: a:NoSchedule, b'}\n", 0, "in 0 lists of 1 file\n"},
		"too deep":          {configMap("a: |\n  a: |\n    a: |\n      a: |\n        tolerations: [{key: 5}]"), 2, "input:8: ConfigMap c data.a.yaml a a a: a: too many texts, or a text in a text in a text"},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt.text, "-f -", tt.status, tt.want) })
	}
}

// Pods of a cluster that have the same fault are written once.
func TestCommand_groups(t *testing.T) {
	var items []string
	for i := range 5000 {
		owner := fmt.Sprintf("web%d", i%50)
		items = append(items, fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": "%s-7f-%d", "namespace": "shop", "uid": "%d", "labels": {"pod-template-hash": "7f"}, "ownerReferences": [{"kind": "ReplicaSet", "name": "%[1]s-7f", "controller": true}]},
			"spec": {"containers": [], "tolerations": [{"key": "gpu", "operator": "Exists"}, {"key": "k%d", "operator": "Exists"}, {"operator": "Exists"}]}}`, owner, i, i, i%3))
	}
	pods := `{"kind": "List", "items": [` + strings.Join(items, ",") + `, {"kind": "Pod", "metadata": {"name": "a", "uid": "b"}, "spec": {"tolerations": [{"key": "gpu", "operator": "Exists", "tolerationSeconds": 1}]}}]}`
	file := withRules(t, rulesFile)
	status, out, errOut := run(pods, "-f", "-", "--rules", file, "--only", "policy", "-n", "shop")
	const want = `    ReplicaSet shop/web0-*: 200 findings, such as items[0] Pod shop/web0-7f-0 spec.tolerations[0]
    ReplicaSet shop/web1-*: 200 findings, such as items[1] Pod shop/web1-7f-1 spec.tolerations[0]
    ReplicaSet shop/web10-*: 200 findings, such as items[10] Pod shop/web10-7f-10 spec.tolerations[0]
    ReplicaSet shop/web11-*: 200 findings, such as items[11] Pod shop/web11-7f-11 spec.tolerations[0]
    ReplicaSet shop/web12-*: 200 findings, such as items[12] Pod shop/web12-7f-12 spec.tolerations[0]
    and 45 other owners (-o json lists all)
`
	if status != 1 || !strings.Contains(out, want) || strings.Count(out, "\n") > 50 || strings.Contains(out, "(tolerates-everything)") || !strings.Contains(out, "10001 findings") {
		t.Errorf("status %d\n%s%s", status, errOut, out)
	}
	_, out, _ = run(pods, "-f", "-", "--rules", file, "--only", "policy", "-n", "shop", "-o", "json")
	if n := strings.Count(out, `"owner": "ReplicaSet shop/web0-*"`); n != 200 {
		t.Errorf("%d findings of an owner", n)
	}
	const manifest = "kind: Pod\nspec: {tolerations: [{operator: Exists, value: 5}, {operator: Exists}]}\n---\nkind: Pod\nspec: {tolerations: [{key: a, operator: Gt, value: '5'}]}\n"
	for args, want := range map[string]string{
		"--only needs-feature-gate":                      "1 finding (0 errors)",
		"--only needs-feature-gate,tolerates-everything": "2 findings (0 errors)",
		"--only polcy":                  `--only: unknown check "polcy", did you mean policy?`,
		"--only policy --rules " + file: "(invalid)", // without which the rules judge less
	} {
		if _, out, errOut := run(manifest, append(strings.Fields(args), "-f", "-")...); !strings.Contains(errOut+out, want) || strings.Count(out, "(redundant)") > 0 {
			t.Errorf("%s: %s%s", args, errOut, out)
		}
	}
}

// In manifests, values and patches, lint finds what package lint finds in lists, and no more.
func TestCorpus(t *testing.T) {
	type entry struct {
		list string
		want []string // index and check; of lists that are not valid, of invalid elements only
		bad  bool
	}
	var entries []entry
	files, _ := filepath.Glob("../../../../match/lint/testdata/*.txt")
	for _, file := range files {
		for _, c := range corpus.Read(t, file) {
			list, err := toleration.ParseList(strings.ReplaceAll(c.Input, ", ", ","))
			data, _ := json.Marshal(list)
			if err == nil && !strings.Contains(c.Input, "zero") { // a zero Toleration, which no manifest has
				entries = append(entries, entry{list: string(data)})
			}
		}
	}
	for _, c := range corpus.Read(t, "../../../../toleration/testdata/tolerations.txt") {
		all := strings.Join(c.Strict, "\n")
		if !strings.HasPrefix(c.Input, "[") || !json.Valid([]byte(c.Input)) || strings.Contains(all, "given only once") || strings.Contains(c.Input, "3e2") { // which YAML reads as 300
			continue
		}
		e := entry{list: c.Input, bad: strings.Contains(all, "bad")}
		for _, result := range c.Strict {
			if _, after, bad := strings.Cut(result, "bad spec.tolerations["); bad {
				e.want = append(e.want, after[:strings.IndexByte(after, ']')]+" invalid")
			}
		}
		entries = append(entries, e)
	}
	for i, e := range entries {
		list, _, err := toleration.Decode([]byte(e.list), toleration.DecodeOptions{Strict: true})
		if (err != nil) != e.bad {
			t.Fatal(e.list, err)
		}
		for _, f := range lint.Find(list, lint.Options{}) {
			entries[i].want = append(entries[i].want, fmt.Sprint(f.Index, " ", f.Check))
		}
	}
	checked := 0
	for _, e := range entries {
		pod := `{"spec": {"containers": [], "tolerations": ` + e.list + `}}`
		deployment := `{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": ` + pod + `}}`
		patch := `[{"op": "add", "path": "/spec/tolerations", "value": ` + e.list + `}]`
		inYAML, err := yaml.JSONToYAML([]byte(deployment))
		if err != nil {
			t.Fatal(e.list, err)
		}
		for form, text := range map[string]string{
			"JSON": deployment, "YAML": string(inYAML), "values": `{"controller": {"tolerations": ` + e.list + `}}`, "patch": patch,
			"inline":          `{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "patches": [{"patch": ` + strconv.Quote(patch) + `}]}`,
			"strategic merge": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatchesStrategicMerge:\n- |\n  " + strings.ReplaceAll(string(inYAML), "\n", "\n  ") + "\n",
		} {
			status, out, errOut := run(text, "-f", "-", "-o", "json", "--severity=info")
			if form == "values" && status == 2 { // it does not look like a list of tolerations
				continue
			}
			var result report
			if err := json.Unmarshal([]byte(out), &result); err != nil || status == 2 {
				t.Fatal(form, text, err, errOut)
			}
			var got []string
			for _, f := range result.Findings {
				index := f.Path[strings.LastIndexByte(f.Path, '[')+1:]
				if index = index[:strings.IndexByte(index, ']')]; f.Check == "invalid" || !e.bad {
					got = append(got, index+" "+f.Check)
				}
			}
			checked++
			if diff := cmp.Diff(slices.Sorted(slices.Values(e.want)), slices.Sorted(slices.Values(got))); diff != "" {
				t.Errorf("%s: %s\n%s", form, e.list, diff)
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d manifests", checked)
	}
}

// Pods that run on every node tolerate everything.
func TestAgents(t *testing.T) {
	for _, tt := range []struct {
		kind, owners string
		want         int
	}{
		{"DaemonSet", "", 0},
		{"Pod", "{kind: DaemonSet, name: a, controller: true}", 0},
		{"Pod", "{kind: Node, name: a, controller: true}", 0},
		{"Pod", "{kind: Job, name: a}, {kind: DaemonSet, name: a, controller: true}", 0},
		{"Pod", "", 1},
		{"Pod", "{kind: DaemonSet, name: a}", 1},
		{"Pod", "{kind: Node, name: a, controller: false}", 1},
		{"Pod", "{kind: ReplicaSet, name: a, controller: true}", 1},
		{"Pod", "5", 1},
		{"ReplicaSet", "{kind: Node, name: a, controller: true}", 1},
	} {
		_, out, errOut := run(fmt.Sprintf("kind: %s\nmetadata: {ownerReferences: [%s]}\nspec: {template: {spec: {containers: [], tolerations: [{operator: Exists}]}}}\n", tt.kind, tt.owners), "-f", "-")
		if strings.Count(out, "(tolerates-everything)") != tt.want {
			t.Errorf("%s, %s: %s%s", tt.kind, tt.owners, out, errOut)
		}
	}
}

func TestExplain(t *testing.T) {
	explain := func(args ...string) (int, string) {
		status, out, errOut := runCommand(NewExplainCommand, strings.NewReader(""), args...)
		return status, out + errOut
	}
	_, list := explain()
	for _, c := range Checks() {
		if status, out := explain(c.Name); status != 0 || !strings.Contains(list, c.Name+" ") || !strings.Contains(out, c.Text) {
			t.Errorf("%s: %d, %q", c.Name, status, out)
		}
		if s := c.Summary; strings.HasPrefix(s, "The ") || strings.HasSuffix(s, ".") || strings.Contains(c.Text, "callers") {
			t.Errorf("%s: %s, %s", c.Name, s, c.Text)
		}
	}
	if status, out := explain("shadow"); status != 2 || !strings.Contains(out, "did you mean shadowed?") {
		t.Errorf("%d, %q", status, out)
	}
}
