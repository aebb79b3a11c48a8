package match_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The API represents the taints of a node and the tolerations of two pods as JSON.
const (
	nodeTaints = `[
		{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
		{"key": "example.com/spot", "effect": "PreferNoSchedule"},
		{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
	]`
	training = `[
		{"key": "dedicated", "value": "gpu"},
		{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	]`
	misspelt = `[{"key": "dedicated", "operator": "exists"}]`
)

// To decide about a pod, read the node's taints and the pod's tolerations, match them,
// and explain the result.
func Example_firstSteps() {
	node, _, err := taint.Decode([]byte(nodeTaints), taint.DecodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pod, _, err := toleration.Decode([]byte(training), toleration.DecodeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	r := match.Node{Taints: node}.Filter(pod)
	fmt.Println("can be scheduled:", r.Schedulable())
	fmt.Println("is preferred:", r.Preferred())
	fmt.Println("is evicted:", r.Evicted())
	for i := range node {
		fmt.Println(match.Explain(node[i], toleration.First, pod))
	}

	// Invalid input is rejected, with the field to change.
	_, _, err = toleration.Decode([]byte(misspelt), toleration.DecodeOptions{})
	fmt.Println(err)
	// Output:
	// can be scheduled: true
	// is preferred: false
	// is evicted: false
	// dedicated=gpu:NoSchedule is tolerated by "dedicated=gpu"
	// example.com/spot:PreferNoSchedule is not tolerated: no toleration has its key; to add: "example.com/spot:PreferNoSchedule op=Equal"
	// node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s by "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	// spec.tolerations[0].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
}
