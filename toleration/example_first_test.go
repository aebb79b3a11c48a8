package toleration_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The API represents the tolerations of a pod as JSON.
const podTolerations = `[
	{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
	{"key": "example.com/cores", "operator": "Gt", "value": "8"},
	{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
]`

// Parse a pod's tolerations, find the one that matches a taint, and check an update.
func Example_firstSteps() {
	before, _, err := toleration.Decode([]byte(podTolerations), toleration.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range before {
		fmt.Println(u)
	}

	for _, t := range taint.MustParseList("dedicated=gpu:NoSchedule,dedicated=gpu:NoExecute,example.com/cores=16:NoSchedule") {
		if i := before.Match(t); i >= 0 {
			fmt.Println(t, "is tolerated by", before[i])
		} else {
			fmt.Println(t, "is not tolerated")
		}
	}

	// The tolerations of an existing pod cannot be removed, but others can be added.
	added := append(before[:3:3], toleration.MustParse("spot op=Exists"))
	fmt.Println(added.ValidateUpdate(before, toleration.ListOptions{}))
	fmt.Println(before[1:].ValidateUpdate(before, toleration.ListOptions{}))
	// Output:
	// dedicated:NoSchedule op=Exists
	// example.com/cores=8 op=Gt
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// dedicated=gpu:NoSchedule is tolerated by dedicated:NoSchedule op=Exists
	// dedicated=gpu:NoExecute is not tolerated
	// example.com/cores=16:NoSchedule is tolerated by example.com/cores=8 op=Gt
	// <nil>
	// spec.tolerations "dedicated:NoSchedule op=Exists": must not be removed or changed: an update can only add tolerations and change seconds
}
