package impact_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap here, so more than the usual 100 draws are tried
// when neither RAPID_CHECKS nor the flag says how many.
func TestMain(m *testing.M) {
	if os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", "500"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// aSide draws one side of a node. It has much in common with the taints.
func aSide(t *rapid.T, list []taint.Taint) match.Node {
	var out []taint.Taint
	for _, u := range append(slices.Clone(list), gen.NodeTaints().Draw(t, "more")...) {
		if rapid.Bool().Draw(t, "kept") && !slices.ContainsFunc(out, u.SameKeyEffect) {
			out = append(out, u)
		}
	}
	return match.Node{Taints: out, Unschedulable: rapid.IntRange(0, 3).Draw(t, "cordoned") == 0}
}

// aNode draws a node, on which some taints were observed in the hour before
// noon.
func aNode(t *rapid.T, list []taint.Taint) impact.Node {
	n := impact.Node{Before: aSide(t, list), After: aSide(t, list)}
	for _, u := range slices.Concat(n.Before.Taints, n.After.Taints) { // what Before has not does not count
		if rapid.Bool().Draw(t, "observed") {
			ago := time.Duration(rapid.IntRange(0, 3600).Draw(t, "ago")) * time.Second
			n.Observed = append(n.Observed, eviction.Observed{Taint: u, Since: noon.Add(-ago)})
		}
	}
	return n
}

// aList draws tolerations, most of which match some of the taints. None has so
// many seconds that the reference could not count them.
func aList(t *rapid.T, list []taint.Taint) (out []toleration.Toleration) {
	for range rapid.IntRange(0, 5).Draw(t, "tolerations") {
		u := gen.Toleration().Draw(t, "toleration")
		if len(list) > 0 && rapid.Bool().Draw(t, "near") {
			u = gen.Near(rapid.SampledFrom(list).Draw(t, "of")).Draw(t, "near to it")
		}
		if n, ok := u.Seconds(); ok && n > 7200 {
			u, _ = u.WithSeconds(n % 7200)
		}
		out = append(out, u)
	}
	return out
}

func somePolicy(t *rapid.T, starts ...eviction.Start) impact.Options {
	return impact.Options{Now: noon, Policy: eviction.Policy{Toleration: gen.Policy().Draw(t, "policy"), Start: rapid.SampledFrom(starts).Draw(t, "start")}}
}

// property draws a pool and pods, and holds what is said of them against the
// reference, one by one and all together.
func property(t *rapid.T) {
	list := gen.NodeTaints().Draw(t, "taints")
	opts := somePolicy(t, eviction.FromObserved, eviction.FromAdded)
	nodes := []impact.Node{aNode(t, list)}
	for range rapid.IntRange(0, 4).Draw(t, "nodes") {
		if rapid.Bool().Draw(t, "like another") {
			nodes = append(nodes, rapid.SampledFrom(nodes).Draw(t, "other"))
		} else {
			nodes = append(nodes, aNode(t, list))
		}
	}
	var pods []impact.Pod
	for range rapid.IntRange(0, 4).Draw(t, "pods") {
		pod := impact.Pod{Tolerations: aList(t, list), Node: rapid.IntRange(-1, len(nodes)).Draw(t, "node")}
		if rapid.Bool().Draw(t, "arrived") {
			pod.Arrived = noon.Add(-time.Duration(rapid.IntRange(-5, 3600).Draw(t, "ago")) * time.Second)
		}
		pods = append(pods, pod)
	}
	queue := aList(t, list)
	was := fmt.Sprint(nodes, pods, queue)

	var plan impact.Plan
	plan.Reset(opts, nodes[:1]...) // its memory must not show
	plan.Placement(queue)
	plan.Reset(opts, nodes...)
	var evictions []impact.Eviction
	var placements []impact.Placement
	for i, pod := range pods {
		if pod.Node >= 0 && pod.Node < len(nodes) {
			checkEviction(t, &plan, opts, nodes[pod.Node], pod, queue)
			alone := impact.New(opts, nodes[pod.Node]).Eviction(impact.Pod{Tolerations: pod.Tolerations, Arrived: pod.Arrived})
			if alone.Node = pod.Node; plan.Eviction(pod) != alone {
				t.Errorf("%+v is touched as %v in a pool, alone as %v", pod, plan.Eviction(pod), alone)
			}
			if alone.Kind != eviction.Unchanged {
				alone.Pod = i
				evictions = append(evictions, alone)
			}
		} else if e := plan.Eviction(pod, queue); e != (impact.Eviction{Node: pod.Node}) {
			t.Errorf("%+v is elsewhere, and touched: %v", pod, e)
		}
		lists := [][]toleration.Toleration{pod.Tolerations, queue}
		w := plan.Placement(lists...)
		if want := refPlacement(nodes, lists); w != want {
			t.Errorf("%v do %+v to %v, want %+v", nodes, w, lists, want)
		}
		own := refPlacement(nodes, lists[:1])
		own.Pod = i
		if want := refPlacementKind(own.Before, own.After(), own.Gained, own.Lost, own.Repelled); own.Kind() != want {
			t.Errorf("%+v is %v, want %v", own, own.Kind(), want)
		}
		if own.Kind() != impact.Same {
			placements = append(placements, own)
		}
	}
	if got := plan.Evictions(pods); !slices.Equal(got, evictions) {
		t.Errorf("Evictions = %v, want %v", got, evictions)
	}
	if got := plan.Placements(pods); !slices.Equal(got, placements) {
		t.Errorf("Placements = %+v, want %+v", got, placements)
	}
	first := []impact.Eviction{{Pod: 99}}
	if got := plan.AppendEvictions(first, pods); !slices.Equal(got, append(first, evictions...)) {
		t.Errorf("AppendEvictions = %v, want %v behind one", got, evictions)
	}
	front := []impact.Placement{{Pod: 99}}
	if got := plan.AppendPlacements(front, pods); !slices.Equal(got, append(front, placements...)) {
		t.Errorf("AppendPlacements = %v, want %v behind one", got, placements)
	}
	if is := fmt.Sprint(nodes, pods, queue); is != was {
		t.Errorf("inputs changed from %s to %s", was, is)
	}
}

func TestR7_property(t *testing.T) { rapid.Check(t, property) }

// FuzzImpact searches, among the pools and pods that TestR7_property draws,
// for some that are judged otherwise than by hand.
func FuzzImpact(f *testing.F) { f.Fuzz(rapid.MakeFuzz(property)) }

func TestR7_no_change_touches_nobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.NodeTaints().Draw(t, "taints")
		n := aNode(t, list)
		n.After = match.Node{Taints: slices.Clone(n.Before.Taints), Unschedulable: n.Before.Unschedulable}
		pods := []impact.Pod{{Tolerations: aList(t, list)}, {Tolerations: aList(t, list), Arrived: noon.Add(-time.Minute)}}
		opts := somePolicy(t, eviction.FromObserved, eviction.FromAdded, eviction.Sticky)
		plan := impact.New(opts, n)
		if got := plan.Evictions(pods); got != nil {
			t.Errorf("%v evicts %v", n, got)
		}
		if len(n.After.Taints) > 1 { // nor does another order matter
			slices.Reverse(n.After.Taints)
			plan.Reset(opts, n)
		}
		if got := plan.Placements(pods); got != nil {
			t.Errorf("%v does %v", n, got)
		}
		for _, pod := range pods {
			if e := plan.Eviction(pod); e.Kind != eviction.Unchanged {
				t.Errorf("%v in another order does %v", n, e)
			}
		}
	})
}

// What a change does is undone when it is taken back: what comes after one is
// what comes before the other, and chances are as they were.
func TestR7_change_and_back(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.NodeTaints().Draw(t, "taints")
		n := aNode(t, list)
		observed := eviction.Observe(eviction.Observe(n.Observed, n.Before.Taints, noon), n.After.Taints, noon)
		back := impact.Node{Before: n.After, After: n.Before, Observed: observed}
		opts := somePolicy(t, eviction.FromObserved, eviction.FromAdded, eviction.Sticky)
		there, again := impact.New(opts, n), impact.New(opts, back)
		tolerations := aList(t, list)
		pod := impact.Pod{Tolerations: tolerations}
		e := there.Eviction(pod)
		state, _ := eviction.Reevaluate(eviction.State{}, noon, eviction.Observe(n.Observed, n.Before.Taints, noon), opts.Policy, tolerations)
		pod.State, _ = eviction.Reevaluate(state, noon, observed, opts.Policy, tolerations)
		f := again.Eviction(pod)
		if f.Before.Kind() != e.After.Kind() || deadline(f.Before) != deadline(e.After) {
			t.Errorf("%v does %v, and the way back begins with %v", n, e, f)
		}
		// Taints that were gone are new, so nobody has to go sooner than before,
		// but for a pod that Sticky lets go once it is due.
		if opts.Policy.Start != eviction.Sticky && deadline(e.Before).After(deadline(f.After)) && !deadline(f.After).IsZero() {
			t.Errorf("%v and back: %v before, %v after", n, e.Before, f.After)
		}
		a, b := there.Placement(tolerations), again.Placement(tolerations)
		if b.Before != a.After() || b.After() != a.Before || b.Gained != a.Lost || b.Lost != a.Gained || b.Repelled != -a.Repelled {
			t.Errorf("%v does %+v, the way back %+v", n, a, b)
		}
	})
}

// deadline is when the pod must go; the zero time for never. What is due is
// due at noon.
func deadline(d eviction.Decision) time.Time {
	at, ok := d.Deadline()
	if ok && at.Before(noon) {
		return noon
	}
	return at
}

// FuzzText does what TestR7_property does with lists from text: taints by
// commas, tolerations a line each. What cannot be read is left out.
func FuzzText(f *testing.F) {
	f.Add("x:NoExecute", "x:NoExecute,y:NoExecute", "x:NoExecute for 300s\ny:NoExecute for 30s", uint16(60), uint8(0))
	f.Add("x=1:NoExecute,z:NoSchedule", "x=2:NoExecute", "x=1:NoExecute\nz", uint16(0), uint8(1))
	f.Add("", "x:PreferNoSchedule,a:NoExecute", ":NoExecute op=Exists for 0s", uint16(3600), uint8(6))
	f.Add("node.kubernetes.io/unschedulable:NoSchedule", "", "op=Exists", uint16(1), uint8(15))
	f.Fuzz(func(t *testing.T, before, after, pod string, ago uint16, bits uint8) {
		const most = 20 // a longer list costs time alone
		b, _ := taint.ParseList(before)
		a, _ := taint.ParseList(after)
		b, a = b[:min(len(b), most)], a[:min(len(a), most)]
		n := impact.Node{
			Before:   match.Node{Taints: b, Unschedulable: bits&1 != 0},
			After:    match.Node{Taints: a, Unschedulable: bits&2 != 0},
			Observed: eviction.Observe(nil, b, noon.Add(-time.Duration(ago)*time.Second)),
		}
		var list []toleration.Toleration
		for line := range strings.SplitSeq(pod, "\n") {
			u, err := toleration.Parse(line)
			if n, _ := u.Seconds(); err == nil && n < 1e9 && len(list) < most { // the reference counts in nanoseconds
				list = append(list, u)
			}
		}
		opts := impact.Options{Now: noon, Policy: eviction.Policy{Toleration: toleration.Policy(bits >> 2 & 3), Start: eviction.Start(bits >> 4 & 1)}}
		plan := impact.New(opts, n)
		checkEviction(t, plan, opts, n, impact.Pod{Tolerations: list})
		if got, want := plan.Placement(list), refPlacement([]impact.Node{n}, [][]toleration.Toleration{list}); got != want {
			t.Errorf("%v does %+v to %v, want %+v", n, got, list, want)
		}
	})
}
