package condition_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func parse(texts ...string) taint.List { return taint.MustParseList(strings.Join(texts, ",")) }

// A kubelet is no longer reachable: no more pods are scheduled on its node. The
// NoExecute taint waits for the rate of the zone.
func Example() {
	node := condition.NodeStatus{
		Taints:     taint.List{taint.MustParse("dedicated=gpu:NoSchedule")},
		Conditions: []condition.Condition{{Type: "Ready", Status: condition.StatusUnknown}},
	}
	taints, changes := condition.Reconcile(node, condition.Options{At: noon})
	fmt.Println(changes)

	node.Taints = taints
	_, changes = condition.Reconcile(node, condition.Options{At: noon, AtOnce: true})
	fmt.Println(changes)
	// Output:
	// +node.kubernetes.io/unreachable:NoSchedule, waiting for node.kubernetes.io/unreachable:NoExecute
	// +node.kubernetes.io/unreachable:NoExecute
}

// A node joins a cluster of a cloud provider. Its kubelet sets the provider's taint, the
// API server one that it is not ready, and the provider's controller removes the first.
func Example_join() {
	notReady := taint.Add(taint.MustParse(condition.NotReady + ":NoSchedule"))
	created, _ := taint.Apply(
		taint.List{taint.MustParse("node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule")},
		[]taint.Edit{notReady}, taint.EditOptions{KeepExisting: true})
	node := condition.NodeStatus{
		Taints:     created,
		Conditions: []condition.Condition{{Type: "Ready", Status: condition.StatusFalse}},
	}
	fmt.Println("created:", node.Taints)
	var change condition.Reconciled
	for _, status := range []string{condition.StatusFalse, condition.StatusTrue} {
		node.Conditions[0].Status = status
		node.Taints, change = condition.Reconcile(node, condition.Options{AtOnce: true})
		fmt.Printf("Ready is %s: %v\n", status, change)
	}
	fmt.Println("until the provider initializes it:", node.Taints)
	// Output:
	// created: node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule,node.kubernetes.io/not-ready:NoSchedule
	// Ready is False: +node.kubernetes.io/not-ready:NoExecute
	// Ready is True: -node.kubernetes.io/not-ready:NoSchedule, -node.kubernetes.io/not-ready:NoExecute
	// until the provider initializes it: node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule
}

func ExampleDeprecated() {
	fmt.Println(condition.Deprecated("node.kubernetes.io/out-of-disk"))
	fmt.Println(condition.Deprecated(condition.Master))
	// Output:
	// node.kubernetes.io/disk-pressure true
	//  false
}

func ExampleReconcile() {
	n := condition.NodeStatus{
		Conditions: []condition.Condition{{Type: "Ready", Status: condition.StatusUnknown}},
		Taints: taint.List{
			taint.MustParse("node.kubernetes.io/not-ready:NoExecute"),
			taint.MustParse("dedicated=gpu:NoSchedule"),
			taint.MustParse("node.kubernetes.io/memory-pressure:NoSchedule"), // no longer required
		},
	}
	taints, change := condition.Reconcile(n, condition.Options{At: noon})
	for _, t := range taints {
		fmt.Println(t, t.TimeAdded().Format(time.TimeOnly))
	}
	for i, t := range change.Removed() {
		fmt.Println("removed:", i, t)
	}
	// Output:
	// dedicated=gpu:NoSchedule 00:00:00
	// node.kubernetes.io/unreachable:NoSchedule 12:00:00
	// node.kubernetes.io/unreachable:NoExecute 12:00:00
	// removed: 0 node.kubernetes.io/not-ready:NoExecute
	// removed: 2 node.kubernetes.io/memory-pressure:NoSchedule
}

// To list the taints that a status requires, reconcile it without taints.
func ExampleReconcile_required() {
	required, _ := condition.Reconcile(condition.NodeStatus{
		Conditions: []condition.Condition{
			{Type: "DiskPressure", Status: condition.StatusTrue},
			{Type: "Ready", Status: condition.StatusFalse},
		},
		Unschedulable: true,
	}, condition.Options{AtOnce: true})
	for _, t := range required {
		fmt.Println(t)
	}
	// Output:
	// node.kubernetes.io/disk-pressure:NoSchedule
	// node.kubernetes.io/not-ready:NoSchedule
	// node.kubernetes.io/unschedulable:NoSchedule
	// node.kubernetes.io/not-ready:NoExecute
}

func ExampleNodeEviction() {
	fmt.Println(condition.NodeEviction())
	// Output: node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/unreachable:NoExecute
}

func ExampleTemporary() {
	taints := parse("node.kubernetes.io/not-ready:NoSchedule", "dedicated=gpu:NoSchedule", "karpenter.sh/unregistered:NoExecute")
	fmt.Println(condition.Temporary().Drop(taints))
	// Output: dedicated=gpu:NoSchedule
}
