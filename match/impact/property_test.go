package impact_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 2000) }

// aSide draws the state of a node before or after a change. Many of its taints are the
// given ones.
func aSide(t *rapid.T, list taint.List) match.Node {
	var out taint.List
	for _, u := range append(slices.Clone(list), gen.NodeTaints().Draw(t, "more")...) {
		if rapid.Bool().Draw(t, "kept") && !slices.ContainsFunc(out, u.SameKeyEffect) {
			out = append(out, u)
		}
	}
	if rapid.IntRange(0, 7).Draw(t, "zero") == 7 {
		out = slices.Insert(out, rapid.IntRange(0, len(out)).Draw(t, "at"), taint.Taint{})
	}
	return match.Node{Taints: out, Unschedulable: rapid.IntRange(0, 3).Draw(t, "cordoned") == 0}
}

// aNode draws a node, on which some taints were observed in the hour before
// noon.
func aNode(t *rapid.T, list taint.List) impact.NodeChange {
	n := impact.NodeChange{Before: aSide(t, list), After: aSide(t, list)}
	for _, u := range slices.Concat(n.Before.Taints, n.After.Taints) { // a taint that is not in Before does not count
		if rapid.Bool().Draw(t, "observed") {
			ago := time.Duration(rapid.IntRange(0, 3600).Draw(t, "ago")) * time.Second
			n.Observed = append(n.Observed, eviction.Observed{Taint: u, Since: noon.Add(-ago)})
		}
	}
	return n
}

// aList draws tolerations, most of which match some of the taints. None has more
// seconds than the reference can count.
func aList(t *rapid.T, list taint.List) (out toleration.List) {
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

// An aPod is a running pod: its node, and how it is evaluated.
type aPod struct {
	node        int
	opts        eviction.Options
	tolerations toleration.List
}

// property draws a pool and pods, and compares the results with the reference, one by
// one and all together.
func property(t *rapid.T) {
	list := gen.NodeTaints().Draw(t, "taints")
	opts := eviction.Options{Choice: gen.Choice().Draw(t, "choice"), PerTaint: rapid.Bool().Draw(t, "own")}
	nodes := []impact.NodeChange{aNode(t, list)}
	for range rapid.IntRange(0, 4).Draw(t, "nodes") {
		if rapid.Bool().Draw(t, "like another") {
			nodes = append(nodes, rapid.SampledFrom(nodes).Draw(t, "other"))
		} else {
			nodes = append(nodes, aNode(t, list))
		}
	}
	var pods []aPod
	for range rapid.IntRange(0, 4).Draw(t, "pods") {
		pod := aPod{rapid.IntRange(-1, len(nodes)).Draw(t, "node"), opts, aList(t, list)}
		if rapid.Bool().Draw(t, "arrived") {
			pod.opts.Arrived = noon.Add(-time.Duration(rapid.IntRange(-5, 3600).Draw(t, "ago")) * time.Second)
		}
		pods = append(pods, pod)
	}
	queue := aList(t, list)
	was := fmt.Sprint(nodes, pods, queue)

	analysis := impact.New(noon, nodes...)
	for _, pod := range pods {
		both := slices.Concat(pod.tolerations, queue)
		e := analysis.Eviction(pod.node, pod.opts, both)
		if pod.node >= 0 && pod.node < len(nodes) {
			checkEviction(t, e, pod.opts, nodes[pod.node], both)
			if alone := impact.New(noon, nodes[pod.node]).Eviction(0, pod.opts, both); e != alone {
				t.Errorf("%+v is affected as %v in a pool, alone as %v", pod, e, alone)
			}
		} else if e != (impact.Eviction{}) {
			t.Errorf("%+v is elsewhere, and affected: %v", pod, e)
		}
		for _, list := range []toleration.List{pod.tolerations, both} {
			if got, want := analysis.Placement(list), refPlacement(nodes, list); got != want {
				t.Errorf("%v do %+v to %v, want %+v", nodes, got, list, want)
			}
		}
	}
	if is := fmt.Sprint(nodes, pods, queue); is != was {
		t.Errorf("inputs changed from %s to %s", was, is)
	}
}

// FuzzImpact searches, among the pools and pods that TestAnalysis draws, for some for
// which the result differs from the reference.
func FuzzImpact(f *testing.F) { gen.Fuzz(f, property) }

func TestAnalysis(t *testing.T) {
	t.Run("R7_reference", rapid.MakeCheck(property))
	t.Run("R7_zero", testAnalysisZero)
}
