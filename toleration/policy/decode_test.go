package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

var (
	nilIsEmpty = cmpopts.EquateEmpty()
	// JSON cannot represent text that is not UTF-8.
	sameText = cmp.Comparer(func(a, b string) bool { return strings.ToValidUTF8(a, "\uFFFD") == strings.ToValidUTF8(b, "\uFFFD") })
)

func TestDecode(t *testing.T) {
	p, err := policy.Decode([]byte(`{
	  "allow": [{"name": "n", "message": "m",
	             "taints": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}],
	             "except": [{"key": "k", "value": "v"}, {"key": "k", "operator": "Gt", "value": "5"}],
	             "maxSeconds": -1}],
	  "deny": [{"taints": [{"operator": "Exists"}]}, {"taints": [{"key": "k", "operator": "Equal"}], "except": null, "name": ""}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Spec{
		Allow: []policy.Clause{{Name: "n", Message: "m", Taints: list("k:NoExecute op=Exists"), Except: list("k=v", "k=5 op=Gt"), MaxSeconds: seconds(-1)}},
		Deny:  []policy.Clause{{Taints: list("op=Exists")}, {Taints: list("k op=Equal")}},
	}
	if diff := cmp.Diff(want, p.Spec()); diff != "" {
		t.Errorf("Decode mismatch (-want +got):\n%s", diff)
	}
	for _, nothing := range []string{`{}`, `{"allow": null, "deny": []}`} {
		if p, err := policy.Decode([]byte(nothing)); err != nil || !p.IsZero() {
			t.Errorf("Decode(%s) = %v, %v", nothing, p, err)
		}
	}
	t.Run("R6_mistakes", decodeMistakes)
}

func decodeMistakes(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{``, contract.NotJSON("")},
		{`null`, `must not be null`},
		{`{"denied": [], "Allow": []}`, `unknown field "denied" (allowed: allow, deny)
unknown field "Allow", did you mean allow? (allowed: allow, deny)`},
		{`{"deny": [], "deny": []}`, `deny []: must be given only once`},
		{`{"deny": {}, "allow": "x"}`, `allow "x": must be a list
deny {}: must be a list`},
		{`{"deny": [null, 5, {}], "allow": [null]}`, `allow[0]: must not be null
deny[0]: must not be null
deny[1] 5: must be an object
deny[2].taints: is invalid in a policy: must not be empty`},
		{`{"deny": [{"taints": [{"key": "k", "value": "v"}], "name": 5}], "Allow": []}`, `unknown field "Allow", did you mean allow? (allowed: allow, deny)
deny[0].name 5: must be a string, so put it in quotes
allow: is invalid in a policy: must have a clause if there are deny clauses, since what no clause allows is refused; {"taints": [{"operator": "Exists"}]} allows everything that is not denied`},
		{`{"allow": [{"taints": [{"key": "a", "key": null, "operator": "Exists"}]}]}`, `allow[0].taints[0].key null: must be given only once`},
		{`{"allow": [{"taints": [], "exept": []}]}`, `allow[0]: unknown field "exept", did you mean except? (allowed: name, message, taints, except, maxSeconds)`},
		{`{"allow": [{"taints": {"key": "k"}, "except": [{"key": "-"}, null], "name": 5, "message": true, "maxSeconds": "300"}]}`,
			`allow[0].name 5: must be a string, so put it in quotes
allow[0].message true: must be a string, so put it in quotes
allow[0].taints {"key": "k"}: must be a list
allow[0].except[0].key "-": the name must begin and end with a letter or digit
allow[0].except[1]: must not be null
allow[0].maxSeconds "300": must be a whole number within int64, so write it without quotes: 300`},
		{`{"deny": [{"taints": [{"key": "k", "operator": "exists"}, {"key": "k", "op": "Exists"}]}], "allow": [{"name": "a", "taints": [{"key": "k"}], "maxSeconds": 1.5}]}`,
			`allow[0].maxSeconds 1.5: must be a whole number within int64
allow[0].taints[0].operator: is invalid in a policy: must be set if there is no value: Exists for any value, Equal for the empty value
allow[0].taints[0].effect: is invalid in a policy: must be NoExecute in a clause with maxSeconds
deny[0].taints[0].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
deny[0].taints[1]: unknown field "op" (allowed: key, operator, value, effect, tolerationSeconds)`},
		{`{"allow": [{"taints": [{"key": "k"}, {"key": "-", "operator": "Exists"}, {"key": "-", "operator": "Lt", "value": "x"}], "except": [{"key": "k", "value": "v", "effect": "NoExecute", "tolerationSeconds": 1}, 5]}]}`,
			`allow[0].taints[1].key "-": the name must begin and end with a letter or digit
allow[0].taints[2].key "-": the name must begin and end with a letter or digit
allow[0].taints[2].value "x": must be a decimal integer such as 0, 42 or -7
allow[0].except[1] 5: must be an object
allow[0].taints[0].operator: is invalid in a policy: must be set if there is no value: Exists for any value, Equal for the empty value
allow[0].except[0].tolerationSeconds: is invalid in a policy: must be omitted; use maxSeconds`},
	} {
		p, err := policy.Decode([]byte(tt.file))
		if err == nil || !p.IsZero() {
			t.Errorf("Decode(%s) = %v, %v", tt.file, p, err)
			continue
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Errorf("Decode(%s) mismatch (-want +got):\n%s", tt.file, diff)
		}
	}
}

// A policy in a program's own configuration is read and written like a policy file. If
// a new one cannot be read, the old one is unchanged.
func policyJSON(t *testing.T) {
	type config struct {
		Policy policy.Policy `json:"policy,omitzero"`
	}
	const text = `{"policy":{"allow":[{"name":"n","taints":[{"key":"k","operator":"Exists","effect":"NoExecute"}],"maxSeconds":60}]}}`
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(c); string(got) != text || err != nil {
		t.Errorf("%s, %v, want %s", got, err, text)
	}
	before := c.Policy
	for _, wrong := range []string{`null`, `{"deny": [{}]}`} {
		if err := json.Unmarshal([]byte(`{"policy": `+wrong+`}`), &c); err == nil || c.Policy != before {
			t.Errorf("%s: %v, %v", wrong, c.Policy, err)
		}
	}
	if got, err := json.Marshal([]any{config{}, policy.Policy{}}); string(got) != `[{},{}]` || err != nil {
		t.Errorf("the zero Policy: %s, %v", got, err)
	}
}
