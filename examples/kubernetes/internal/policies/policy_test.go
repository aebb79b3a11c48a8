package policies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// manyRules has every setting: clauses that cover a toleration together, exceptions, seconds.
const manyRules = `{"rules": [
	{"namespaces": ["kube-system"], "groups": ["admins"], "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}, "nodeSelector": {}, "tolerations": []},
	{"groups": ["admins"], "denyNodeName": false, "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]},
	{"namespaces": ["ml", "data"], "tolerations": [{"key": "gpu"}, {"key": "pool", "value": "ml", "effect": "NoSchedule"}, {"key": "spot", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}],
	 "nodeSelector": {"pool": "ml", "example.com/disk": "ssd"}, "denyNodeName": true},
	{"namespaces": ["data"], "warn": true, "policy": {"allow": [{"name": "team", "message": "ask the team", "taints": [{"key": "pool", "value": "data"}]}]}},
	{"groups": ["users"], "warn": false, "nodeSelector": {"pool": "users"}},
	{"name": "trial", "namespaces": ["trial"], "warn": true, "denyNodeName": true},
	{"namespaceSelector": {"matchLabels": {"team": "a"}, "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["prod", ""]}]}, "users": ["ann"], "nodeSelector": {"pool": "a"},
	 "tolerations": [{"key": "node.kubernetes.io/disk-pressure", "operator": "Exists", "effect": "NoExecute"}, {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 600}]},
	{"namespaceSelector": {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, "denyNodeName": true,
	 "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}, {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 100}]},
	{"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "In", "values": ["b", ""]}]}, "nodeSelector": {"pool": "b"}},
	{"policy": {
		"allow": [
			{"taints": [{"key": "pool", "operator": "Exists", "effect": "NoSchedule"}]},
			{"taints": [{"key": "pool", "operator": "Exists", "effect": "NoExecute"}], "except": [{"key": "pool", "value": "ml"}], "maxSeconds": 3600},
			{"taints": [{"key": "spot", "operator": "Equal"}, {"key": "spot", "value": "a"}]},
			{"taints": [{"key": "spot", "operator": "Exists"}], "except": [{"key": "spot", "operator": "Equal"}, {"key": "spot", "value": "a"}]},
			{"name": "short", "message": "for a minute", "taints": [{"operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 60}],
		"deny": [
			{"name": "gpu", "message": "join users", "taints": [{"key": "gpu", "operator": "Exists"}], "except": [{"key": "gpu", "value": "shared"}]},
			{"taints": [{"key": "pool", "effect": "NoExecute", "value": "old"}], "maxSeconds": 10}]}}]}`

// secondsRules is about time alone.
const secondsRules = `{"rules": [
	{"namespaces": ["ml"], "warn": true, "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 400}, {"key": "a", "value": "x", "effect": "NoExecute"}]},
	{"policy": {
		"allow": [
			{"taints": [{"key": "a", "operator": "Equal", "effect": "NoExecute"}], "maxSeconds": 0},
			{"taints": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 299},
			{"taints": [{"key": "b", "operator": "Exists"}]}],
		"deny": [
			{"name": "hour", "taints": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 3600},
			{"name": "long", "taints": [{"key": "b", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 9223372036854775806},
			{"name": "never", "taints": [{"key": "a", "value": "x", "effect": "NoExecute"}], "maxSeconds": 0}]}}]}`

// files are those of the tests.
func files(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../../kubectl-tolerate/rules.yaml")
	shipped, invalid := yaml.ToJSON(text)
	if err := errors.Join(err, invalid); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"shipped": string(shipped), "many": manyRules, "seconds": secondsRules}
}

// A subject is a file of rules, and a server with its policies.
type subject struct {
	enforce.Options
	rules   *rules.Config
	objects []fields
	server  *server
}

var completing = enforce.Options{Name: "tolerate"}

func newSubject(t *testing.T, text string, options enforce.Options, change func(objects string) string) subject {
	t.Helper()
	c, err := rules.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	objects, err := enforce.Compile(c, options)
	if err != nil {
		t.Fatal(err)
	}
	var encoded bytes.Buffer
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	if err := e.Encode(objects.List); err != nil {
		t.Fatal(err)
	}
	if text = encoded.String(); change != nil {
		text = change(text)
	}
	var list []fields
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if change == nil { // as an API server of the oldest version compiles them, new
		mutates := func(o fields) bool { return strings.HasPrefix(o["kind"].(string), "Mutating") }
		if _, err := newServer(slices.DeleteFunc(slices.Clone(list), mutates), 29, environment.NewExpressions); err != nil {
			t.Errorf("Kubernetes 1.30 refuses: %v", err)
		}
		if _, err := newServer(list, 35, environment.NewExpressions); err != nil {
			t.Errorf("Kubernetes 1.36 refuses: %v", err)
		}
	}
	server, err := newServer(list, 36, environment.StoredExpressions)
	if err != nil {
		t.Fatalf("%v\nof %s", err, text)
	}
	return subject{options, c, list, server}
}

// check fails the test if an answer differs from that of the rules.
func (s subject) check(t *testing.T, r request) {
	t.Helper()
	if difference := s.compare(t, r); difference != "" {
		t.Fatalf("%s\n%s", difference, r)
	}
}

// compare returns how the answer to a request differs from that of the rules; "" if it does not.
func (s subject) compare(t *testing.T, r request) string {
	t.Helper()
	got := s.server.admit(t.Context(), r.call)
	for name, decisions := range s.server.decisions {
		for _, d := range decisions {
			if d.Evaluation == validating.EvalError {
				return name + ": " + d.Message
			}
		}
	}
	settings, completed := s.settings(r), podOf(got.object)
	judged := r.judged(completed)
	tolerations, selector := tolerationsOf(r.pod), map[string]string{}
	if r.old == nil && !judged.Mirror && !s.NoMutation {
		if plain := slices.DeleteFunc(slices.Clone(tolerations), toleration.Toleration.IsNumeric); len(tolerations) <= rules.MaxTolerations {
			tolerations = append(tolerations, cover.Merge(plain, settings.Tolerations)[len(plain):]...)
			maps.Copy(selector, settings.NodeSelector)
		}
	}
	if maps.Copy(selector, r.pod.Spec.NodeSelector); !slices.Equal(judged.Tolerations, tolerations) || !maps.Equal(judged.NodeSelector, selector) {
		return fmt.Sprintf("completed to %v %v, want %v %v", judged.Tolerations, judged.NodeSelector, tolerations, selector)
	}
	want, clauses := messages(settings, judged)
	var said []string
	for name, decisions := range s.server.decisions {
		for _, d := range decisions {
			if d.Action == validating.ActionDeny {
				if said = append(said, d.Message); (name == "tolerate-warn") != settings.Warns() {
					return fmt.Sprintf("%s says %q", name, said)
				}
			}
		}
	}
	if !slices.Equal(said, want) {
		return fmt.Sprintf("said %q\nwant %q", said, want)
	}
	if refused := got.err != nil; refused != (want != nil && !settings.Warns()) || refused && !strings.Contains(got.err.Error(), "denied request: "+want[0]) {
		return fmt.Sprintf("refused: %v, want %q", got.err, want)
	}
	if settings.Warns() && len(got.warnings) != len(want) || !settings.Warns() && got.warnings != nil {
		return fmt.Sprintf("warned %q, want %q", got.warnings, want)
	}
	if noted := got.annotations["tolerate-warn/refused"]; settings.Warns() && noted != strings.Join(clauses, ", ") {
		return fmt.Sprintf("noted %q, want %q", noted, clauses)
	}
	return ""
}

// settings returns those for a request.
func (s subject) settings(r request) rules.Settings {
	settings, _ := s.rules.For(rules.Request{Namespace: r.Namespace, Labels: r.Labels, User: r.User, Groups: r.Groups})
	return settings
}

// messages returns what the policies say about a pod, and the clauses that they note.
func messages(s rules.Settings, p rules.Pod) (all, clauses []string) {
	var labels, tolerations []string
	for _, label := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		labels = append(labels, label+"="+s.NodeSelector[label])
	}
	for _, r := range s.Check(p) {
		switch {
		case r.Index >= 0:
			u, taint := p.Tolerations[r.Index], ""
			if u.Key() != "" && u.Effect() != 0 && (u.Operator() == 0 || u.Operator() == toleration.Equal) {
				if taint = " " + u.Key(); u.Value() != "" {
					taint += "=" + u.Value()
				}
				taint += ":" + u.Effect().String()
			}
			if tolerations = append(tolerations, fmt.Sprintf("spec.tolerations[%d]%s: %s %s", r.Index, taint, r.Clause, r.Reason)); len(tolerations) <= 10 {
				clauses = append(clauses, r.Clause)
			}
		case r.Clause == "":
			all, clauses = append(all, "more than 200 tolerations, with those that are added, are too many"), append(clauses, "tolerations")
		case strings.HasPrefix(r.Problem.Path, "spec.nodeName"):
			all, clauses = append(all, fmt.Sprintf("spec.nodeName %s, by %s", r.Reason, r.Clause)), append(clauses, r.Clause)
		case labels != nil:
			all, clauses = append(all, fmt.Sprintf("spec.nodeSelector must have %s, by %s", strings.Join(labels, ", "), r.Clause)), append(clauses, r.Clause)
			labels = nil
		}
	}
	if n := len(tolerations); n > 0 {
		text := strings.Join(tolerations[:min(n, 10)], "; ")
		if len(text) > 3000 {
			text = text[:3000] + "…"
		}
		if n > 10 {
			text += fmt.Sprintf("; and %d more", n-10)
		}
		all = append(all, text)
	}
	return all, clauses
}

// Random pods are completed and judged as by the rules.
func TestPolicies_pods(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	for name, text := range files(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSubject(t, text, completing, nil)
			d, refused := newDrawer(1, s.rules), 0
			for range n {
				r := d.request()
				s.check(t, r)
				if len(s.settings(r).Check(r.judged(r.pod))) > 0 {
					refused++
				}
			}
			if t.Logf("%d pods, %d refused", n, refused); refused < n/10 || refused > n*9/10 {
				t.Error("too few for a conclusion")
			}
		})
	}
}

// So are those of random rules.
func TestPolicies_rules(t *testing.T) {
	t.Parallel()
	n := 500
	if testing.Short() {
		n = 10
	}
	for i := range n {
		var text string
		for d, err := newDrawer(uint64(i), new(rules.Config)), error(nil); text == "" || err != nil; {
			text = d.file()
			_, err = rules.Decode([]byte(text))
		}
		s := newSubject(t, text, completing, nil)
		d := newDrawer(uint64(i), s.rules)
		for range 200 {
			s.check(t, d.request())
		}
	}
}

// Policies that do not complete pods judge as the rules, too. Those that do complete also pods
// that the API server finds invalid later.
func TestPolicies_options(t *testing.T) {
	t.Parallel()
	for _, text := range files(t) {
		for _, options := range []enforce.Options{completing, {Name: "tolerate", NoMutation: true}} {
			s := newSubject(t, text, options, nil)
			mutations := slices.DeleteFunc(slices.Clone(s.objects), func(o fields) bool { return !strings.HasPrefix(o["kind"].(string), "Mutating") })
			mutating, err := newServer(mutations, 36, environment.StoredExpressions)
			if err != nil {
				t.Fatal(err)
			}
			d := newDrawer(2, s.rules)
			d.long = 40
			for range 1500 {
				s.check(t, d.request())
				d.invalid = true // the API server validates a pod only after it was completed
				if r := d.request(); r.old == nil {
					if err := mutating.admit(t.Context(), r.call).err; err != nil {
						t.Fatalf("%v\n%s", err, r)
					}
				}
				d.invalid = false
			}
		}
	}
}
