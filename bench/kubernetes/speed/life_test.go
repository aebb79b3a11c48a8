package speed

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	taintutils "k8s.io/kubernetes/pkg/util/taints"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// reconciled makes a node with a usual status, and with taints that agree with it or do
// not.
func reconciled(change bool) (*corev1.Node, condition.NodeStatus) {
	theirs := &corev1.Node{}
	theirs.Name = "node"
	ours := condition.NodeStatus{Taints: taint.List{
		taint.MustParse("dedicated=team-7:NoSchedule"),
		taint.MustParse("node.kubernetes.io/disk-pressure:NoSchedule"),
	}}
	statuses := []string{"False", "True", "False", "False", "True"}
	if change {
		statuses = []string{"True", "False", "False", "False", "True"}
	}
	for i, name := range []string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready"} {
		theirs.Status.Conditions = append(theirs.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(name), Status: corev1.ConditionStatus(statuses[i])})
		ours.Conditions = append(ours.Conditions, condition.Condition{Type: name, Status: statuses[i]})
	}
	theirs.Spec.Taints = coreTaints(ours.Taints)
	return theirs, ours
}

// change makes the controller's change of the node in memory, by the functions that the
// controller calls, without the calls of the API server between them.
func change(node *corev1.Node, add, remove *corev1.Taint) *corev1.Node {
	updated, _, err := taintutils.AddOrUpdateTaint(node, add)
	if err != nil {
		panic(err)
	}
	if updated, _, err = taintutils.RemoveTaint(updated, remove); err != nil {
		panic(err)
	}
	return updated
}

func newNodes(node *corev1.Node) (n *upstream.Nodes, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	n = upstream.NewNodes(ctx, upstream.DefaultRates())
	n.Set(node)
	n.NoSchedule(node.Name)
	return n, cancel
}

var (
	memoryPressure = &corev1.Taint{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule}
	diskPressure   = &corev1.Taint{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule}
)

// BenchmarkReconcile reconciles the taints of one node with its conditions. Nearly
// always there is nothing to do; this case runs the controller. If one taint replaces
// another, the benchmark runs only the controller's functions for the change.
func BenchmarkReconcile(b *testing.B) {
	b.Run("change=none", func(b *testing.B) {
		theirs, ours := reconciled(false)
		n, stop := newNodes(theirs)
		defer stop()
		workload.Run(b, "impl=kubernetes", func() error { return n.Look("node") })
		workload.Run(b, "impl=tolerate", func() taint.List { list, _ := condition.Reconcile(ours, condition.Options{}); return list })
	})
	b.Run("change=one", func(b *testing.B) {
		theirs, ours := reconciled(true)
		workload.Run(b, "impl=kubernetes", func() *corev1.Node { return change(theirs, memoryPressure, diskPressure) })
		workload.Run(b, "impl=tolerate", func() taint.List { list, _ := condition.Reconcile(ours, condition.Options{}); return list })
	})
}

// editArgs are edits of the workload's node.
var editArgs = []string{"dedicated=team-8:NoSchedule", "node.kubernetes.io/disk-pressure:NoSchedule-"}

// BenchmarkEdit parses two edits, and applies them to a node of two taints.
func BenchmarkEdit(b *testing.B) {
	node := workload.Node()
	held := taint.MustParse(editArgs[0])
	b.Run("do=parse", func(b *testing.B) {
		workload.Run(b, "impl=kubernetes", func() []corev1.Taint { add, _, _ := upstream.ParseTaints(editArgs); return add })
		workload.Run(b, "impl=tolerate", func() []taint.Edit { edits, _ := taint.ParseEdits(editArgs...); return edits })
	})
	b.Run("do=apply", func(b *testing.B) {
		e, _ := upstream.ParseEdit(true, editArgs...)
		edits, _ := taint.ParseEdits(editArgs...)
		theirs, before := &corev1.Node{}, coreTaints(node)
		workload.Run(b, "impl=kubernetes", func() []corev1.Taint {
			theirs.Spec.Taints = before
			if _, err := e.ApplyTo(theirs); err != nil {
				panic(err)
			}
			return theirs.Spec.Taints
		})
		workload.Run(b, "impl=tolerate", func() taint.List {
			out, _ := taint.Apply(node, edits, taint.EditOptions{Overwrite: true})
			return out
		})
	})
	if held.IsZero() {
		b.Fatal("not held")
	}
}
