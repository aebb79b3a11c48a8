package condition_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/taint/condition"
)

var (
	zoneA = condition.Zone{Region: "eu", Name: "eu-a"}
	zoneB = condition.Zone{Region: "eu", Name: "eu-b"}
)

// A control plane loses sight of all its nodes, one after the other, and finds
// them again an hour later but for one.
func ExampleCluster() {
	lost := []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusUnknown}}
	found := []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusTrue}}
	names := []string{"a", "b", "c"}
	nodes := map[string]*condition.Node{"a": {Conditions: found}, "b": {Conditions: found}, "c": {Conditions: found}}
	cluster := condition.NewCluster[string](condition.DefaultRates())

	pass := func(now time.Time) {
		var count condition.Count
		for _, name := range names {
			count = count.With(nodes[name].Conditions)
		}
		t := cluster.Update(now, map[condition.Zone]condition.Count{zoneA: count})
		for _, name := range names {
			n := nodes[name]
			if t.Entered {
				n.Taints = condition.NodeEviction().Drop(n.Taints)
			}
			var change condition.Change
			n.Taints, change = condition.Reconcile(*n, condition.Options{At: now})
			if _, waits := change.Waiting(); waits {
				cluster.Add(zoneA, name)
			} else {
				cluster.Remove(name)
			}
		}
		for name := range cluster.Due(now) {
			n := nodes[name]
			n.Taints, _ = condition.Reconcile(*n, condition.Options{At: now, NoExecute: condition.AtOnce})
		}
		fmt.Print(now.Format(time.TimeOnly))
		for _, name := range names {
			fmt.Print("  ", name, " ", len(condition.NodeEviction().Select(nodes[name].Taints)))
		}
		fmt.Println("  entered", t.Entered, "left", t.Left)
	}

	pass(noon)
	nodes["a"].Conditions = lost
	pass(noon.Add(1 * time.Minute))
	nodes["b"].Conditions = lost
	pass(noon.Add(2 * time.Minute))
	nodes["c"].Conditions = lost
	pass(noon.Add(3 * time.Minute))
	pass(noon.Add(4 * time.Minute))
	nodes["a"].Conditions, nodes["b"].Conditions = found, found
	pass(noon.Add(63 * time.Minute))
	pass(noon.Add(63*time.Minute + 10*time.Second))
	// Output:
	// 12:00:00  a 0  b 0  c 0  entered false left false
	// 12:01:00  a 1  b 0  c 0  entered false left false
	// 12:02:00  a 1  b 1  c 0  entered false left false
	// 12:03:00  a 0  b 0  c 0  entered true left false
	// 12:04:00  a 0  b 0  c 0  entered false left false
	// 13:03:00  a 0  b 0  c 0  entered false left true
	// 13:03:10  a 0  b 0  c 1  entered false left false
}

// Both zones of a cluster are lost, and one comes back.
func ExampleCluster_Update() {
	c := condition.NewCluster[string](condition.DefaultRates())
	for minute, counts := range []map[condition.Zone]condition.Count{
		{zoneA: {Ready: 3}, zoneB: {Ready: 3}},
		{zoneA: {NotReady: 3}, zoneB: {Ready: 3}},
		{zoneA: {NotReady: 3}, zoneB: {NotReady: 3}},
		{zoneA: {NotReady: 3}, zoneB: {Ready: 1, NotReady: 2}},
	} {
		t := c.Update(noon.Add(time.Duration(minute)*time.Minute), counts)
		fmt.Println(minute, t.Entered, t.Left)
		for _, z := range t.Changes {
			fmt.Println(" ", z.After.Zone, z.After.State, z.After.Rate)
		}
	}
	// Output:
	// 0 false false
	//   eu/eu-a Normal 0.1
	//   eu/eu-b Normal 0.1
	// 1 false false
	//   eu/eu-a FullDisruption 0.1
	// 2 true false
	//   eu/eu-a FullDisruption 0
	//   eu/eu-b FullDisruption 0
	// 3 false true
	//   eu/eu-a FullDisruption 0.1
	//   eu/eu-b Normal 0.1
}

func ExampleNewCluster() {
	c := condition.NewCluster[int](condition.Rates{Usual: 1}) // nodes by number
	c.Add(condition.Zone{}, 7)
	for node, zone := range c.Due(noon) {
		fmt.Printf("%d %q\n", node, zone)
	}
	// Output: 7 ""
}

func ExampleCluster_Disrupted() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Update(noon, map[condition.Zone]condition.Count{zoneA: {NotReady: 1}})
	fmt.Println(c.Disrupted())
	// Output: true
}

func ExampleCluster_Zone() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Update(noon, map[condition.Zone]condition.Count{zoneA: {Ready: 30, NotReady: 40}})
	c.Add(zoneA, "node-1")
	z, ok := c.Zone(zoneA)
	fmt.Printf("%+v %v\n", z, ok)
	// Output: {Zone:eu/eu-a Count:{Ready:30 NotReady:40} State:PartialDisruption Rate:0.01 Waiting:1} true
}

func ExampleCluster_Zones() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Update(noon, map[condition.Zone]condition.Count{zoneB: {Ready: 3}, zoneA: {Ready: 1, NotReady: 4}})
	for z := range c.Zones() {
		fmt.Println(z.Zone, z.State, z.Rate)
	}
	// Output:
	// eu/eu-a PartialDisruption 0
	// eu/eu-b Normal 0.1
}

func ExampleCluster_Add() {
	c := condition.NewCluster[string](condition.DefaultRates())
	fmt.Println(c.Add(zoneA, "node-1"), c.Add(zoneA, "node-1"))
	fmt.Println(c.Add(zoneB, "node-1"), c.Len()) // it moves
	// Output:
	// true false
	// true 1
}

func ExampleCluster_Remove() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Add(zoneA, "node-1")
	fmt.Println(c.Remove("node-1"), c.Remove("node-1"), c.Len())
	// Output: true false 0
}

func ExampleCluster_Take() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Add(zoneA, "node-1")
	fmt.Println(c.Take(noon))
	fmt.Println(c.Take(noon))
	// Output:
	// node-1 eu/eu-a true
	//   false
}

func ExampleCluster_Due() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Add(zoneA, "node-1")
	c.Add(zoneA, "node-2")
	c.Add(zoneB, "node-3")
	for _, s := range []time.Duration{0, 10} {
		for node, zone := range c.Due(noon.Add(s * time.Second)) {
			fmt.Println(int(s), node, zone)
		}
	}
	// Output:
	// 0 node-1 eu/eu-a
	// 0 node-3 eu/eu-b
	// 10 node-2 eu/eu-a
}

func ExampleCluster_Next() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Add(zoneA, "node-1")
	c.Add(zoneA, "node-2")
	for at, ok := c.Next(noon); ok; at, ok = c.Next(at) {
		node, _, _ := c.Take(at)
		fmt.Println(at.Sub(noon), node)
	}
	// Output:
	// 0s node-1
	// 10s node-2
}

func ExampleCluster_Len() {
	c := condition.NewCluster[string](condition.DefaultRates())
	c.Add(zoneA, "node-1")
	c.Add(zoneB, "node-2")
	fmt.Println(c.Len())
	// Output: 2
}
