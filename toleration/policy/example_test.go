package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// A platform team keeps its nodes to itself, gives team A its own pool, and has
// no pod wait for an unreachable node for more than an hour.
const file = `{
  "deny": [
    {"name": "control-plane",
     "message": "ask the platform team",
     "taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]},
    {"name": "foreign-pools",
     "message": "only team-a's pool is yours",
     "taints": [{"key": "dedicated", "operator": "Exists"}],
     "except": [{"key": "dedicated", "value": "team-a"}]},
    {"name": "no-parking",
     "taints": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}],
     "maxSeconds": 3600}
  ]
}`

// For admission: everything that is refused, with its path.
func Example() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, err := toleration.DecodeList([]byte(`[
		{"key": "dedicated", "value": "team-a", "effect": "NoSchedule"},
		{"key": "dedicated", "operator": "Exists"},
		{"operator": "Exists", "effect": "NoExecute"},
		{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 86400}
	]`), toleration.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Check("spec.tolerations", pod))
	// Output:
	// spec.tolerations[1] "dedicated op=Exists": tolerates dedicated:NoSchedule, which rule "foreign-pools" denies: only team-a's pool is yours
	// spec.tolerations[2] ":NoExecute op=Exists": tolerates node-role.kubernetes.io/control-plane:NoExecute, which rule "control-plane" denies: ask the platform team
	// spec.tolerations[3] "node.kubernetes.io/unreachable:NoExecute op=Exists for 86400s": tolerates node.kubernetes.io/unreachable:NoExecute for 86400s, and rule "no-parking" denies more than 3600s
}

// Only what is listed is allowed; the rules may allow a toleration together.
func ExampleNew() {
	p, err := policy.New(policy.Rules{Allow: []policy.Rule{
		{Name: "small", Taints: []toleration.Toleration{toleration.MustParse("cores=17 op=Lt")}},
		{Name: "large", Taints: []toleration.Toleration{toleration.MustParse("cores=16 op=Gt")},
			Except: []toleration.Toleration{toleration.MustParse("cores=96")}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"cores=8", "cores=97 op=Lt", "cores=96 op=Lt", "cores op=Exists"} {
		fmt.Println(text, "|", p.Judge(toleration.MustParse(text)))
	}
	// Output:
	// cores=8 | allowed by rule "small"
	// cores=97 op=Lt | tolerates cores=96:NoSchedule, which no rule allows
	// cores=96 op=Lt | allowed
	// cores op=Exists | tolerates cores:NoSchedule, which no rule allows
}

func ExampleDecode() {
	_, err := policy.Decode([]byte(`{"deny": [{"taints": [{"key": "dedicated"}, {"key": "gpu", "operator": "exists"}], "maxsecs": 60}]}`))
	fmt.Println(err)
	// Output:
	// deny[0]: unknown field "maxsecs" (allowed: name, message, taints, except, maxSeconds)
	// deny[0].taints[1].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
}

func ExamplePolicy_Judge() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	v := p.Judge(toleration.MustParse("op=Exists"))
	fmt.Println(v.Outcome, v.Rule, v.Witness)
	fmt.Println(v.Toleration, v)

	v = p.Judge(toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists"))
	fmt.Println(v.Outcome, v.Rule, v.Witness, v.MaxSeconds)
	// Output:
	// Denied control-plane node-role.kubernetes.io/control-plane:NoSchedule
	// op=Exists tolerates node-role.kubernetes.io/control-plane:NoSchedule, which rule "control-plane" denies: ask the platform team
	// Denied no-parking node.kubernetes.io/unreachable:NoExecute 3600
}

func ExamplePolicy_Verdicts() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=team-a"), toleration.MustParse("dedicated=team-b")}
	for i, v := range p.Verdicts(pod) {
		fmt.Println(i, v.Allowed(), v.Outcome)
	}
	// Output:
	// 0 true Allowed
	// 1 false Denied
}

// What a program does with a refusal.
func ExamplePolicy_Check() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=team-a"), toleration.MustParse("dedicated=team-b")}
	var problems validate.Problems
	if errors.As(p.Check("spec.tolerations", pod), &problems) {
		for _, problem := range problems {
			var d *policy.Denial
			if errors.As(problem, &d) {
				fmt.Println(problem.Path, d.Rule, d.Witness, d.Message)
			}
		}
	}
	// Output:
	// spec.tolerations[1] foreign-pools dedicated=team-b:NoSchedule only team-a's pool is yours
}

// A pod from before the policy may still be labelled, and nothing may be added.
func ExamplePolicy_CheckUpdate() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	old := []toleration.Toleration{toleration.MustParse("dedicated=team-b")}
	fmt.Println(p.CheckUpdate("spec.tolerations", old, old))
	fmt.Println(p.CheckUpdate("spec.tolerations", old, append(old, toleration.MustParse("dedicated=team-c"))))
	// Output:
	// <nil>
	// spec.tolerations[1] "dedicated=team-c": tolerates dedicated=team-c:NoSchedule, which rule "foreign-pools" denies: only team-a's pool is yours
}

// A policy is written as a file again.
func ExamplePolicy_Rules() {
	p, err := policy.New(policy.Rules{Deny: []policy.Rule{{
		Name:       "no-parking",
		Taints:     []toleration.Toleration{toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists")},
		MaxSeconds: new(int64(3600)),
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := json.NewEncoder(os.Stdout).Encode(p.Rules()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"deny":[{"name":"no-parking","taints":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"}],"maxSeconds":3600}]}
}

func ExamplePolicy_IsZero() {
	p, err := policy.Decode([]byte(`{}`))
	fmt.Println(p.IsZero(), err)
	// Output:
	// true <nil>
}

func ExampleRule_Has() {
	r := policy.Rule{
		Taints: []toleration.Toleration{toleration.MustParse("dedicated op=Exists")},
		Except: []toleration.Toleration{toleration.MustParse("dedicated=team-a")},
	}
	fmt.Println(r.Has(taint.MustParse("dedicated=team-a:NoSchedule")), r.Has(taint.MustParse("dedicated=team-b:NoSchedule")))
	// Output:
	// false true
}

func ExampleVerdict_Allowed() {
	var none policy.Policy
	fmt.Println(none.Judge(toleration.MustParse("op=Exists")).Allowed(), policy.Verdict{}.Allowed())
	// Output:
	// true false
}

func ExampleVerdict_String() {
	p, err := policy.New(policy.Rules{Allow: []policy.Rule{{
		Name: "short", Taints: []toleration.Toleration{toleration.MustParse("k:NoExecute op=Exists")}, MaxSeconds: new(int64(60)),
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Judge(toleration.MustParse("k:NoExecute op=Exists for 60s")))
	fmt.Println(p.Judge(toleration.MustParse("k:NoExecute op=Exists")))
	fmt.Println(p.Judge(toleration.MustParse("l:NoExecute op=Exists")))
	// Output:
	// allowed by rule "short"
	// tolerates k:NoExecute for good, and rule "short" allows 60s at most
	// tolerates l:NoExecute, which no rule allows
}

func ExampleOutcome_String() {
	fmt.Println(policy.Allowed, policy.Denied, policy.Unlisted)
	// Output:
	// Allowed Denied Unlisted
}

func ExampleDenial() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	var d *policy.Denial
	if errors.As(p.Check("spec.tolerations", []toleration.Toleration{toleration.MustParse("op=Exists")}), &d) {
		fmt.Println(d.Toleration, "|", d)
	}
	// Output:
	// op=Exists | tolerates node-role.kubernetes.io/control-plane:NoSchedule, which rule "control-plane" denies: ask the platform team
}
