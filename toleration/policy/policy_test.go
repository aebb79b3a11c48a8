package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// made returns the policy of rules that must be right.
func made(t testing.TB, r policy.Rules) policy.Policy {
	t.Helper()
	p, err := policy.New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestJudge(t *testing.T) {
	const unreachable = "node.kubernetes.io/unreachable:NoExecute op=Exists"
	rule := func(taints ...string) policy.Rule { return policy.Rule{Taints: list(taints...)} }
	except := func(r policy.Rule, taints ...string) policy.Rule {
		r.Except = list(taints...)
		return r
	}
	atMost := func(n int64, r policy.Rule) policy.Rule {
		r.MaxSeconds = &n
		return r
	}
	deny := func(rules ...policy.Rule) policy.Rules { return policy.Rules{Deny: rules} }
	allow := func(rules ...policy.Rule) policy.Rules { return policy.Rules{Allow: rules} }
	gpu := rule("dedicated=gpu")
	tests := []struct {
		name  string // R6
		rules policy.Rules
		u     string
		want  string // the verdict's sentence
	}{
		{"R6_no_rules", policy.Rules{}, "op=Exists", `allowed`},

		{"R6_the_taint_itself", deny(gpu), "dedicated=gpu:NoSchedule", `tolerates dedicated=gpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_wildcard", deny(gpu), "op=Exists", `tolerates dedicated=gpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_wildcard_of_an_effect", deny(gpu), ":NoExecute op=Exists", `tolerates dedicated=gpu:NoExecute, which rule "deny[0]" denies`},
		{"R6_any_value", deny(gpu), "dedicated op=Exists", `tolerates dedicated=gpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_absent_effect", deny(rule("dedicated=gpu:NoExecute")), "dedicated=gpu", `tolerates dedicated=gpu:NoExecute, which rule "deny[0]" denies`},
		{"R6_another_effect", deny(rule("dedicated=gpu:NoExecute")), "dedicated=gpu:NoSchedule", `allowed`},
		{"R6_another_value", deny(gpu), "dedicated=cpu", `allowed`},
		{"R6_absent_operator", deny(rule("dedicated=gpu op=Equal")), "dedicated=gpu", `tolerates dedicated=gpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_range_around_a_value", deny(rule("cores=96")), "cores=64 op=Gt", `tolerates cores=96:NoSchedule, which rule "deny[0]" denies`},
		{"R6_range_beside_a_value", deny(rule("cores=96")), "cores=96 op=Gt", `allowed`},
		{"R6_ranges", deny(rule("cores=64 op=Gt")), "cores=66 op=Lt", `tolerates cores=65:NoSchedule, which rule "deny[0]" denies`},
		{"R6_ranges_apart", deny(rule("cores=64 op=Gt")), "cores=65 op=Lt", `allowed`},
		{"R6_range_and_a_spelling_that_is_no_integer", deny(rule("cores=064")), "cores=0 op=Gt", `allowed`},
		{"R6_everything", deny(rule("op=Exists")), "a=b:PreferNoSchedule", `tolerates a=b:PreferNoSchedule, which rule "deny[0]" denies`},
		{"R6_what_tolerates_nothing", deny(rule("op=Exists")), "a=0 op=Lt", `allowed`},
		{"R6_first_rule_that_denies", deny(gpu, rule("op=Exists"), rule("dedicated op=Exists")), "dedicated=cpu", `tolerates dedicated=cpu:NoSchedule, which rule "deny[1]" denies`},

		{"R6_except", deny(except(rule("dedicated op=Exists"), "dedicated=gpu")), "dedicated=gpu", `allowed`},
		{"R6_except_another", deny(except(rule("dedicated op=Exists"), "dedicated=gpu")), "dedicated=cpu", `tolerates dedicated=cpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_except_no_wildcard", deny(except(rule("dedicated op=Exists"), "dedicated=gpu", "dedicated op=Equal")), "op=Exists", `tolerates dedicated=other:NoSchedule, which rule "deny[0]" denies`},
		{"R6_except_all", deny(except(gpu, "dedicated op=Exists")), "op=Exists", `allowed`},
		{"R6_except_one_effect", deny(except(gpu, ":NoSchedule op=Exists")), "dedicated=gpu", `tolerates dedicated=gpu:PreferNoSchedule, which rule "deny[0]" denies`},

		{"R6_listed", allow(gpu), "dedicated=gpu:NoExecute for 5s", `allowed by rule "allow[0]"`},
		{"R6_unlisted", allow(gpu), "dedicated=cpu", `tolerates dedicated=cpu:NoSchedule, which no rule allows`},
		{"R6_listed_in_part", allow(gpu), "dedicated op=Exists", `tolerates dedicated:NoSchedule, which no rule allows`},
		{"R6_listed_but_for_a_wildcard", allow(rule("dedicated op=Exists")), "op=Exists", `tolerates other:NoSchedule, which no rule allows`},
		{"R6_listed_together", allow(rule("k:NoSchedule op=Exists"), rule("k:NoExecute op=Exists", "k:PreferNoSchedule op=Exists")), "k=v", `allowed`},
		{"R6_listed_together_but_one", allow(rule("k:NoSchedule op=Exists"), rule("k:NoExecute op=Exists")), "k=v", `tolerates k=v:PreferNoSchedule, which no rule allows`},
		{"R6_integers_listed_together", allow(rule("k=9 op=Lt"), rule("k=8 op=Gt")), "k=-1 op=Gt", `allowed`},
		{"R6_a_gap_of_one_integer", allow(rule("k=9 op=Lt"), rule("k=9 op=Gt")), "k=-1 op=Gt", `tolerates k=9:NoSchedule, which no rule allows`},
		{"R6_not_every_value_is_an_integer", allow(rule("k=9 op=Lt"), rule("k=8 op=Gt")), "k op=Exists", `tolerates k:NoSchedule, which no rule allows`},
		{"R6_all_allowed", allow(rule("op=Exists")), "op=Exists", `allowed by rule "allow[0]"`},
		{"R6_all_allowed_but", allow(except(rule("op=Exists"), "dedicated op=Exists")), "dedicated=gpu", `tolerates dedicated=gpu:NoSchedule, which no rule allows`},
		{"R6_the_exception_of_one_allowed_by_another", allow(except(rule("op=Exists"), "dedicated op=Exists"), rule("dedicated op=Exists")), "op=Exists", `allowed`},
		{"R6_nothing_is_listed_nowhere", allow(gpu), "k=-1 op=Lt", `allowed`},

		{"R6_deny_wins", policy.Rules{Allow: []policy.Rule{rule("op=Exists")}, Deny: []policy.Rule{gpu}}, "dedicated=gpu", `tolerates dedicated=gpu:NoSchedule, which rule "deny[0]" denies`},
		{"R6_not_denied_not_listed", policy.Rules{Allow: []policy.Rule{rule("team=a")}, Deny: []policy.Rule{gpu}}, "dedicated=cpu", `tolerates dedicated=cpu:NoSchedule, which no rule allows`},

		{"R6_deny_for_longer", deny(atMost(300, rule(unreachable))), unreachable + " for 301s", `tolerates node.kubernetes.io/unreachable:NoExecute for 301s, and rule "deny[0]" denies more than 300s`},
		{"R6_deny_not_for_as_long", deny(atMost(300, rule(unreachable))), unreachable + " for 300s", `allowed`},
		{"R6_deny_for_good", deny(atMost(greatest, rule(unreachable))), "op=Exists", `tolerates node.kubernetes.io/unreachable:NoExecute for good, and rule "deny[0]" denies more than 9223372036854775807s`},
		{"R6_deny_not_the_greatest_number", deny(atMost(greatest, rule(unreachable))), unreachable + " for 9223372036854775807s", `allowed`},
		{"R6_deny_time_is_about_NoExecute", deny(atMost(0, rule(unreachable))), "node.kubernetes.io/unreachable:NoSchedule op=Exists", `allowed`},
		{"R6_deny_negative_is_0", deny(atMost(-5, rule(unreachable))), unreachable + " for -1s", `allowed`},
		{"R6_deny_more_than_negative", deny(atMost(-5, rule(unreachable))), unreachable + " for 1s", `tolerates node.kubernetes.io/unreachable:NoExecute for 1s, and rule "deny[0]" denies more than 0s`},
		{"R6_allow_as_long", allow(atMost(300, rule(unreachable))), unreachable + " for 300s", `allowed by rule "allow[0]"`},
		{"R6_allow_no_longer", allow(atMost(60, rule(unreachable)), atMost(300, rule(unreachable))), unreachable + " for 600s", `tolerates node.kubernetes.io/unreachable:NoExecute for 600s, and rule "allow[1]" allows 300s at most`},
		{"R6_allow_not_for_good", allow(atMost(300, rule(unreachable))), unreachable, `tolerates node.kubernetes.io/unreachable:NoExecute for good, and rule "allow[0]" allows 300s at most`},
		{"R6_allow_some_for_longer", allow(atMost(300, rule(":NoExecute op=Exists")), rule("k=v")), "k op=Exists", `tolerates k:NoSchedule, which no rule allows`},
		{"R6_allow_together_with_time", allow(atMost(60, rule("k=5:NoExecute op=Lt")), atMost(300, rule("k=4:NoExecute op=Gt"))), "k=-1:NoExecute op=Gt for 60s", `allowed`},
		{"R6_allow_not_together_for_longer", allow(atMost(60, rule("k=5:NoExecute op=Lt")), atMost(300, rule("k=4:NoExecute op=Gt"))), "k=-1:NoExecute op=Gt for 61s", `tolerates k=0:NoExecute for 61s, and rule "allow[0]" allows 60s at most`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, u := made(t, tt.rules), toleration.MustParse(tt.u)
			if got := p.Judge(u).String(); got != tt.want {
				t.Errorf("Judge(%v) = %q, want %q", u, got, tt.want)
			}
			check(t, tt.rules, p, u)
		})
	}
}

// The zero values allow nothing by accident, but for the zero Policy.
func TestZero(t *testing.T) {
	var p policy.Policy
	if !p.IsZero() || !p.Judge(toleration.MustParse("op=Exists")).Allowed() || p.Check("", list("op=Exists")) != nil {
		t.Error("R6: the zero Policy refuses something")
	}
	if made(t, policy.Rules{}) != p || made(t, policy.Rules{Deny: []policy.Rule{{Taints: list("k=v")}}}).IsZero() {
		t.Error("R6: IsZero")
	}
	if diff := cmp.Diff(policy.Rules{}, p.Rules()); diff != "" {
		t.Error(diff)
	}
	var v policy.Verdict
	if v.Allowed() || v.String() != "" || v.Outcome.String() != "" || policy.Outcome(9).String() != "Outcome(9)" {
		t.Errorf("R6: zero Verdict: %+v", v)
	}
	closed := made(t, policy.Rules{Deny: []policy.Rule{{Taints: list("op=Exists")}}})
	if v := closed.Judge(toleration.Toleration{}); !v.Allowed() {
		t.Errorf("R6: the zero Toleration: %v", v)
	}
	if (&policy.Rule{}).Has(taint.MustParse("k:NoExecute")) {
		t.Error("R6: the zero Rule is about a taint")
	}
}

func TestNew_mistakes(t *testing.T) {
	seconds := int64(300)
	_, err := policy.New(policy.Rules{
		Allow: []policy.Rule{{Name: "a"}, {Name: "a", Taints: list("k=v")}, {Name: "deny[0]", Taints: list("k=v")}},
		Deny: []policy.Rule{
			{Taints: append(list("dedicated", "k=0 op=Lt", "k=9223372036854775807 op=Gt", "k=v:NoExecute for 5s"), toleration.Toleration{})},
			{Taints: list("k=v", "op=Exists", "k=v:NoSchedule"), MaxSeconds: &seconds, Except: list("dedicated:NoExecute", "k=v")},
		},
	})
	want := strings.TrimSpace(`
allow[0].taints: a rule needs taints to be about
allow[1].name "a": another rule has this name
deny[0].taints[0].operator: must be given where there is no value: Exists for any value, Equal for the empty one
deny[0].taints[1].value "0": no taint has such an integer: they are 0 to 9223372036854775807
deny[0].taints[2].value "9223372036854775807": no taint has such an integer: they are 0 to 9223372036854775807
deny[0].taints[3].tolerationSeconds: does not belong to a set of taints: the rule has maxSeconds
deny[0].taints[4]: must not be the zero value
deny[0].name "deny[0]": another rule has this name
deny[1].taints[0].effect: must be NoExecute in a rule with maxSeconds
deny[1].taints[1].effect: must be NoExecute in a rule with maxSeconds
deny[1].taints[2].effect "NoSchedule": must be NoExecute in a rule with maxSeconds
deny[1].except[0].operator: must be given where there is no value: Exists for any value, Equal for the empty one`)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("New mismatch (-want +got):\n%s", diff)
	}
}

// A policy keeps what it was made of, and shares nothing with it.
func TestRules(t *testing.T) {
	rules := func() policy.Rules {
		return policy.Rules{
			Allow: []policy.Rule{{Name: "a", Message: "m", Taints: list("k=v:NoExecute", "l=w:NoExecute"), Except: list("k=v"), MaxSeconds: new(int64(5))}},
			Deny:  []policy.Rule{{Taints: list("op=Exists")}, {Taints: list("k op=Exists"), MaxSeconds: nil}},
		}
	}
	spoil := func(r policy.Rules) {
		for _, rule := range slices.Concat(r.Allow, r.Deny) {
			clear(rule.Taints)
			clear(rule.Except)
			if rule.MaxSeconds != nil {
				*rule.MaxSeconds = 9
			}
		}
		clear(r.Allow)
		clear(r.Deny)
	}
	given := rules()
	p := made(t, given)
	spoil(given)

	if diff := cmp.Diff(rules(), p.Rules(), opaque); diff != "" {
		t.Errorf("Rules mismatch (-want +got):\n%s", diff)
	}
	spoil(p.Rules())
	if diff := cmp.Diff(rules(), p.Rules(), opaque); diff != "" {
		t.Errorf("Rules mismatch (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	p := made(t, policy.Rules{Deny: []policy.Rule{{Name: "control-plane", Message: "ask the platform team",
		Taints: list("node-role.kubernetes.io/control-plane op=Exists")}}})
	pod := list("op=Exists", "dedicated=gpu", ":NoExecute op=Exists for 5s")
	err := p.Check("spec.template.spec.tolerations", pod)
	want := strings.TrimSpace(`
spec.template.spec.tolerations[0] "op=Exists": tolerates node-role.kubernetes.io/control-plane:NoSchedule, which rule "control-plane" denies: ask the platform team
spec.template.spec.tolerations[2] ":NoExecute op=Exists for 5s": tolerates node-role.kubernetes.io/control-plane:NoExecute, which rule "control-plane" denies: ask the platform team`)
	if err == nil {
		t.Fatal("R6: nothing refused")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("Check mismatch (-want +got):\n%s", diff)
	}
	var problems validate.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Fatalf("R6: %#v", err)
	}
	for i, problem := range problems {
		var d *policy.Denial
		if !errors.As(problem, &d) || d.Verdict != p.Judge(pod[2*i]) {
			t.Errorf("R6: problem %d is %#v", i, problem)
		}
	}
	if err := p.Check("", pod[1:2]); err != nil {
		t.Errorf("R6: %v", err)
	}
	for i, v := range p.Verdicts(pod) {
		if v != p.Judge(pod[i]) {
			t.Errorf("R6: Verdicts yields %d, %v", i, v)
		}
		if i == 1 {
			break // stops there
		}
	}
}

func TestCheckUpdate(t *testing.T) {
	p := made(t, policy.Rules{
		Allow: []policy.Rule{{Taints: list("k=v")}, {Taints: list("n:NoExecute op=Exists"), MaxSeconds: new(int64(300))}},
	})
	tests := []struct {
		name         string // R6
		old, changed []toleration.Toleration
		refused      int
	}{
		{"R6_kept", list("op=Exists"), list("op=Exists"), 0},
		{"R6_reordered_and_repeated", list("a=b", "c=d"), list("c=d", "a=b", "c=d"), 0},
		{"R6_narrowed", list("op=Exists"), list("op=Exists", "a=b:NoExecute for 5s"), 0},
		{"R6_shortened", list("n:NoExecute op=Exists for 900s"), list("n:NoExecute op=Exists for 600s"), 0},
		{"R6_lengthened", list("n:NoExecute op=Exists for 60s"), list("n:NoExecute op=Exists for 600s"), 1},
		{"R6_lengthened_as_allowed", list("n:NoExecute op=Exists for 60s"), list("n:NoExecute op=Exists for 300s"), 0},
		{"R6_more_effects", list("a=b:NoExecute", "a=b:NoSchedule"), list("a=b:NoExecute", "a=b:NoSchedule", "a=b"), 1},
		{"R6_together_the_same", list("a=b:NoExecute", "a=b:NoSchedule", "a=b:PreferNoSchedule"), list("a=b"), 0},
		{"R6_together_the_longest", list("a=5:NoExecute op=Lt for 60s", "a=5:NoExecute op=Lt", "a=4:NoExecute op=Gt"), list("a=-1:NoExecute op=Gt"), 0},
		{"R6_together_not_as_long", list("a=5:NoExecute op=Lt for 60s", "a=4:NoExecute op=Gt"), list("a=-1:NoExecute op=Gt"), 1},
		{"R6_new", list("a=b"), list("a=b", "c=d", "k=v", "e=f"), 2},
		{"R6_created", nil, list("a=b"), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var problems validate.Problems
			errors.As(p.CheckUpdate("spec.tolerations", tt.old, tt.changed), &problems)
			if len(problems) != tt.refused {
				t.Errorf("%d refused, want %d: %v", len(problems), tt.refused, problems)
			}
		})
	}
}
