package match_test

import (
	"iter"
	"slices"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func collect[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// refClass returns how well the taint is tolerated (F7), and by which toleration (E3).
func refClass(choice toleration.Choice, t taint.Taint, lists ...toleration.List) (c match.Class, at match.Position) {
	list, index, ok := ref.Deciding(choice, t, lists...)
	if !ok {
		return match.NotTolerated, at
	}
	if _, timed := lists[list][index].Seconds(); timed {
		return match.ForSeconds, match.Position{List: list, Index: index}
	}
	return match.Forever, match.Position{List: list, Index: index}
}

// effectSets are the arguments of First, in several orders.
var effectSets = [][]taint.Effect{
	{},
	{taint.NoSchedule}, {taint.PreferNoSchedule}, {taint.NoExecute},
	{taint.NoSchedule, taint.NoExecute}, {taint.NoExecute, taint.NoSchedule},
	{taint.PreferNoSchedule, taint.NoSchedule}, {taint.NoExecute, taint.PreferNoSchedule},
	{taint.NoExecute, taint.PreferNoSchedule, taint.NoSchedule},
	{taint.NoSchedule, taint.NoSchedule},
}

// taintsOf returns the taints that seq yields.
func taintsOf(seq iter.Seq2[int, taint.Taint]) (list taint.List) {
	for _, t := range seq {
		list = append(list, t)
	}
	return list
}

// equalsReference compares every result about the node and the tolerations with the
// reference's, for each function.
func equalsReference(t rapid.TB, node match.Node, lists ...toleration.List) {
	t.Helper()
	want := ref.Filter(node.Taints, node.Unschedulable, lists...)
	r := node.Filter(lists...)
	result(t, node, lists, r, want)
	compiled := match.Compile(lists...)
	same := func(way string, got match.Result) {
		t.Helper()
		if got != r {
			t.Errorf("%v, %v: %s = %+v, Node.Filter = %+v, want the same", node, lists, way, got, r)
		}
	}
	same("Matcher.Filter", compiled.Filter(node))
	if got := node.Schedulable(slices.Concat(lists...)); got != want.Schedulable {
		t.Errorf("%v.Schedulable(%v) = %v, want %v", node, lists, got, want.Schedulable)
	}
	blocking := slices.IndexFunc(want.Untolerated, func(v ref.Verdict) bool { return v.Effect != taint.PreferNoSchedule })
	if got, ok := node.Blocking(slices.Concat(lists...)); ok != (blocking >= 0) || ok && got != want.Untolerated[blocking].Taint || !ok && !got.IsZero() {
		t.Errorf("%v.Blocking(%v) = %v, %v, want that of %v", node, lists, got, ok, want.Untolerated)
	}
	if got := compiled.Schedulable(node); got != want.Schedulable {
		t.Errorf("Compile(%v).Schedulable(%v) = %v, want %v", lists, node, got, want.Schedulable)
	}

	listed := func(way string, seq func(func(int, taint.Taint) bool)) {
		t.Helper()
		n := 0
		for i, got := range seq {
			if n >= len(want.Untolerated) || i != want.Untolerated[n].Index || got != want.Untolerated[n].Taint {
				t.Errorf("%v, %v: %s: taint %d is %d, %v, want %v", node, lists, way, n, i, got, want.Untolerated)
				return
			}
			n++
		}
		if n != len(want.Untolerated) {
			t.Errorf("%v, %v: %s: %d taints, want %v", node, lists, way, n, want.Untolerated)
		}
	}
	listed("Node.Untolerated", node.Untolerated(lists...))
	listed("Matcher.Untolerated", compiled.Untolerated(node))

	if !node.Unschedulable {
		same("Filter", match.Filter(node.Taints, lists...))
		if got := match.Schedulable(node.Taints, slices.Concat(lists...)); got != want.Schedulable {
			t.Errorf("Schedulable(%v, %v) = %v, want %v", node.Taints, lists, got, want.Schedulable)
		}
		listed("Untolerated", match.Untolerated(node.Taints, lists...))
	}
}

// result compares everything that a Result reports.
func result(t rapid.TB, node match.Node, lists []toleration.List, got match.Result, want ref.Answer) {
	t.Helper()
	if got.Schedulable() != want.Schedulable || got.Preferred() != want.Preferred || got.Evicted() != want.Evicted {
		t.Errorf("%v, %v: schedulable, preferred, evicted = %v, %v, %v, want %v, %v, %v", node, lists,
			got.Schedulable(), got.Preferred(), got.Evicted(), want.Schedulable, want.Preferred, want.Evicted)
	}
	for _, effects := range effectSets {
		wantIndex, count := 0, 0
		for _, v := range want.Untolerated {
			if len(effects) == 0 || slices.Contains(effects, v.Effect) {
				if count++; count == 1 {
					wantIndex = v.Index
				}
			}
		}
		if i, ok := got.First(effects...); i != wantIndex || ok != (count > 0) {
			t.Errorf("%v, %v: First(%v) = %d, %v, want %d, %v", node, lists, effects, i, ok, wantIndex, count > 0)
		}
		if len(effects) < 2 {
			if n := got.Count(slices.Concat(effects, []taint.Effect{0})[0]); n != count {
				t.Errorf("%v, %v: Count(%v) = %d, want %d", node, lists, effects, n, count)
			}
		}
	}
}

// equalsReferenceOne is like equalsReference for one taint: whether it is
// tolerated, which toleration decides, and its class.
func equalsReferenceOne(t rapid.TB, one taint.Taint, lists ...toleration.List) {
	t.Helper()
	for p := range toleration.ForeverElseShortest + 1 {
		class, wantAt := refClass(p, one, lists...)
		if at, ok := deciding(one, p, lists...); at != wantAt || ok != (class != match.NotTolerated) {
			t.Errorf("Explain(%v, %v, %v) names %v, %v, want %v, %v", one, p, lists, at, ok, wantAt, class)
		}
		if got := classify(taint.List{one}, p, lists...); got != class {
			t.Errorf("Classify(%v, %v, %v) = %v, want %v", one, p, lists, got, class)
		}
		if got := tolerates(match.Compile(lists...), one); got != (class != match.NotTolerated) {
			t.Errorf("by Compile(%v), %v is tolerated: %v, want %v", lists, one, got, class)
		}
	}
}

// deciding returns the position of the toleration that decides about the taint.
func deciding(one taint.Taint, choice toleration.Choice, lists ...toleration.List) (match.Position, bool) {
	e := match.Explain(one, choice, lists...)
	if e.Class() == match.NotTolerated {
		return match.Position{}, false
	}
	return e.At, true
}

// tolerations returns the tolerations of that text.
func tolerations(texts ...string) toleration.List {
	return collect(texts, toleration.MustParse)
}

// classify returns the worst class of the taints, or Forever if there are none.
func classify(list taint.List, choice toleration.Choice, lists ...toleration.List) match.Class {
	worst := match.Forever
	for e := range (match.Node{Taints: list}).Explanations(choice, lists...) {
		worst = min(worst, e.Class())
	}
	return worst
}
