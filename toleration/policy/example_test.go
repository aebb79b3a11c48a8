package policy_test

import (
	"encoding/json"
	"fmt"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// The control plane is reserved, each team has its own pool, and no pod stays on an
// unreachable node for more than an hour.
const file = `{
  "allow": [{"name": "all-else", "taints": [{"operator": "Exists"}]}],
  "deny": [
    {"name": "control-plane",
     "message": "contact the platform team",
     "taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"},
                {"key": "node-role.kubernetes.io/master", "operator": "Exists"}]},
    {"name": "foreign-pools",
     "message": "only team-a's pool is yours",
     "taints": [{"key": "dedicated", "operator": "Exists"}],
     "except": [{"key": "dedicated", "value": "team-a"}]},
    {"name": "no-parking",
     "taints": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}],
     "maxSeconds": 3600}
  ]
}`

// The error has all refused tolerations of a pod, with their paths.
func Example() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, _, err := toleration.Decode([]byte(`[
		{"key": "dedicated", "value": "team-a", "effect": "NoSchedule"},
		{"key": "dedicated", "operator": "Exists"},
		{"operator": "Exists", "effect": "NoExecute"},
		{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 86400}
	]`), toleration.DecodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Check(pod, "spec.tolerations"))
	// Output:
	// spec.tolerations[1] "dedicated op=Exists": is not allowed by the policy: tolerates dedicated:NoSchedule, which clause "foreign-pools" denies: only team-a's pool is yours
	// spec.tolerations[2] ":NoExecute op=Exists": is not allowed by the policy: tolerates node-role.kubernetes.io/control-plane:NoExecute, which clause "control-plane" denies: contact the platform team
	// spec.tolerations[3] "node.kubernetes.io/unreachable:NoExecute op=Exists for 86400s": is not allowed by the policy: tolerates node.kubernetes.io/unreachable:NoExecute for 86400s, and clause "no-parking" denies more than 3600s
}

// A policy's JSON is the policy file, and is read back as the same policy.
func ExamplePolicy_Equal() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := json.Marshal(p)
	again, err := policy.Decode(text)
	fmt.Println(p.Equal(again), p.Equal(policy.Policy{}), err)
	// Output: true false <nil>
}

// Only what is listed is allowed; several clauses can allow a toleration together.
func ExampleNew() {
	p, err := policy.New(policy.Spec{Allow: []policy.Clause{
		{Name: "small", Taints: toleration.List{toleration.MustParse("cores=17 op=Lt")}},
		{Name: "large", Taints: toleration.List{toleration.MustParse("cores=16 op=Gt")},
			Except: toleration.List{toleration.MustParse("cores=96")}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"cores=8", "cores=97 op=Lt", "cores=96 op=Lt", "cores op=Exists"} {
		fmt.Println(text, "|", p.Judge(toleration.MustParse(text)))
	}
	// Output:
	// cores=8 | allowed by clause "small"
	// cores=97 op=Lt | tolerates cores=96:NoSchedule, which no clause allows
	// cores=96 op=Lt | allowed
	// cores op=Exists | tolerates cores:NoSchedule, which no clause allows
}

func ExampleDecode() {
	_, err := policy.Decode([]byte(`{"allow": [{"taints": [{"key": "dedicated"}, {"key": "gpu", "operator": "exists"}], "maxsecs": 60}]}`))
	fmt.Println(err)
	// Output:
	// allow[0]: unknown field "maxsecs" (allowed: name, message, taints, except, maxSeconds)
	// allow[0].taints[1].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
	// allow[0].taints[0].operator: is invalid in a policy: must be set if there is no value: Exists for any value, Equal for the empty value
}

func ExamplePolicy_Judge() {
	p, err := policy.Decode([]byte(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	v := p.Judge(toleration.MustParse("op=Exists"))
	fmt.Println(v.Allowed, v.Denied, v.Clause, v.Witness)
	fmt.Println(v)

	v = p.Judge(toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists"))
	fmt.Println(v.Allowed, v.Denied, v.Clause, v.Witness, *v.MaxSeconds)
	// Output:
	// false true control-plane node-role.kubernetes.io/control-plane:NoSchedule
	// tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies: contact the platform team
	// false true no-parking node.kubernetes.io/unreachable:NoExecute 3600
}

func ExamplePolicy_IsZero() {
	p, err := policy.Decode([]byte(`{}`))
	fmt.Println(p.IsZero(), err)
	fmt.Println(p.Check(toleration.List{toleration.MustParse("op=Exists")}, "spec.tolerations"))
	// Output:
	// true <nil>
	// spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates other:NoSchedule, which no clause allows
}
