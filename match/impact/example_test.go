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

// noon is when the examples' changes are made.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func taints(texts ...string) (list []taint.Taint) {
	for _, text := range texts {
		list = append(list, taint.MustParse(text))
	}
	return list
}

func tolerations(texts ...string) (list []toleration.Toleration) {
	for _, text := range texts {
		list = append(list, toleration.MustParse(text))
	}
	return list
}

// Before a node is drained: who goes, when, and because of what.
func Example() {
	node := taints("dedicated=gpu:NoSchedule")
	edits, err := taint.ParseEdits("dedicated-", "maintenance=today:NoExecute")
	if err != nil {
		fmt.Println(err)
		return
	}
	changed, _, err := taint.Apply(node, edits, taint.EditOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := impact.New(impact.Options{Now: noon}, impact.Node{Before: match.Node{Taints: node}, After: match.Node{Taints: changed}})

	names := []string{"web", "db", "agent"}
	running := []impact.Pod{
		{Tolerations: tolerations("dedicated=gpu")},
		{Tolerations: tolerations("dedicated=gpu", "maintenance:NoExecute op=Exists for 600s")},
		{Tolerations: tolerations("op=Exists")},
	}
	for _, e := range plan.Evictions(running) {
		i, _ := e.After.Taint()
		fmt.Println(names[e.Pod], "goes", e.After, "for", changed[i])
	}
	waiting := []impact.Pod{
		{Tolerations: nil},
		{Tolerations: tolerations("dedicated=gpu")},
		{Tolerations: tolerations("maintenance op=Exists")},
	}
	for _, w := range plan.Placements(waiting) {
		fmt.Println("waiting pod", w.Pod, w.Kind())
	}
	// Output:
	// web goes now for maintenance=today:NoExecute
	// db goes at 2026-01-02T12:10:00Z for maintenance=today:NoExecute
	// waiting pod 1 Closed
	// waiting pod 2 Opened
}

// A pool of three nodes, of which two change.
func ExampleNew() {
	pool := []impact.Node{
		{Before: match.Node{}, After: match.Node{Taints: taints("spot:NoSchedule")}},
		{Before: match.Node{}, After: match.Node{Unschedulable: true}},
		{Before: match.Node{}, After: match.Node{}},
	}
	plan := impact.New(impact.Options{Now: noon}, pool...)
	w := plan.Placement(nil)
	fmt.Println(plan.Len(), w.Kind(), w.Before, "->", w.After())
	// Output: 3 Narrowed 3 -> 1
}

// One Plan after the other in the same memory.
func ExamplePlan_Reset() {
	var plan impact.Plan
	for _, text := range []string{"a:NoExecute", "b:PreferNoSchedule"} {
		plan.Reset(impact.Options{Now: noon}, impact.Node{After: match.Node{Taints: taints(text)}})
		fmt.Println(text, plan.Eviction(impact.Pod{}).Kind, plan.Placement(nil).Kind())
	}
	// Output:
	// a:NoExecute Due Closed
	// b:PreferNoSchedule Unchanged Disliked
}

func ExamplePlan_Len() {
	var plan impact.Plan
	fmt.Println(plan.Len())
	// Output: 0
}

// A pod that has waited for four of its five minutes, on a node that is
// reachable again.
func ExamplePlan_Eviction() {
	unreachable := taints("node.kubernetes.io/unreachable:NoExecute")
	plan := impact.New(impact.Options{Now: noon}, impact.Node{
		Before:   match.Node{Taints: unreachable},
		Observed: eviction.Observe(nil, unreachable, noon.Add(-4*time.Minute)),
	})
	e := plan.Eviction(impact.Pod{Tolerations: tolerations("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")})
	fmt.Println(e.Kind, e)
	// Output: Cancelled never, was at 2026-01-02T12:01:00Z
}

func ExamplePlan_Evictions() {
	plan := impact.New(impact.Options{Now: noon}, impact.Node{After: match.Node{Taints: taints("drain:NoExecute")}})
	running := []impact.Pod{
		{Tolerations: tolerations("drain:NoExecute for 60s")},
		{Tolerations: tolerations("drain:NoExecute")},
		{Tolerations: nil},
		{Tolerations: nil, Node: -1}, // elsewhere
	}
	for _, e := range plan.Evictions(running) {
		fmt.Println(e.Pod, e.Kind, e)
	}
	// Output:
	// 0 Scheduled at 2026-01-02T12:01:00Z, was never
	// 2 Due now, was never
}

func ExamplePlan_AppendEvictions() {
	plan := impact.New(impact.Options{Now: noon}, impact.Node{After: match.Node{Taints: taints("drain:NoExecute")}})
	room := make([]impact.Eviction, 0, 16)
	fmt.Println(len(plan.AppendEvictions(room, make([]impact.Pod, 3))))
	// Output: 3
}

func ExampleEviction_String() {
	plan := impact.New(impact.Options{Now: noon}, impact.Node{After: match.Node{Taints: taints("drain:NoExecute")}})
	fmt.Println(plan.Eviction(impact.Pod{Tolerations: tolerations("op=Exists")}))
	fmt.Println(plan.Eviction(impact.Pod{}))
	// Output:
	// unchanged, never
	// now, was never
}

// Which node is lost first, and which taint keeps the pod out.
func ExamplePlan_Placement() {
	nodes := []impact.Node{
		{Before: match.Node{Taints: taints("a:NoSchedule")}, After: match.Node{Taints: taints("a:NoSchedule")}},
		{After: match.Node{Taints: taints("a:NoSchedule", "b:NoSchedule")}},
	}
	plan := impact.New(impact.Options{Now: noon}, nodes...)
	pod := tolerations("a op=Exists")
	w := plan.Placement(pod)
	after := nodes[w.FirstLost].After
	i, _ := after.Filter(pod).First(taint.NoSchedule, taint.NoExecute)
	fmt.Println(w.Kind(), w.Before, "->", w.After(), "node", w.FirstLost, after.Taints[i])
	// Output: Narrowed 2 -> 1 node 1 b:NoSchedule
}

func ExamplePlan_Placements() {
	plan := impact.New(impact.Options{Now: noon}, impact.Node{Before: match.Node{Taints: taints("gpu:NoSchedule")}})
	waiting := []impact.Pod{{Tolerations: tolerations("gpu op=Exists")}, {Tolerations: nil}}
	for _, w := range plan.Placements(waiting) {
		fmt.Println(w.Pod, w.Kind())
	}
	// Output: 1 Opened
}

func ExamplePlan_AppendPlacements() {
	plan := impact.New(impact.Options{Now: noon}, impact.Node{Before: match.Node{Taints: taints("gpu:NoSchedule")}})
	room := make([]impact.Placement, 0, 16)
	fmt.Println(len(plan.AppendPlacements(room, make([]impact.Pod, 2))))
	// Output: 2
}

func ExamplePlacement_Kind() {
	fmt.Println(impact.Placement{Before: 2, Gained: 1}.Kind() == impact.Widened)
	// Output: true
}

func ExamplePlacement_After() {
	fmt.Println(impact.Placement{Before: 2, Gained: 3, Lost: 1}.After())
	// Output: 4
}

func ExamplePlacementKind_String() {
	fmt.Println(impact.Opened, impact.Closed)
	// Output: Opened Closed
}
