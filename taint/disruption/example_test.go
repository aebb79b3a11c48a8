package disruption_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

var (
	zoneA = disruption.Zone{Region: "eu", Name: "eu-a"}
	zoneB = disruption.Zone{Region: "eu", Name: "eu-b"}
)

// All nodes of a cluster become unreachable, one after the other. An hour later
// two of them are ready again.
func Example() {
	status := map[string]string{"a": condition.StatusTrue, "b": condition.StatusTrue, "c": condition.StatusTrue}
	taints := map[string]taint.List{}
	cluster := disruption.NewLimiter[string](disruption.DefaultRates())

	pass := func(minute int) {
		now := noon.Add(time.Duration(minute) * time.Minute)
		var count disruption.Count
		for _, s := range status {
			if s == condition.StatusTrue {
				count.Ready++
			} else {
				count.NotReady++
			}
		}
		entered, left := cluster.Update(now, map[disruption.Zone]disruption.Count{zoneA: count})
		reconcile := func(name string, atOnce bool) (waits bool) {
			node := condition.NodeStatus{Taints: taints[name], Conditions: []condition.Condition{{Type: "Ready", Status: status[name]}}}
			var change condition.Reconciled
			taints[name], change = condition.Reconcile(node, condition.Options{At: now, AtOnce: atOnce})
			_, waits = change.Waiting()
			return waits
		}
		for _, name := range []string{"a", "b", "c"} {
			if entered {
				taints[name] = condition.NodeEviction().Drop(taints[name])
			}
			if reconcile(name, false) {
				cluster.Add(zoneA, name)
			} else {
				cluster.Remove(name)
			}
		}
		for name := range cluster.Take(now) {
			reconcile(name, true)
		}
		var evicting []string
		for _, name := range []string{"a", "b", "c"} {
			if slices.ContainsFunc(taints[name], condition.NodeEviction().Has) {
				evicting = append(evicting, name)
			}
		}
		fmt.Println(now.Format(time.TimeOnly), evicting, entered, left)
	}
	for minute, name := range []string{"", "a", "b", "c", ""} {
		if name != "" {
			status[name] = condition.StatusUnknown
		}
		pass(minute)
	}
	status["a"], status["b"] = condition.StatusTrue, condition.StatusTrue
	pass(63)
	pass(64)
	// Output:
	// 12:00:00 [] false false
	// 12:01:00 [a] false false
	// 12:02:00 [a b] false false
	// 12:03:00 [] true false
	// 12:04:00 [] false false
	// 13:03:00 [] false true
	// 13:04:00 [c] false false
}

// A simulator asks when each node would be tainted, and what a broken zone would change.
func ExampleLimiter_Clone() {
	cluster := disruption.NewLimiter[string](disruption.DefaultRates())
	cluster.Update(noon, map[disruption.Zone]disruption.Count{zoneA: {Ready: 60, NotReady: 3}})
	for _, name := range []string{"a", "b", "c"} {
		cluster.Add(zoneA, name)
	}
	broken := cluster.Clone()
	broken.Update(noon, map[disruption.Zone]disruption.Count{zoneA: {Ready: 60, NotReady: 90}})
	for _, c := range []*disruption.Limiter[string]{cluster, broken} {
		for name, at := range c.All(noon) {
			fmt.Println(name, at.Format(time.TimeOnly))
		}
	}
	// Output:
	// a 12:00:00
	// b 12:00:10
	// c 12:00:20
	// a 12:00:00
	// b 12:01:40
	// c 12:03:20
}

// Of 1,000 nodes, 60 fail, and 6 more a minute later. To taint waiting nodes in any order,
// as Kubernetes does, each pass puts them into the queue again.
func Example_anyOrder() {
	for _, anyOrder := range []bool{false, true} {
		c := disruption.NewLimiter[int](disruption.DefaultRates())
		random := rand.New(rand.NewPCG(1, 18))
		var waiting []int
		fail := func(from, to int) {
			for node := from; node < to; node++ {
				c.Add(zoneA, node)
				waiting = append(waiting, node)
			}
		}
		fail(0, 60)
		for pass, found := 0, false; !found; pass++ { // one every 5 seconds
			if pass == 12 {
				fail(60, 66)
			}
			if anyOrder {
				random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
				for _, node := range waiting {
					c.Remove(node)
					c.Add(zoneA, node)
				}
			}
			for node := range c.Take(noon.Add(time.Duration(pass) * 5 * time.Second)) {
				waiting = slices.DeleteFunc(waiting, func(n int) bool { return n == node })
				if found = node >= 60; found {
					fmt.Println("the first of the 6 is tainted after", 5*pass, "s")
				}
			}
		}
	}
	// Output:
	// the first of the 6 is tainted after 600 s
	// the first of the 6 is tainted after 140 s
}

func ExampleNewLimiter() {
	c := disruption.NewLimiter[int](disruption.Rates{Usual: 1}) // nodes by number
	c.Add(disruption.Zone{}, 7)
	for node, zone := range c.Take(noon) {
		fmt.Printf("%d %q\n", node, zone)
	}
	// Output: 7 ""
}

func ExampleLimiter_Add() {
	c := disruption.NewLimiter[string](disruption.DefaultRates())
	fmt.Println(c.Add(zoneA, "node-1"), c.Add(zoneA, "node-1"))
	fmt.Println(c.Add(zoneB, "node-1"), c.Len()) // it moves
	// Output:
	// true false
	// true 1
}

func ExampleZoneOf() {
	fmt.Println(disruption.ZoneOf(map[string]string{"topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "eu-a"}))
	fmt.Println(disruption.ZoneOf(map[string]string{"topology.kubernetes.io/zone": "eu-a", "failure-domain.beta.kubernetes.io/zone": "old"}))
	fmt.Println(disruption.ZoneOf(nil) == disruption.Zone{})
	// Output:
	// eu/eu-a
	// old
	// true
}

func ExampleDefaultRates() {
	r := disruption.DefaultRates()
	r.Usual = 1 // --node-eviction-rate=1
	fmt.Printf("%+v\n", r)
	// Output: {Usual:1 Reduced:0.01 LargeZone:50 Unhealthy:0.55}
}

func ExampleRates_State() {
	r := disruption.DefaultRates()
	for _, c := range []disruption.Count{{Ready: 9, NotReady: 11}, {Ready: 10, NotReady: 10}, {Ready: 20, NotReady: 40}, {NotReady: 1}, {}} {
		state, rate := r.State(c)
		fmt.Println(c, state, rate)
	}
	// Output:
	// {9 11} PartialDisruption 0
	// {10 10} Normal 0.1
	// {20 40} PartialDisruption 0.01
	// {0 1} FullDisruption 0.1
	// {0 0} Normal 0.1
}
