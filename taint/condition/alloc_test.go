//go:build !race

package condition_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// These variables keep the results, so that the compiler does not remove the calls.
var (
	sinkBool   bool
	sinkList   taint.List
	sinkTaint  taint.Taint
	sinkText   string
	sinkChange condition.Reconciled
	sinkIndex  int
)

// The counts are the documented ones. The test must not run in parallel with other
// tests.
func TestAllocs(t *testing.T) {
	var (
		up       = conds("MemoryPressure", "False", "DiskPressure", "False", "PIDPressure", "False", "Ready", "True")
		down     = conds("MemoryPressure", "Unknown", "DiskPressure", "Unknown", "PIDPressure", "Unknown", "Ready", "Unknown")
		own      = parse("dedicated=gpu:NoSchedule", "team=a:NoExecute")
		healthy  = condition.NodeStatus{Taints: own, Conditions: up}
		lost     = condition.NodeStatus{Taints: own, Conditions: down}
		settled  = condition.NodeStatus{Taints: append(parse(unreachable+":NoSchedule", unreachable+":NoExecute"), own...), Conditions: down}
		waiting  = condition.NodeStatus{Taints: append(parse(unreachable+":NoSchedule"), own...), Conditions: down}
		cordoned = condition.NodeStatus{Taints: parse("node.kubernetes.io/unschedulable:NoSchedule")}
		opts     = condition.Options{At: noon, AtOnce: true}
	)
	_, change := condition.Reconcile(lost, opts)
	measure.Allocs(t, "Deprecated", 0, func() { sinkText, sinkBool = condition.Deprecated("node.kubernetes.io/out-of-disk") })
	measure.Allocs(t, "Reconcile/healthy", 0, func() { sinkList, sinkChange = condition.Reconcile(healthy, opts) })
	measure.Allocs(t, "Reconcile/settled", 0, func() { sinkList, sinkChange = condition.Reconcile(settled, opts) })
	measure.Allocs(t, "Reconcile/waiting", 0, func() { sinkList, sinkChange = condition.Reconcile(waiting, condition.Options{At: noon}) })
	measure.Allocs(t, "Reconcile/lost", 1, func() { sinkList, sinkChange = condition.Reconcile(lost, opts) })
	measure.Allocs(t, "Reconcile/nothing_left", 1, func() { sinkList, sinkChange = condition.Reconcile(cordoned, opts) })
	measure.Allocs(t, "Reconciled.Added", 0, func() {
		for i, t := range change.Added() {
			sinkIndex, sinkTaint = i, t
		}
	})
	measure.Allocs(t, "Reconciled.Removed", 0, func() {
		for i, t := range change.Removed() {
			sinkIndex, sinkTaint = i, t
		}
	})
}
