package policy_test

import (
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
			return
		}
		rules := p.Spec()
		again, err := policy.Decode([]byte(p.String()))
		if diff := cmp.Diff(rules, again.Spec(), nilIsEmpty, sameText); err != nil || diff != "" {
			t.Errorf("%v: %v (-want +got):\n%s", p, err, diff)
		}
		u, err := toleration.Parse(text)
		if err == nil && len(tolerationsOf(rules, u)) < 20 {
			check(t, rules, p, u)
		}
	})
}
