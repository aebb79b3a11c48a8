package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

var benchTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// conditionsOf returns the conditions that a kubelet and a cloud set.
func conditionsOf(pressure, ready string) []condition.Condition {
	return []condition.Condition{
		{Type: "NetworkUnavailable", Status: pressure},
		{Type: "MemoryPressure", Status: pressure},
		{Type: "DiskPressure", Status: pressure},
		{Type: "PIDPressure", Status: pressure},
		{Type: "Ready", Status: ready},
	}
}

// conditionFleet makes n nodes. One in every so many has become unreachable; the taints
// of the other nodes need no change. All nodes have the foreign taints, too.
func conditionFleet(n, every int, foreign taint.List) []condition.NodeStatus {
	rng := rand.New(rand.NewPCG(1, 2))
	healthy := conditionsOf(condition.StatusFalse, condition.StatusTrue)
	lost := conditionsOf(condition.StatusUnknown, condition.StatusUnknown)
	// Ready nodes have no taints of conditions.
	conditions := condition.Temporary()
	nodes := make([]condition.NodeStatus, n)
	for i, taints := range workload.Fleet(n, 1) {
		nodes[i] = condition.NodeStatus{Taints: append(conditions.Drop(taints), foreign...), Conditions: healthy}
		if every > 0 && rng.IntN(every) == 0 {
			nodes[i].Conditions = lost
		}
	}
	return nodes
}

// foreignTaints makes n taints that no condition sets.
func foreignTaints(n int) taint.List {
	var list taint.List
	for i := range n {
		list = append(list, taint.MustParse(fmt.Sprintf("node.kubernetes.io/foreign-%d=v:NoSchedule", i)))
	}
	return list
}

// same reports whether Reconcile returned the list of the node.
func same(a, b taint.List) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func reconcileFleet(nodes []condition.NodeStatus, opts condition.Options) (changed int) {
	for i := range nodes {
		if after, _ := condition.Reconcile(nodes[i], opts); !same(after, nodes[i].Taints) {
			changed++
		}
	}
	return changed
}

// plainCalls is the table that a plain implementation uses: the taint for each
// condition and status.
var plainCalls = map[string]map[string]string{
	"Ready":              {"False": condition.NotReady, "Unknown": condition.Unreachable},
	"MemoryPressure":     {"True": condition.MemoryPressure},
	"DiskPressure":       {"True": condition.DiskPressure},
	"PIDPressure":        {"True": condition.PIDPressure},
	"NetworkUnavailable": {"True": condition.NetworkUnavailable},
}

type plainKind struct{ key, effect string }

var plainManaged = map[plainKind]bool{
	{condition.NotReady, "NoSchedule"}:           true,
	{condition.Unreachable, "NoSchedule"}:        true,
	{condition.MemoryPressure, "NoSchedule"}:     true,
	{condition.DiskPressure, "NoSchedule"}:       true,
	{condition.PIDPressure, "NoSchedule"}:        true,
	{condition.NetworkUnavailable, "NoSchedule"}: true,
	{condition.Unschedulable, "NoSchedule"}:      true,
	{condition.NotReady, "NoExecute"}:            true,
	{condition.Unreachable, "NoExecute"}:         true,
}

// plainReconcile is the plain implementation, with maps. It adds the NoExecute taint at
// once.
func plainReconcile(n condition.NodeStatus, at time.Time) (taint.List, bool) {
	wanted := make(map[plainKind]bool)
	var order []plainKind
	want := func(key, effect string) {
		if t := (plainKind{key, effect}); !wanted[t] {
			wanted[t] = true
			order = append(order, t)
		}
	}
	evict := ""
	for _, c := range n.Conditions {
		if key, ok := plainCalls[c.Type][c.Status]; ok {
			want(key, "NoSchedule")
			if c.Type == "Ready" {
				evict = key
			}
		}
	}
	if n.Unschedulable {
		want(condition.Unschedulable, "NoSchedule")
	}
	if evict != "" {
		want(evict, "NoExecute")
	}
	changed := false
	var kept taint.List
	present := make(map[plainKind]bool)
	for _, t := range n.Taints {
		k := plainKind{t.Key(), t.Effect().String()}
		present[k] = true
		if plainManaged[k] && !wanted[k] {
			changed = true
			continue
		}
		kept = append(kept, t)
	}
	for _, k := range order {
		if present[k] {
			continue
		}
		t, err := taint.From(k.key, "", k.effect)
		if err != nil {
			panic(err)
		}
		if t, err = t.WithTimeAdded(at); err != nil {
			panic(err)
		}
		kept = append(kept, t)
		changed = true
	}
	if !changed {
		return n.Taints, false
	}
	return kept, true
}

func plainReconcileFleet(nodes []condition.NodeStatus, at time.Time) (changed int) {
	for i := range nodes {
		if _, c := plainReconcile(nodes[i], at); c {
			changed++
		}
	}
	return changed
}

// plainReconcile returns what Reconcile returns.
func TestPlainReconcile(t *testing.T) {
	opts := condition.Options{At: benchTime, AtOnce: true}
	for _, n := range conditionFleet(2000, 3, foreignTaints(2)) {
		want, change := plainReconcile(n, benchTime)
		got, _ := condition.Reconcile(n, opts)
		if fmt.Sprint(got) != fmt.Sprint(want) || same(got, n.Taints) == change {
			t.Fatalf("%v: %v, and by maps %v", n, got, want)
		}
	}
}

// BenchmarkReconcile is a controller's pass over all nodes. No node, one in a hundred,
// or every node has changed; the lists are of the usual length or longer.
func BenchmarkReconcile(b *testing.B) {
	for _, bb := range []struct {
		nodes   int
		changed string
		every   int
		foreign int
	}{{100_000, "none", 0, 0}, {100_000, "1%", 100, 0}, {100_000, "all", 1, 0}, {10_000, "none", 0, 30}, {10_000, "all", 1, 30}} {
		fleet := conditionFleet(bb.nodes, bb.every, foreignTaints(bb.foreign))
		opts := condition.Options{At: benchTime, AtOnce: true}
		b.Run(fmt.Sprintf("nodes=%d/changed=%s/foreign=%d", bb.nodes, bb.changed, bb.foreign), func(b *testing.B) {
			workload.Run(b, "impl=plain", func() int { return plainReconcileFleet(fleet, benchTime) })
			workload.Run(b, "impl=tolerate", func() int { return reconcileFleet(fleet, opts) })
		})
	}
}
