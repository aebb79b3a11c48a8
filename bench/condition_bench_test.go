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

var (
	sinkReconciled int
	benchTime      = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
)

// conditionsOf returns what a kubelet and a cloud say of a node.
func conditionsOf(pressure, ready string) []condition.Condition {
	return []condition.Condition{
		{Type: condition.TypeNetworkUnavailable, Status: pressure},
		{Type: condition.TypeMemoryPressure, Status: pressure},
		{Type: condition.TypeDiskPressure, Status: pressure},
		{Type: condition.TypePIDPressure, Status: pressure},
		{Type: condition.TypeReady, Status: ready},
	}
}

// conditionFleet makes n nodes that are in order, but for one in every so many,
// which has been lost since. Each bears the foreign taints, too.
func conditionFleet(n, every int, foreign []taint.Taint) []condition.Node {
	rng := rand.New(rand.NewPCG(1, 2))
	healthy := conditionsOf(condition.StatusFalse, condition.StatusTrue)
	lost := conditionsOf(condition.StatusUnknown, condition.StatusUnknown)
	// What conditions call for would not be there in a fleet in order.
	conditions := condition.Union(condition.NodeConditions(), condition.Cordon())
	nodes := make([]condition.Node, n)
	for i, taints := range workload.Fleet(n, 1) {
		nodes[i] = condition.Node{Taints: append(conditions.Drop(taints), foreign...), Conditions: healthy}
		if every > 0 && rng.IntN(every) == 0 {
			nodes[i].Conditions = lost
		}
	}
	return nodes
}

// foreignTaints makes n taints that have nothing to do with conditions.
func foreignTaints(n int) []taint.Taint {
	var list []taint.Taint
	for i := range n {
		list = append(list, taint.MustParse(fmt.Sprintf("node.kubernetes.io/foreign-%d=v:NoSchedule", i)))
	}
	return list
}

func reconcileFleet(nodes []condition.Node, opts condition.Options) (changed int) {
	for i := range nodes {
		if _, c := condition.Reconcile(nodes[i], opts); c.Any() {
			changed++
		}
	}
	return changed
}

func reconcileFleetInto(dst []taint.Taint, nodes []condition.Node, opts condition.Options) (changed int) {
	for i := range nodes {
		var c condition.Change
		if dst, c = condition.AppendReconcile(dst[:0], nodes[i], opts); c.Any() {
			changed++
		}
	}
	return changed
}

// plainCalls is the table that one writes first.
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

// plainReconcile does the same by maps, with the NoExecute taint at once.
func plainReconcile(n condition.Node, at time.Time) ([]taint.Taint, bool) {
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
	var kept []taint.Taint
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

func plainReconcileFleet(nodes []condition.Node, at time.Time) (changed int) {
	for i := range nodes {
		if _, c := plainReconcile(nodes[i], at); c {
			changed++
		}
	}
	return changed
}

// The twin does what it is compared with.
func TestPlainReconcile(t *testing.T) {
	opts := condition.Options{At: benchTime, NoExecute: condition.AtOnce}
	for _, n := range conditionFleet(2000, 3, foreignTaints(2)) {
		want, change := plainReconcile(n, benchTime)
		got, c := condition.Reconcile(n, opts)
		if fmt.Sprint(got) != fmt.Sprint(want) || c.Any() != change {
			t.Fatalf("%v: %v, and by maps %v", n, got, want)
		}
	}
}

// A controller's pass over all nodes: none of them changed, one in a hundred,
// all; and with lists that are longer than any.
func BenchmarkReconcile(b *testing.B) {
	for _, bb := range []struct {
		nodes   int
		changed string
		every   int
		foreign int
	}{{100_000, "none", 0, 0}, {100_000, "1%", 100, 0}, {100_000, "all", 1, 0}, {10_000, "none", 0, 30}, {10_000, "all", 1, 30}} {
		fleet := conditionFleet(bb.nodes, bb.every, foreignTaints(bb.foreign))
		opts := condition.Options{At: benchTime, NoExecute: condition.AtOnce}
		dst := make([]taint.Taint, 0, 64)
		for _, impl := range []struct {
			name string
			do   func() int
		}{
			{"plain", func() int { return plainReconcileFleet(fleet, benchTime) }},
			{"reconcile", func() int { return reconcileFleet(fleet, opts) }},
			{"append", func() int { return reconcileFleetInto(dst, fleet, opts) }},
		} {
			b.Run(fmt.Sprintf("nodes=%d/changed=%s/foreign=%d/impl=%s", bb.nodes, bb.changed, bb.foreign, impl.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkReconciled = impl.do()
				}
			})
		}
	}
}

// drain lets all nodes through, one at each tick of the clock.
func drain(p *condition.Pacer[int], nodes int) (through int) {
	for i := range nodes {
		p.Add(i)
	}
	now := benchTime
	for {
		at, ok := p.Next(now)
		if !ok {
			return through
		}
		now = at
		if _, ok := p.Take(now); ok {
			through++
		}
	}
}

// A zone of lost nodes, queued and let through one by one.
func BenchmarkPacer(b *testing.B) {
	for _, nodes := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			p := condition.NewPacer[int](0.1)
			b.ReportAllocs()
			for b.Loop() {
				sinkReconciled = drain(p, nodes)
			}
		})
	}
}

func updateZones(c *condition.Cluster[int], now time.Time, counts map[condition.Zone]condition.Count) int {
	return len(c.Update(now, counts).Changes)
}

// A cluster told the counts of its zones: the usual three, and a hundred.
func BenchmarkClusterUpdate(b *testing.B) {
	for _, zones := range []int{3, 100} {
		counts := make(map[condition.Zone]condition.Count)
		for i := range zones {
			counts[condition.Zone{Region: "eu", Name: fmt.Sprint("eu-", i)}] = condition.Count{Ready: 90, NotReady: i}
		}
		b.Run(fmt.Sprintf("zones=%d", zones), func(b *testing.B) {
			c := condition.NewCluster[int](condition.DefaultRates())
			b.ReportAllocs()
			for b.Loop() {
				sinkReconciled = updateZones(c, benchTime, counts)
			}
		})
	}
}
