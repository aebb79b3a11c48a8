package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func TestJudge(t *testing.T) {
	var tables []struct {
		File  json.RawMessage
		Cases []struct {
			Name, Namespace string
			Groups          []string
			Spec            json.RawMessage
			Refused         []string // path, and clause
			Warn            bool
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
			s := c.For(tt.Namespace, tt.Groups)
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

// An update keeps what the pod had, and its node selector.
func TestSettings_Check_update(t *testing.T) {
	s := mustDecode(t, `{"rules": [{"nodeSelector": {"a": "b"}, "policy": {}}]}`).For("", nil)
	pod, err := rules.DecodePod([]byte(`{"spec": {"tolerations": [{"key": "c"}, {"key": "d"}]}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	pod.Update, pod.Old = true, toleration.List{pod.Tolerations[0]}
	if refused := s.Check(pod); len(refused) != 1 || refused[0].Index != 1 {
		t.Errorf("refused %+v", refused)
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
		`{"rules": [{"a": 1}]}`:                 `rules[0]: unknown field "a" (allowed: namespaces, groups, tolerations, nodeSelector, policy, denyNodeName, warn)`,
		`{"rules": [], "rules": [` + all + `]}`: "rules",
		`{"rules": [{"groups": ["a"], "\u0067roups": ["b"]}]}`:                                     "rules[0].groups",
		`{"rules": [{"groups": []}]}`:                                                              "rules[0].groups: must be a list of names",
		`{"rules": [{"groups": null}]}`:                                                            "rules[0].groups: must not be null",
		`{"rules": [{"namespaces": "a"}]}`:                                                         "rules[0].namespaces: must be a list of names",
		`{"rules": [{"namespaces": ["a", null]}]}`:                                                 "rules[0].namespaces: must be a list of names",
		`{"rules": [{"policy": null}]}`:                                                            "rules[0].policy: must not be null",
		`{"rules": [{"policy": {"deny": [{}]}}]}`:                                                  "rules[0].policy.deny[0]",
		`{"rules": [{"policy": {"deny": [], "deny": []}}]}`:                                        "rules[0].policy.deny",
		`{"rules": [{"policy": {"x": 1}}]}`:                                                        `rules[0].policy: unknown field "x"`,
		`{"rules": [{"nodeSelector": {"a": 1}}]}`:                                                  `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a": null}}]}`:                                               `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a": "b", "a": "c"}}]}`:                                      `rules[0].nodeSelector["a"]`,
		`{"rules": [{"nodeSelector": {"a b": "c"}}]}`:                                              `rules[0].nodeSelector["a b"]`,
		`{"rules": [{"nodeSelector": {"a": "-"}}]}`:                                                `rules[0].nodeSelector["a"]`,
		`{"rules": [{"tolerations": [{"key": "a", "operation": "Exists"}]}]}`:                      `rules[0].tolerations[0]: unknown field "operation"`,
		`{"rules": [{}, {"tolerations": [{}]}]}`:                                                   "rules[1].tolerations[0].key",
		`{"rules": [{"groups": ["a"], "policy": {}}]}`:                                             "rules: no policy is for all pods",
		`{"rules": [` + all + `, {"groups": ["a"], "policy": {}}]}`:                                "rules[1].policy: never applies, since rules[0].policy is for all pods",
		`{"rules": [` + all + `, ` + all + `]}`:                                                    "rules[1].policy: never applies",
		`{"rules": [{"tolerations": []}, {"namespaces": ["a"], "tolerations": []}]}`:               "rules[1].tolerations: never applies",
		`{"rules": [{"nodeSelector": {}}, {"namespaces": ["a"], "nodeSelector": {}}]}`:             "rules[1].nodeSelector: never applies",
		`{"rules": [{"tolerations": [` + strings.Repeat(`{"key": "a"},`, 200) + `{"key": "a"}]}]}`: "rules[0].tolerations: more than 200 are too many",
		`{"rules": [{"namespaces": ["a", "team-*"]}]}`:                                             `rules[0].namespaces[1]: "team-*" is not the name of a namespace`,
		`{"rules": [{"groups": ["system:serviceaccounts"]}]}`:                                      "rules[0].groups[0]: the controllers that create the pods of workloads are in system:serviceaccounts",
		`{"rules": [{"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9007199254740993}]}]}`: "rules[0].tolerations[0].tolerationSeconds: must be at most 2^53",
		`{"rules": [{"warn": "yes"}]}`:                                  "rules[0].warn: must be true or false",
		`{"rules": [{"warn": true}, {"groups": ["a"], "warn": false}]}`: "rules[1].warn: never applies, since rules[0].warn is for all pods",
		`{"description": 1, "rules": [{"x": 1}]}`:                       "description 1: must be a string",
		`{"notReadySeconds": 300, "rules": [{"x": 1}]}`:                 `unknown field "x"`,
	} {
		if _, err := rules.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}
