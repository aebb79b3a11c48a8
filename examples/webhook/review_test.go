package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

const (
	notReady    = `{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	unreachable = `{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	pressure    = `{"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":"NoSchedule"}`
	gpu         = `{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}`
)

func mustConfig(t testing.TB, text string) *config {
	t.Helper()
	c, err := readConfig(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func podRequest(operation, namespace, spec, old string) *request {
	r := &request{UID: "u", Kind: groupKind{"", "v1", "Pod"}, Operation: operation, Namespace: namespace,
		Object: json.RawMessage(`{"spec":{` + spec + `}}`), OldObject: json.RawMessage("null")}
	if old != "" || operation == "UPDATE" {
		r.OldObject = json.RawMessage(`{"spec":{` + old + `}}`)
	}
	return r
}

// added is what a patch puts at the end of the list, each as JSON.
func added(t testing.TB, v verdict) (list []string) {
	t.Helper()
	for _, o := range v.patch {
		value, err := json.Marshal(o.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case o.Op == "add" && o.Path == "/spec/tolerations/-":
			list = append(list, string(value))
		case o.Op == "add" && o.Path == "/spec/tolerations" && len(v.patch) == 1:
			var all []json.RawMessage
			if err := json.Unmarshal(value, &all); err != nil {
				t.Fatal(err)
			}
			for _, raw := range all {
				list = append(list, string(raw))
			}
		default:
			t.Errorf("the patch has %v", o)
		}
	}
	return list
}

func TestMutate(t *testing.T) {
	c := mustConfig(t, `{"unreachableSeconds": "off", "defaults": [{"key": "everywhere"}],
		"namespaces": {"ml": {"defaults": [{"key": "spot", "operator": "Exists"}]}, "plain": {"defaults": []}, "tight": {"defaults": [], "whitelist": [{"key": "a"}]}}}`)
	everywhere, spot := `{"key":"everywhere"}`, `{"key":"spot","operator":"Exists"}`
	const asks = `"containers": [{"resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "1"}}}]`
	for _, tt := range []struct {
		name, operation, namespace, spec string
		want                             []string
	}{
		{"D1 and D5 for every pod", "CREATE", "shop", "", []string{notReady, everywhere}},
		{"D5 of a namespace", "CREATE", "ml", "", []string{notReady, spot}},
		{"D5 of a namespace without", "CREATE", "plain", "", []string{notReady}},
		{"D5 at creation only", "UPDATE", "ml", "", []string{notReady}},
		{"D3 and D4 by what it asks for", "CREATE", "plain", asks, []string{notReady, pressure, gpu}},
		{"D3 and D4 at updates too", "UPDATE", "plain", asks, []string{notReady, pressure, gpu}},
		{"D1 suppressed", "CREATE", "plain", `"tolerations": [{"key": "node.kubernetes.io/not-ready", "value": "x", "effect": "NoExecute"}]`, nil},
		{"a wildcard covers but for devices", "CREATE", "ml", `"tolerations": [{"operator": "Exists"}], ` + asks, []string{gpu}},
		{"the whitelist is for /validate", "CREATE", "tight", `"tolerations": [{"key": "b"}]`, []string{notReady}},
		{"deletion", "DELETE", "ml", "", nil},
	} {
		v := c.mutate(podRequest(tt.operation, tt.namespace, tt.spec, ""))
		if got := added(t, v); v.err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: adds %v, %v, want %v", tt.name, got, v.err, tt.want)
		}
	}
}

func TestNothingToSay(t *testing.T) {
	c := mustConfig(t, `{"policy": {"deny": [{"taints": [{"operator": "Exists"}]}]}}`)
	for name, change := range map[string]func(*request){
		"a status":     func(r *request) { r.SubResource = "status" },
		"a binding":    func(r *request) { r.SubResource = "binding"; r.Object = json.RawMessage("{}") },
		"a deletion":   func(r *request) { r.Operation, r.Object = "DELETE", json.RawMessage("null") },
		"a connection": func(r *request) { r.Operation = "CONNECT" },
		"a pod on its way": func(r *request) {
			r.OldObject = json.RawMessage(`{"metadata": {"deletionTimestamp": "2026-10-14T09:00:00Z"}}`)
		},
	} {
		r := podRequest("UPDATE", "n", `"tolerations": [{"operator": "Exists"}]`, "")
		change(r)
		for _, judge := range []func(*request) verdict{c.mutate, c.validate} {
			if v := judge(r); v.err != nil || v.patch != nil {
				t.Errorf("%s: %v", name, v)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	c := mustConfig(t, `{
		"policy": {"deny": [{"name": "gpu", "message": "ask the ml team", "taints": [{"key": "gpu", "operator": "Exists"}]}]},
		"namespaces": {"ml": {"policy": {}}, "tight": {"policy": {}, "whitelist": [{"key": "a", "operator": "Exists"}]}}}`)
	const wildcard = `"tolerations": [{"operator": "Exists"}]`
	for _, tt := range []struct {
		name, operation, namespace, spec, old string
		code                                  int
		causes                                []string // fields
		want                                  string
	}{
		{name: "nothing wrong", operation: "CREATE", spec: `"tolerations": [{"key": "a"}]`},
		{name: "all problems at once", operation: "CREATE", spec: `"tolerations": [{"key": "a", "operator": "exists"}, {"key": "b", "value": true}, {}]`, code: invalid,
			causes: []string{"spec.tolerations[0].operator", "spec.tolerations[1].value", "spec.tolerations[2].key"}, want: "did you mean Exists?"},
		{name: "R6 with a witness", operation: "CREATE", spec: wildcard, code: forbidden,
			causes: []string{"spec.tolerations[0]"}, want: `tolerates gpu:NoSchedule, which rule "gpu" denies: ask the ml team`},
		{name: "R6 of a namespace", operation: "CREATE", namespace: "ml", spec: wildcard},
		{name: "D5 whitelist", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "a"}, {"key": "b"}, {"operator": "Exists"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]", "spec.tolerations[2]"}, want: "whitelist"},
		{name: "an update keeps what it had", operation: "UPDATE", spec: wildcard, old: wildcard},
		{name: "an update keeps what it had, in spite of the whitelist", operation: "UPDATE", namespace: "tight", spec: wildcard, old: wildcard},
		{name: "and brings something of the whitelist", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"operator": "Exists"}, {"key": "a"}]`, old: wildcard},
		{name: "or of another list", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"key": "c"}, {"key": "b"}]`, old: `"tolerations": [{"key": "c"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]"}, want: "whitelist"},
		{name: "an update brings what it must not", operation: "UPDATE", spec: wildcard, old: `"tolerations": []`, code: forbidden, causes: []string{"spec.tolerations[0]"}, want: "gpu"},
		{name: "V9", operation: "UPDATE", spec: `"tolerations": []`, old: `"tolerations": [{"key": "a"}]`, code: invalid, want: "spec.tolerations"},
	} {
		v := c.validate(podRequest(tt.operation, tt.namespace, tt.spec, tt.old))
		r, err := v.response("u")
		if err != nil {
			t.Fatal(err)
		}
		if tt.code == 0 {
			if !r.Allowed || r.Status != nil || r.Patch != nil {
				t.Errorf("%s: %+v %v", tt.name, r, v.err)
			}
			continue
		}
		var fields []string
		if r.Status != nil && r.Status.Details != nil {
			for _, c := range r.Status.Details.Causes {
				fields = append(fields, c.Field)
			}
		}
		if r.Allowed || r.Status == nil || r.Status.Code != tt.code || tt.causes != nil && !slices.Equal(fields, tt.causes) || !strings.Contains(r.Status.Message, tt.want) {
			t.Errorf("%s: %+v, %v, want %d at %v, with %q", tt.name, r.Status, fields, tt.code, tt.causes, tt.want)
		}
	}
}

func TestNodes(t *testing.T) {
	c := mustConfig(t, "{}")
	for _, tt := range []struct {
		taints string
		want   []string
	}{
		{`"taints": []`, nil},
		{`"taints": null`, nil},
		{``, nil},
		{`"taints": [{"key": "a", "effect": "NoSchedule"}]`, nil},
		{`"taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "value": "b", "effect": "NoSchedule"}, {"key": "-", "effect": "No"}]`, []string{"spec.taints[1]", "spec.taints[2].key", "spec.taints[2].effect"}},
	} {
		r := &request{Kind: groupKind{"", "v1", "Node"}, Operation: "UPDATE", Object: json.RawMessage(`{"spec": {` + tt.taints + `}}`), OldObject: json.RawMessage("{}")}
		for name, judge := range map[string]func(*request) verdict{"mutate": c.mutate, "validate": c.validate} {
			out, err := judge(r).response("u")
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			if out.Status != nil {
				for _, c := range out.Status.Details.Causes {
					fields = append(fields, c.Field)
				}
			}
			if out.Allowed != (tt.want == nil) || out.Patch != nil || !slices.Equal(fields, tt.want) {
				t.Errorf("%s: %s: %+v, want problems at %v", name, tt.taints, out, tt.want)
			}
		}
	}
}

func TestNotOurs(t *testing.T) {
	c := mustConfig(t, "{}")
	for _, kind := range []groupKind{{"", "v1", "Service"}, {"apps", "v1", "Deployment"}, {"", "v2", "Pod"}, {"x", "v1", "Pod"}, {}} {
		r := podRequest("CREATE", "", "", "")
		r.Kind = kind
		for _, judge := range []func(*request) verdict{c.mutate, c.validate} {
			if v := judge(r); v.err == nil || v.code != notOurs {
				t.Errorf("%v: %v", kind, v)
			}
		}
	}
	for _, object := range []string{"", "null", "[]", `{"spec": []}`, `{"spec": {"tolerations": {}}}`} {
		r := podRequest("CREATE", "", "", "")
		r.Object = json.RawMessage(object)
		if v := c.validate(r); v.err == nil {
			t.Errorf("object %q: %v", object, v)
		}
	}
}

// A request that says itself that the pod is being deleted is judged as any other.
func TestClaimedDeletion(t *testing.T) {
	c := mustConfig(t, `{"policy": {"deny": [{"taints": [{"operator": "Exists"}]}]}}`)
	for _, operation := range []string{"CREATE", "UPDATE"} {
		r := podRequest(operation, "", "", "")
		r.Object = json.RawMessage(`{"metadata": {"deletionTimestamp": "2026-10-14T09:00:00Z"}, "spec": {"tolerations": [{"key": "a"}]}}`)
		if v := c.validate(r); v.err == nil || v.code != forbidden {
			t.Errorf("%s: %v", operation, v)
		}
		if v := c.mutate(r); v.patch == nil {
			t.Errorf("%s: nothing is added", operation)
		}
	}
	r := podRequest("UPDATE", "", "", "")
	for _, old := range []string{"null", "[]", `{"metadata": 1}`, `{"metadata": []}`} {
		r.OldObject = json.RawMessage(old)
		if v := c.validate(r); v.code != notOurs {
			t.Errorf("%s before: %v", old, v)
		}
	}
}

// However long the lists are, the answer is short and takes little; what a pod
// has it keeps.
func TestMany(t *testing.T) {
	c := mustConfig(t, sampleConfig)
	many := func(n int, form string) string {
		var b strings.Builder
		b.WriteString(`"tolerations": [`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, form, i)
		}
		return b.String() + "]"
	}
	const good, bad = `{"key":"k%d"}`, `{"key":"-%d"}`
	devices := strings.Replace(strings.Replace(many(mostTolerations, `"e.com/r%d":1`), `"tolerations": [`, `"containers": [{"resources": {"requests": {`, 1), "]", "}}}]", 1)
	for _, tt := range []struct {
		name, operation, spec, old string
		mutate, validate           int // codes, 0 to allow
		patched                    bool
		causes                     int
	}{
		{"as many as may be, no default", "CREATE", many(mostTolerations, good), "", forbidden, 0, false, 0},
		{"as many as may be with the defaults", "CREATE", many(mostTolerations-2, good), "", 0, 0, true, 0},
		{"one more", "CREATE", many(mostTolerations+1, good), "", 0, forbidden, false, 0},
		{"so many devices", "CREATE", devices, "", forbidden, 0, false, 0},
		{"50,000", "CREATE", many(50_000, good), "", 0, forbidden, false, 0},
		{"50,000, all wrong", "CREATE", many(50_000, bad), "", invalid, invalid, false, mostProblems},
		{"as many wrong ones as are told", "CREATE", many(mostProblems, bad), "", invalid, invalid, false, mostProblems},
		{"it had them", "UPDATE", many(50_000, good), many(50_000, good), 0, 0, false, 0},
		{"it comes to have them", "UPDATE", many(50_000, good), many(2, good), 0, forbidden, false, 0},
		{"it had others, as many", "UPDATE", many(mostTolerations+1, good), many(mostTolerations+1, `{"key":"other%d"}`), 0, forbidden, false, 0},
	} {
		r := podRequest(tt.operation, "", tt.spec, tt.old)
		for path, v := range map[string]verdict{"mutate": c.mutate(r), "validate": c.validate(r)} {
			want := map[string]int{"mutate": tt.mutate, "validate": tt.validate}[path]
			out, err := v.response("u")
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			causes := 0
			if out.Status != nil && out.Status.Details != nil {
				causes = len(out.Status.Details.Causes)
				if more := strings.Contains(out.Status.Message, "; and 49900 more"); more != strings.HasPrefix(tt.name, "50,000, all") || !more && strings.Contains(out.Status.Message, " more") {
					t.Errorf("%s: %s: %.100s", tt.name, path, out.Status.Message)
				}
			}
			if want != 0 && v.code != want || out.Allowed != (want == 0) || (v.patch != nil) != (tt.patched && path == "mutate") || causes != tt.causes || len(text) > 50_000 {
				t.Errorf("%s: %s: %d, %d steps, %d causes, %d bytes: %.200s", tt.name, path, v.code, len(v.patch), causes, len(text), text)
			}
		}
	}
}

// What was added once is not added again, an update with it passes, and what
// the pod had stands in front as it was: V9.
func TestAgain(t *testing.T) {
	c := mustConfig(t, `{"defaults": [{"key": "spot", "operator": "Exists"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]}`)
	rapid.Check(t, func(t *rapid.T) {
		before := gen.Tolerations().Draw(t, "tolerations")
		spec := func(list []toleration.Toleration) string {
			text, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf(`"containers": [{"resources": {"requests": {"cpu": "1", "example.com/x": "1"}}}], "tolerations": %s`, text)
		}
		v := c.mutate(podRequest("CREATE", "", spec(before), ""))
		if v.err != nil {
			t.Fatal(v.err)
		}
		after := slices.Concat(before, patched(t, v.patch))
		for _, operation := range []string{"CREATE", "UPDATE"} {
			if again := c.mutate(podRequest(operation, "", spec(after), spec(after))); again.err != nil || again.patch != nil {
				t.Errorf("%s again: %v", operation, again)
			}
		}
		if u := c.validate(podRequest("UPDATE", "", spec(after), spec(before))); u.err != nil {
			t.Errorf("an update with what was added: %v", u.err)
		}
	})
}

func patched(t *rapid.T, patch []admission.Operation) (list []toleration.Toleration) {
	for _, o := range patch {
		switch value := o.Value.(type) {
		case toleration.Toleration:
			list = append(list, value)
		case []toleration.Toleration:
			list = append(list, value...)
		default:
			t.Errorf("%T in the patch", value)
		}
	}
	return list
}

func TestConfigMistakes(t *testing.T) {
	for text, want := range map[string]string{
		``:                                 "end of JSON",
		`[]`:                               "must be an object",
		`null`:                             "must be an object",
		`{"whitelists": []}`:               `unknown field "whitelists"`,
		`{"Defaults": []}`:                 `unknown field "Defaults"`,
		`{"defaults": [], "defaults": []}`: "given twice",
		`{"notReadySeconds": "soon"}`:      "notReadySeconds",
		`{"defaults": [{"key": "a", "operation": "Exists"}], "policy": {"deny": [{}]}}`: "policy: deny[0]",
		`{"defaults": [{"key": "a", "operation": "Exists"}], "whitelist": [{}]}`:        `defaults[0]: unknown field "operation"`,
		`{"namespaces": {"b": {"whitelist": [{}]}, "a": {"policy": {"x": 1}}}}`:         "namespaces[b].whitelist[0]",
		`{"namespaces": {"a": {"notReadySeconds": "1"}}}`:                               "notReadySeconds",
		`{} {}`: "after",
	} {
		if c, err := readConfig(strings.NewReader(text)); c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
