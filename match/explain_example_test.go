package match_test

import (
	"encoding/json"
	"fmt"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

func ExampleExplain() {
	pod := toleration.List{
		toleration.MustParse("dedicated=cpu:NoSchedule"),
		toleration.MustParse("cores=16 op=Gt"),
		toleration.MustParse(":NoExecute op=Exists for 300s"),
	}
	for _, text := range []string{
		"cores=32:NoSchedule",
		"maintenance:NoExecute",
		"dedicated=gpu:NoSchedule",
		"cores=8:NoSchedule",
		"cores=many:NoSchedule",
		"maintenance:NoSchedule",
	} {
		fmt.Println(match.Explain(taint.MustParse(text), toleration.First, pod))
	}
	fmt.Println(match.Explain(taint.MustParse("gpu:NoSchedule"), toleration.First, pod[:2]))
	// Output:
	// cores=32:NoSchedule is tolerated by "cores=16 op=Gt"
	// maintenance:NoExecute is tolerated for 300 s by ":NoExecute op=Exists for 300s"
	// dedicated=gpu:NoSchedule is not tolerated: "dedicated=cpu:NoSchedule" has another value; to add: "dedicated=gpu:NoSchedule op=Equal"
	// cores=8:NoSchedule is not tolerated: "cores=16 op=Gt" requires a greater value; to add: "cores=8:NoSchedule op=Equal"
	// cores=many:NoSchedule is not tolerated: "cores=16 op=Gt" compares integers, and the taint's value is not one; to add: "cores=many:NoSchedule op=Equal"
	// maintenance:NoSchedule is not tolerated: ":NoExecute op=Exists for 300s" has another effect; to add: "maintenance:NoSchedule op=Equal"
	// gpu:NoSchedule is not tolerated: no toleration has its key; to add: "gpu:NoSchedule op=Equal"
}

func ExampleExplanation_Blocks() {
	for e := range (match.Node{Taints: gpuNode}).Explanations(toleration.First, nil) {
		fmt.Println(e.Taint, e.Blocks())
	}
	// Output:
	// dedicated=gpu:NoSchedule true
	// dedicated=gpu:NoExecute true
	// example.com/spot:PreferNoSchedule false
}

func ExampleExplanation_Seconds() {
	pod := toleration.List{toleration.MustParse("gpu:NoExecute for -5s"), toleration.MustParse("spot")}
	for _, text := range []string{"gpu:NoExecute", "spot:NoExecute", "other:NoExecute"} {
		fmt.Println(match.Explain(taint.MustParse(text), toleration.First, pod).Seconds())
	}
	// Output:
	// 0 true
	// 0 false
	// 0 true
}

// An addition has text for a manifest, and JSON for a patch of a running pod.
func ExampleExplanation_Addition() {
	u := match.Explain(taint.MustParse("dedicated=gpu:NoSchedule"), toleration.First, nil).Addition()
	fmt.Println(u)
	fmt.Println(string(u.AppendJSON(nil)))
	// Output:
	// dedicated=gpu:NoSchedule op=Equal
	// {"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}
}

// What a pod must tolerate to be scheduled on any of the nodes: with the operator Exists
// where no node has a value, and without the taints that are temporary.
func ExampleExplanation_Addition_fleet() {
	nodes := []match.Node{
		{Taints: taint.List{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("node.kubernetes.io/not-ready:NoSchedule")}},
		{Taints: taint.List{taint.MustParse("spot:NoSchedule"), taint.MustParse("dedicated:NoSchedule")}},
		{Taints: taint.List{{}}}, // one that could not be read
	}
	valued := map[string]bool{} // keys that some node has with a value
	for _, n := range nodes {
		for _, t := range n.Taints {
			valued[t.Key()] = valued[t.Key()] || t.Value() != ""
		}
	}
	for _, n := range nodes {
		for e := range n.Explanations(toleration.First, nil) {
			if !e.Blocks() || e.Taint.IsZero() || condition.Temporary().Has(e.Taint) {
				continue
			}
			add := e.Addition()
			if key := e.Taint.Key(); !valued[key] {
				add, _ = toleration.New(key, toleration.Exists, "", e.Taint.Effect()) // valid as the taint is
			}
			fmt.Println(add)
		}
	}
	// Output:
	// dedicated=gpu:NoSchedule op=Equal
	// spot:NoSchedule op=Exists
	// dedicated:NoSchedule op=Equal
}

// The virtual taint of a cordoned node has the index -1.
func ExampleNode_Explanations() {
	node := match.Node{Taints: gpuNode[:2], Unschedulable: true}
	pod := toleration.List{toleration.MustParse("dedicated=gpu:NoExecute for 60s"), toleration.MustParse("dedicated op=Exists")}
	for e := range node.Explanations(toleration.First, pod) {
		fmt.Println(e.Index, e)
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule is not tolerated: no toleration has its key; to add: "node.kubernetes.io/unschedulable:NoSchedule op=Equal"
	// 0 dedicated=gpu:NoSchedule is tolerated by "dedicated op=Exists"
	// 1 dedicated=gpu:NoExecute is tolerated for 60 s by "dedicated=gpu:NoExecute for 60s"
}

// Reasons describe why one pod cannot be scheduled on the nodes of a cluster.
func ExampleReasons() {
	gpu, broken := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("node.kubernetes.io/unreachable:NoExecute")
	nodes := []match.Node{
		{Taints: taint.List{gpu}},
		{Taints: taint.List{gpu, broken}},
		{Taints: taint.List{gpu}, Unschedulable: true},
		{Taints: taint.List{taint.MustParse("spot:PreferNoSchedule")}},
		{},
	}
	pod := toleration.List{toleration.MustParse("dedicated=cpu")}

	var reasons match.Reasons
	for _, n := range nodes {
		reasons.Add(1, n.Untolerated(pod))
	}
	fmt.Println(&reasons)
	// Output:
	// 3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
	// 1 of 5 nodes: untolerated node.kubernetes.io/unreachable:NoExecute
	// 1 of 5 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
}

// If each customer has nodes of its own, and values must not be shown, the caller counts
// taints without their values.
func ExampleReasons_withoutValues() {
	var reasons match.Reasons
	for _, customer := range []string{"acme", "initech", "umbrella"} {
		t, _ := taint.New("customer", customer, taint.NoSchedule)
		reasons.Add(1, func(yield func(int, taint.Taint) bool) {
			for i, t := range (match.Node{Taints: taint.List{t}}).Untolerated(nil) {
				if t, _ = taint.New(t.Key(), "", t.Effect()); !yield(i, t) {
					return
				}
			}
		})
	}
	fmt.Println(&reasons)
	// Output: 3 of 3 nodes: untolerated customer:NoSchedule
}

func ExampleReason() {
	r := match.Reason{Taint: taint.MustParse("dedicated=gpu:NoSchedule"), Nodes: 3, Of: 5}
	text, _ := json.Marshal(r)
	fmt.Println(r)
	fmt.Println(string(text))
	// Output:
	// 3 of 5 nodes: untolerated dedicated=gpu:NoSchedule
	// {"taint":{"key":"dedicated","value":"gpu","effect":"NoSchedule"},"nodes":3,"of":5}
}
