package lint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
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
      - {key: y, tolerationSeconds: 5}
--- # others
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n}
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

func TestCommand(t *testing.T) {
	status, out, errOut := run(manifests, "-f", "-")
	const want = `<stdin>:5:3: error: tolerations have no effect here: a Deployment has them in spec.template.spec.tolerations; move them (misplaced)
    Deployment shop/web spec.tolerations
<stdin>:10:9: error: tolerations have no effect here: a Deployment has them in spec.template.spec.tolerations; move them (misplaced)
    Deployment shop/web spec.template.spec.containers[0].tolerations
<stdin>:11:7: error: a Deployment has no taints; remove them (it has tolerations in spec.template.spec.tolerations) (misplaced)
    Deployment shop/web spec.template.spec.taints
`
	if status != 1 || !strings.HasPrefix(out, want) {
		t.Errorf("status %d\n%s", status, cmp.Diff(want, out))
	}
	for _, want := range []string{
		"14:16: error: value true: must be a string, so put it in quotes (invalid)\n    Deployment shop/web spec.template.spec.tolerations[0].value\n    fix: write \"true\"\n",
		"15:17: error: effect: unknown effect \"PreferredNoSchedule\", did you mean PreferNoSchedule? (allowed:",
		"fix: write PreferNoSchedule\n",
		"16:77: error: tolerationSeconds 60: needs the effect NoExecute (invalid)",
		"fix: remove tolerationSeconds, or write effect: NoExecute\n",
		"30:7: error: \"a=b:NoSchedule\": repeats the key and effect of an earlier taint (invalid)",
		"31:24: error: effect: unknown effect \"NO_EXECUTE\"",
		"32:5: error: a Node has no tolerations; remove them (it has taints in spec.taints) (misplaced)",
		"37:5: error: taints have no effect here: a MachineSet has them in spec.template.spec.taints; move them (misplaced)",
		"38:51: error: effect: unknown effect \"no-schedule\", did you mean NoSchedule?",
		"38:64: error: unknown field \"time\" (allowed:",
		"42:19: error: effect: unknown effect \"NoSchedul\", did you mean NoSchedule?",
		"51:145: error: operator: unknown operator \"exists\", did you mean Exists?",
		"findings (",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(out, "<stdin>:"); n != 16 {
		t.Errorf("%d findings:\n%s", n, out)
	}
	if strings.Count(errOut, "skipped") != 2 {
		t.Errorf("%s", errOut)
	}
}

func TestCommand_output(t *testing.T) {
	status, out, _ := run(manifests, "-f", "-", "-o", "json")
	var got struct{ Findings []Finding }
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 1 || len(got.Findings) != 16 || got.Findings[3].Column != 16 {
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
	if r := report.Runs[0].Results[3]; *r.RuleID != "invalid" || r.RuleIndex != 0 || *r.Locations[0].PhysicalLocation.Region.EndColumn != 20 {
		t.Errorf("%s", out)
	}
}

const bad, good = head + "  tolerations: [{key: 5}]\n", head + "  tolerations: [{key: \"5\"}]\n"

func files(t *testing.T, texts map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommand_files(t *testing.T) {
	files(t, map[string]string{"real/a.yaml": bad, "deploy/b.yml": bad, "deploy/sub/c.json": bad, "deploy/d.txt": bad, "empty/x.txt": ""})
	for link, to := range map[string]string{"deploy/link.yaml": "../real/a.yaml", "deploy/dir.yaml": "../real", "deploy/loop.yaml": "loop.yaml", "deploy/sub/up": ".."} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	if status, _, errOut := run("", "-f", "deploy"); status != 2 || !strings.Contains(errOut, "loop.yaml: too many levels") {
		t.Errorf("status %d: %s", status, errOut)
	}
	if err := os.Remove("deploy/loop.yaml"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-f deploy --diff", 1, "-  tolerations: [{key: 5}]\n+  tolerations: [{key: \"5\"}]\n"},
		{"-f deploy --fix --severity=error", 0, "0 findings (0 errors) in 2 lists of 2 files; 2 fixed"},
		{"-f deploy -R --fix --severity=error", 0, "1 fixed"},
		{"-f deploy/d.txt", 1, "deploy/d.txt:3:23: error"},
		{"-f deploy/d.txt --fix -f real/a.yaml", 1, "fixed"},
		{"-f deploy/d.txt --fix=all", 0, "1 fixed"},
		{"-f nowhere", 2, "no such file"},
		{"-f empty", 2, "tolerations or taints (-R reads directories in directories)\n"},
		{"-f empty -R", 2, "tolerations or taints\n"},
		{"-f empty/x.txt", 2, "tolerations or taints\n"},
		{"-f - -f -", 2, "no manifest"},
		{"-f - --fix -o json", 2, "cannot be combined"},
		{"", 2, "name files with -f"},
		{"-f real --severity bad", 2, `unknown severity "bad" (allowed: info, warning, error)`},
		{"-f real --severity=", 2, `unknown severity "" (allowed: info, warning, error)`},
		{"-f real --fix=some", 2, "use --fix"},
		{"-f real -o xml", 2, "unknown output format"},
		{"-f real --policy nowhere", 2, "no such file"},
		{"real", 2, "unexpected argument \"real\": name files with -f"},
		{"-f real --fix all", 2, "unexpected argument \"all\""},
		{"-f real --fix=", 2, "use --fix"},
		{"-f real --policy=", 2, "--policy: no file is named"},
		{"-f https://example.com/a.yaml", 2, "use curl and -f -"},
	} {
		status, out, errOut := run(good, strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(out+errOut, tt.want) {
			t.Errorf("%s: status %d\n%s%s", tt.args, status, out, errOut)
		}
	}
	for name, want := range map[string]string{"real/a.yaml": good, "deploy/b.yml": good, "deploy/sub/c.json": good} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat("deploy/link.yaml"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone", err)
	}
	if info, err := os.Stat("real/a.yaml"); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("the mode of the file changed", err)
	}
	if entries, err := os.ReadDir("real"); err != nil || len(entries) != 1 {
		t.Error("a file was left", entries, err)
	}
}

func TestCommand_stdin(t *testing.T) {
	if status, out, errOut := run(bad, "-f", "-", "--fix"); status != 1 || out != good || !strings.Contains(errOut, "1 fixed") {
		t.Errorf("status %d: %q, %s", status, out, errOut)
	}
	if status, out, errOut := run(strings.ReplaceAll(bad, "\n", "\r\n"), "-f", "-", "--fix"); status != 2 || strings.Contains(out, "kind") || !strings.Contains(errOut, "control characters") {
		t.Errorf("status %d: %q, %s", status, out, errOut)
	}
	large := "# " + strings.Repeat("x", maxPart) + "\n" + bad
	if status, out, errOut := run(large+"---\n"+bad, "-f", "-", "--fix"); status != 2 || out != large+"---\n"+good || !strings.Contains(errOut, "<stdin>:1: a document larger than 1 MiB is not fixed") {
		t.Errorf("status %d: %d bytes, %s", status, len(out), errOut)
	}
	const escape = "kind: \"Pod\\e[2J\"\nmetadata: {name: \"a\\nb\\e\"}\nspec: {containers: [], tolerations: [{key: \"\\e\", \"\\e\": 1}]}\n"
	for _, output := range []string{"", "json", "sarif"} {
		status, out, errOut := run(escape, "-f", "-", "-o", output)
		if status != 1 || strings.Contains(out+errOut, "\x1b") || strings.Contains(out, "\nb") {
			t.Errorf("status %d: %q %q", status, out, errOut)
		}
	}
}

// A file that changed since it was read is not replaced.
func TestReplace_changed(t *testing.T) {
	files(t, map[string]string{"a.yaml": "new"})
	err := replace("a.yaml", "old", "fixed")
	text, _ := os.ReadFile("a.yaml")
	entries, _ := os.ReadDir(".")
	if err == nil || !strings.Contains(err.Error(), "changed") || string(text) != "new" || len(entries) != 1 {
		t.Errorf("%v: %q, %d files", err, text, len(entries))
	}
}

func TestCommand_cluster(t *testing.T) {
	const cluster = `kind: Node
spec: {taints: [{key: a, effect: NoSchedule}, {key: lonely, effect: NoSchedule}]}
---
kind: Pod
spec: {containers: [], tolerations: [{key: a, operator: Exists}, {key: typo, operator: Exists}]}
`
	_, out, _ := run(cluster, "-f", "-", "--whole-cluster")
	for _, want := range []string{"<stdin>:2:47: info: ", "(untolerated-taint)", "<stdin>:5:66: info: ", "(unneeded-toleration)", "2 findings"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
