package lint

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// policyFile allows everything that does not tolerate gpu.
const policyFile = `{"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]}]}`

// policed returns a config with a policy that rejects the wildcard.
func policed(t interface{ Fatal(...any) }) *config {
	p, err := policy.Decode([]byte(policyFile))
	if err != nil {
		t.Fatal(err)
	}
	return &config{policy: &p}
}

// Forms of a toleration that the policy rejects.
var bypasses = map[string]string{
	"plain":                      head + "  tolerations: [{operator: Exists}]\n",
	"alias as a key":             "kind: Pod\nmetadata: {annotations: {note: &k tolerations}}\nspec:\n  containers: []\n  *k : [{operator: Exists}]\n",
	"alias as a key, null":       "kind: Pod\nx: &n tolerations\nspec: {containers: [], *n : [{operator: Exists}]}\n",
	"alias as a field":           "kind: Pod\nx: &o operator\nspec:\n  tolerations:\n  - *o : Exists\n",
	"alias as a value":           "kind: Pod\nx: &e Exists\nspec:\n  tolerations:\n  - operator: *e\n",
	"binary key":                 head + "  !!binary dG9sZXJhdGlvbnM=: [{operator: Exists}]\n",
	"binary field":               head + "  tolerations: [{!!binary b3BlcmF0b3I=: Exists}]\n",
	"binary value":               head + "  tolerations: [{operator: !!binary RXhpc3Rz}]\n",
	"binary list name, quoted":   head + "  ? !!binary \"dG9sZXJhdGlvbnM=\"\n  : [{operator: Exists}]\n",
	"string tag":                 head + "  !!str tolerations: [!!map {!!str operator: !!str Exists}]\n",
	"own tag":                    head + "  !x tolerations: !y [!z {operator: !w Exists}]\n",
	"escaped key":                head + "  \"toler\\x61tions\": [{\"\\u006fperator\": Exists}]\n",
	"key of several lines":       head + "  ? |-\n    tolerations\n  : [{? >-\n   operator\n   : Exists}]\n",
	"merged spec":                "kind: Pod\nx: &s {containers: [], tolerations: [{operator: Exists}]}\nspec:\n  <<: *s\n",
	"merged spec, of nobody":     "kind: Pod\nspec:\n  <<: {containers: [], tolerations: [{operator: Exists}]}\n",
	"merged merge":               "kind: Pod\nx: &a {containers: [], tolerations: [{operator: Exists}]}\ny: &b {<<: *a}\nspec:\n  <<: [{}, *b]\n",
	"merged element":             "kind: Pod\nx: &e {operator: Exists}\nspec:\n  tolerations:\n  - <<: *e\n",
	"merged over":                "kind: Pod\nx: &e {operator: Exists}\nspec:\n  tolerations:\n  - operator: Equal\n    <<: *e\n",
	"merge overridden":           "kind: Pod\nx: &e {operator: Equal}\nspec:\n  tolerations:\n  - <<: *e\n    operator: Exists\n",
	"merge by tag":               "kind: Pod\nspec:\n  !!merge <<: {tolerations: [{operator: Exists}]}\n",
	"aliased spec":               "kind: Pod\nx: &s {tolerations: [{operator: Exists}]}\nspec: *s\n",
	"aliased list":               "kind: Pod\nx: &s [{operator: Exists}]\nspec: {tolerations: *s}\n",
	"aliased element":            "kind: Pod\nx: &s {operator: Exists}\nspec: {tolerations: [*s]}\n",
	"a template beside it":       head + "  tolerations: [{operator: Exists}, {key: \"{{x}}\", operator: Exists}]\n",
	"a variable beside it":       head + "  tolerations: [{operator: Exists}, {key: \"${X}\"}]\n",
	"a template elsewhere":       "kind: Pod\nmetadata: {name: {{ x }}}\nspec:\n  tolerations: [{operator: Exists}]\n",
	"no YAML, a template":        head + "  tolerations: [{operator: Exists}]\n{{ end }}\n",
	"a repeated list":            head + "  tolerations: []\n  tolerations: [{operator: Exists}]\n",
	"a repeated list, first":     head + "  tolerations: [{operator: Exists}]\n  tolerations: []\n",
	"a repeated field":           head + "  tolerations: [{operator: Equal, operator: Exists}]\n",
	"a repeated field in JSON":   `{"kind": "Pod", "spec": {"tolerations": []}, "spec": {"tolerations": [{"operator": "Exists"}]}}`,
	"the third document":         "a: b\n---\nc: d\n---\n" + head + "  tolerations: [{operator: Exists}]\n",
	"behind an end":              "a: b\n...\n" + head + "  tolerations: [{operator: Exists}]\n",
	"behind a comment":           "a: b\n--- # c\n" + head + "  tolerations: [{operator: Exists}]\n",
	"behind a comment at once":   "a: b\n---# c\n" + head + "  tolerations: [{operator: Exists}]\n",
	"behind another space":       "a: b\n---\u00a0\n" + head + "  tolerations: [{operator: Exists}]\n",
	"a separator within a text":  "kind: Pod\na: \"b\n---\u3000\n" + head + "  tolerations: [{operator: Exists}] # \"\n",
	"behind JSON":                `{"a": 1} ` + `{"kind": "Pod", "spec": {"tolerations": [{"operator": "Exists"}]}}`,
	"YAML behind JSON":           `{"a": 1}` + "\n---\n" + head + "  tolerations: [{operator: Exists}]\n",
	"JSON values behind JSON":    `{"a": 1}` + "\n---\n" + `{"a": 1}{"kind": "Pod", "spec": {"tolerations": [{"operator": "Exists"}]}}`,
	"JSON values behind YAML":    "a: 1\n---\n" + `{"a": 1}{"kind": "Pod", "spec": {"tolerations": [{"operator": "Exists"}]}}`,
	"JSON on the separator":      "a: 1\n--- {\"kind\": \"Pod\", \"spec\": {\"tolerations\": [{\"operator\": \"Exists\"}]}}\n",
	"items of what is no List":   "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nitems:\n- kind: Pod\n  spec: {tolerations: [{operator: Exists}]}\n",
	"items of a pattern":         "apiVersion: kyverno.io/v1\nkind: Policy\nitems:\n- kind: Pod\n  spec: {pattern: {}, tolerations: [{operator: Exists}]}\n",
	"items of items":             "kind: List\nitems:\n- kind: List\n  items:\n  - kind: Pod\n    spec: {tolerations: [{operator: Exists}]}\n",
	"merged items":               "<<: {kind: List, items: [{kind: Pod, spec: {tolerations: [{operator: Exists}]}}]}\n",
	"a directive":                head + "  tolerations: [{$patch: replace}, {operator: Exists}]\n",
	"a field that is none":       head + "  tolerations: [{operator: Exists, other: 1}]\n",
	"a comment":                  head + "  tolerations: [{operator: Exists}] # tolerate:ignore\n",
	"byte order mark":            "\ufeff" + head + "  tolerations: [{operator: Exists}]\n",
	"UTF-16":                     "\xff\xfek\x00:\x00 \x001\x00",
	"carriage returns":           strings.ReplaceAll(head+"  tolerations: [{operator: Exists}]\n", "\n", "\r"),
	"other ends of lines":        strings.ReplaceAll(head+"  tolerations: [{operator: Exists}]\n", "\n", "\u2028"),
	"too deep":                   "a: " + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + "\n" + head + "  tolerations: [{operator: Exists}]\n",
	"a template's sibling":       "kind: Deployment\nspec: {template: {spec: {containers: [], tolerations: [{operator: Exists}]}}, other: {{ x }}}\n",
	"a templated spec":           "kind: Pod\nspec: ${SPEC}\n",
	"a templated key":            head + "  containers: [{}]\n  ${K}: [{operator: Exists}]\n",
	"a templated key, quoted":    head + "  containers: [{}]\n  \"{{ .Values.k }}\": [{operator: Exists}]\n",
	"a templated key of a spec":  "kind: Pod\n${K}: {containers: [{}]}\n",
	"a templated merge":          head + "  containers: [{}]\n  <<: ${M}\n",
	"templated, custom":          "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nspec:\n  tolerations: ${TOL}\n",
	"templated element, custom":  "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nspec:\n  tolerations:\n  - ${TOL}\n",
	"lists in a list, custom":    "kind: Other\nspec:\n  tolerations: [[{operator: Exists}]]\n",
	"a mapping, custom":          "kind: Other\nspec:\n  tolerations: {a: [{operator: Exists}]}\n",
	"templated, Deployment":      "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      tolerations: ${TOL}\n",
	"a templated template":       "kind: Deployment\nspec:\n  template: ${T}\n",
	"a templated jobTemplate":    "kind: CronJob\nspec:\n  jobTemplate: ${T}\n",
	"a templated document":       head + "  containers: [{}]\n---\n${DOC}\n",
	"a templated list":           "kind: List\nitems: ${ITEMS}\n",
	"a templated item":           "kind: List\nitems:\n- kind: Pod\n- ${ITEM}\n",
	"templated items, claim":     "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nitems: ${ITEMS}\n",
	"a document, a scalar":       head + "  containers: [{}]\n---\nsome text\n",
	"namespace":                  namespace("defaultTolerations: '[{\"operator\": \"Exists\"}]'"),
	"namespace in a list":        "kind: List\nitems:\n- {kind: Namespace, metadata: {annotations: {scheduler.alpha.kubernetes.io/defaultTolerations: '[{\"operator\": \"Exists\"}]'}}}\n",
	"namespace, no JSON":         namespace("defaultTolerations: '[{operator: Exists}]'"),
	"namespace, other letters":   namespace("defaultTolerations: '[{\"Operator\": \"Exists\"}]'"),
	"namespace, a template":      namespace("defaultTolerations: ${TOL}"),
	"namespace, no string":       namespace("defaultTolerations: [{operator: Exists}]"),
	"namespace, whitelist":       namespace("tolerationsWhitelist: '[{'"),
	"namespace, annotations":     "kind: Namespace\nmetadata:\n  annotations: ${A}\n",
	"namespace, metadata":        "kind: Namespace\nmetadata: ${M}\n",
	"a number that is a boolean": "kind: Pod\nspec:\n  tolerations:\n  - {operator: Exists, tolerationSeconds: yes}\n",
}

// namespace returns a namespace with an annotation.
func namespace(annotation string) string {
	return "kind: Namespace\nmetadata:\n  annotations:\n    scheduler.alpha.kubernetes.io/" + annotation + "\n"
}

// Manifests that a policy allows have no findings.
func TestPolicy_clean(t *testing.T) {
	for name, text := range map[string]string{
		"namespace":     namespace("defaultTolerations: '[{\"key\": \"a\", \"operator\": \"Exists\"}]'"),
		"empty":         namespace("defaultTolerations: ''"),
		"whitelist":     namespace("tolerationsWhitelist: '[{\"operator\": \"Exists\"}]'"),
		"schema":        "kind: CustomResourceDefinition\nspec: {schema: {properties: {spec: {properties: {tolerations: {type: array}}}}}}\n",
		"other fields":  "kind: Other\nspec: {tolerations: [{name: x}]}\n",
		"custom":        "kind: Other\nspec: {tolerations: [{key: a, operator: Exists}]}\n",
		"a text":        "kind: ConfigMap\ndata: {x: '${X} {{ y }}'}\n",
		"Argo's step":   "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {templates: [{steps: [[{template: '{{item}}'}]]}]}\n",
		"no document":   head + "  containers: []\n---\n# nothing\n",
		"no toleration": "kind: Other\nspec: {tolerations: null}\n",
	} {
		if r := policed(t).of(text, ""); len(r.findings)+len(r.notes) != 0 {
			t.Errorf("%s: %q", name, lines(r.findings, r.notes))
		}
	}
}

// run runs the command, and returns its status and output.
func run(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	env := cli.NewEnv(strings.NewReader(stdin), &out, &errOut)
	c := NewCommand(env)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	status = env.Status(c.Execute())
	return status, out.String(), errOut.String()
}

// No toleration that kubectl would send evades a policy.
func TestPolicy_bypasses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("policy.yaml", []byte(policyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range bypasses {
		for _, flags := range [][]string{nil, {"--severity=error"}, {"--fix"}, {"-o", "json"}} {
			if status, out, errOut := run(text, append([]string{"--policy", "policy.yaml", "-f", "-"}, flags...)...); status == 0 {
				t.Errorf("%s: %q: clean\n%s%s", name, flags, out, errOut)
			}
		}
	}
}

// A policy file that is only partly read would allow too much.
func TestPolicy_file(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ text, want string }{
		{policyFile, ""},
		{examplePolicy, ""},
		{"--- # a policy\n" + policyFile, ""},
		{"", "must be one document, not 0"},
		{"# nothing\n", "must be one document, not 0"},
		{policyFile + "\n---\n" + policyFile, "must be one document, not 2"},
		{policyFile + "\n...\n" + policyFile, "must be one document, not 2"},
		{policyFile + policyFile, "did not find expected <document start>"},
		{`{"deny": [], "deny": []}`, "already set in map"},
		{"deny: []\ndeny: []\n", "already set in map"},
		{"[", "did not find expected node content"},
		{"a: &a [*a]", "the expansion of aliases is infinite"},
	} {
		if err := os.WriteFile("policy.yaml", []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, errOut := run(head+"  containers: []\n", "--policy", "policy.yaml", "-f", "-")
		if bad := tt.want != ""; bad != (status == 2) || !strings.Contains(errOut, tt.want) {
			t.Errorf("%q: status %d: %s", tt.text, status, errOut)
		}
	}
}
