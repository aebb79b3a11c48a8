package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
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
	patch := operations(t, v.patch)
	for _, o := range patch {
		switch {
		case o.Op == "add" && o.Path == "/spec/tolerations/-":
			list = append(list, string(o.Value))
		case o.Op == "add" && o.Path == "/spec/tolerations" && len(patch) == 1:
			var all []json.RawMessage
			if err := json.Unmarshal(o.Value, &all); err != nil {
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

// An operation is one step of a JSON patch.
type operation struct {
	Op, Path string
	Value    json.RawMessage
}

func operations(t interface{ Fatal(...any) }, patch []byte) (list []operation) {
	if patch == nil {
		return nil
	}
	if err := json.Unmarshal(patch, &list); err != nil {
		t.Fatal(err)
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
		{"D1_and_D5_for_every_pod", "CREATE", "shop", "", []string{notReady, everywhere}},
		{"D5_of_a_namespace", "CREATE", "ml", "", []string{notReady, spot}},
		{"D5_of_a_namespace_without", "CREATE", "plain", "", []string{notReady}},
		{"D5_at_creation_only", "UPDATE", "ml", "", []string{notReady}},
		{"D3_and_D4_by_what_it_asks_for", "CREATE", "plain", asks, []string{notReady, pressure, gpu}},
		{"D3_and_D4_at_updates_too", "UPDATE", "plain", asks, []string{notReady, pressure, gpu}},
		{"D1_suppressed", "CREATE", "plain", `"tolerations": [{"key": "node.kubernetes.io/not-ready", "value": "x", "effect": "NoExecute"}]`, nil},
		{"a wildcard covers all except devices", "CREATE", "ml", `"tolerations": [{"operator": "Exists"}], ` + asks, []string{gpu}},
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
	c := mustConfig(t, `{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}`)
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
		"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "message": "contact the ml team", "taints": [{"key": "gpu", "operator": "Exists"}]}]},
		"namespaces": {"ml": {"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}, "tight": {"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}, "whitelist": [{"key": "a", "operator": "Exists"}]}}}`)
	const wildcard = `"tolerations": [{"operator": "Exists"}]`
	for _, tt := range []struct {
		name, operation, namespace, spec, old string
		code                                  int
		causes                                []string // fields
		reasons                               string
		want                                  string
	}{
		{name: "nothing wrong", operation: "CREATE", spec: `"tolerations": [{"key": "a"}]`},
		{name: "all problems at once", operation: "CREATE", spec: `"tolerations": [{"key": "a", "operator": "exists"}, {"key": "b", "value": true}, {}]`, code: invalid,
			causes: []string{"spec.tolerations[0].operator", "spec.tolerations[1].value", "spec.tolerations[2].key"}, reasons: "NotSupported TypeInvalid Invalid", want: "did you mean Exists?"},
		{name: "R6_with_a_witness", operation: "CREATE", spec: wildcard, code: forbidden,
			causes: []string{"spec.tolerations[0]"}, reasons: "Forbidden", want: `tolerates gpu:NoSchedule, which clause "gpu" denies: contact the ml team`},
		{name: "R6_of_a_namespace", operation: "CREATE", namespace: "ml", spec: wildcard},
		{name: "D5_whitelist", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "a"}, {"key": "b"}, {"operator": "Exists"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]", "spec.tolerations[2]"}, reasons: "Forbidden Forbidden", want: "whitelist"},
		{name: "an update keeps what it had", operation: "UPDATE", spec: wildcard, old: wildcard},
		{name: "an update keeps what it had, in spite of the whitelist", operation: "UPDATE", namespace: "tight", spec: wildcard, old: wildcard},
		{name: "and brings something of the whitelist", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"operator": "Exists"}, {"key": "a"}]`, old: wildcard},
		{name: "or of another list", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"key": "c"}, {"key": "b"}]`, old: `"tolerations": [{"key": "c"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]"}, want: "whitelist"},
		{name: "an update brings what it must not", operation: "UPDATE", spec: wildcard, old: `"tolerations": []`, code: forbidden, causes: []string{"spec.tolerations[0]"}, want: "gpu"},
		{name: "V9", operation: "UPDATE", spec: `"tolerations": []`, old: `"tolerations": [{"key": "a"}]`, code: invalid, reasons: "Forbidden", want: "spec.tolerations"},
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
		var fields, reasons []string
		if r.Status != nil && r.Status.Details != nil {
			for _, c := range r.Status.Details.Causes {
				fields = append(fields, c.Field)
				reasons = append(reasons, strings.TrimPrefix(c.Reason.String(), "FieldValue"))
			}
		}
		if got := strings.Join(reasons, " "); tt.reasons != "" && got != tt.reasons {
			t.Errorf("%s: the reasons are %s, want %s", tt.name, got, tt.reasons)
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
	c := mustConfig(t, `{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}`)
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
	devices := strings.Replace(strings.Replace(many(mostElements, `"e.com/r%d":1`), `"tolerations": [`, `"containers": [{"resources": {"requests": {`, 1), "]", "}}}]", 1)
	for _, tt := range []struct {
		name, operation, spec, old string
		mutate, validate           int // codes, 0 to allow
		patched                    bool
		causes                     int
	}{
		{"as many as may be, no default", "CREATE", many(mostElements, good), "", forbidden, 0, false, 0},
		{"as many as may be with the defaults", "CREATE", many(mostElements-2, good), "", 0, 0, true, 0},
		{"one more", "CREATE", many(mostElements+1, good), "", 0, forbidden, false, 0},
		{"so many devices", "CREATE", devices, "", forbidden, 0, false, 0},
		{"50,000", "CREATE", many(50_000, good), "", 0, forbidden, false, 0},
		{"50,000, all wrong", "CREATE", many(50_000, bad), "", 0, forbidden, false, 0},
		{"as many wrong ones as are read", "CREATE", many(mostElements, bad), "", invalid, invalid, false, mostProblems},
		{"as many wrong ones as are reported", "CREATE", many(mostProblems, bad), "", invalid, invalid, false, mostProblems},
		{"it had them", "UPDATE", many(50_000, good), many(50_000, good), 0, 0, false, 0},
		{"it comes to have them", "UPDATE", many(50_000, good), many(2, good), 0, forbidden, false, 0},
		{"it had fewer, and they are gone", "UPDATE", many(50_000, good), many(mostElements, `{"key":"other%d"}`), 0, forbidden, false, 0},
		{"it had more", "UPDATE", many(2, good), many(50_000, good), 0, forbidden, true, 0},
		{"it had others, as many", "UPDATE", many(mostElements+1, good), many(mostElements+1, `{"key":"other%d"}`), 0, forbidden, false, 0},
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
				if more := strings.Contains(out.Status.Message, "; and 100 more"); more != (tt.name == "as many wrong ones as are read") || !more && strings.Contains(out.Status.Message, "; and ") {
					t.Errorf("%s: %s: %.100s", tt.name, path, out.Status.Message)
				}
			}
			if want != 0 && v.code != want || out.Allowed != (want == 0) || (v.patch != nil) != (tt.patched && path == "mutate") || causes != tt.causes || len(text) > 50_000 {
				t.Errorf("%s: %s: %d, %d bytes of patch, %d causes, %d bytes: %.200s", tt.name, path, v.code, len(v.patch), causes, len(text), text)
			}
		}
	}
}

// What was added once is not added again, an update with it passes, and what
// the pod had is first and unchanged: V9.
func TestAgain(t *testing.T) {
	c := mustConfig(t, `{"defaults": [{"key": "spot", "operator": "Exists"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]}`)
	rapid.Check(t, func(t *rapid.T) {
		before := gen.Tolerations().Draw(t, "tolerations")
		spec := func(list toleration.List) string {
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

func patched(t *rapid.T, patch []byte) (list toleration.List) {
	for _, o := range operations(t, patch) {
		value := o.Value
		if o.Path == "/spec/tolerations/-" {
			value = slices.Concat([]byte("["), value, []byte("]"))
		}
		var some toleration.List
		if err := json.Unmarshal(value, &some); err != nil {
			t.Fatal(err)
		}
		list = append(list, some...)
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
		`{"defaults": [], "defaults": []}`: `["defaults"] is given twice, in lines 1 and 1`,
		"{\"namespaces\": {\n\"ml\": {\"policy\": {\"deny\": []}},\n\"b\": {},\n\"ml\": {}}}":              `["namespaces"]["ml"] is given twice, in lines 2 and 4`,
		"{\"namespaces\": {\"a\": {}},\n\n\"namespaces\": {}}":                                             `["namespaces"] is given twice, in lines 1 and 3`,
		"{\"defaults\": [{}, {\"key\": \"a\",\n\"value\": \"b\", \"value\": [{}], \"k\\u0065y\": \"b\"}]}": `["defaults"][1]["key"] is given twice, in lines 1 and 2`,
		`{"namespaces": {"a": {"policy": {"deny": [], "deny": []}}}}`:                                      `["namespaces"]["a"]["policy"]["deny"] is given twice`,
		`{"notReadySeconds": "soon"}`:                                                                      "notReadySeconds",
		`{"defaults": [{"key": "a", "operation": "Exists"}], "policy": {"deny": [{}]}}`:                    "policy: deny[0]",
		`{"defaults": [{"key": "a", "operation": "Exists"}], "whitelist": [{}]}`:                           `defaults[0]: unknown field "operation"`,
		`{"namespaces": {"b": {"whitelist": [{}]}, "a": {"policy": {"x": 1}}}}`:                            "namespaces[b].whitelist[0]",
		`{"namespaces": {"a": {"notReadySeconds": "1"}}}`:                                                  "notReadySeconds",
		`{} {}`: "after",
	} {
		if c, err := readConfig(strings.NewReader(text)); c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

// The policy that is shipped protects the control plane under both of its keys, and
// nothing else.
func TestShippedPolicy(t *testing.T) {
	c := mustConfig(t, sampleConfig)
	for _, tt := range []struct {
		key     string
		refused bool
	}{
		{"node-role.kubernetes.io/control-plane", true},
		{"node-role.kubernetes.io/master", true},
		{"node-role.kubernetes.io/infra", false},
		{"nvidia.com/gpu", false},
	} {
		spec := `"tolerations": [{"key": "` + tt.key + `", "operator": "Exists", "effect": "NoSchedule"}]`
		if v := c.validate(podRequest("CREATE", "shop", spec, "")); (v.err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.key, v.err)
		}
		if v := c.validate(podRequest("UPDATE", "shop", spec, `"tolerations": []`)); (v.err != nil) != tt.refused {
			t.Errorf("%s, an update: %v", tt.key, v.err)
		}
		if v := c.validate(podRequest("CREATE", "kube-system", spec, "")); v.err != nil {
			t.Errorf("%s in kube-system: %v", tt.key, v.err)
		}
	}
}

// R6: a policy that allows nothing refuses everything, however it is written.
func TestEmptyPolicies(t *testing.T) {
	for _, text := range []string{`{}`, `{"allow": []}`, `{"allow": [], "deny": []}`} {
		for _, file := range []string{`{"policy": ` + text + `}`, `{"namespaces": {"n": {"policy": ` + text + `}}}`} {
			c := mustConfig(t, file)
			if v := c.validate(podRequest("CREATE", "n", `"tolerations": [{"key": "a"}]`, "")); v.err == nil || v.code != forbidden {
				t.Errorf("%s: %v", file, v)
			}
			if v := c.validate(podRequest("CREATE", "n", "", "")); v.err != nil {
				t.Errorf("%s, no tolerations: %v", file, v.err)
			}
		}
	}
	if v := mustConfig(t, `{}`).validate(podRequest("CREATE", "n", `"tolerations": [{"key": "a"}]`, "")); v.err != nil {
		t.Errorf("without a policy: %v", v.err)
	}
}

// An object that gives a field twice, null among it, is refused: neither its
// tolerations nor its taints are known.
func TestRepeated(t *testing.T) {
	c := mustConfig(t, `{"whitelist": [{"key": "a"}]}`)
	many := `"tolerations": [` + strings.Repeat(`{"key": "a"},`, mostElements) + `{"key": "b"}]`
	for _, tt := range []struct{ kind, path, object string }{
		{"Pod", "spec", `{"spec": {"tolerations": [{"operator": "Exists"}]}, "spec": null}`},
		{"Pod", "spec", `{"spec": {"tolerations": [{"operator": "Exists"}]}, "spec": {}}`},
		{"Pod", "spec", `{"spec": null, "spec": {"tolerations": [{"operator": "Exists"}]}}`},
		{"Pod", "spec", `{"spec": {` + many + `}, "spec": {}}`},
		{"Pod", "spec", `{"spec": {}, "spec": {` + many + `}}`},
		{"Pod", "spec.tolerations", `{"spec": {"tolerations": [{"operator": "Exists"}], "tolerations": null}}`},
		{"Pod", "spec.tolerations", `{"spec": {"tolerations": [{"operator": "Exists"}], "tolerations": []}}`},
		{"Node", "spec", `{"spec": {"taints": [{"key": "-"}]}, "spec": null}`},
		{"Node", "spec.taints", `{"spec": {"taints": [{"key": "-"}], "taints": null}}`},
	} {
		for _, r := range []*request{
			{UID: "u", Kind: groupKind{Version: "v1", Kind: tt.kind}, Operation: "CREATE", Object: []byte(tt.object)},
			{UID: "u", Kind: groupKind{Version: "v1", Kind: tt.kind}, Operation: "UPDATE", Object: []byte(tt.object), OldObject: []byte(tt.object)},
			{UID: "u", Kind: groupKind{Version: "v1", Kind: tt.kind}, Operation: "UPDATE", Object: []byte(tt.object), OldObject: []byte(`{}`)},
		} {
			for name, v := range map[string]verdict{"mutate": c.mutate(r), "validate": c.validate(r)} {
				var ps validate.Problems
				if !errors.As(v.err, &ps) || ps[0].Rule != validate.FieldRepeated || ps[0].Path != tt.path {
					t.Errorf("%s of %s %s: %v, want %s repeated", name, r.Operation, tt.object, v.err, tt.path)
				}
			}
		}
	}
	for _, old := range []string{
		`{"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}, "metadata": {}}`,
		`{"metadata": {}, "metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}`,
		`{"metadata": {"deletionTimestamp": null, "deletionTimestamp": "2026-01-02T03:04:05Z"}}`,
	} {
		r := &request{UID: "u", Kind: groupKind{Version: "v1", Kind: "Pod"}, Operation: "UPDATE", Object: []byte(`{}`), OldObject: []byte(old)}
		if v := c.validate(r); v.err == nil || v.code != notOurs {
			t.Errorf("an update of %s: %v", old, v.err)
		}
	}
}
