package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/validate"
)

const (
	notReady    = `{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	unreachable = `{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	pressure    = `{"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":"NoSchedule"}`
	gpu         = `{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}`
)

func mustConfig(t testing.TB, text string) *rules.Config {
	t.Helper()
	c, err := rules.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shipped returns the configuration that an operator begins with.
func shipped(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("deploy/config.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func podRequest(operation, namespace, spec, old string) *request {
	r := &request{UID: "u", Kind: groupKind{"", "v1", "Pod"}, Operation: operation, Namespace: namespace,
		Object: json.RawMessage(`{"spec":{` + spec + `}}`), OldObject: json.RawMessage("null")}
	if old != "" || operation == "UPDATE" {
		r.OldObject = json.RawMessage(`{"spec":{` + old + `}}`)
	}
	return r
}

// apply returns the object with a patch of mutate, which only adds to fields of the spec.
func apply(object, patch []byte) (json.RawMessage, error) {
	var pod map[string]any
	var all []operation
	if patch == nil {
		return object, nil
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := errors.Join(d.Decode(&pod), json.Unmarshal(patch, &all)); err != nil {
		return nil, err
	}
	spec, isObject := pod["spec"].(map[string]any)
	if !isObject {
		return nil, errors.New("spec: the pod has none")
	}
	for _, o := range all {
		field, name, inside := strings.Cut(strings.TrimPrefix(o.Path, "/spec/"), "/")
		if !inside {
			spec[field] = o.Value
		} else if in, ok := spec[field].(map[string]any); ok {
			in[strings.ReplaceAll(name, "~1", "/")] = o.Value
		} else {
			list, _ := spec[field].([]any)
			spec[field] = append(list, o.Value)
		}
	}
	return asJSON(pod), nil
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
	c := mustConfig(t, `{"rules": [
		{"namespaces": ["ml", "data"], "tolerations": [{"key": "spot", "operator": "Exists"}]}, {"namespaces": ["plain"], "tolerations": []},
		{"namespaces": ["tight"], "tolerations": [], "policy": {}}, {"tolerations": [{"key": "everywhere"}], "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}]}`)
	everywhere, spot := `{"key":"everywhere"}`, `{"key":"spot","operator":"Exists"}`
	const asks = `"containers": [{"resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "1"}}}]`
	for _, tt := range []struct {
		name, operation, namespace, spec string
		want                             []string
	}{
		{"D1_and_D5_for_every_pod", "CREATE", "shop", "", []string{notReady, unreachable, everywhere}},
		{"D5_of_a_namespace", "CREATE", "ml", "", []string{notReady, unreachable, spot}},
		{"D5_of_another_namespace", "CREATE", "data", "", []string{notReady, unreachable, spot}},
		{"D5_of_a_namespace_without", "CREATE", "plain", "", []string{notReady, unreachable}},
		{"D5_at_creation_only", "UPDATE", "ml", "", []string{notReady, unreachable}},
		{"D3_and_D4_by_what_it_asks_for", "CREATE", "plain", asks, []string{notReady, unreachable, pressure, gpu}},
		{"D3_and_D4_at_updates_too", "UPDATE", "plain", asks, []string{notReady, unreachable, pressure, gpu}},
		{"D1_suppressed", "CREATE", "plain", `"tolerations": [{"key": "node.kubernetes.io/not-ready", "value": "x", "effect": "NoExecute"}]`, []string{unreachable}},
		{"a wildcard covers all except devices", "CREATE", "ml", `"tolerations": [{"operator": "Exists"}], ` + asks, []string{gpu}},
		{"the policy is for /validate", "CREATE", "tight", `"tolerations": [{"key": "b"}]`, []string{notReady, unreachable}},
		{"deletion", "DELETE", "ml", "", nil},
	} {
		v := mutate(c, podRequest(tt.operation, tt.namespace, tt.spec, ""))
		if got := added(t, v); v.err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: adds %v, %v, want %v", tt.name, got, v.err, tt.want)
		}
	}
}

func TestNothingToSay(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}]}`)
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
		for _, judge := range []judge{mutate, check} {
			if v := judge(c, r); v.err != nil || v.patch != nil {
				t.Errorf("%s: %v", name, v)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"namespaces": ["ml"], "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
		{"namespaces": ["tight"], "tolerations": [{"key": "given", "value": "v"}], "policy": {"allow": [{"taints": [{"key": "a", "operator": "Exists"}]}]}},
		{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"name": "gpu", "message": "contact the ml team", "taints": [{"key": "gpu", "operator": "Exists"}]}]}}]}`)
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
		{name: "what the rule adds is allowed", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "given", "value": "v", "effect": "NoSchedule"}]`},
		{name: "but not more", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "given", "operator": "Exists"}]`, code: forbidden, causes: []string{"spec.tolerations[0]"}},
		{name: "and not elsewhere", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "given2", "value": "v"}]`, code: forbidden, causes: []string{"spec.tolerations[0]"}},
		{name: "R6_only_what_is_allowed", operation: "CREATE", namespace: "tight", spec: `"tolerations": [{"key": "a"}, {"key": "b"}, {"operator": "Exists"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]", "spec.tolerations[2]"}, reasons: "Forbidden Forbidden", want: "is not allowed by the policy"},
		{name: "an update keeps what it had", operation: "UPDATE", spec: wildcard, old: wildcard},
		{name: "an update keeps what it had, in spite of a closed policy", operation: "UPDATE", namespace: "tight", spec: wildcard, old: wildcard},
		{name: "and adds what is allowed", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"operator": "Exists"}, {"key": "a"}]`, old: wildcard},
		{name: "or what is not", operation: "UPDATE", namespace: "tight", spec: `"tolerations": [{"key": "c"}, {"key": "b"}]`, old: `"tolerations": [{"key": "c"}]`, code: forbidden,
			causes: []string{"spec.tolerations[1]"}, want: "is not allowed by the policy"},
		{name: "an update brings what it must not", operation: "UPDATE", spec: wildcard, old: `"tolerations": []`, code: forbidden, causes: []string{"spec.tolerations[0]"}, want: "gpu"},
		{name: "V9", operation: "UPDATE", spec: `"tolerations": []`, old: `"tolerations": [{"key": "a"}]`, code: invalid, reasons: "Forbidden", want: "spec.tolerations"},
	} {
		v := check(c, podRequest(tt.operation, tt.namespace, tt.spec, tt.old))
		r := v.response("u", false)
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
				reasons = append(reasons, strings.TrimPrefix(c.Reason, "FieldValue"))
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

func TestNotOurs(t *testing.T) {
	c := mustConfig(t, "{}")
	for _, kind := range []groupKind{{"", "v1", "Service"}, {"", "v1", "Node"}, {"apps", "v1", "Deployment"}, {"", "v2", "Pod"}, {"x", "v1", "Pod"}, {}} {
		r := podRequest("CREATE", "", "", "")
		r.Kind = kind
		for _, judge := range []judge{mutate, check} {
			if v := judge(c, r); v.err == nil || v.code != notOurs {
				t.Errorf("%v: %v", kind, v)
			}
		}
	}
	for _, object := range []string{"", "null", "[]", `{"spec": []}`, `{"spec": {"tolerations": {}}}`} {
		r := podRequest("CREATE", "", "", "")
		r.Object = json.RawMessage(object)
		if v := check(c, r); v.err == nil {
			t.Errorf("object %q: %v", object, v)
		}
	}
}

// A request that says itself that the pod is being deleted is judged as any other.
func TestClaimedDeletion(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}]}`)
	for _, operation := range []string{"CREATE", "UPDATE"} {
		r := podRequest(operation, "", "", "")
		r.Object = json.RawMessage(`{"metadata": {"deletionTimestamp": "2026-10-14T09:00:00Z"}, "spec": {"tolerations": [{"key": "a"}]}}`)
		if v := check(c, r); v.err == nil || v.code != forbidden {
			t.Errorf("%s: %v", operation, v)
		}
		if v := mutate(c, r); v.patch == nil {
			t.Errorf("%s: nothing is added", operation)
		}
	}
	r := podRequest("UPDATE", "", "", "")
	for _, old := range []string{"[]", `{"metadata": 1}`, `{"metadata": []}`} {
		r.OldObject = json.RawMessage(old)
		if v := check(c, r); v.code != notOurs {
			t.Errorf("%s before: %v", old, v)
		}
	}
}

// However long the lists are, the answer is short and takes little; what a pod
// has it keeps.
func TestMany(t *testing.T) {
	c := mustConfig(t, shipped(t))
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
	devices := strings.Replace(strings.Replace(many(rules.MaxTolerations, `"e.com/r%d":1`), `"tolerations": [`, `"containers": [{"resources": {"requests": {`, 1), "]", "}}}]", 1)
	for _, tt := range []struct {
		name, operation, spec, old string
		mutate, validate           int // codes, 0 to allow
		patched                    bool
		causes                     int
	}{
		{"as many as may be, and the defaults", "CREATE", many(rules.MaxTolerations, good), "", 0, forbidden, false, 1},
		{"as many as may be with the defaults", "CREATE", many(rules.MaxTolerations-2, good), "", 0, 0, true, 0},
		{"one more", "CREATE", many(rules.MaxTolerations+1, good), "", 0, forbidden, false, 0},
		{"so many devices", "CREATE", devices, "", 0, forbidden, false, 1},
		{"50,000", "CREATE", many(50_000, good), "", 0, forbidden, false, 0},
		{"50,000, all wrong", "CREATE", many(50_000, bad), "", 0, forbidden, false, 0},
		{"as many wrong ones as are read", "CREATE", many(rules.MaxTolerations, bad), "", invalid, invalid, false, mostProblems},
		{"as many wrong ones as are reported", "CREATE", many(mostProblems, bad), "", invalid, invalid, false, mostProblems},
		{"it had them", "UPDATE", many(50_000, good), many(50_000, good), 0, 0, false, 0},
		{"it comes to have them", "UPDATE", many(50_000, good), many(2, good), 0, forbidden, false, 0},
		{"it had fewer, and they are gone", "UPDATE", many(50_000, good), many(rules.MaxTolerations, `{"key":"other%d"}`), 0, forbidden, false, 0},
		{"it had more", "UPDATE", many(2, good), many(50_000, good), 0, forbidden, true, 0},
		{"it had others, as many", "UPDATE", many(rules.MaxTolerations+1, good), many(rules.MaxTolerations+1, `{"key":"other%d"}`), 0, forbidden, false, 0},
	} {
		r := podRequest(tt.operation, "", tt.spec, tt.old)
		for path, v := range map[string]verdict{"mutate": mutate(c, r), "validate": check(c, r)} {
			want := map[string]int{"mutate": tt.mutate, "validate": tt.validate}[path]
			out := v.response("u", false)
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
			if want != 0 && v.code != want || out.Allowed != (want == 0) || (v.patch != nil) != (tt.patched && path == "mutate") || want != 0 && causes != tt.causes || len(text) > 50_000 {
				t.Errorf("%s: %s: %d, %d bytes of patch, %d causes, %d bytes: %.200s", tt.name, path, v.code, len(v.patch), causes, len(text), text)
			}
		}
	}
}

// What was added once is not added again, an update with it passes, and what
// the pod had is first and unchanged: V9.
func TestAgain(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"tolerations": [{"key": "spot", "operator": "Exists"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
		"nodeSelector": {"example.com/pool": "spot", "os": ""}}]}`)
	rapid.Check(t, func(t *rapid.T) {
		before := gen.Tolerations().Draw(t, "tolerations")
		list, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		selector := rapid.SampledFrom([]string{"", `"nodeSelector": null, `, `"nodeSelector": {}, `, `"nodeSelector": {"example.com/pool": "spot", "a": "b"}, `, `"nodeSelector": {"os": ""}, `}).Draw(t, "selector")
		r := podRequest("CREATE", "", fmt.Sprintf(`%s"containers": [{"resources": {"requests": {"cpu": "1", "example.com/x": "1"}}}], "tolerations": %s`, selector, list), "")
		v := mutate(c, r)
		if v.err != nil {
			t.Fatal(v.err)
		}
		u := *r
		u.Operation, u.OldObject = "UPDATE", r.Object
		if u.Object, err = apply(r.Object, v.patch); err != nil {
			t.Fatal(err)
		}
		if v := check(c, &u); v.err != nil {
			t.Errorf("an update with what was added: %v", v.err)
		}
		u.OldObject = u.Object
		for _, u.Operation = range []string{"CREATE", "UPDATE"} {
			for _, again := range []verdict{mutate(c, &u), check(c, &u)} {
				if again.err != nil || again.patch != nil {
					t.Errorf("%s again: %v, %s", u.Operation, again.err, again.patch)
				}
			}
		}
	})
}

// A rule's labels are added to the node selector, and nothing of the pod's own changes.
func TestNodeSelector(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"namespaces": ["ml"], "nodeSelector": {"dedicated": "gpu", "example.com/pool": "a"}}, {"namespaces": ["none"], "nodeSelector": {}}]}`)
	const dedicated, pool, whole = `add /spec/nodeSelector/dedicated "gpu"`, `add /spec/nodeSelector/example.com~1pool "a"`, `add /spec/nodeSelector {"dedicated":"gpu","example.com/pool":"a"}`
	const present = `"dedicated": "gpu", "example.com/pool": "a"`
	for _, tt := range []struct {
		name, namespace, spec string
		patch                 []string
		code                  int // of /validate
		want                  string
	}{
		{"absent", "ml", ``, []string{whole}, forbidden, `spec.nodeSelector[dedicated]: must be "gpu"`},
		{"null", "ml", `"nodeSelector": null`, []string{whole}, forbidden, "must be"},
		{"empty", "ml", `"nodeSelector": {}`, []string{dedicated, pool}, forbidden, "must be"},
		{"others", "ml", `"nodeSelector": {"a": "b"}`, []string{dedicated, pool}, forbidden, "must be"},
		{"one of them", "ml", `"nodeSelector": {"dedicated": "gpu"}`, []string{pool}, forbidden, `spec.nodeSelector[example.com/pool]: must be "a"`},
		{"both", "ml", `"nodeSelector": {"a": "b", ` + present + `}`, nil, 0, ""},
		{"a different value", "ml", `"nodeSelector": {"dedicated": "cpu"}`, []string{pool}, forbidden, `spec.nodeSelector[dedicated] "cpu": pods of this namespace or group are for nodes with the label dedicated=gpu; omit the field or use "gpu"`},
		{"two", "ml", `"nodeSelector": {"dedicated": "", "example.com/pool": "b"}`, nil, forbidden, `spec.nodeSelector[example.com/pool] "b"`},
		{"a null label", "ml", `"nodeSelector": {"dedicated": null}`, nil, invalid, `spec.nodeSelector["dedicated"]`},
		{"not a string", "ml", `"nodeSelector": {"dedicated": {}}`, nil, invalid, `spec.nodeSelector["dedicated"]`},
		{"not an object", "ml", `"nodeSelector": ["gpu"]`, nil, invalid, "spec.nodeSelector"},
		{"repeated", "ml", `"nodeSelector": {"dedicated": "gpu", ` + present + `}`, nil, invalid, `spec.nodeSelector["dedicated"]`},
		{"too many to read", "ml", `"nodeSelector": {` + strings.Repeat(`"a": "b", `, mostParts) + present + `}`, nil, invalid, "more than 50000"},
		{"another namespace", "shop", `"nodeSelector": {"dedicated": "cpu"}`, nil, 0, ""},
		{"a rule without labels", "none", ``, nil, 0, ""},
	} {
		r := podRequest("CREATE", tt.namespace, strings.TrimSuffix(`"tolerations": [{"operator": "Exists"}], `+tt.spec, ", "), "")
		change, v := mutate(c, r), check(c, r)
		if (v.err == nil) != (tt.want == "") || v.err != nil && (v.code != tt.code || !strings.Contains(v.response("u", false).Status.Message, tt.want)) {
			t.Errorf("%s: %d %v, want %d %q", tt.name, v.code, v.err, tt.code, tt.want)
		}
		var patch []string
		for _, o := range operations(t, change.patch) {
			patch = append(patch, o.Op+" "+o.Path+" "+string(o.Value))
		}
		if (change.err != nil) != (tt.code == invalid) || !slices.Equal(patch, tt.patch) {
			t.Errorf("%s: %q, %v, want %q", tt.name, patch, change.err, tt.patch)
		}
		r.Operation, r.OldObject = "UPDATE", r.Object // the API server keeps a node selector
		if v := check(c, r); v.err != nil && tt.code != invalid {
			t.Errorf("%s: an update: %v", tt.name, v.err)
		}
	}
}

// The webhook agrees with package rules, whatever it does in two steps.
func TestVerdicts(t *testing.T) {
	var tables []struct {
		File  json.RawMessage
		Cases []struct {
			Name, Namespace string
			Groups, Spec    json.RawMessage
			Refused         []string
			Warn            bool
		}
	}
	text, err := os.ReadFile("../internal/rules/testdata/verdicts.json")
	if err == nil {
		err = json.Unmarshal(text, &tables)
	}
	if err != nil || len(tables) == 0 {
		t.Fatal(err)
	}
	for _, table := range tables {
		c := mustConfig(t, string(table.File))
		for _, tt := range table.Cases {
			if tt.Groups == nil {
				tt.Groups = json.RawMessage("null")
			}
			user := fmt.Sprintf(`{"namespace": %q, "userInfo": {"username": "gpu-users", "groups": %s}, "uid"`, tt.Namespace, tt.Groups)
			r, err := decodeReview([]byte(strings.Replace(review(`{"spec": `+string(tt.Spec)+`}`), `{"uid"`, user, 1)))
			if err != nil {
				t.Fatal(tt.Name, err)
			}
			change := mutate(c, r)
			if r.Object, err = apply(r.Object, change.patch); err != nil || change.err != nil {
				t.Fatal(tt.Name, err, change.err)
			}
			v := check(c, r)
			var want []string
			for _, refused := range tt.Refused {
				path, clause, _ := strings.Cut(refused, " ")
				if want = append(want, clause); !strings.Contains(v.err.Error(), path) {
					t.Errorf("%s: %v, want %s", tt.Name, v.err, path)
				}
			}
			if want = slices.Compact(want); !slices.Equal(v.clauses, want) || (v.err != nil) != (want != nil) {
				t.Errorf("%s: refused by %q, %v, want %q", tt.Name, v.clauses, v.err, want)
			}
		}
	}
}

// The policy that is shipped protects the control plane under both of its keys, and
// begins with what it refuses of usual DaemonSets.
func TestShippedPolicy(t *testing.T) {
	text := shipped(t)
	c := mustConfig(t, text)
	for _, tt := range []struct {
		toleration string
		refused    bool
	}{
		{`"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"`, true},
		{`"key": "node-role.kubernetes.io/master", "operator": "Exists"`, true},
		{`"key": "node-role.kubernetes.io/infra", "operator": "Exists"`, false},
		{`"key": "nvidia.com/gpu", "operator": "Exists"`, false},
		{`"operator": "Exists"`, true},
	} {
		spec := `"tolerations": [{` + tt.toleration + `}]`
		if v := check(c, podRequest("CREATE", "shop", spec, "")); (v.err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.toleration, v.err)
		}
		if v := check(c, podRequest("CREATE", "kube-system", spec, "")); v.err != nil {
			t.Errorf("%s in kube-system: %v", tt.toleration, v.err)
		}
	}
	if first, _, _ := strings.Cut(text, `"rules"`); !strings.Contains(first, "Wildcards") || !strings.Contains(first, "DaemonSets") {
		t.Errorf("the file begins with %s", first)
	}
}

// An object that gives a field twice, null among it, is refused: its tolerations are
// not known.
func TestRepeated(t *testing.T) {
	c := mustConfig(t, `{"rules": [{"policy": {"allow": [{"taints": [{"key": "a", "value": "b"}]}]}}]}`)
	for _, tt := range []struct{ path, object string }{
		{"spec", `{"spec": {"tolerations": [{"operator": "Exists"}]}, "spec": null}`},
		{"spec", `{"spec": {"tolerations": [{"operator": "Exists"}]}, "spec": {}}`},
		{"spec", `{"spec": null, "spec": {"tolerations": [{"operator": "Exists"}]}}`},
		{"spec.tolerations", `{"spec": {"tolerations": [{"operator": "Exists"}], "tolerations": null}}`},
		{"spec.tolerations", `{"spec": {"tolerations": [{"operator": "Exists"}], "tolerations": []}}`},
	} {
		for _, operation := range []string{"CREATE", "UPDATE"} {
			r := &request{UID: "u", Kind: groupKind{Version: "v1", Kind: "Pod"}, Operation: operation, Object: []byte(tt.object), OldObject: []byte(tt.object)}
			for name, v := range map[string]verdict{"mutate": mutate(c, r), "validate": check(c, r)} {
				var ps validate.Problems
				if !errors.As(v.err, &ps) || ps[0].Rule != validate.FieldRepeated || ps[0].Path != tt.path {
					t.Errorf("%s of %s %s: %v, want %s repeated", name, r.Operation, tt.object, v.err, tt.path)
				}
			}
		}
	}
}
