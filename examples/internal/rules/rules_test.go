package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

func TestJudge(t *testing.T) {
	var tables []struct {
		File  json.RawMessage
		Cases []struct {
			Name, Namespace, User string
			Labels                map[string]string
			Groups                []string
			Spec                  json.RawMessage
			Refused               []string // path, and clause
			Warn                  bool
		}
	}
	text, err := os.ReadFile("testdata/verdicts.json")
	if err == nil {
		err = json.Unmarshal(text, &tables)
	}
	if err != nil || len(tables) == 0 {
		t.Fatal(err)
	}
	for _, table := range tables {
		c, err := rules.Decode(table.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range table.Cases {
			pod, err := rules.DecodePod([]byte(`{"spec": `+string(tt.Spec)+`}`), "")
			if err != nil {
				t.Fatal(tt.Name, err)
			}
			s, known := c.For(rules.Request{Namespace: tt.Namespace, Labels: tt.Labels, User: tt.User, Groups: tt.Groups})
			if !known {
				t.Error(tt.Name, "depends on labels")
			}
			var got []string
			pod.Manifest = true
			for _, r := range s.Check(pod) {
				got = append(got, r.Problem.Path+" "+r.Clause)
				if r.Index >= 0 && r.Problem.Path != fmt.Sprintf("spec.tolerations[%d]", r.Index) {
					t.Errorf("%s: index %d of %s", tt.Name, r.Index, r.Problem.Path)
				}
			}
			if !slices.Equal(got, tt.Refused) || s.Warns() != tt.Warn {
				t.Errorf("%s: %q, warn %v, want %q, %v", tt.Name, got, s.Warns(), tt.Refused, tt.Warn)
			}
		}
	}
}

func mustDecode(t *testing.T, text string) *rules.Config {
	t.Helper()
	c, err := rules.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An update keeps what the pod had, for no longer, and its node selector. What it had covers
// nothing else, and nothing together with what the rule adds.
func TestSettings_Check_update(t *testing.T) {
	s, _ := mustDecode(t, `{"rules": [{"nodeSelector": {"a": "b"}, "policy": {}, "tolerations": [{"key": "p", "effect": "NoSchedule"}, {"key": "p", "effect": "PreferNoSchedule"}]}]}`).For(rules.Request{})
	old := toleration.MustParseList("c,cores=8 op=Gt,d:NoExecute op=Exists for 60s,e:NoExecute op=Exists,p:NoExecute,g op=Exists")
	for text, allowed := range map[string]bool{
		"c": true, "c op=Equal": false, "c:NoSchedule": false, "x": false,
		"cores=8 op=Gt": true, "cores op=Exists": false, "cores=9 op=Gt": false,
		"d:NoExecute op=Exists for 60s": true, "d:NoExecute op=Exists for 59s": true, "d:NoExecute op=Exists for 61s": false, "d:NoExecute op=Exists": false,
		"e:NoExecute op=Exists for 3600s": true, "p": false, "p:NoExecute": true, "g=1": false,
	} {
		pod := rules.Pod{Update: true, Old: old, Tolerations: toleration.List{toleration.MustParse(text)}}
		if refused := s.Check(pod); (refused == nil) != allowed {
			t.Errorf("%s: refused %+v", text, refused)
		}
	}
}

// Exists and DoesNotExist have no values, also if the list is there.
func TestDecode_selector(t *testing.T) {
	c := mustDecode(t, `{"rules": [{"namespaceSelector": {"matchLabels": {"b": "c"}, "matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": []}]}, "policy": {}}, {"policy": {}}]}`)
	want := rules.Selector{{Key: "b", Operator: "In", Values: []string{"c"}}, {Key: "a", Operator: "DoesNotExist"}}
	if diff := cmp.Diff(want, c.Rules[0].Selector); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// The settings of a pod are not known without the labels of its namespace, unless the rules before
// have them.
func TestConfig_For_labels(t *testing.T) {
	c := mustDecode(t, `{"rules": [{"namespaces": ["kube-system"], "policy": {}, "nodeSelector": {}}, {"groups": ["g"], "namespaceSelector": {"matchLabels": {"a": "b"}}, "warn": true, "nodeSelector": {}},
		{"namespaceSelector": {"matchLabels": {"a": "b"}}, "nodeSelector": {"pool": "b"}}, {"policy": {}}]}`)
	for _, tt := range []struct {
		request rules.Request
		known   bool
	}{
		{rules.Request{Namespace: "shop"}, false},
		{rules.Request{Namespace: "shop", Labels: map[string]string{}}, true},
		{rules.Request{Namespace: "kube-system"}, true},
		{rules.Request{Namespace: "kube-system", Groups: []string{"g"}}, false},
	} {
		if _, known := c.For(tt.request); known != tt.known {
			t.Errorf("%+v: known %v", tt.request, known)
		}
	}
	if !c.Selects() || !c.Namespaced() {
		t.Error("no rule depends on labels")
	}
}

// A policy that closes nodes is open for pods that name their node, unless denyNodeName is true
// for all pods that it refuses.
func TestConfig_Open(t *testing.T) {
	const deny, all = `"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"key": "gpu", "operator": "Exists"}]}]}`, `"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}`
	for text, want := range map[string]string{
		`{` + all + `}`: "",
		`{"groups": ["g"], ` + deny + `}, {` + all + `}, {"namespaceSelector": {"matchLabels": {"team": "a"}}, "denyNodeName": false}`: "unset rules[0]; off rules[2]",
		`{` + deny + `}`:                        "unset rules[0]",
		`{"name": "closed", ` + deny + `}`:      "unset closed",
		`{"policy": {}}`:                        "unset rules[0]",
		`{` + deny + `, "denyNodeName": true}`:  "",
		`{` + deny + `, "denyNodeName": false}`: "off rules[0]",
		`{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"key": "gpu", "operator": "Exists", "effect": "NoExecute"}]}]}}`:        "",
		`{"namespaces": ["a"], ` + deny + `}, {` + all + `, "denyNodeName": true}`:                                                                                  "",
		`{"namespaces": ["a", "b"], ` + deny + `}, {"namespaces": ["a"], "denyNodeName": true}, {` + all + `}`:                                                      "unset rules[0]",
		`{"namespaces": ["a"], "denyNodeName": false}, {` + deny + `, "denyNodeName": true}`:                                                                        "off rules[0]",
		`{"namespaces": ["a"], "denyNodeName": false, ` + all + `}, {` + deny + `, "denyNodeName": true}`:                                                           "",
		`{"groups": ["g"], ` + deny + `}, {` + all + `}`:                                                                                                            "unset rules[0]",
		`{"groups": ["g"], ` + deny + `}, {"namespaces": ["a"], "denyNodeName": false}, {` + all + `, "denyNodeName": true}`:                                        "off rules[1]",
		`{"users": ["u"], "namespaces": ["a"], ` + deny + `}, {"namespaces": ["a"], "denyNodeName": true}, {` + all + `}`:                                           "",
		`{"namespaceSelector": {"matchLabels": {"a": "b"}}, "denyNodeName": true}, {"namespaceSelector": {"matchLabels": {"a": "b"}}, ` + deny + `}, {` + all + `}`: "",
		`{"namespaceSelector": {"matchLabels": {"a": "b"}}, "denyNodeName": true}, {"namespaceSelector": {"matchLabels": {"a": "c"}}, ` + deny + `}, {` + all + `}`: "unset rules[1]",
	} {
		unset, off := mustDecode(t, `{"rules": [`+text+`]}`).Open()
		var got []string
		if unset != nil {
			got = append(got, "unset "+strings.Join(unset, ", "))
		}
		if off != nil {
			got = append(got, "off "+strings.Join(off, ", "))
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: open %s, want %s", text, got, want)
		}
	}
}

func TestDecodePod(t *testing.T) {
	for text, want := range map[string]string{
		`{"spec": {"nodeSelector": ["gpu"]}}`:              "spec.nodeSelector",
		`{"spec": {"nodeSelector": {"a": 1}}}`:             `spec.nodeSelector["a"]`,
		`{"spec": {"nodeSelector": {"a": null}}}`:          `spec.nodeSelector["a"]`,
		`{"spec": {"nodeSelector": {"a": "b", "a": "b"}}}`: `spec.nodeSelector["a"]`,
		`{"spec": {"tolerations": [{}]}}`:                  "spec.tolerations[0].key",
		`{"spec": 1}`:                                      "spec",
		``:                                                 "",
	} {
		_, err := rules.DecodePod([]byte(text), "template")
		var ps validate.Problems
		if !errors.As(err, &ps) || len(ps) != 1 || ps[0].Path != strings.TrimSuffix("template."+want, ".") {
			t.Errorf("%s: %v, want a problem at template.%s", text, err, want)
		}
	}
	for _, text := range []string{`{}`, `{"spec": null}`, `{"spec": {"nodeSelector": null}}`} {
		if pod, err := rules.DecodePod([]byte(text), ""); err != nil || pod.NodeSelector != nil || pod.NodeName != "" || pod.HostNetwork {
			t.Errorf("%s: %v, %v", text, pod.NodeSelector, err)
		}
	}
}

func TestDecode(t *testing.T) {
	const all = `{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}`
	for text, want := range map[string]string{
		``:                                      "end of JSON",
		`[]`:                                    "must be an object",
		`null`:                                  "must not be null",
		`{} {}`:                                 "after",
		`{"whitelist": []}`:                     `unknown field "whitelist"`,
		`{"Rules": []}`:                         `unknown field "Rules"`,
		`{"rules": {}}`:                         "rules",
		`{"rules": null}`:                       "rules: must not be null",
		`{"rules": [null]}`:                     "rules[0]",
		`{"rules": [{"a": 1}]}`:                 `rules[0]: unknown field "a" (allowed: name, namespaces, namespaceSelector, users, groups, tolerations, nodeSelector, policy, denyNodeName, warn)`,
		`{"rules": [], "rules": [` + all + `]}`: "rules",
		`{"rules": [{"groups": ["a"], "\u0067roups": ["b"]}]}`:                                    "rules[0].groups",
		`{"rules": [{"groups": []}]}`:                                                             "rules[0].groups: must be a list of names",
		`{"rules": [{"groups": null}]}`:                                                           "rules[0].groups: must not be null",
		`{"rules": [{"namespaces": "a"}]}`:                                                        "rules[0].namespaces: must be a list of names",
		`{"rules": [{"namespaces": ["a", null]}]}`:                                                "rules[0].namespaces[1]: must not be null",
		`{"rules": [{"policy": null}]}`:                                                           "rules[0].policy: must not be null",
		`{"rules": [{"policy": {"deny": [{}]}}]}`:                                                 "rules[0].policy.deny[0]",
		`{"rules": [{"policy": {"deny": [], "deny": []}}]}`:                                       "rules[0].policy.deny",
		`{"rules": [{"policy": {"x": 1}}]}`:                                                       `rules[0].policy: unknown field "x"`,
		`{"rules": [{"nodeSelector": {"a": 1}}]}`:                                                 `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a": null}}]}`:                                              `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a": "b", "a": "c"}}]}`:                                     `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a b": "c"}}]}`:                                             `rules[0].nodeSelector["a b"]`,
		`{"rules": [{"nodeSelector": {"a": "-"}}]}`:                                               `rules[0].nodeSelector["a"]`,
		`{"rules": [{"tolerations": [{"key": "a", "operation": "Exists"}]}]}`:                     `rules[0].tolerations[0]: unknown field "operation"`,
		`{"rules": [{}, {"tolerations": [{}]}]}`:                                                  "rules[1].tolerations[0].key",
		`{"rules": [{"groups": ["a"], "policy": {}}]}`:                                            "rules: no policy is for all pods",
		`{"rules": [` + all + `, {"groups": ["a"], "policy": {}}]}`:                               "rules[1].policy: never applies, since rules[0].policy is for all pods",
		`{"rules": [` + all + `, ` + all + `]}`:                                                   "rules[1].policy: never applies",
		`{"rules": [{"tolerations": []}, {"namespaces": ["a"], "tolerations": []}]}`:              "rules[1].tolerations: never applies",
		`{"rules": [{"nodeSelector": {}}, {"namespaces": ["a"], "nodeSelector": {}}]}`:            "rules[1].nodeSelector: never applies",
		`{"rules": [{"tolerations": [` + strings.Repeat(`{"key": "a"},`, 50) + `{"key": "a"}]}]}`: "rules[0].tolerations: more than 50 are too many",
		`{"rules": [{"namespaces": ["a", "team-*"]}]}`:                                            `rules[0].namespaces[1]: "team-*" is not the name of a namespace`,
		`{"rules": [{"groups": ["system:serviceaccounts"]}]}`:                                     "rules[0].groups[0]: the controllers that create the pods of workloads are in system:serviceaccounts",
		`{"rules": [{"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9007199254740993}]}]}`: "rules[0].tolerations[0].tolerationSeconds: must be at least -2^53 and at most 2^53",
		`{"rules": [{"warn": "yes"}]}`:                                  "rules[0].warn: must be true or false",
		`{"rules": [{"warn": true}, {"groups": ["a"], "warn": false}]}`: "rules[1].warn: never applies, since rules[0].warn is for all pods",
		`{"description": 1, "rules": [{"x": 1}]}`:                       "description 1: must be a string",
		`{}`:                            "rules: has no rule",
		`{"description": "for nobody"}`: "rules: has no rule",
		`{"rules": []}`:                 "rules: has no rule",
		`{"rules": [{}]}`:               "rules[0]: has no setting except warn",
		`{"rules": [{"namespaces": ["trial"], "warn": true}, ` + all + `]}`:                                               "rules[0]: has no setting except warn",
		`{"rules": [{"name": "a b", "policy": {}}]}`:                                                                      `rules[0].name: "a b" must have 1 to 63`,
		`{"rules": [{"name": "", "policy": {}}]}`:                                                                         `rules[0].name: "" must have 1 to 63`,
		`{"rules": [{"name": "a", "groups": ["a"], "policy": {}}, {"name": "a", "policy": {}}]}`:                          `rules[1].name: "a" is the name of another rule`,
		`{"rules": [{"users": ["system:serviceaccount:kube-system:replicaset-controller"], "policy": {}}]}`:               "rules[0].users[0]: such accounts create the pods of workloads",
		`{"rules": [{"users": ["a", "system:kube-controller-manager"], "policy": {}}]}`:                                   "rules[0].users[1]: such accounts",
		`{"rules": [{"users": ["ci-*"], "policy": {}}]}`:                                                                  `rules[0].users[0]: patterns are not supported`,
		`{"rules": [{"users": ["system:serviceaccount:ci:*"], "policy": {}}]}`:                                            `rules[0].users[0]: patterns are not supported`,
		`{"rules": [{"users": ["system:serviceaccount:ci"], "policy": {}}]}`:                                              `"system:serviceaccount:ci" must be system:serviceaccount:NAMESPACE:NAME`,
		`{"rules": [{"users": ["system:serviceaccounts:ci"], "policy": {}}]}`:                                             `"system:serviceaccounts:ci" is a group; write it in groups`,
		`{"rules": [{"groups": ["oidc:*"], "policy": {}}]}`:                                                               `rules[0].groups[0]: patterns are not supported`,
		`{"rules": [{"groups": ["system:serviceaccount:ci:runner"], "policy": {}}]}`:                                      `"system:serviceaccount:ci:runner" is a user; write it in users`,
		`{"rules": [{"namespaces": [false, "se"], "policy": {}}]}`:                                                        "rules[0].namespaces[0] false: must be a string, so put it in quotes",
		`{"rules": [{"groups": [1001], "policy": {}}]}`:                                                                   "rules[0].groups[0] 1001: must be a string, so put it in quotes",
		`{"rules": [{"users": [], "policy": {}}]}`:                                                                        "rules[0].users: must be a list of names",
		`{"rules": [{"users": ["a"], "policy": {}}]}`:                                                                     "rules: no policy is for all pods; add one, without namespaces, namespaceSelector, users, groups,",
		`{"rules": [{"namespaceSelector": {}, "policy": {}}]}`:                                                            "rules[0].namespaceSelector: must have matchLabels or matchExpressions",
		`{"rules": [{"namespaceSelector": {"matchLabels": {}}, "policy": {}}]}`:                                           "rules[0].namespaceSelector: must have matchLabels",
		`{"rules": [{"namespaceSelector": {"matchLabels": {"a": "b"}}, "namespaces": ["a"], "policy": {}}]}`:              "rules[0]: has namespaces and namespaceSelector",
		`{"rules": [{"namespaceSelector": {"matchLabels": {"a b": "-"}}}]}`:                                               `rules[0].namespaceSelector.matchLabels["a b"]`,
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a"}]}}]}`:                                        `rules[0].namespaceSelector.matchExpressions[0].operator: must be given`,
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Not"}]}}]}`:                     `matchExpressions[0].operator: "Not" must be In`,
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}}]}`:     `matchExpressions[0].operator: "Gt" must be In`,
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "in", "values": ["1"]}]}}]}`:     `matchExpressions[0].operator: "in" must be In`,
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}]}`:                      "matchExpressions[0].values: must have a value for In",
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["1"]}]}}]}`: "matchExpressions[0].values: must be omitted for Exists",
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": [1]}]}}]}`:       "matchExpressions[0].values[0] 1: must be a string, so put it in quotes",
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"operator": "Exists"}]}}]}`:                              "matchExpressions[0].key: must be given",
		`{"rules": [{"namespaceSelector": {"matchLabel": {"a": "b"}}, "policy": {}}]}`:                                    `rules[0].namespaceSelector: unknown field "matchLabel"`,
		`{"notReadySeconds": 300, "rules": [{"x": 1}]}`:                                                                   `unknown field "x"`,
	} {
		if _, err := rules.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

// Each mistake of a file is reported, and none that is a consequence of another.
func TestDecode_all(t *testing.T) {
	for text, want := range map[string][]string{
		// Exists with a value, and Gt.
		`{"rules": [{"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}, {"key": "c", "operator": "Gt", "value": "1"}], "warn": 1}]}`: {
			"rules[0].tolerations[0].value", "rules[0].tolerations[1]", "rules[0].warn"},
		`{"rules": [{"policy": {"allow": [{"taints": [{"key": "a", "operator": "Lt", "value": "1"}]}], "deny": [{"taints": [{"key": "a", "operator": "Exists", "value": "b"}], "except": [{"key": "a", "operator": "Gt", "value": "1"}]}]}}]}`: {
			"rules[0].policy.deny[0].taints[0].value", "rules[0].policy.allow[0].taints[0]", "rules[0].policy.deny[0].except[0]"},
		// Of a rule that is misspelt it is not known to which pods it applies, and what it sets.
		`{"rules": [{"namespace": ["a"], "policy": {}}, {"policy": {}}]}`:   {"rules[0]"},
		`{"rules": [{"namespaces": null, "policy": {}}, {"policy": {}}]}`:   {"rules[0].namespaces"},
		`{"rules": [{"namespaces": ["A"], "policy": {}}, {"policy": {}}]}`:  {"rules[0].namespaces[0]"},
		`{"rules": [{"namespaces": ["a"], "policy": {}}, {"polices": {}}]}`: {"rules[1]"},
		`{"rules": [1, {"groups": [], "policy": {"allow": 1}}]}`:            {"rules[0]", "rules[1].groups", "rules[1].policy.allow"},
		`{"Rules": []}`: {""},
		`{"rules": [{"policy": {"allow": [{"taints": [{"key": null, "operator": "Exists"}], "maxSeconds": null}], "deny": null}}]}`: {
			"rules[0].policy.allow[0].maxSeconds", "rules[0].policy.allow[0].taints[0].key", "rules[0].policy.deny"},
		`{"rules": [{"tolerations": [{"key": null, "operator": "Exists"}]}]}`: {"rules[0].tolerations[0].key"},
		`{"rules": [{"namespaces": [null], "policy": {}}, {"policy": {}}]}`:   {"rules[0].namespaces[0]"},
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": "k", "operator": "In", "values": [null]}]}, "policy": {}}, {"policy": {}}]}`: {
			"rules[0].namespaceSelector.matchExpressions[0].values[0]"},
		`{"rules": [{"policy": null, "warn": true}]}`:                    {"rules[0].policy"},
		`{"rules": [{"groups": ["a"], "policy": {}}, {"policy": null}]}`: {"rules[1].policy"},
		`{"rules": [{"name": 5, "policy": {}}]}`:                         {"rules[0].name"},
		`{"rules": [{"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}, {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9007199254740993}]}]}`: {
			"rules[0].tolerations[0].value", "rules[0].tolerations[1].tolerationSeconds"},
		`{"rules": [{"namespaces": ["a"], "namespaceSelector": {}, "policy": {}}, {"policy": {}}]}`: {"rules[0].namespaceSelector", "rules[0]"},
		`{"rules": [{"namespaceSelector": {"matchExpressions": [{"key": 5, "operator": "in", "values": ["a"]}, {"operator": "In", "values": [1]}]}, "policy": {}}, {"policy": {}}]}`: {
			"rules[0].namespaceSelector.matchExpressions[0].key", "rules[0].namespaceSelector.matchExpressions[0].operator",
			"rules[0].namespaceSelector.matchExpressions[1].values[0]", "rules[0].namespaceSelector.matchExpressions[1].key"},
	} {
		_, err := rules.Decode([]byte(text))
		var found validate.Problems
		errors.As(err, &found)
		var paths []string
		for _, p := range found {
			paths = append(paths, p.Path)
		}
		if !slices.Equal(paths, want) {
			t.Errorf("%s: problems at %q, want %q:\n%v", text, paths, want, err)
		}
	}
}

// What covers a toleration, by all taints that it can tolerate: those of the rule and of Kubernetes,
// together, and of the old object only the same for longer.
func TestSettings_Check_covers(t *testing.T) {
	const seed = 20261129
	draw := rand.New(rand.NewPCG(1, seed))
	pick := func(texts ...string) string { return texts[draw.IntN(len(texts))] }
	unreachable, pressure := "node.kubernetes.io/unreachable", "node.kubernetes.io/disk-pressure"
	toleration1 := func(numeric bool) toleration.Toleration {
		for {
			text := pick("", "a", "a", "b", unreachable, pressure)
			text += pick("", "", "=7", "=x")
			text += pick("", ":NoSchedule", ":PreferNoSchedule", ":NoExecute", ":NoExecute")
			text += pick("", "", " op=Equal", " op=Exists", " op=Exists")
			if numeric && draw.IntN(8) == 0 {
				text = pick("a", unreachable) + pick("=7", "=8") + pick("", ":NoExecute") + pick(" op=Lt", " op=Gt")
			}
			text += pick("", "", " for 0s", " for 60s", " for 300s", " for 301s", " for -5s")
			if u, err := toleration.Parse(text); err == nil {
				return u
			}
		}
	}
	some := func(numeric bool) (list toleration.List) {
		for range draw.IntN(5) {
			list = append(list, toleration1(numeric))
		}
		return list
	}
	var taints []taint.Taint
	for _, key := range []string{"a", "b", "other", unreachable, pressure, "node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure", "node.kubernetes.io/network-unavailable"} {
		for _, value := range []string{"", "7", "x", "other"} {
			for _, effect := range []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute} {
				taints = append(taints, problem.Must(taint.New(key, value, effect)))
			}
		}
	}
	seconds := func(u toleration.Toleration) int64 {
		if n, timed := u.Seconds(); timed {
			return max(n, 0)
		}
		return math.MaxInt64
	}
	covered := func(u toleration.Toleration, by toleration.List) bool {
		for _, t := range taints {
			wide := u.Key() == t.Key() && u.IsNumeric() && (u.Effect() == 0 || u.Effect() == t.Effect())
			if u.Tolerates(t) || wide {
				if !slices.ContainsFunc(by, func(v toleration.Toleration) bool {
					return v.Tolerates(t) && (t.Effect() != taint.NoExecute || seconds(v) >= seconds(u))
				}) {
					return false
				}
			}
		}
		return true
	}
	accepted := 0
	for i := range 30_000 {
		own, old, pod := some(false), some(true), rules.Pod{Tolerations: some(true), Update: draw.IntN(2) == 0, Daemon: draw.IntN(3) == 0, HostNetwork: draw.IntN(2) == 0}
		constant := append(toleration.MustParseList("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s,node.kubernetes.io/memory-pressure:NoSchedule op=Exists"), own...)
		if pod.Daemon {
			constant = append(constant, toleration.MustParseList("node.kubernetes.io/not-ready:NoExecute op=Exists,node.kubernetes.io/unreachable:NoExecute op=Exists,node.kubernetes.io/disk-pressure:NoSchedule op=Exists,node.kubernetes.io/memory-pressure:NoSchedule op=Exists,node.kubernetes.io/pid-pressure:NoSchedule op=Exists,node.kubernetes.io/unschedulable:NoSchedule op=Exists")...)
			if pod.HostNetwork {
				constant = append(constant, toleration.MustParse("node.kubernetes.io/network-unavailable:NoSchedule op=Exists"))
			}
		}
		if pod.Update {
			pod.Old = old
		}
		var want, got []int
		for j, u := range pod.Tolerations {
			kept := slices.ContainsFunc(pod.Old, func(o toleration.Toleration) bool {
				return o.Key() == u.Key() && o.Operator() == u.Operator() && o.Value() == u.Value() && o.Effect() == u.Effect() && seconds(o) >= seconds(u)
			})
			if !kept && !covered(u, constant) {
				want = append(want, j)
			} else {
				accepted++
			}
		}
		if pod.Update && slices.Equal(pod.Old, pod.Tolerations) {
			want = nil
		}
		for _, r := range (rules.Settings{Tolerations: own, Policy: new(policy.Policy)}).Check(pod) {
			got = append(got, r.Index)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, case %d: rule %v, pod %+v: refused %v, want %v", seed, i, own, pod, got, want)
		}
	}
	if accepted < 10_000 {
		t.Error("too few for a conclusion:", accepted)
	}
}
