package match_test

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A refNear is the answer of R4 about an untolerated taint: the first invalid
// toleration, or the nearest one, if there is one, and the field that does not match.
type refNear struct {
	at    ref.Position
	found bool
	fails string // key, effect, value, integer, bound, or all of an invalid one
}

// refNearest applies R4 field by field.
func refNearest(t ref.Taint, lists [][]ref.Toleration) refNear {
	type candidate struct {
		at     ref.Position
		u      ref.Toleration
		agrees [3]bool // key, effect, operator and value
	}
	agrees := func(u ref.Toleration) (all [3]bool) {
		all[0] = u.Key == "" || u.Key == t.Key
		all[1] = u.Effect == "" || u.Effect == t.Effect
		of := t
		if u.Key != "" {
			of.Key = u.Key
		}
		if u.Effect != "" {
			of.Effect = u.Effect
		}
		all[2] = ref.Tolerates(u, of) // its key and effect are those of the taint, so the value decides
		return all
	}
	var all []candidate
	for l, list := range lists {
		for i, u := range list {
			if u == (ref.Toleration{}) {
				return refNear{at: ref.Position{List: l, Index: i}, found: true, fails: "all"}
			}
			if c := (candidate{ref.Position{List: l, Index: i}, u, agrees(u)}); c.agrees[0] {
				all = append(all, c)
			}
		}
	}
	if all == nil {
		return refNear{fails: "key"}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		for i := range a.agrees {
			if a.agrees[i] != b.agrees[i] {
				return map[bool]int{true: -1, false: 1}[a.agrees[i]]
			}
		}
		return 0
	})
	best := all[0]
	near := refNear{at: best.at, found: true, fails: "effect"}
	if best.agrees[1] {
		near.fails = "value"
		if best.u.Operator == "Lt" || best.u.Operator == "Gt" {
			near.fails = "bound"
			if _, ok := plain.Integer(t.Value); !ok {
				near.fails = "integer"
			}
		}
	}
	return near
}

var refMisses = map[string]match.Miss{
	"all": match.InvalidToleration, "key": match.OtherKey, "effect": match.OtherEffect, "value": match.OtherValue,
	"integer": match.NotInteger, "bound": match.OutOfBound,
}

// explainsAsReference reports where the explanations of a node differ from the
// reference, and where their texts and JSON differ from their fields.
func explainsAsReference(t tb, p toleration.Choice, node match.Node, lists ...toleration.List) {
	t.Helper()
	for _, e := range explained(t, p, node, lists...) {
		written(t, e)
	}
}

// explained returns the explanations of a node, and reports where they differ from the
// reference.
func explained(t tb, p toleration.Choice, node match.Node, lists ...toleration.List) []match.Explanation {
	t.Helper()
	got := slices.Collect(node.Explanations(p, lists...))
	refs := refLists(lists)
	verdicts := ref.Verdicts(ref.Node{Taints: refTaints(node.Taints), Cordoned: node.Unschedulable}, refs...)
	if len(got) != len(verdicts) {
		t.Errorf("%v, %v: %d explanations, want %d", node, lists, len(got), len(verdicts))
		return nil
	}
	for i, e := range got {
		v := verdicts[i]
		want := match.Explanation{Taint: match.CordonTaint(), Index: v.Index, Class: refClasses[ref.Classify(refChoices[p], v.Taint, refs...)]}
		if v.Index >= 0 {
			want.Taint = node.Taints[v.Index]
		}
		if at, ok := ref.Serving(refChoices[p], v.Taint, refs...); ok {
			want.At = match.Position(at)
			want.Toleration = lists[at.List][at.Index]
		} else if v.Taint == (ref.Taint{}) {
			want.Miss = match.InvalidTaint
		} else {
			near := refNearest(v.Taint, refs)
			want.Miss = refMisses[near.fails]
			if near.found {
				want.At = match.Position(near.at)
				want.Toleration = lists[near.at.List][near.at.Index]
			}
		}
		if e != want {
			t.Errorf("%v, %v, %v: explained as\n%#v, want\n%#v", p, node, lists, e, want)
			continue
		}
		one := match.Explain(want.Taint, p, lists...)
		if one.Index = e.Index; one != e {
			t.Errorf("%v, %v: Explain(%v, %v) = %+v, Explanations has %+v", node, lists, p, want.Taint, one, e)
		}
	}
	return got
}

// written compares the methods and texts of an explanation with its fields.
func written(t tb, e match.Explanation) {
	t.Helper()
	untolerated := e.Class == match.NotTolerated
	if got, want := e.Blocks(), untolerated && e.Taint.Effect() != taint.PreferNoSchedule; got != want {
		t.Errorf("%v: Blocks() = %v, want %v", e, got, want)
	}
	seconds, timed := e.Toleration.Seconds()
	timed = timed && !untolerated
	if n, ok := e.Seconds(); ok != timed || ok && n != max(seconds, 0) || !ok && n != 0 {
		t.Errorf("%v: Seconds() = %d, %v", e, n, ok)
	}
	add := e.Addition()
	if add.IsZero() != (!untolerated || e.Taint.IsZero()) {
		t.Errorf("%v: Addition() = %v", e, add)
	}
	if b, err := e.AppendText([]byte("x")); string(b) != "x"+e.String() || err != nil {
		t.Errorf("AppendText(x) = %q, %v, String() = %q", b, err, e)
	}
	if !add.IsZero() {
		back, err := toleration.Parse(add.String())
		if back != add || err != nil {
			t.Errorf("%v: Parse(%q) = %v, %v", e, add.String(), back, err)
		}
	}
}

// refReasons counts by R4: for each distinct taint, the nodes on which it is
// untolerated, and the nodes on which the pod can be scheduled.
func refReasons(nodes []match.Node, lists ...toleration.List) (reasons []match.Reason, schedulable int) {
	type named struct {
		key, effect, value string
	}
	counts := make(map[named]int)
	for _, n := range nodes {
		a := ref.Filter(ref.Node{Taints: refTaints(n.Taints), Cordoned: n.Unschedulable}, refLists(lists)...)
		once := make(map[named]bool)
		for _, v := range a.Untolerated {
			if v.Taint.Effect == ref.PreferNoSchedule {
				continue
			}
			name := named{key: v.Taint.Key, effect: v.Taint.Effect, value: v.Taint.Value}
			once[name] = true
		}
		for name := range once {
			counts[name]++
		}
		if a.Schedulable {
			schedulable++
		}
	}
	for name, count := range counts {
		one, err := taint.From(name.key, name.value, name.effect)
		if err != nil && name != (named{}) { // M8
			panic(err)
		}
		reasons = append(reasons, match.Reason{Taint: one, Nodes: count, Of: len(nodes)})
	}
	slices.SortFunc(reasons, func(a, b match.Reason) int {
		return cmp.Or(-cmp.Compare(a.Nodes, b.Nodes), a.Taint.Compare(b.Taint))
	})
	return reasons, schedulable
}
