package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// rulesFile allows everything that does not tolerate gpu.
const rulesFile = `{"rules": [
	{"namespaces": ["ml"], "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
	{"namespaces": ["trial"], "warn": true, "denyNodeName": false},
	{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]}]}}]}`

func withRules(t testing.TB, text string) string {
	name := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
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
	"a JSON patch":               `[{"op": "add", "path": "/spec/tolerations/-", "value": {"operator": "Exists"}}]`,
	"a JSON patch of a field":    `[{"op": "add", "path": "/spec/tolerations/0/operator", "value": "Exists"}]`,
	"a JSON patch that copies":   `[{"op": "copy", "from": "/metadata/a", "path": "/spec/tolerations"}]`,
	"an inline patch":            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches: [{patch: '[{op: add, path: /spec/tolerations/-, value: {operator: Exists}}]'}]\n",
	"an inline patch, no YAML":   "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches: [{patch: '['}]\n",
	"a misspelt field":           head + "  containers: []\n  toleration: [{operator: Exists}]\n",
	"a number that is a boolean": "kind: Pod\nspec:\n  tolerations:\n  - {operator: Exists, tolerationSeconds: yes}\n",
}

// namespace returns a namespace with an annotation.
func namespace(annotation string) string {
	return "kind: Namespace\nmetadata:\n  name: shop\n  annotations:\n    scheduler.alpha.kubernetes.io/" + annotation + "\n"
}

// Manifests that the rules allow have no findings.
func TestRules_clean(t *testing.T) {
	file := withRules(t, rulesFile)
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
		t.Run(name, func(t *testing.T) { check(t, text+"---\nkind: Node\n", "-f - -n shop --rules "+file, 0, "") })
	}
}

// A wildcard that the rules allow is no mistake.
func TestRules_wildcards(t *testing.T) {
	const allow = `{"allow": [{"taints": [{"operator": "Exists"}]}]`
	for _, tt := range []struct {
		rules, list string
		want        int
	}{
		{`{"policy": ` + allow + `}}`, "{operator: Exists}", 0},
		{`{"policy": ` + allow + `}}`, "{operator: Exists, effect: NoSchedule}, {operator: Exists, effect: NoExecute}", 0},
		{`{"policy": ` + allow + `}}`, "{operator: Exists}, {key: 5}", 2},
		{`{"policy": ` + allow + `, "deny": [{"taints": [{"key": "gpu", "operator": "Exists"}]}]}}`, "{operator: Exists}", 2},
		{`{"policy": ` + allow + `, "deny": [{"taints": [{"key": "gpu", "operator": "Exists"}]}]}, "warn": true}`, "{operator: Exists}", 2},
		{`{"warn": false, "denyNodeName": false}`, "{operator: Exists}", 1},
		{`{"namespaces": ["ml"], "policy": ` + allow + `}}, {"policy": {"allow": []}}`, "{operator: Exists}", 2},
		{`{"namespaces": ["shop"], "policy": ` + allow + `}}, {"policy": {"allow": []}}`, "{operator: Exists}", 0},
	} {
		text := "kind: Pod\nmetadata: {namespace: shop}\nspec: {containers: [], tolerations: [" + tt.list + "]}\n"
		_, out, errOut := run(text, "-f", "-", "--severity=info", "--rules", withRules(t, `{"rules": [`+tt.rules+`]}`))
		if got := strings.Count(out, "standard input:"); got != tt.want || errOut != "" {
			t.Errorf("%s, %s: %d findings, want %d\n%s%s", tt.rules, tt.list, got, tt.want, out, errOut)
		}
	}
}

// What the rules judge is reported once, and what they cannot judge is a failure.
func TestRules_reports(t *testing.T) {
	const all = `{"rules": [{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}]}`
	pod := func(namespace, list string) string {
		return "kind: Pod\nmetadata: {namespace: " + namespace + "}\nspec: {containers: [], tolerations: [" + list + "]}\n"
	}
	for name, tt := range map[string]struct {
		rules, text string
		status      int
		want        []string // in each report
	}{
		"in its namespace":      {rulesFile, pod("ml", "{key: gpu, operator: Exists}"), 0, nil},
		"a template":            {rulesFile, pod("'{{ .Values.ns }}'", ""), 2, []string{"Pod {{ .Values.ns }}/: {{ .Values.ns }} is not the name of a namespace"}},
		"a variable":            {rulesFile, pod("'${NS}'", ""), 2, []string{": ${NS} is not the name of a namespace"}},
		"a variable, all":       {all, pod("'${NS}'", ""), 2, []string{": ${NS} is not the name of a namespace"}},
		"none":                  {rulesFile, pod("", ""), 2, []string{"Pod: its namespace is not known: give -n"}},
		"none, all":             {all, pod("", ""), 0, nil},
		"none, a list":          {rulesFile, "kind: Other\nspec: {tolerations: [{key: a, operator: Exists}]}\n", 2, []string{"Other: its namespace is not known: give -n"}},
		"none, a node":          {rulesFile, "kind: Node\nspec: {taints: [{key: a, effect: NoSchedule}]}\n", 0, nil},
		"a variable, no pod":    {rulesFile, "kind: ConfigMap\nmetadata: {namespace: '${NS}'}\n", 0, nil},
		"a variable, Namespace": {rulesFile, strings.Replace(namespace("defaultTolerations: '[]'"), "shop", "${NS}", 1), 2, []string{": ${NS} is not the name of a namespace"}},
		"invalid":               {rulesFile, pod("shop", "{key: 5}"), 1, []string{"error: key 5: must be a string"}},
		"no list":               {rulesFile, "kind: Pod\nmetadata: {namespace: shop}\nspec: {tolerations: all}\n", 1, []string{"error: must be a list (invalid)"}},
		"invalid, beside it":    {rulesFile, pod("shop", "{key: 5}, {key: gpu, operator: Exists}"), 1, []string{"rules[2].policy.gpu", "error: key 5: must be a string"}},
		"a template beside it":  {rulesFile, pod("shop", "{key: '{{ x }}'}, {key: b, operator: Exists}"), 2, []string{"Pod shop/: spec.tolerations: a template; check its output"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errOut := run(tt.text, "-f", "-", "--rules", withRules(t, tt.rules))
			reports := strings.Split(errOut+out, "standard input:")[1:]
			if status != tt.status || !slices.EqualFunc(reports, tt.want, strings.Contains) {
				t.Errorf("status %d\n%s%s", status, errOut, out)
			}
		})
	}
}

// objectRules are rules in YAML, with which it matters what is judged, and what exists.
const objectRules = `
rules: # comments are allowed
- {namespaces: [ml], nodeSelector: {pool: gpu}, tolerations: [{key: pool, value: gpu}]}
- {namespaces: [closed], denyNodeName: true}
- policy:
    allow:
    - taints: [{key: cpu, operator: Exists}, {key: size, value: "8"}]
    - {taints: [{key: time, operator: Exists, effect: NoExecute}], maxSeconds: 60}
`

// What the API server would accept of an object is accepted, and what only exists for an object
// of a cluster, with a uid, is not believed of another.
func TestRules_objects(t *testing.T) {
	file := withRules(t, objectRules)
	const everything, daemons = "{operator: Exists}", "{key: node.kubernetes.io/disk-pressure, operator: Exists, effect: NoSchedule}, {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute}"
	const network = "{key: node.kubernetes.io/network-unavailable, operator: Exists, effect: NoSchedule}"
	pod := func(namespace, metadata, spec, tolerations string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {namespace: " + namespace + ", name: p" + metadata + "}\nspec: {containers: [], tolerations: [" + tolerations + "]" + spec + "}\n"
	}
	template := func(kind, namespace, metadata, spec, tolerations string) string {
		return "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {namespace: " + namespace + ", name: x" + metadata + "}\nspec: {template: {spec: {containers: [], tolerations: [" + tolerations + "]" + spec + "}}}\n"
	}
	const uid, deleted, gone = ", uid: u", `, deletionTimestamp: "2026-11-20T09:00:00Z"`, "rules[2].policy.allow"
	controller := func(kind string) string {
		return ", ownerReferences: [{apiVersion: apps/v1, kind: " + kind + ", name: a, uid: b, controller: true}]"
	}
	const mirror = `, annotations: {kubernetes.io/config.mirror: abc}`
	many := func(n int) string { return strings.Repeat("{key: cpu, operator: Exists}, ", n) }
	for name, tt := range map[string]struct {
		text string
		want []string // in each finding
	}{
		"Lt, all values":        {pod("shop", "", "", "{key: cpu, operator: Lt, value: '5'}"), nil},
		"Gt, of one value":      {pod("shop", "", "", "{key: size, value: '8'}, {key: size, operator: Gt, value: '7'}"), []string{"\"size=7 op=Gt\": is not allowed by the policy: tolerates size:NoSchedule, which no clause allows (rules[2].policy.allow)"}},
		"Gt with seconds":       {pod("shop", "", "", "{key: time, operator: Gt, value: '7', effect: NoExecute, tolerationSeconds: 60}"), nil},
		"Gt with more":          {pod("shop", "", "", "{key: time, operator: Gt, value: '7', effect: NoExecute, tolerationSeconds: 61}"), []string{gone}},
		"nodeName":              {pod("closed", "", ", nodeName: node1", ""), []string{`spec.nodeName "node1": must be omitted, so that the pod is scheduled and NoSchedule taints repel it (rules[1].denyNodeName)`}},
		"nodeName, scheduled":   {pod("closed", uid, ", nodeName: node1", ""), nil},
		"nodeName, other":       {pod("shop", "", ", nodeName: node1", ""), nil},
		"nodeName, template":    {template("Deployment", "closed", "", ", nodeName: node1", ""), []string{"rules[1].denyNodeName"}},
		"nodeName, existing":    {template("Deployment", "closed", uid, ", nodeName: node1", ""), []string{"rules[1].denyNodeName"}},
		"existing":              {pod("shop", uid, "", everything), []string{gone}},
		"deleted":               {pod("shop", uid+deleted, "", everything), nil},
		"deleted, a manifest":   {pod("shop", deleted, "", everything), []string{gone}},
		"deleted, a template":   {template("Deployment", "shop", uid+deleted, "", everything), []string{gone}},
		"mirror":                {pod("shop", uid+controller("Node")+mirror, "", everything), nil},
		"mirror, a manifest":    {pod("shop", controller("Node")+mirror, "", everything), []string{gone}},
		"mirror, annotation":    {pod("shop", uid+mirror, "", everything), []string{gone}},
		"mirror, owner":         {pod("shop", uid+controller("Node"), "", everything), []string{gone}},
		"DaemonSet":             {template("DaemonSet", "shop", "", "", daemons), nil},
		"DaemonSet, existing":   {template("DaemonSet", "shop", uid, "", daemons), nil},
		"DaemonSet, more":       {template("DaemonSet", "shop", "", "", daemons+", "+everything+", "+network), []string{gone, gone}},
		"DaemonSet, on host":    {template("DaemonSet", "shop", "", ", hostNetwork: true", daemons+", "+network), nil},
		"Deployment, as if":     {template("Deployment", "shop", controller("DaemonSet"), "", daemons), []string{gone, gone}},
		"its pod":               {pod("shop", uid+controller("DaemonSet"), "", daemons), nil},
		"its pod, more":         {pod("shop", uid+controller("DaemonSet"), "", daemons+", "+everything), []string{gone}},
		"its pod, a manifest":   {pod("shop", controller("DaemonSet"), "", daemons), []string{gone, gone}},
		"its pod, not its":      {pod("shop", uid+strings.Replace(controller("DaemonSet"), "true", "false", 1), "", daemons), []string{gone, gone}},
		"another's pod":         {strings.Replace(pod("shop", uid+controller("DaemonSet"), "", daemons), "apps/v1", "apps.example.com/v1", 1), []string{gone, gone}},
		"another's DaemonSet":   {strings.Replace(template("DaemonSet", "shop", "", "", daemons), "apps/v1", "apps.example.com/v1", 1), []string{gone, gone}},
		"labels":                {pod("ml", "", "", "{key: pool, value: gpu}"), nil},
		"labels, other value":   {pod("ml", uid, ", nodeSelector: {pool: cpu}", ""), []string{`spec.nodeSelector[pool] "cpu": must be "gpu": these pods are for nodes with the label pool=gpu (rules[0].nodeSelector)`}},
		"labels, Deployment":    {template("Deployment", "ml", "", "", ""), nil},
		"labels, DaemonSet":     {template("DaemonSet", "ml", "", "", ""), []string{"spec.nodeSelector[pool]: must be \"gpu\""}},
		"labels, DaemonSet has": {template("DaemonSet", "ml", "", ", nodeSelector: {pool: gpu}", ""), nil},
		"labels, its pod":       {pod("ml", uid+controller("DaemonSet"), "", ""), nil},
		"labels, a manifest":    {pod("ml", controller("DaemonSet"), "", ""), nil}, // as of an author, whose pod gets them
		"197":                   {pod("shop", "", "", many(197)), nil},
		"198, with added":       {pod("shop", "", "", many(198)), []string{"spec.tolerations: more than 200, with those that are added, are too many"}},
		"197, with more added":  {template("Deployment", "ml", "", "", many(197)), []string{"too many"}},
		"198, a DaemonSet":      {template("DaemonSet", "shop", "", "", many(194)), []string{"too many"}},
		"201":                   {pod("shop", uid, "", many(200)+everything), []string{"too many"}},
	} {
		_, out, errOut := run(tt.text, "-f", "-", "--rules", file, "-o", "json")
		var result report
		if err := json.Unmarshal([]byte(out), &result); err != nil || result.Notes != nil {
			t.Fatal(name, err, out, errOut)
		}
		var got []string
		for _, f := range result.Findings {
			if f.Check == "policy" {
				got = append(got, f.Message)
			}
		}
		if !slices.EqualFunc(got, tt.want, strings.Contains) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// No toleration that kubectl would send evades the rules.
func TestRules_bypasses(t *testing.T) {
	file := withRules(t, rulesFile)
	for name, text := range bypasses {
		if status, out, errOut := run(text, "--rules", file, "-f", "-", "-n", "shop", "--severity=error"); status == 0 {
			t.Errorf("%s: clean\n%s%s", name, out, errOut)
		}
	}
}

// hostile returns texts that cost much more to read than to write.
func hostile() map[string]string {
	repeat := strings.Repeat
	list := func(n int, element func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(element(i))
		}
		return b.String()
	}
	block := head + "  containers: []\n  tolerations:\n"
	flow := func(n int, element func(i int) string) string {
		return `{"kind": "Pod", "spec": {"containers": [], "tolerations": [` + strings.TrimSuffix(list(n, func(i int) string { return element(i) + ", " }), ", ") + "]}}"
	}
	return map[string]string{
		"fixes that change the meaning": block + list(800, func(i int) string { return fmt.Sprintf("  - {key: a%d, effect: NoSchedule}\n", i) }),
		"the same in flow style":        flow(800, func(i int) string { return fmt.Sprintf(`{"key": "a%d", "effect": "NoSchedule"}`, i) }),
		"one new key for all": block + list(800, func(i int) string {
			return fmt.Sprintf("  - {key: node.kubernetes.io/out-of-disk, value: v%d, effect: NoSchedule}\n  - {key: node.kubernetes.io/out-of-disk, effect: NoExecute}\n", i)
		}),
		"elements to remove, in flow style": flow(800, func(i int) string { return `{"key": "a", "operator": "Exists"}` }),
		"elements to remove":                block + repeat("  - {key: a, operator: Lt, value: '0'}\n", 800),
		"problems":                          block + repeat("  - {key: a, value: 5}\n", 800),
		"problems, in one line":             flow(4000, func(i int) string { return `{"key": "a", "value": 5}` }),
		"problems that quotes do not mend":  block + list(800, func(i int) string { return fmt.Sprintf("  - {key: a, value: 5, effect: bad%d, Key: b, %d: x}\n", i, i) }),
		"changes that do not fit": block + list(400, func(i int) string {
			return fmt.Sprintf("  - {key: a%d, value: 5, toleration-seconds: 5, tolerationseconds: 6}\n", i)
		}),
		"taints":               "kind: Node\nspec:\n  taints:\n" + list(4000, func(i int) string { return fmt.Sprintf("  - {key: a%d, effect: NoSchedule}\n", i) }),
		"one taint":            "kind: Node\nspec:\n  taints:\n" + repeat("  - {key: a, effect: NoSchedule}\n", 4000),
		"too many elements":    block + repeat("  - {}\n", maxElements+1),
		"too many values":      "a: [" + repeat(",\n", 2_000_000/2) + "]",
		"too many in a line":   "a: [" + repeat(",", 2_000_000) + "]",
		"too many fields":      block + "  - {" + list(20_000, func(i int) string { return fmt.Sprintf("a%d: b, ", i) }) + "}\n",
		"odd keys of mappings": "{" + list(20_000, func(i int) string { return fmt.Sprintf("0x%x: {a: b}, ", i+1<<20) }) + "}\n",
		"odd keys":             "{" + list(20_000, func(i int) string { return fmt.Sprintf("0x%x: b, ", i+1<<20) }) + "}\n",
		"documents":            repeat("---\na: b\n", 20_000),
		"empty documents":      repeat("---\n", 200_000),
		"ends of documents":    repeat("...\n", 200_000),
		"directives":           repeat("%A b\n", 20_000) + repeat("---\n", 20_000),
		"JSON values":          repeat("{}", 20_000),
		"JSON and separators":  repeat("{}\n---\n", 20_000),
		"levels":               repeat("[", 200_000),
		"levels of keys":       repeat("? ", 20_000),
		"levels of marks":      repeat("- ", 20_000),
		"colons":               repeat("a: ", 20_000),
		"levels by aliases": list(500, func(i int) string {
			return fmt.Sprintf("a%d: &a%d %s*a%d%s\n", i, i, repeat("[", 900), max(i-1, 0), repeat("]", 900))
		})[len("a0: &a0 ")+900+len("*a0")+900:],
		"a chain of aliases": "a0: &a0 [x]\n" + list(100, func(i int) string {
			return fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, repeat(fmt.Sprintf("*a%d, ", i), 9))
		}),
		"a chain of merges": "a0: &a0 {x: y}\n" + list(100, func(i int) string {
			return fmt.Sprintf("a%d: &a%d {<<: [%s]}\n", i+1, i+1, repeat(fmt.Sprintf("*a%d, ", i), 9))
		}),
		"aliases of a text": "a: &a " + repeat("x", 1<<20) + "\nb: [" + repeat("*a, ", 10_000) + "]\n",
		"aliases of a list": "a: &a [" + repeat("{key: a, value: 5}, ", 1000) + "]\nb:\n" + list(1000, func(i int) string { return "- {tolerations: *a, containers: []}\n" }),
		"anchors":           list(20_000, func(i int) string { return fmt.Sprintf("- &a%d x\n", i) }),
		"comments":          repeat("# comment\n", 60_000) + "kind: Pod\n" + repeat("# comment\n", 60_000),
		"unknown fields":    block + repeat("  - {"+list(90, func(i int) string { return fmt.Sprintf("a%d: b, ", i) })+"}\n", 2000),
		"conflicts in documents": repeat("---\n"+block+list(4, func(i int) string {
			return fmt.Sprintf("  - {key: a%d, value: 5, toleration-seconds: 5, tolerationseconds: 6}\n", i)
		}), 400),
		"comments in a list": block + repeat("  # c\n  - {key: a, value: 5} # tolerate:ignore\n", 5000),
		"a long line":        "kind: Pod\nspec: {containers: [], tolerations: [" + repeat("{key: ü, value: 5},", 4000) + "]} # " + repeat("tolerate:ignore shadowed ", 20_000),
		"a long key":         repeat("k", 1<<18) + ": {" + list(20_000, func(i int) string { return fmt.Sprintf("a%d: {tolerations: [{key: 5}]}, ", i) }) + "}\n",
		"a long name":        "kind: Pod\nmetadata: {name: " + repeat("n", 1<<20) + "}\nspec:\n  tolerations:\n" + repeat("  - {key: 5}\n", 5000),
		"a long text":        block + "  - {key: \"" + repeat("\\x41", 1<<20) + "\"}\n",
		"templates":          repeat("{{ a }}\n", 20_000),
		"open templates":     repeat("{{ a\n", 20_000),
		"open braces":        repeat("{{", 20_000),
		"templates in lists": block + repeat("  - {key: {{ a }}, value: 5}\n", 5000),
		"quotes":             repeat("'", 200_001),
		"block scalars":      repeat("- |\n a\n", 20_000),
		"tags":               repeat("- !!str a\n", 20_000),
		"repeated":           "{" + repeat("a: b, ", 20_000) + "}",
		"spaces":             "a:" + repeat(" ", 1<<20) + "b\n",
		"lines":              "a: b" + repeat("\n", 1<<20),
		"returns":            "a: b" + repeat("\r", 1<<20),
	}
}

// Any text is read at most a few times, takes memory in proportion to it, and what is not
// read is reported.
func TestHostile(t *testing.T) {
	file := withRules(t, rulesFile)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			status, out, errOut := run(text, "-f", "-", "-n", "shop", "--rules", file)
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 1024 {
				t.Errorf("%d KB of text: %d MB allocated", len(text)>>10, got)
			}
			t.Logf("status %d, %d bytes, %.100s", status, len(out), errOut)
		})
	}
}

// The output of kubectl get pods -A -o json is read as a stream.
func TestLarge(t *testing.T) {
	const pods = 20_000
	r, w := io.Pipe()
	go func() {
		fmt.Fprint(w, `{"apiVersion":"v1","items":[`)
		for i := range pods {
			fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"shop","annotations":{"x":"%s"}},"spec":{"containers":[{"name":"c"}],"tolerations":[{"key":"k%d","operator":"Exists"}]}},`,
				i, strings.Repeat("x", 2000), i)
		}
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"last","namespace":"shop"},"spec":{"tolerations":[{"key":"gpu","operator":"Exists"}]}}],"kind":"List"}`)
		w.Close()
	}()
	status, out, errOut := runCommand(NewCommand, r, "-f", "-", "--rules", withRules(t, rulesFile))
	if status != 1 || !strings.Contains(out, fmt.Sprintf("items[%d] Pod shop/last spec.tolerations[0]\n1 finding (1 error) in %d lists", pods, pods+1)) {
		t.Errorf("status %d: %s%s", status, out, errOut)
	}
}

// Any text is checked, or what is wrong is reported, within it.
func FuzzLint(f *testing.F) {
	f.Add(manifests)
	f.Add(`{"kind": "Pod", "spec": {"tolerations": [{"key": "a\/b", "Effect": "x", "value": 5}, {"key": "c"}, {"key": "c"}]}}`)
	f.Add("a: b\n---\nkind: Kustomization\napiVersion: kustomize.config.k8s.io/v1\npatches:\n- patch: |-\n    [{op: add, path: /spec/tolerations/-, value: {<<: {key: 5}}}]\n- patch: \"kind: Pod\\nspec:\\n tolerations: [5]\"\n")
	for _, text := range bypasses {
		f.Add(text)
	}
	file := withRules(f, rulesFile)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n") + 1
		for _, args := range [][]string{{"--severity=info"}, {"-n", "shop", "--rules", file}} {
			status, out, errOut := run(text, append(args, "-f", "-", "-o", "json")...)
			var result report
			if err := json.Unmarshal([]byte(out), &result); err != nil || status == 0 && len(result.Findings) > 0 || status > 2 {
				t.Fatalf("%q: status %d, %v, %s", text, status, err, errOut)
			}
			for _, f := range result.Findings {
				if f.Line > lines {
					t.Errorf("%q: %d:%d", text, f.Line, f.Column)
				}
			}
		}
	})
}

// Rules with a namespaceSelector are applied by the labels of the namespaces in the input.
func TestRules_labels(t *testing.T) {
	const rules = `rules:
- namespaces: [kube-system]
  policy: {allow: [{taints: [{operator: Exists}]}]}
- name: open
  namespaceSelector: {matchLabels: {tier: open}}
  policy: {allow: [{taints: [{operator: Exists}]}]}
- name: named
  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [named]}]}
  policy: {allow: [{taints: [{operator: Exists}]}]}
- name: closed
  policy: {allow: [{taints: [{operator: Exists}]}], deny: [{taints: [{key: gpu, operator: Exists}]}]}
`
	file := withRules(t, rules)
	pod := func(namespace string) string {
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: " + namespace + "}\nspec: {tolerations: [{key: gpu, operator: Exists}]}\n"
	}
	namespace := func(name, labels string) string {
		return "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: " + labels + "}\n"
	}
	const unknown = "the labels of namespace shop are not known, or differ in the input: give one manifest of it before the pods, or the output of kubectl get ns,pods -A -o json"
	for name, tt := range map[string]struct {
		in     string
		status int
		want   string
	}{
		"selected":                 {namespace("shop", "{tier: open}") + pod("shop"), 0, ""},
		"another label":            {namespace("shop", "{tier: closed}") + pod("shop"), 1, "(closed.policy.deny[0])"},
		"no labels":                {namespace("shop", "null") + pod("shop"), 1, "(closed.policy.deny[0])"},
		"the label of the name":    {namespace("named", "{kubernetes.io/metadata.name: other}") + pod("named"), 0, ""},
		"unknown":                  {pod("shop"), 2, unknown},
		"unknown, another":         {namespace("other", "{tier: open}") + pod("shop"), 2, unknown},
		"labels that are no texts": {namespace("shop", "{tier: [open]}") + pod("shop"), 2, unknown},
		"a template":               {namespace("shop", `{tier: "${TIER}"}`) + pod("shop"), 2, unknown},
		"after the pod":            {pod("shop") + namespace("shop", "{tier: open}"), 2, unknown},
		"the same twice":           {namespace("shop", "{tier: open}") + namespace("shop", "{tier: open}") + pod("shop"), 0, ""},
		"others":                   {namespace("shop", "{tier: open}") + namespace("shop", "{tier: closed}") + pod("shop"), 2, unknown},
		"others, then the first":   {namespace("shop", "{tier: open}") + namespace("shop", "{}") + namespace("shop", "{tier: open}") + pod("shop"), 2, unknown},
		"in a text":                {namespace("shop", "{tier: closed}") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata:\n  ns.yaml: |\n    apiVersion: v1\n    kind: Namespace\n    metadata: {name: shop, labels: {tier: open}}\n" + pod("shop"), 1, "(closed.policy.deny[0])"},
		"not needed":               {pod("kube-system"), 0, ""},
		"a list":                   {`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"tier": "open"}}}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop"}, "spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}}]}`, 0, ""},
		"its own tolerations":      {"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n  labels: {tier: closed}\n  annotations: {scheduler.alpha.kubernetes.io/defaultTolerations: '[{\"key\": \"gpu\", \"operator\": \"Exists\"}]'}\n", 1, "(closed.policy.deny[0])"},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt.in, "-f - --only policy --rules "+file, tt.status, tt.want) })
	}
	// Files can have them in any order.
	write(t, map[string]string{"a.yaml": pod("shop"), "b.yaml": namespace("shop", "{tier: open}")})
	check(t, "", "-R -f . --only policy --rules "+file, 0, "")
}
