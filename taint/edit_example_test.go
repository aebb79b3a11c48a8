package taint_test

import (
	"flag"
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

// What kubectl taint does to a node.
func ExampleApply() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	edits, err := taint.ParseEdits("dedicated=cpu:NoSchedule", "spot-")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, err = taint.Apply(node, edits, taint.EditOptions{})
	fmt.Println(err)

	node, outcome, err := taint.Apply(node, edits, taint.EditOptions{Overwrite: true})
	fmt.Println(node, outcome, err)
	// Output:
	// edits[0] "dedicated=cpu:NoSchedule": is there already, and is not to be overwritten
	// [dedicated=cpu:NoSchedule] modified <nil>
}

// A new NoExecute taint gets the time at which it is put on the node; one that
// is overwritten keeps its own.
func ExampleApply_timeAdded() {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	old, _ := taint.MustParse("maintenance=soon:NoExecute").WithTimeAdded(noon.Add(-time.Hour))
	edits, _ := taint.ParseEdits("maintenance=now:NoExecute", "drain:NoExecute")

	node, _, _ := taint.Apply([]taint.Taint{old}, edits, taint.EditOptions{Overwrite: true, TimeAdded: noon})
	for _, t := range node {
		fmt.Println(t, t.TimeAdded().Format(time.TimeOnly))
	}
	// Output:
	// maintenance=now:NoExecute 11:00:00
	// drain:NoExecute 12:00:00
}

// A node edited where its list stands.
func ExampleAppendApply() {
	node, _ := taint.ParseList("a:NoSchedule,b:NoSchedule,c:NoSchedule")
	edits, _ := taint.ParseEdits("b-")
	node, outcome, err := taint.AppendApply(node[:0], node, edits, taint.EditOptions{})
	fmt.Println(node, outcome, err)
	// Output: [a:NoSchedule c:NoSchedule] untainted <nil>
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

func ExampleMustParseEdit() {
	fmt.Println(taint.MustParseEdit("dedicated=gpu:NoSchedule").Taint().Value())
	// Output: gpu
}

// All that is wrong with the arguments of one call.
func ExampleParseEdits() {
	_, err := taint.ParseEdits("dedicated=gpu:NoSchedul", "spot:NoSchedule", "spot-")
	fmt.Println(err)
	// Output:
	// edits[0].effect: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// edits[2] "spot-": is added and removed at once
}

func ExampleAdding() {
	fmt.Println(taint.Adding(taint.MustParse("dedicated=gpu:NoSchedule")))
	// Output: dedicated=gpu:NoSchedule
}

func ExampleRemoving() {
	one, _ := taint.Removing("dedicated", taint.NoSchedule)
	all, _ := taint.Removing("dedicated", 0)
	fmt.Println(one, all)
	// Output: dedicated:NoSchedule- dedicated-
}

func ExampleEdit_IsRemoval() {
	fmt.Println(taint.MustParseEdit("spot:NoSchedule-").IsRemoval(), taint.MustParseEdit("spot:NoSchedule").IsRemoval())
	// Output: true false
}

func ExampleEdit_IsZero() {
	var e taint.Edit
	fmt.Println(e.IsZero())
	// Output: true
}

func ExampleEdit_Touches() {
	t := taint.MustParse("dedicated=gpu:NoSchedule")
	fmt.Println(taint.MustParseEdit("dedicated-").Touches(t))
	fmt.Println(taint.MustParseEdit("dedicated=cpu:NoSchedule").Touches(t))
	fmt.Println(taint.MustParseEdit("dedicated=gpu:NoExecute").Touches(t))
	// Output:
	// true
	// true
	// false
}

func ExampleEdit_AppendText() {
	b, _ := taint.MustParseEdit("spot-").AppendText([]byte("edit: "))
	fmt.Println(string(b))
	// Output: edit: spot-
}

func ExampleEdit_UnmarshalText() {
	var e taint.Edit
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.TextVar(&e, "edit", taint.Edit{}, "what to do to the node")
	fmt.Println(flags.Parse([]string{"-edit", "spot:NoSchedule-"}), e)
	// Output: <nil> spot:NoSchedule-
}

func ExampleOutcome_String() {
	_, outcome, _ := taint.Apply(nil, []taint.Edit{taint.MustParseEdit("spot:NoSchedule")}, taint.EditOptions{})
	fmt.Println("node/n1", outcome)
	// Output: node/n1 tainted
}

func ExampleDifference() {
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule,zone=a:NoExecute")
	after, _ := taint.ParseList("zone=a:NoExecute,dedicated=cpu:NoSchedule,drain:NoExecute")
	for _, c := range taint.Difference(before, after) {
		fmt.Printf("%v: %q, %q\n", c.Kind(), c.Before, c.After)
	}
	// Output:
	// value changed: "dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule"
	// removed: "spot:NoSchedule", ""
	// added: "", "drain:NoExecute"
}

// A controller that looks again and again keeps its memory.
func ExampleAppendDifference() {
	var changes []taint.Change
	seen := []taint.Taint{}
	for _, text := range []string{"a:NoSchedule", "a:NoSchedule,b:NoSchedule", "b:NoSchedule"} {
		node, _ := taint.ParseList(text)
		changes = taint.AppendDifference(changes[:0], seen, node)
		for _, c := range changes {
			fmt.Println(c.Kind(), c.Edit())
		}
		seen = node
	}
	// Output:
	// added a:NoSchedule
	// added b:NoSchedule
	// removed a:NoSchedule-
}

func ExampleChange_Kind() {
	c := taint.Change{Before: taint.MustParse("k=a:NoSchedule"), After: taint.MustParse("k=b:NoSchedule")}
	fmt.Println(c.Kind() == taint.ValueChanged)
	// Output: true
}

func ExampleChange_Edit() {
	c := taint.Change{Before: taint.MustParse("k=a:NoSchedule")}
	fmt.Println(c.Edit())
	// Output: k:NoSchedule-
}

func ExampleEditsBetween() {
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule")
	after, _ := taint.ParseList("dedicated=cpu:NoSchedule,drain:NoExecute")
	fmt.Println(taint.EditsBetween(before, after))
	// Output: [dedicated=cpu:NoSchedule spot:NoSchedule- drain:NoExecute]
}

func ExampleAppendEditsBetween() {
	edits := []taint.Edit{taint.MustParseEdit("maintenance:NoSchedule")}
	before, _ := taint.ParseList("spot:NoSchedule")
	fmt.Println(taint.AppendEditsBetween(edits, before, nil))
	// Output: [maintenance:NoSchedule spot:NoSchedule-]
}

// A MachineSet's template changes; what others put on the node stays.
func ExamplePropagate() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute,spot:NoSchedule")
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule")
	after, _ := taint.ParseList("dedicated=cpu:NoSchedule,zone=b:NoSchedule")
	fmt.Println(taint.Propagate(node, before, after))
	// Output: [dedicated=cpu:NoSchedule node.kubernetes.io/not-ready:NoExecute zone=b:NoSchedule]
}

func ExampleAppendPropagate() {
	template, _ := taint.ParseList("dedicated=gpu:NoSchedule")
	room := make([]taint.Taint, 0, 8)
	for _, text := range []string{"", "spot:NoSchedule"} {
		node, _ := taint.ParseList(text)
		fmt.Println(taint.AppendPropagate(room, node, nil, template))
	}
	// Output:
	// [dedicated=gpu:NoSchedule]
	// [spot:NoSchedule dedicated=gpu:NoSchedule]
}
