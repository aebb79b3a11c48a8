package impact_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// noon is the time of the changes.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// Before a node is drained, the impact shows which pods are evicted, when, and by which
// taint.
func Example() {
	node := taint.MustParseList("dedicated=gpu:NoSchedule")
	edits, err := taint.ParseEdits("dedicated-", "maintenance=today:NoExecute")
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, err := taint.Apply(node, edits, taint.EditOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	change := impact.New(noon, impact.NodeChange{Before: match.Node{Taints: node}, After: match.Node{Taints: changed}})

	running := []struct {
		name        string
		tolerations toleration.List
	}{
		{"web", toleration.MustParseList("dedicated=gpu")},
		{"db", toleration.MustParseList("dedicated=gpu,maintenance:NoExecute op=Exists for 600s")},
		{"agent", toleration.MustParseList("op=Exists")},
	}
	for _, pod := range running {
		if e := change.Eviction(0, eviction.Options{}, pod.tolerations); e.Kind != eviction.Unchanged {
			i, _ := e.After.Taint()
			fmt.Printf("%s: %v by %v\n", pod.name, e.After, changed[i])
		}
	}
	for _, text := range []string{"gpu", "dedicated=gpu", "maintenance op=Exists"} {
		if w := change.Placement(toleration.MustParseList(text)); w.Gained+w.Lost > 0 {
			fmt.Printf("waiting pod with %q: %v\n", text, w)
		}
	}
	// Output:
	// web: due by maintenance=today:NoExecute
	// db: at 2026-01-02T12:10:00Z by maintenance=today:NoExecute
	// waiting pod with "dedicated=gpu": 1 node before, 0 after, 1 lost (first: node 0)
	// waiting pod with "maintenance op=Exists": 0 nodes before, 1 after, 1 gained (first: node 0)
}

// Two nodes of a pool of three change.
func ExampleNew() {
	pool := []impact.NodeChange{
		{After: match.Node{Taints: taint.MustParseList("spot:NoSchedule")}},
		{After: match.Node{Unschedulable: true}},
		{},
	}
	change := impact.New(noon, pool...)
	w := change.Placement(nil)
	fmt.Println(w.Before, "->", w.After)
	// Output: 3 -> 1
}

// A pod has waited for four of its five minutes when its node is reachable again.
func ExampleAnalysis_Eviction() {
	unreachable := taint.MustParseList("node.kubernetes.io/unreachable:NoExecute")
	change := impact.New(noon, impact.NodeChange{
		Before:   match.Node{Taints: unreachable},
		Observed: eviction.Observe(nil, unreachable, noon.Add(-4*time.Minute)),
	})
	e := change.Eviction(0, eviction.Options{}, toleration.MustParseList("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"))
	fmt.Println(e.Kind, e)
	// Output: Cancelled never, was at 2026-01-02T12:01:00Z
}

// The first node that is lost, and the taint that repels the pod.
func ExampleAnalysis_Placement() {
	nodes := []impact.NodeChange{
		{Before: match.Node{Taints: taint.MustParseList("a:NoSchedule")}, After: match.Node{Taints: taint.MustParseList("a:NoSchedule")}},
		{After: match.Node{Taints: taint.MustParseList("a:NoSchedule,b:NoSchedule")}},
	}
	change := impact.New(noon, nodes...)
	pod := toleration.MustParseList("a op=Exists")
	w := change.Placement(pod)
	after := nodes[w.FirstLost].After
	i, _ := after.Filter(pod).First(taint.NoSchedule, taint.NoExecute)
	fmt.Println(w.Before, "->", w.After, "node", w.FirstLost, after.Taints[i])
	// Output: 2 -> 1 node 1 b:NoSchedule
}
