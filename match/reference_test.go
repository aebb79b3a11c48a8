package match_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// tb is what the tests, the fuzz targets and the properties have in common.
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

func refTaints(list []taint.Taint) []ref.Taint { return collect(list, refTaint) }

func refLists(lists [][]toleration.Toleration) [][]ref.Toleration {
	return collect(lists, func(list []toleration.Toleration) []ref.Toleration { return collect(list, refToleration) })
}

func collect[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

var (
	refPolicies = map[toleration.Policy]ref.Policy{
		toleration.First:               ref.First,
		toleration.Shortest:            ref.Shortest,
		toleration.Longest:             ref.Longest,
		toleration.ForeverElseShortest: ref.ForeverElseShortest,
	}
	refClasses = map[ref.Class]match.Class{
		ref.NotTolerated: match.NotTolerated,
		ref.ForAWhile:    match.ForAWhile,
		ref.ForGood:      match.ForGood,
	}
)

// effectSets are all that First can be asked for, in several orders.
var effectSets = [][]taint.Effect{
	{},
	{taint.NoSchedule}, {taint.PreferNoSchedule}, {taint.NoExecute},
	{taint.NoSchedule, taint.NoExecute}, {taint.NoExecute, taint.NoSchedule},
	{taint.PreferNoSchedule, taint.NoSchedule}, {taint.NoExecute, taint.PreferNoSchedule},
	{taint.NoExecute, taint.PreferNoSchedule, taint.NoSchedule},
	{taint.NoSchedule, taint.NoSchedule},
}

// equalsReference reports every answer about the node and the tolerations in
// which match differs from the reference, by each way to ask.
func equalsReference(t tb, node match.Node, lists ...[]toleration.Toleration) {
	t.Helper()
	answers(t, node, ref.Filter(ref.Node{Taints: refTaints(node.Taints), Cordoned: node.Unschedulable}, refLists(lists)...), lists)
}

func answers(t tb, node match.Node, want ref.Answer, lists [][]toleration.Toleration) {
	t.Helper()
	indices := make([]int, len(want.Untolerated))
	untolerated := make([]taint.Taint, len(want.Untolerated))
	for i, v := range want.Untolerated {
		indices[i] = v.Index
		if untolerated[i] = match.Cordon(); v.Index >= 0 {
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
	same("Matcher.FilterNode", compiled.FilterNode(node))

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
	listed("Matcher.UntoleratedNode", compiled.UntoleratedNode(node))

	appended := func(way string, got []taint.Taint) {
		t.Helper()
		if !slices.Equal(got, untolerated) {
			t.Errorf("%v, %v: %s = %v, want %v", node, lists, way, got, untolerated)
		}
	}
	appended("Node.AppendUntolerated", node.AppendUntolerated(nil, lists...))
	appended("Matcher.AppendUntoleratedNode", compiled.AppendUntoleratedNode(nil, node))
	for p, refP := range refPolicies {
		if got, want := node.Classify(p, lists...), refClasses[want.Classes[refP]]; got != want {
			t.Errorf("Node.Classify(%v, %v, %v) = %v, want %v", p, node, lists, got, want)
		}
	}

	taints := node.Taints
	if node.Unschedulable {
		return
	}
	same("Filter", match.Filter(taints, lists...))
	same("Matcher.Filter", compiled.Filter(taints))
	listed("Untolerated", match.Untolerated(taints, lists...))
	listed("Matcher.Untolerated", compiled.Untolerated(taints))
	appended("AppendUntolerated", match.AppendUntolerated(nil, taints, lists...))
	appended("Matcher.AppendUntolerated", compiled.AppendUntolerated(nil, taints))
	for p, refP := range refPolicies {
		if got, want := match.ClassifyAll(p, taints, lists...), refClasses[want.Classes[refP]]; got != want {
			t.Errorf("ClassifyAll(%v, %v, %v) = %v, want %v", p, taints, lists, got, want)
		}
	}
}

// result compares all that a Result tells.
func result(t tb, node match.Node, lists [][]toleration.Toleration, got match.Result, want ref.Answer) {
	t.Helper()
	if got.Schedulable() != want.Schedulable || got.Preferred() != want.Preferred || got.Evicted() != want.Evicted {
		t.Errorf("%v, %v: schedulable, preferred, evicted = %v, %v, %v, want %v, %v, %v", node, lists,
			got.Schedulable(), got.Preferred(), got.Evicted(), want.Schedulable, want.Preferred, want.Evicted)
	}
	if run, goOn := got.Daemon(); run != want.ShouldRun || goOn != want.ShouldContinue {
		t.Errorf("%v, %v: Daemon() = %v, %v, want %v, %v", node, lists, run, goOn, want.ShouldRun, want.ShouldContinue)
	}
	if got, want := got.Class(), refClasses[want.Classes[ref.First]]; got != want {
		t.Errorf("%v, %v: Class() = %v, want %v", node, lists, got, want)
	}
	for e := range taint.NoExecute + 1 {
		if got, want := got.Count(e), want.Count[e.String()]; got != want {
			t.Errorf("%v, %v: Count(%v) = %d, want %d", node, lists, e, got, want)
		}
	}
	for _, effects := range effectSets {
		wantIndex, wantOK := 0, false
		for _, v := range want.Untolerated {
			if len(effects) == 0 || slices.ContainsFunc(effects, func(e taint.Effect) bool { return e.String() == v.Taint.Effect }) {
				wantIndex, wantOK = v.Index, true
				break
			}
		}
		if i, ok := got.First(effects...); i != wantIndex || ok != wantOK {
			t.Errorf("%v, %v: First(%v) = %d, %v, want %d, %v", node, lists, effects, i, ok, wantIndex, wantOK)
		}
	}
}

// equalsReferenceOne is equalsReference for one taint: whether it is
// tolerated, which toleration decides, and its class.
func equalsReferenceOne(t tb, one taint.Taint, lists ...[]toleration.Toleration) {
	t.Helper()
	r, rs := refTaint(one), refLists(lists)
	for p, refP := range refPolicies {
		wantAt, wantOK := ref.Serving(refP, r, rs...)
		if at, ok := match.Serving(p, one, lists...); at != match.Position(wantAt) || ok != wantOK {
			t.Errorf("Serving(%v, %v, %v) = %v, %v, want %v, %v", p, one, lists, at, ok, wantAt, wantOK)
		}
		want := refClasses[ref.Classify(refP, r, rs...)]
		if got := match.Classify(p, one, lists...); got != want {
			t.Errorf("Classify(%v, %v, %v) = %v, want %v", p, one, lists, got, want)
		}
		if got := match.Compile(lists...).Tolerates(one); got != wantOK {
			t.Errorf("Compile(%v).Tolerates(%v) = %v, want %v", lists, one, got, wantOK)
		}
	}
}

func TestAgainstReferenceByHand(t *testing.T) {
	// The comparison itself: it must not be silent about a wrong answer.
	var counted counter
	node := match.Node{Taints: taints("a:NoSchedule"), Unschedulable: true}
	answers(&counted, node, ref.Answer{}, nil)
	if counted < 10 {
		t.Errorf("answers told of %d differences from an empty answer, want 10 and more", counted)
	}
	equalsReference(t, node)
	equalsReference(t, node, tolerations("op=Exists"))
}

type counter int

func (*counter) Helper()                 {}
func (c *counter) Errorf(string, ...any) { *c++ }

// taints returns the taints of a comma-separated list.
func taints(s string) []taint.Taint {
	list, err := taint.ParseList(s)
	if err != nil {
		panic(err)
	}
	return list
}

// tolerations returns the tolerations of that text.
func tolerations(texts ...string) []toleration.Toleration {
	return collect(texts, toleration.MustParse)
}
