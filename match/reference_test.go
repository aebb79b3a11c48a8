package match_test

import (
	"iter"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// tb is the methods that tests, fuzz targets and properties have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
}

func refTaint(t taint.Taint) ref.Taint {
	return ref.Taint{Key: t.Key(), Value: t.Value(), Effect: t.Effect().String()}
}

func refToleration(u toleration.Toleration) ref.Toleration {
	r := ref.Toleration{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if n, ok := u.Seconds(); ok {
		r.Seconds = &n
	}
	return r
}

func refTaints(list taint.List) []ref.Taint { return collect(list, refTaint) }

func refLists(lists []toleration.List) [][]ref.Toleration {
	return collect(lists, func(list toleration.List) []ref.Toleration { return collect(list, refToleration) })
}

func collect[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

var (
	refChoices = map[toleration.Choice]ref.Choice{
		toleration.First:               ref.First,
		toleration.Shortest:            ref.Shortest,
		toleration.Longest:             ref.Longest,
		toleration.ForeverElseShortest: ref.ForeverElseShortest,
	}
	refClasses = map[ref.Class]match.Class{
		ref.NotTolerated: match.NotTolerated,
		ref.ForSeconds:   match.ForSeconds,
		ref.Forever:      match.Forever,
	}
)

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
func equalsReference(t tb, node match.Node, lists ...toleration.List) {
	t.Helper()
	answers(t, node, ref.Filter(ref.Node{Taints: refTaints(node.Taints), Cordoned: node.Unschedulable}, refLists(lists)...), lists)
}

func answers(t tb, node match.Node, want ref.Answer, lists []toleration.List) {
	t.Helper()
	indices := make([]int, len(want.Untolerated))
	untolerated := make(taint.List, len(want.Untolerated))
	for i, v := range want.Untolerated {
		indices[i] = v.Index
		if untolerated[i] = match.CordonTaint(); v.Index >= 0 {
			untolerated[i] = node.Taints[v.Index]
		}
	}
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
	if got := node.Schedulable(lists...); got != want.Schedulable {
		t.Errorf("%v.Schedulable(%v) = %v, want %v", node, lists, got, want.Schedulable)
	}
	if got := compiled.Schedulable(node); got != want.Schedulable {
		t.Errorf("Compile(%v).Schedulable(%v) = %v, want %v", lists, node, got, want.Schedulable)
	}

	listed := func(way string, seq func(func(int, taint.Taint) bool)) {
		t.Helper()
		n := 0
		for i, got := range seq {
			if n >= len(indices) || i != indices[n] || got != untolerated[n] {
				t.Errorf("%v, %v: %s: taint %d is %d, %v, want indices %v", node, lists, way, n, i, got, indices)
				return
			}
			n++
		}
		if n != len(indices) {
			t.Errorf("%v, %v: %s: %d taints, want indices %v", node, lists, way, n, indices)
		}
	}
	listed("Node.Untolerated", node.Untolerated(lists...))
	listed("Matcher.Untolerated", compiled.Untolerated(node))

	if !node.Unschedulable {
		same("Filter", match.Filter(node.Taints, lists...))
		if got := match.Schedulable(node.Taints, lists...); got != want.Schedulable {
			t.Errorf("Schedulable(%v, %v) = %v, want %v", node.Taints, lists, got, want.Schedulable)
		}
		listed("Untolerated", match.Untolerated(node.Taints, lists...))
	}
}

// result compares everything that a Result reports.
func result(t tb, node match.Node, lists []toleration.List, got match.Result, want ref.Answer) {
	t.Helper()
	if got.Schedulable() != want.Schedulable || got.Preferred() != want.Preferred || got.Evicted() != want.Evicted {
		t.Errorf("%v, %v: schedulable, preferred, evicted = %v, %v, %v, want %v, %v, %v", node, lists,
			got.Schedulable(), got.Preferred(), got.Evicted(), want.Schedulable, want.Preferred, want.Evicted)
	}
	for e := range taint.NoExecute + 1 {
		if got, want := got.Count(e), want.Count[e.String()]; got != want {
			t.Errorf("%v, %v: Count(%v) = %d, want %d", node, lists, e, got, want)
		}
	}
	for _, effects := range effectSets {
		wantIndex, wantOK := 0, false
		for _, v := range want.Untolerated {
			if len(effects) == 0 || slices.ContainsFunc(effects, func(e taint.Effect) bool { return e.String() == v.Effect }) {
				wantIndex, wantOK = v.Index, true
				break
			}
		}
		if i, ok := got.First(effects...); i != wantIndex || ok != wantOK {
			t.Errorf("%v, %v: First(%v) = %d, %v, want %d, %v", node, lists, effects, i, ok, wantIndex, wantOK)
		}
	}
}

// equalsReferenceOne is like equalsReference for one taint: whether it is
// tolerated, which toleration decides, and its class.
func equalsReferenceOne(t tb, one taint.Taint, lists ...toleration.List) {
	t.Helper()
	r, rs := refTaint(one), refLists(lists)
	for p, refP := range refChoices {
		wantAt, wantOK := ref.Serving(refP, r, rs...)
		if at, ok := deciding(one, p, lists...); at != match.Position(wantAt) || ok != wantOK {
			t.Errorf("Explain(%v, %v, %v) names %v, %v, want %v, %v", one, p, lists, at, ok, wantAt, wantOK)
		}
		want := refClasses[ref.Classify(refP, r, rs...)]
		if got := classify(taint.List{one}, p, lists...); got != want {
			t.Errorf("Classify(%v, %v, %v) = %v, want %v", one, p, lists, got, want)
		}
		if got := match.Compile(lists...).Tolerates(one); got != wantOK {
			t.Errorf("Compile(%v).Tolerates(%v) = %v, want %v", lists, one, got, wantOK)
		}
	}
}

// deciding returns the position of the toleration that decides about the taint.
func deciding(one taint.Taint, choice toleration.Choice, lists ...toleration.List) (match.Position, bool) {
	e := match.Explain(one, choice, lists...)
	if e.Class == match.NotTolerated {
		return match.Position{}, false
	}
	return e.At, true
}

// taints returns the taints of a comma-separated list.
func taints(s string) taint.List {
	list, err := taint.ParseList(s)
	if err != nil {
		panic(err)
	}
	return list
}

// tolerations returns the tolerations of that text.
func tolerations(texts ...string) toleration.List {
	return collect(texts, toleration.MustParse)
}

// classify returns the worst class of the taints, or Forever if there are none.
func classify(list taint.List, choice toleration.Choice, lists ...toleration.List) match.Class {
	worst := match.Forever
	for e := range (match.Node{Taints: list}).Explanations(choice, lists...) {
		worst = min(worst, e.Class)
	}
	return worst
}
