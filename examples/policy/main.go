// Policy shows which tolerations the pods of a namespace can have. The taints that a
// toleration matches decide, so a wildcard, which has no key, is refused like a
// toleration that has the reserved key.
//
//	go run ./examples/policy
//
// For a program that enforces such policies, see the webhook.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// The nodes with the taint dedicated=ml are for the namespace ml. Nobody tolerates the
// taint of the control plane.
var files = map[string]string{
	"ml": `{
		"allow": [{"taints": [{"operator": "Exists"}]}],
		"deny": [{"name": "control-plane", "taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]}]
	}`,
	"web": `{
		"allow": [{"taints": [{"operator": "Exists"}]}],
		"deny": [
			{"name": "control-plane", "taints": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]},
			{"name": "ml-nodes", "message": "contact the ml team", "taints": [{"key": "dedicated", "value": "ml"}]}
		]
	}`,
	"guests": `{
		"allow": [
			{"name": "spot", "taints": [{"key": "spot", "operator": "Exists"}]},
			{"name": "failures", "maxSeconds": 300, "taints": [
				{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
				{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
			]}
		]
	}`,
}

var requests = []struct{ namespace, toleration string }{
	{"ml", "dedicated=ml:NoSchedule"},
	{"ml", "op=Exists"},
	{"web", "dedicated=web:NoSchedule"},
	{"web", "dedicated=ml:NoSchedule"},
	{"web", "dedicated op=Exists"},
	{"web", "op=Exists"},
	{"web", ":NoExecute op=Exists for 60s"},
	{"guests", "spot=true:NoSchedule"},
	{"guests", "dedicated=web:NoSchedule"},
	{"guests", "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s"},
	{"guests", "node.kubernetes.io/not-ready:NoExecute op=Exists"},
}

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "policy: no arguments are allowed")
		os.Exit(2)
	}
	if err := show(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "policy:", err)
		os.Exit(1)
	}
}

func show(w io.Writer) error {
	policies := map[string]policy.Policy{}
	for namespace, file := range files {
		p, err := policy.Decode([]byte(file))
		if err != nil {
			return fmt.Errorf("the policy of %s: %w", namespace, err)
		}
		policies[namespace] = p
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "NAMESPACE\tTOLERATION\tBY KEY\tBY POLICY\n")
	for _, r := range requests {
		u, err := toleration.Parse(r.toleration)
		if err != nil {
			return err
		}
		p := policies[r.namespace]
		fmt.Fprintf(table, "%s\t%v\t%s\t%v\n", r.namespace, u, verdict(allowedByKey(p, u)), p.Judge(u))
	}
	return table.Flush()
}

// allowedByKey is the usual mistake: it compares the fields of a toleration, and a
// wildcard has no key.
func allowedByKey(p policy.Policy, u toleration.Toleration) bool {
	same := func(c policy.Clause) bool {
		return slices.ContainsFunc(c.Taints, func(t toleration.Toleration) bool {
			return t.Key() == u.Key() && (t.Operator() == toleration.Exists || t.Value() == u.Value())
		})
	}
	everything := func(c policy.Clause) bool {
		return slices.ContainsFunc(c.Taints, func(t toleration.Toleration) bool { return t.Key() == "" })
	}
	s := p.Spec()
	allowed := slices.ContainsFunc(s.Allow, same) || slices.ContainsFunc(s.Allow, everything)
	return allowed && !slices.ContainsFunc(s.Deny, same)
}

func verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "refused"
}
