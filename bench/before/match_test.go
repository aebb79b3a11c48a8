package before_test

import (
	"testing"

	"pgregory.net/rapid"

	oldmatch "github.com/go-tolerate/before/match"
	oldtaint "github.com/go-tolerate/before/taint"
	oldtoleration "github.com/go-tolerate/before/toleration"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestMatchFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")}
		lists := []toleration.List{gen.TolerationsAndZeros().Draw(t, "list"), gen.Tolerations().Draw(t, "other")}
		old, oldTolerations := oldmatch.Node{Taints: oldTaints(n.Taints), Unschedulable: n.Unschedulable}, oldLists(lists)
		m, oldM := match.Compile(lists...), oldmatch.Compile(oldTolerations...)
		want := old.Filter(oldTolerations...)
		same(t, "Filter", text(match.Filter(n.Taints, lists...)), text(oldmatch.Filter(old.Taints, oldTolerations...)))
		same(t, "Node.Filter", text(n.Filter(lists...)), text(want))
		same(t, "Matcher.Filter", text(m.Filter(n)), text(oldM.Filter(old)))
		for e := range taint.NoExecute + 1 {
			i, ok := n.Filter(lists...).First(e)
			wantI, wantOK := want.First(oldtaint.Effect(e))
			same(t, "First", []any{i, ok}, []any{wantI, wantOK})
		}
		var now, before []any
		for i, u := range n.Untolerated(lists...) {
			now = append(now, i, u, m.Tolerates(u))
		}
		for i, u := range old.Untolerated(oldTolerations...) {
			before = append(before, i, u, oldM.Tolerates(u))
		}
		same(t, "Untolerated", now, before)
		now, before = nil, nil
		for i, u := range m.Untolerated(n) {
			now = append(now, i, u)
		}
		for i, u := range oldM.Untolerated(old) {
			before = append(before, i, u)
		}
		same(t, "Matcher.Untolerated", now, before)
		counts := rapid.SliceOf(rapid.Int64()).Draw(t, "counts")
		same(t, "Scores", match.Scores(counts), oldmatch.Scores(counts))
	})
}

func TestMatchExplain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordoned")}
		lists := []toleration.List{gen.TolerationsAndZeros().Draw(t, "list"), gen.Tolerations().Draw(t, "other")}
		old, oldTolerations := oldmatch.Node{Taints: oldTaints(n.Taints), Unschedulable: n.Unschedulable}, oldLists(lists)
		choice := gen.Choice().Draw(t, "choice")
		var now, before []any
		for e := range n.Explanations(choice, lists...) {
			now = append(now, e, e.Taint, e.Index, e.Toleration, e.Addition(), e.At, e.Miss, e.Class, e.Blocks())
		}
		for e := range old.Explanations(oldtoleration.Choice(choice), oldTolerations...) {
			before = append(before, e, e.Taint, e.Index, e.Toleration, e.Addition(), e.At, e.Miss, e.Class, e.Blocks())
		}
		same(t, "Explanations", now, before)
	})
}

func TestMatchReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod := gen.Tolerations().Draw(t, "pod")
		var now match.Reasons
		var before oldmatch.Reasons
		for _, taints := range rapid.SliceOfN(gen.TaintsAndZeros(), 0, 8).Draw(t, "nodes") {
			now.Add(match.Untolerated(taints, pod))
			before.Add(oldmatch.Untolerated(oldTaints(taints), oldTolerations(pod)))
		}
		same(t, "String", &now, &before)
	})
}

func TestMatchHostile(t *testing.T) {
	for _, in := range hostile() {
		old, oldPod := oldTaints(in.taints), oldTolerations(in.tolerations)
		var m *match.Matcher
		bounded(t, in.name+" Compile", 64<<20, func() { m = match.Compile(in.tolerations) })
		var r match.Result
		bounded(t, in.name+" Matcher.Filter", 1<<20, func() { r = m.Filter(match.Node{Taints: in.taints}) })
		same(t, in.name+" Matcher.Filter", text(r), text(oldmatch.Compile(oldPod).Filter(oldmatch.Node{Taints: old})))
		few := in.taints[:min(len(in.taints), 100)]
		bounded(t, in.name+" Filter", 1<<20, func() { r = match.Filter(few, in.tolerations) })
		same(t, in.name+" Filter", text(r), text(oldmatch.Filter(old[:len(few)], oldPod)))
		bounded(t, in.name+" Explain", 1<<20, func() { match.Explain(few[0], toleration.Longest, in.tolerations) })
		var reasons match.Reasons
		bounded(t, in.name+" Reasons", 64<<20, func() {
			reasons.Add(m.Untolerated(match.Node{Taints: in.taints}))
			reasons.TopReasons(10)
		})
	}
}
