package policy_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// Each namespace has a policy, as JSON. A namespace without one has the zero Policy,
// which refuses every toleration.
var namespaces = map[string]string{
	"research": `{"allow": [{"taints": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}]}`,
	"platform": `{"allow": [{"taints": [{"operator": "Exists"}]}],
	              "deny": [{"name": "control-plane", "message": "contact the administrators",
	                        "taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]}]}`,
}

// admit checks the tolerations of a pod, as JSON, against the namespace's policy.
func admit(policies map[string]policy.Policy, namespace, tolerations string) error {
	list, _, err := toleration.Decode([]byte(tolerations), toleration.ListOptions{Path: "spec.tolerations"})
	if err != nil {
		return err
	}
	return policies[namespace].Check(list, "spec.tolerations")
}

// A webhook checks each pod against the policy of its namespace.
func Example_namespaces() {
	policies := make(map[string]policy.Policy)
	for name, text := range namespaces {
		p, err := policy.Decode([]byte(text))
		if err != nil {
			fmt.Println(name, err)
			return
		}
		policies[name] = p
	}
	for _, pod := range []struct{ namespace, tolerations string }{
		{"research", `[{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]`},
		{"research", `[{"operator": "Exists"}]`},
		{"platform", `[{"key": "dedicated", "value": "platform"}]`},
		{"platform", `[{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}]`},
		{"default", `[{"key": "dedicated"}]`},
		{"default", `[{"key": "dedicated", "operator": "Equals"}]`},
	} {
		if err := admit(policies, pod.namespace, pod.tolerations); err != nil {
			fmt.Printf("%s: refused: %v\n", pod.namespace, err)
		} else {
			fmt.Printf("%s: allowed\n", pod.namespace)
		}
	}
	// Output:
	// research: allowed
	// research: refused: spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates other:NoSchedule, which no clause allows
	// platform: allowed
	// platform: refused: spec.tolerations[0] "node-role.kubernetes.io/control-plane:NoSchedule op=Exists": is not allowed by the policy: tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies: contact the administrators
	// default: refused: spec.tolerations[0] "dedicated": is not allowed by the policy: tolerates dedicated:NoSchedule, which no clause allows
	// default: refused: spec.tolerations[0].operator: unknown operator "Equals", did you mean Equal? (allowed: Equal, Exists, Lt, Gt)
}
