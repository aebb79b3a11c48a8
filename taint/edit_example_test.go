package taint_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
)

// Apply does what kubectl taint does to a node.
func ExampleApply() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	edits, err := taint.ParseEdits("dedicated=cpu:NoSchedule", "spot-")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = taint.Apply(node, edits, taint.EditOptions{})
	fmt.Println(err)

	node, err = taint.Apply(node, edits, taint.EditOptions{Overwrite: true})
	fmt.Println(node, err)
	// Output:
	// edits[0] "dedicated=cpu:NoSchedule": already present; use Overwrite to replace it
	// dedicated=cpu:NoSchedule <nil>
}

// A controller can run this again and again: afterwards the node has one taint, with
// any value, and does not have the other.
func ExampleApply_idempotent() {
	ensure := taint.EditOptions{KeepExisting: true, IgnoreAbsent: true}
	edits, _ := taint.ParseEdits("dedicated=gpu:NoSchedule", "starting-")

	node := taint.List{taint.MustParse("starting:NoSchedule")}
	for range 2 {
		node, _ = taint.Apply(node, edits, ensure)
		fmt.Println(node)
	}
	// Output:
	// dedicated=gpu:NoSchedule
	// dedicated=gpu:NoSchedule
}

func ExampleParseEdit() {
	e, _ := taint.ParseEdit("dedicated=gpu:NoSchedule-")
	fmt.Println(e, e.IsRemoval(), e.Key(), e.Effect())

	_, err := taint.ParseEdit("dedicated=gpu-")
	fmt.Println(err)
	// Output:
	// dedicated:NoSchedule- true dedicated NoSchedule
	// taint.ParseEdit("dedicated=gpu-"): must have the form key=value:Effect or key:Effect or key:Effect- or key-
}

// The error describes all problems in the arguments of one call.
func ExampleParseEdits() {
	_, err := taint.ParseEdits("dedicated=gpu:NoSchedul", "spot:NoSchedule", "spot-")
	fmt.Println(err)
	// Output:
	// taint.ParseEdits: edits[0].effect: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// taint.ParseEdits: edits[2] "spot-": must not be both added and removed
}

func ExampleAdd() {
	fmt.Println(taint.Add(taint.MustParse("dedicated=gpu:NoSchedule")))
	// Output: dedicated=gpu:NoSchedule
}

func ExampleEdit_IsRemoval() {
	edits, _ := taint.ParseEdits("spot:NoSchedule-", "zone=a:NoSchedule")
	fmt.Println(edits[0].IsRemoval(), edits[1].IsRemoval())
	// Output: true false
}

func ExampleEdit_IsZero() {
	var e taint.Edit
	fmt.Println(e.IsZero())
	// Output: true
}

func ExampleDifference() {
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule,zone=a:NoExecute")
	after, _ := taint.ParseList("zone=a:NoExecute,dedicated=cpu:NoSchedule,drain:NoExecute")
	for _, c := range taint.Difference(before, after) {
		fmt.Println(c)
	}
	// Output:
	// value changed dedicated=gpu:NoSchedule to dedicated=cpu:NoSchedule
	// removed spot:NoSchedule
	// added drain:NoExecute
}

// A MachineSet's template changes. Taints from other sources remain on the node.
func ExamplePropagate() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute,spot:NoSchedule")
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule")
	after, _ := taint.ParseList("dedicated=cpu:NoSchedule,zone=b:NoSchedule")
	fmt.Println(taint.Propagate(node, before, after))
	// Output: dedicated=cpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute,zone=b:NoSchedule
}
