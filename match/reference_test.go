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
func equalsReference(t rapid.TB, node match.Node, pod toleration.List) {
	t.Helper()
	want := ref.Filter(node.Taints, node.Unschedulable, pod)
	r := node.Filter(pod)
	result(t, node, pod, r, want)
	compiled := match.Compile(pod)
	same := func(way string, got match.Result) {
		t.Helper()
		if got != r {
			t.Errorf("%v, %v: %s = %+v, Node.Filter = %+v, want the same", node, pod, way, got, r)
		}
	}
	same("Matcher.Filter", compiled.Filter(node))
	if got := node.Schedulable(pod); got != want.Schedulable {
		t.Errorf("%v.Schedulable(%v) = %v, want %v", node, pod, got, want.Schedulable)
	}
	blocking := slices.IndexFunc(want.Untolerated, func(v ref.Verdict) bool { return v.Effect != taint.PreferNoSchedule })
	if got, ok := node.Blocking(pod); ok != (blocking >= 0) || ok && got != want.Untolerated[blocking].Taint || !ok && !got.IsZero() {
		t.Errorf("%v.Blocking(%v) = %v, %v, want that of %v", node, pod, got, ok, want.Untolerated)
	}
	if got := compiled.Schedulable(node); got != want.Schedulable {
		t.Errorf("Compile(%v).Schedulable(%v) = %v, want %v", pod, node, got, want.Schedulable)
	}

	listed := func(way string, seq func(func(int, taint.Taint) bool)) {
		t.Helper()
		n := 0
		for i, got := range seq {
			if n >= len(want.Untolerated) || i != want.Untolerated[n].Index || got != want.Untolerated[n].Taint {
				t.Errorf("%v, %v: %s: taint %d is %d, %v, want %v", node, pod, way, n, i, got, want.Untolerated)
				return
			}
			n++
		}
		if n != len(want.Untolerated) {
			t.Errorf("%v, %v: %s: %d taints, want %v", node, pod, way, n, want.Untolerated)
		}
	}
	listed("Node.Untolerated", node.Untolerated(pod))
	listed("Matcher.Untolerated", compiled.Untolerated(node))
}

// result compares everything that a Result reports.
func result(t rapid.TB, node match.Node, pod toleration.List, got match.Result, want ref.Answer) {
	t.Helper()
	if got.Schedulable() != want.Schedulable || got.Preferred() != want.Preferred || got.Evicted() != want.Evicted {
		t.Errorf("%v, %v: schedulable, preferred, evicted = %v, %v, %v, want %v, %v, %v", node, pod,
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
			t.Errorf("%v, %v: First(%v) = %d, %v, want %d, %v", node, pod, effects, i, ok, wantIndex, count > 0)
		}
		if len(effects) < 2 {
			if n := got.Count(slices.Concat(effects, []taint.Effect{0})[0]); n != count {
				t.Errorf("%v, %v: Count(%v) = %d, want %d", node, pod, effects, n, count)
			}
		}
	}
}

// tolerations returns the tolerations of that text.
func tolerations(texts ...string) toleration.List {
	return collect(texts, toleration.MustParse)
}
