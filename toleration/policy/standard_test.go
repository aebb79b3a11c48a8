package policy_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

const standardFile = `{
	"allow": [
		{"name": "gpu", "taints": [{"key": "gpu", "operator": "Exists"}]},
		{"taints": [{"key": "short", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 60}
	],
	"deny": [{"message": "contact the owners", "taints": [{"key": "gpu", "operator": "Equal", "value": "a100"}]}]
}`

func verdictContract(t *testing.T) {
	p := problem.Must(policy.Decode([]byte(standardFile)))
	samples := []policy.Verdict{{}}
	for _, text := range []string{"gpu=h100", "gpu=a100", "other", "short:NoExecute op=Exists for 30s", "short:NoExecute op=Exists for 90s"} {
		samples = append(samples, p.Judge(toleration.MustParse(text)))
	}
	contract.Result[policy.Verdict]{Samples: samples}.Test(t)
}

// Policies with the same clauses are equal, however they were made, and go-cmp agrees.
// A change of any field makes them different.
func policyEqual(t *testing.T) {
	files := []string{
		`{}`,
		standardFile,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists"}]}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists"}], "name": "n"}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists"}], "message": "m"}]}`,
		`{"allow": [{"taints": [{"key": "l", "operator": "Exists"}]}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists"}], "except": [{"key": "k", "operator": "Equal", "value": "v"}]}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}]}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 0}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}], "maxSeconds": 1}]}`,
		`{"allow": [{"taints": [{"key": "k", "operator": "Exists"}]}], "deny": [{"taints": [{"key": "k", "operator": "Exists"}]}]}`,
	}
	read := func(data string) policy.Policy { return problem.Must(policy.Decode([]byte(data))) }
	for i, a := range files {
		for j, b := range files {
			p, q := read(a), read(b)
			if got := p.Equal(q); got != (i == j) || cmp.Equal(p, q) != got {
				t.Errorf("(%v).Equal(%v) = %v, and go-cmp says %v", p, q, got, cmp.Equal(p, q))
			}
		}
		p := read(a)
		if q := read(p.String()); !q.Equal(p) || fmt.Sprint(p) != p.String() {
			t.Errorf("%v is read back as %v", p, q)
		}
	}
}
