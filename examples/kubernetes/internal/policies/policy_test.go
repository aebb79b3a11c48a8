package policies

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

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
	{"namespaces": ["trial"], "warn": true, "denyNodeName": true},
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
	{"namespaces": ["ml"], "warn": true},
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
	shipped, err := os.ReadFile("../../../kubectl-tolerate/rules.yaml")
	if err == nil {
		shipped, err = yaml.ToJSON(shipped)
	}
	if err != nil {
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

func newSubject(t *testing.T, text string, options enforce.Options, branches *coverage, change func(objects string) string) subject {
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
	text = encoded.String()
	if change != nil {
		text = change(text)
	}
	var list []fields
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if change == nil {
		if err := checkVersion(list, 29); err != nil {
			t.Errorf("Kubernetes 1.30 refuses: %v", err)
		}
	}
	server, err := newServer(list, branches)
	if err != nil {
		t.Fatalf("%v\nof %s", err, text)
	}
	return subject{options, c, list, server}
}

func decodePod(t *testing.T, object any) (*corev1.Pod, runtime.Object) {
	t.Helper()
	internal := decode(t, object)
	pod := new(corev1.Pod)
	if err := legacyscheme.Scheme.Convert(internal, pod, nil); err != nil {
		t.Fatal(err)
	}
	return pod, internal
}

func decode(t *testing.T, object any) runtime.Object {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	internal, err := decodeText(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return internal
}

// compare returns how an answer to a request differs from that of the rules; "" if it does not.
func (s subject) compare(t *testing.T, r request) string {
	t.Helper()
	settings := s.rules.For(r.Namespace, r.Groups)
	got := s.server.admit(t.Context(), r.call)
	completed := new(corev1.Pod)
	if err := legacyscheme.Scheme.Convert(got.Object, completed, nil); err != nil {
		t.Fatal(err)
	}
	judged := r.judged(t, completed)
	tolerations, selector := tolerationsOf(t, r.pod), maps.Clone(r.pod.Spec.NodeSelector)
	if r.old == nil && !judged.Mirror && !s.NoMutation {
		if plain := slices.DeleteFunc(slices.Clone(tolerations), toleration.Toleration.IsNumeric); len(tolerations) <= rules.MaxTolerations {
			tolerations = append(tolerations, cover.Merge(plain, settings.Tolerations)[len(plain):]...)
		}
		for label, value := range settings.NodeSelector {
			if _, ok := selector[label]; !ok {
				if selector == nil {
					selector = map[string]string{}
				}
				selector[label] = value
			}
		}
	}
	if !slices.Equal(judged.Tolerations, tolerations) || !maps.Equal(judged.NodeSelector, selector) {
		return fmt.Sprintf("completed to %v %v, want %v %v", judged.Tolerations, judged.NodeSelector, tolerations, selector)
	}
	want, policy := messages(settings, judged, settings.Check(judged), "spec."), "tolerate"
	if settings.Warns() {
		policy = "tolerate-warn"
	}
	var said []string
	for name, decisions := range s.server.decisions {
		for _, d := range decisions {
			if d.Evaluation == validating.EvalError || d.Action == validating.ActionDeny && name != policy {
				return fmt.Sprintf("%s: %v", name, d)
			} else if d.Action == validating.ActionDeny {
				said = append(said, d.Message)
			}
		}
	}
	if !slices.Equal(said, want) {
		return fmt.Sprintf("said %q\nwant %q", said, want)
	}
	if refused := got.Err != nil; refused != (want != nil && !settings.Warns()) || refused && !strings.Contains(got.Err.Error(), "denied request: "+want[0]) {
		return fmt.Sprintf("refused: %v, want %q", got.Err, want)
	}
	if settings.Warns() && len(got.Warnings) != len(want) || !settings.Warns() && got.Warnings != nil {
		return fmt.Sprintf("warned %q, want %q", got.Warnings, want)
	}
	var clauses []string
	for _, refusal := range settings.Check(judged) {
		switch {
		case refusal.Clause == "":
			clauses = append(clauses, "tolerations")
		case !strings.HasPrefix(refusal.Problem.Path, "spec.nodeSelector"):
			clauses = append(clauses, refusal.Clause)
		case !slices.Contains(clauses, "nodeSelector"):
			clauses = append(clauses, "nodeSelector")
		}
	}
	if noted := got.Annotations["tolerate-warn/refused"]; settings.Warns() && noted != strings.Join(clauses, ", ") && len(clauses) <= 10 {
		return fmt.Sprintf("noted %q, want %q", noted, clauses)
	}
	return ""
}

// messages returns what the policies say about refusals.
func messages(s rules.Settings, p rules.Pod, refusals []rules.Refusal, path string) (all []string) {
	var labels, tolerations []string
	for _, label := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		labels = append(labels, label+"="+s.NodeSelector[label])
	}
	for _, r := range refusals {
		switch {
		case r.Index >= 0:
			u, taint := p.Tolerations[r.Index], ""
			if u.Key() != "" && u.Effect() != 0 && (u.Operator() == 0 || u.Operator() == toleration.Equal) {
				if taint = " " + u.Key(); u.Value() != "" {
					taint += "=" + u.Value()
				}
				taint += ":" + u.Effect().String()
			}
			tolerations = append(tolerations, fmt.Sprintf("%stolerations[%d]%s: %s %s", path, r.Index, taint, r.Clause, r.Reason))
		case r.Clause == "":
			all = append(all, "more than 200 tolerations, with those that are added, are too many")
		case strings.HasPrefix(r.Problem.Path, "spec.nodeName"):
			all = append(all, fmt.Sprintf("%snodeName %s, by %s", path, r.Reason, r.Clause))
		case labels != nil:
			all, labels = append(all, fmt.Sprintf("%snodeSelector must have %s, by %s", path, strings.Join(labels, ", "), r.Clause)), nil
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
	return all
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
			s := newSubject(t, text, completing, nil, nil)
			d, refused := newDrawer(1, s.rules), 0
			for range n {
				r := d.request(t)
				if difference := s.compare(t, r); difference != "" {
					t.Fatalf("%s\n%s", difference, r.text)
				}
				for _, decisions := range s.server.decisions {
					if slices.ContainsFunc(decisions, func(d validating.PolicyDecision) bool { return d.Action == validating.ActionDeny }) {
						refused++
					}
				}
			}
			t.Logf("%d pods, %d refused", n, refused)
			if refused < n/10 || refused > n*9/10 {
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
		text := ""
		for d := newDrawer(uint64(i), new(rules.Config)); ; {
			text = d.file()
			if _, err := rules.Decode([]byte(text)); err == nil {
				break
			}
		}
		s := newSubject(t, text, completing, nil, nil)
		d := newDrawer(uint64(i), s.rules)
		for range 200 {
			r := d.request(t)
			if difference := s.compare(t, r); difference != "" {
				t.Fatalf("%s\n%s\nof %s", difference, r.text, text)
			}
		}
	}
}

// compareTemplate is compare for a template.
func (s subject) compareTemplate(t *testing.T, r request, path string, judged bool) string {
	t.Helper()
	settings := s.rules.For(r.Namespace, nil)
	p := rules.Pod{
		Tolerations: tolerationsOf(t, r.pod), NodeSelector: r.pod.Spec.NodeSelector, NodeName: r.pod.Spec.NodeName, HostNetwork: r.pod.Spec.HostNetwork,
		Manifest: true, Daemon: r.Kind.Kind == "DaemonSet",
	}
	if s.NoMutation { // what is absent is not added, so it is like another value
		p.NodeSelector = maps.Clone(p.NodeSelector)
		for label := range settings.NodeSelector {
			if _, ok := p.NodeSelector[label]; !ok {
				if p.NodeSelector == nil {
					p.NodeSelector = map[string]string{}
				}
				p.NodeSelector[label] = "absent"
			}
		}
	}
	var want []string
	if judged {
		for _, text := range messages(settings, p, settings.Check(p), path) {
			want = append(want, "Validation failed for ValidatingAdmissionPolicy 'tolerate-templates' with binding 'tolerate-templates': "+text)
		}
	}
	got := s.server.admit(t.Context(), r.call)
	for _, d := range s.server.decisions["tolerate-templates"] {
		if d.Evaluation == validating.EvalError {
			return d.Message
		}
	}
	if got.Err != nil || !slices.Equal(got.Warnings, want) || !reflect.DeepEqual(got.Object, r.Object) {
		return fmt.Sprintf("%v, warned %q\nwant %q", got.Err, got.Warnings, want)
	}
	return ""
}

// Random templates of all kinds are judged as by the rules, and never refused.
func TestPolicies_templates(t *testing.T) {
	t.Parallel()
	n := 10_000
	if testing.Short() {
		n = 500
	}
	for name, text := range files(t) {
		s := newSubject(t, text, completing, nil, nil)
		d := newDrawer(3, s.rules)
		for range n {
			r, path, judged := d.workload(t)
			if difference := s.compareTemplate(t, r, path, judged); difference != "" {
				t.Fatalf("%s: %s\n%s", name, difference, r.text)
			}
		}
	}
}

// Each condition of the expressions was true, and was false.
func TestPolicies_branches(t *testing.T) {
	t.Parallel()
	branches := new(coverage)
	for name, text := range files(t) {
		for _, options := range []enforce.Options{completing, {Name: "tolerate", NoMutation: true}} {
			s := newSubject(t, text, options, branches, nil)
			d := newDrawer(2, s.rules)
			d.long = 40
			mutating, err := newServer(slices.DeleteFunc(slices.Clone(s.objects), func(o fields) bool { return !strings.HasPrefix(o["kind"].(string), "Mutating") }), branches)
			if err != nil {
				t.Fatal(err)
			}
			for range 1500 {
				// The API server validates a pod only after it was completed.
				d.invalid = true
				r := d.request(t)
				if d.invalid = false; r.old == nil {
					if err := mutating.admit(t.Context(), r.call).Err; err != nil {
						t.Fatalf("%v\n%s", err, r.text)
					}
				}
				r = d.request(t)
				if difference := s.compare(t, r); difference != "" {
					t.Fatalf("%s: %s\n%s", name, difference, r.text)
				}
				r, path, judged := d.workload(t)
				if difference := s.compareTemplate(t, r, path, judged); difference != "" {
					t.Fatalf("%s: %s\n%s", name, difference, r.text)
				}
			}
		}
	}
	for _, missed := range branches.missed() {
		if strings.Contains(missed, ": variables.spec.hostNetwork in") && strings.HasSuffix(missed, ": false false, true true") {
			continue // the API omits false
		}
		t.Errorf("%s … %s", missed[:100], missed[len(missed)-100:])
	}
}
