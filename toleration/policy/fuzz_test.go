package policy_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// FuzzJudge searches, among the clauses that TestJudge/R6_property draws, for a
// toleration that is allowed although it tolerates a taint that no pod may tolerate.
func FuzzJudge(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzDecode reads policy files, and compares the policy with what it writes.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{
		`{}`,
		`{"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"key": "node-role.kubernetes.io/master", "operator": "Exists"}]}]}`,
		`{"allow": [{"taints": [{"key": "a", "key": null, "operator": "Exists"}], "taints": null}]}`,
		`{"allow": [{"taints": [{"key": "cores", "operator": "Gt", "value": "16"}, {"key": "cores", "operator": "Lt", "value": "3"}]}],
		  "deny": [{"name": "n", "taints": [{"operator": "Exists", "effect": "NoExecute"}], "except": [{"key": "cores", "value": "20"}], "maxSeconds": 5}]}`,
		`{"deny": [{"taints": [{"key": "dedicated"}]}, null], "allow": 5, "Deny": []}`,
		`{"deny": [{"taints": [{"key": "k", "operator": "Exists"}], "maxSeconds": "5", "name": 7, "except": {}}]}`,
	} {
		f.Add([]byte(file), "cores=19 op=Gt")
		f.Add([]byte(file), ":NoExecute op=Exists for 6s")
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		p, err := policy.Decode(file)
		if err != nil {
			var problems validate.Problems
			if !errors.As(err, &problems) || len(problems) == 0 || !p.IsZero() {
				t.Errorf("Decode: %#v with %#v", p, err)
			}
			for _, problem := range problems {
				if problem.Rule == 0 {
					t.Errorf("Decode: %#v", problem)
				}
			}
			return
		}
		rules := p.Spec()
		written, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		again, err := policy.Decode(written)
		if err != nil {
			t.Fatalf("Decode(%s): %v", written, err)
		}
		if diff := cmp.Diff(rules, again.Spec(), nilIsEmpty, sameText); diff != "" {
			t.Errorf("%s (-want +got):\n%s", written, diff)
		}
		u, err := toleration.Parse(text)
		if err == nil && len(tolerationsOf(rules, u)) < 20 {
			check(t, rules, p, u)
		}
	})
}
