package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// FuzzEscape searches, among the rules that TestR6_property draws, for a
// toleration that is allowed and yet tolerates a taint that must not be.
func FuzzEscape(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
	f.Fuzz(rapid.MakeFuzz(property))
}

// FuzzDecode searches for escapes from policy files, and holds what is read
// against what is written.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{
		`{}`,
		`{"deny": [{"taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]}]}`,
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
				if problem.Rule == 0 && problem.Err == nil {
					t.Errorf("Decode: %#v", problem)
				}
			}
			return
		}
		rules := p.Rules()
		written, err := json.Marshal(rules)
		if err != nil {
			t.Fatal(err)
		}
		again, err := policy.Decode(written)
		if err != nil {
			t.Fatalf("Decode(%s): %v", written, err)
		}
		if diff := cmp.Diff(rules, again.Rules(), opaque, nilIsEmpty, sameText); diff != "" {
			t.Errorf("%s (-want +got):\n%s", written, diff)
		}
		u, err := toleration.Parse(text)
		if err == nil && len(tolerationsOf(rules, u)) < 20 {
			check(t, rules, p, u)
		}
	})
}
