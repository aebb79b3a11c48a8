package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

func seconds(n int64) *int64 { return &n }

// everything allows all that is not denied.
var everything = []policy.Clause{{Taints: list("op=Exists")}}

func TestJudge(t *testing.T) {
	const unreachable = "node.kubernetes.io/unreachable:NoExecute op=Exists"
	rule := func(taints ...string) policy.Clause { return policy.Clause{Taints: list(taints...)} }
	except := func(r policy.Clause, taints ...string) policy.Clause {
		r.Except = list(taints...)
		return r
	}
	atMost := func(n int64, r policy.Clause) policy.Clause {
		r.MaxSeconds = &n
		return r
	}
	deny := func(rules ...policy.Clause) policy.Spec { return policy.Spec{Allow: everything, Deny: rules} }
	allow := func(rules ...policy.Clause) policy.Spec { return policy.Spec{Allow: rules} }
	gpu := rule("dedicated=gpu")
	tests := []struct {
		name  string // R6
		rules policy.Spec
		u     string
		want  string // the verdict's sentence
	}{
		{"R6_no_rules", policy.Spec{}, "op=Exists", `tolerates other:NoSchedule, which no clause allows`},
		{"R6_no_rules_for_a_time", policy.Spec{}, "k=5:NoExecute op=Gt for 0s", `tolerates k=6:NoExecute, which no clause allows`},

		{"R6_the_taint_itself", deny(gpu), "dedicated=gpu:NoSchedule", `tolerates dedicated=gpu:NoSchedule, which clause "deny[0]" denies`},
		{"R6_what_tolerates_nothing", deny(rule("op=Exists")), "a=0 op=Lt", `allowed`},
		{"R6_first_rule_that_denies", deny(gpu, rule("op=Exists"), rule("dedicated op=Exists")), "dedicated=cpu", `tolerates dedicated=cpu:NoSchedule, which clause "deny[1]" denies`},

		{"R6_except_no_wildcard", deny(except(rule("dedicated op=Exists"), "dedicated=gpu", "dedicated op=Equal")), "op=Exists", `tolerates dedicated=other:NoSchedule, which clause "deny[0]" denies`},

		{"R6_listed", allow(gpu), "dedicated=gpu:NoExecute for 5s", `allowed by clause "allow[0]"`},
		{"R6_listed_together", allow(rule("k:NoSchedule op=Exists"), rule("k:NoExecute op=Exists", "k:PreferNoSchedule op=Exists")), "k=v", `allowed`},
		{"R6_the_exception_of_one_allowed_by_another", allow(except(rule("op=Exists"), "dedicated op=Exists"), rule("dedicated op=Exists")), "op=Exists", `allowed`},
		{"R6_a_gap_of_one_integer", allow(rule("k=9 op=Lt"), rule("k=9 op=Gt")), "k=-1 op=Gt", `tolerates k=9:NoSchedule, which no clause allows`},

		{"R6_deny_for_longer", deny(atMost(300, rule(unreachable))), unreachable + " for 301s", `tolerates node.kubernetes.io/unreachable:NoExecute for 301s, and clause "deny[0]" denies more than 300s`},
		{"R6_deny_the_fewest_seconds", deny(atMost(300, rule(unreachable)), atMost(60, rule(":NoExecute op=Exists"))), unreachable + " for 301s", `tolerates node.kubernetes.io/unreachable:NoExecute for 301s, and clause "deny[1]" denies more than 60s`},
		{"R6_deny_for_good", deny(atMost(greatest, rule(unreachable))), "op=Exists", `tolerates node.kubernetes.io/unreachable:NoExecute without a time limit, and clause "deny[0]" denies more than 9223372036854775807s`},
		{"R6_deny_more_than_negative", deny(atMost(-5, rule(unreachable))), unreachable + " for 1s", `tolerates node.kubernetes.io/unreachable:NoExecute for 1s, and clause "deny[0]" denies more than 0s`},
		{"R6_allow_no_longer", allow(atMost(60, rule(unreachable)), atMost(300, rule(unreachable))), unreachable + " for 600s", `tolerates node.kubernetes.io/unreachable:NoExecute for 600s, and clause "allow[1]" allows at most 300s`},
		{"R6_allow_not_for_good", allow(atMost(300, rule(unreachable))), unreachable, `tolerates node.kubernetes.io/unreachable:NoExecute without a time limit, and clause "allow[0]" allows at most 300s`},
		{"R6_allow_not_together_for_longer", allow(atMost(60, rule("k=5:NoExecute op=Lt")), atMost(300, rule("k=4:NoExecute op=Gt"))), "k=-1:NoExecute op=Gt for 61s", `tolerates k=0:NoExecute for 61s, and clause "allow[0]" allows at most 60s`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, u := problem.Must(policy.New(tt.rules)), toleration.MustParse(tt.u)
			if got := p.Judge(u).String(); got != tt.want {
				t.Errorf("Judge(%v) = %q, want %q", u, got, tt.want)
			}
			check(t, tt.rules, p, u)
		})
	}
	t.Run("R6_property", rapid.MakeCheck(property))
	t.Run("K5_verdict", verdictContract)
}

func TestPolicy(t *testing.T) {
	t.Run("R6_zero", policyZero)
	t.Run("R6_equal", policyEqual)
	t.Run("K5_JSON", policyJSON)
}

// The zero values allow nothing.
func policyZero(t *testing.T) {
	var p policy.Policy
	open := problem.Must(policy.New(policy.Spec{Allow: everything}))
	if !p.IsZero() || problem.Must(policy.New(policy.Spec{})) != p || open.IsZero() {
		t.Error("R6: IsZero")
	}
	for _, u := range list("a", "op=Exists", "k=0 op=Lt") {
		check(t, policy.Spec{}, p, u)
	}
	var zero toleration.Toleration // one that could not be read
	check(t, policy.Spec{}, p, zero)
	check(t, policy.Spec{Allow: everything}, open, zero)
	err, want := open.Check(toleration.List{toleration.MustParse("k"), zero}, "x"), "x[1]: must not be the zero value"
	if v := open.Judge(zero); fmt.Sprint(err) != want || v.String() != "refused" || (policy.Verdict{}).String() != "refused" {
		t.Errorf("R6: %v, %v, want %s", err, v, want)
	}
}

func TestNew(t *testing.T) {
	t.Run("R6_mistakes", newMistakes)
	t.Run("R6_limit", newLimit)
}

// A policy has at most 4,096 tolerations. As many exceptions as taints, of which each matches
// every value of the key, and the last exception alone matches all of them, take long if they
// are compared with one another for each value.
func newLimit(t *testing.T) {
	limit := func(n int) policy.Spec {
		c := policy.Clause{Taints: slices.Repeat(list("k op=Exists"), 2048)}
		for i := range n - 2049 {
			c.Except = append(c.Except, toleration.MustParse(fmt.Sprint("k=v", i)))
		}
		c.Except = append(c.Except, c.Taints[0])
		return policy.Spec{Allow: []policy.Clause{c}}
	}
	p := problem.Must(policy.New(limit(4096)))
	check(t, policy.Spec{Allow: []policy.Clause{{Taints: list("k op=Exists"), Except: list("k op=Exists")}}}, p, toleration.MustParse("k=v7"))
	if again, err := policy.Decode([]byte(p.String())); err != nil || !again.Equal(p) {
		t.Errorf("R6: %v", err)
	}
	const want = "is invalid in a policy: has more than 4096 tolerations in its clauses"
	if p, err := policy.New(limit(4097)); fmt.Sprint(err) != want || !p.IsZero() {
		t.Errorf("R6: New of 4097 tolerations: %v", err)
	}
	clause := `{"taints":[{"key":"k"}],"except":[` + strings.Repeat(`{"key":"k","value":"v"},`, 2047) + `{}]}`
	if p, err := policy.Decode([]byte(`{"allow":[` + clause + `],"deny":[` + clause + `]}`)); fmt.Sprint(err) != want || !p.IsZero() {
		t.Errorf("R6: Decode of 4098 tolerations: %v", err)
	}
	invalid := `{"allow":[` + strings.Repeat(`{"taints":[{"key":"!"}]},`, 2049) + `{"taints":[{"key":"k"}]}]}`
	if _, err := policy.Decode([]byte(invalid)); !strings.HasPrefix(fmt.Sprint(err), "allow[0].taints[0].key ") {
		t.Errorf("R6: Decode counts an invalid toleration twice: %v", err)
	}
}

func newMistakes(t *testing.T) {
	seconds := int64(300)
	_, err := policy.New(policy.Spec{
		Allow: []policy.Clause{{Name: "a"}, {Name: "\xff", Message: "\xfe", Taints: list("k=v")}, {Name: "a", Taints: list("k=v")}, {Name: "deny[0]", Taints: list("k=v")}},
		Deny: []policy.Clause{
			{Taints: append(list("dedicated", "k=0 op=Lt", "k=9223372036854775807 op=Gt", "k=v:NoExecute for 5s"), toleration.Toleration{})},
			{Taints: list("k=v", "op=Exists", "k=v:NoSchedule"), MaxSeconds: &seconds, Except: list("dedicated:NoExecute", "k=v")},
		},
	})
	want := strings.TrimSpace(`
allow[0].taints: is invalid in a policy: must not be empty
allow[1].name "\xff": is invalid in a policy: must be UTF-8
allow[1].message "\xfe": is invalid in a policy: must be UTF-8
allow[2].name "a": is invalid in a policy: is the name of another clause
deny[0].taints[0].operator: is invalid in a policy: must be set if there is no value: Exists for any value, Equal for the empty value
deny[0].taints[1].value "0": is invalid in a policy: no taint matches: the integers on taints are 0 to 9223372036854775807
deny[0].taints[2].value "9223372036854775807": is invalid in a policy: no taint matches: the integers on taints are 0 to 9223372036854775807
deny[0].taints[3].tolerationSeconds: is invalid in a policy: must be omitted; use maxSeconds
deny[0].taints[4]: must not be the zero value
deny[0].name "deny[0]": is invalid in a policy: is the name of another clause
deny[1].taints[0].effect: is invalid in a policy: must be NoExecute in a clause with maxSeconds
deny[1].taints[1].effect: is invalid in a policy: must be NoExecute in a clause with maxSeconds
deny[1].taints[2].effect "NoSchedule": is invalid in a policy: must be NoExecute in a clause with maxSeconds
deny[1].except[0].operator: is invalid in a policy: must be set if there is no value: Exists for any value, Equal for the empty value`)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("New mismatch (-want +got):\n%s", diff)
	}
}

// A policy keeps the clauses that it was made from, and shares no memory with them.
func TestSpec(t *testing.T) {
	rules := func() policy.Spec {
		return policy.Spec{
			Allow: []policy.Clause{{Name: "a", Message: "m", Taints: list("k=v:NoExecute", "l=w:NoExecute"), Except: list("k=v"), MaxSeconds: seconds(5)}},
			Deny:  []policy.Clause{{Taints: list("op=Exists")}},
		}
	}
	given := rules()
	p := problem.Must(policy.New(given))
	for _, spoilt := range []policy.Spec{given, p.Spec()} {
		clear(spoilt.Allow[0].Taints)
		clear(spoilt.Allow[0].Except)
		*spoilt.Allow[0].MaxSeconds = 9
		clear(spoilt.Deny)
		if diff := cmp.Diff(rules(), p.Spec()); diff != "" {
			t.Errorf("Spec mismatch (-want +got):\n%s", diff)
		}
	}
}
