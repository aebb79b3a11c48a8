package before_test

import (
	"testing"

	"pgregory.net/rapid"

	oldmatch "github.com/go-tolerate/before/match"
	oldimpact "github.com/go-tolerate/before/match/impact"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func oldNode(n match.Node) oldmatch.Node {
	return oldmatch.Node{Taints: oldTaints(n.Taints), Unschedulable: n.Unschedulable}
}

func TestImpact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := moment(t, "now")
		opts, oldOpts := someOptions(t)
		scene := gen.Scenes().Draw(t, "scene")
		pool := []taint.List{scene.Taints, nil, gen.NodeTaints().Draw(t, "taints"), gen.TaintsAndZeros().Draw(t, "others")}
		var nodes []impact.NodeChange
		var oldNodes []oldimpact.NodeChange
		for range rapid.IntRange(0, 6).Draw(t, "nodes") {
			node := func(label string) match.Node {
				return match.Node{Taints: rapid.SampledFrom(pool).Draw(t, label), Unschedulable: rapid.IntRange(0, 3).Draw(t, label) == 0}
			}
			n := impact.NodeChange{Before: node("before"), After: node("after")}
			if rapid.Bool().Draw(t, "observed") {
				n.Observed = eviction.Observe(nil, n.Before.Taints, moment(t, "since"))
			}
			nodes = append(nodes, n)
			oldNodes = append(oldNodes, oldimpact.NodeChange{Before: oldNode(n.Before), After: oldNode(n.After), Observed: oldObserved(n.Observed)})
		}
		a := impact.New(now, nodes...)
		old := oldimpact.New(oldimpact.Options{Now: now, Choice: oldOpts.Choice, Start: oldOpts.Start}, oldNodes...)
		for i := -1; i <= len(nodes); i++ {
			same(t, "Eviction", text(a.Eviction(i, opts, scene.Tolerations...)),
				text(old.Eviction(oldimpact.Pod{Node: i, Arrived: opts.Arrived}, oldLists(scene.Tolerations)...)))
		}
		for _, lists := range [][]toleration.List{scene.Tolerations, nil, {gen.TolerationsAndZeros().Draw(t, "another pod")}} {
			same(t, "Placement", a.Placement(lists...), old.Placement(oldLists(lists)...))
		}
	})
	for _, in := range hostile() {
		var nodes []impact.NodeChange
		for i := range in.taints[:min(len(in.taints), 1000)] {
			nodes = append(nodes, impact.NodeChange{After: match.Node{Taints: in.taints[i : i+1]}})
		}
		var a *impact.Analysis
		bounded(t, in.name+" New", 64<<20, func() { a = impact.New(noon, nodes...) })
		bounded(t, in.name+" Placement", 64<<20, func() { a.Placement(in.tolerations) })
		bounded(t, in.name+" Eviction", 1<<20, func() { a.Eviction(0, eviction.Options{}, in.tolerations) })
		bounded(t, in.name+" New of one node", 64<<20, func() {
			impact.New(noon, impact.NodeChange{Before: match.Node{Taints: in.taints}})
		})
	}
}
