package match_test

import (
	"cmp"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// refNearest applies R4, field by field, to an untolerated taint: it returns the first
// invalid toleration, or the nearest one, if there is one, and why it does not match.
func refNearest(t taint.Taint, pod toleration.List) (at int, u toleration.Toleration, miss match.Mismatch) {
	at = -1
	best := -1 // how near the best is: the sum of 2 for the effect and 1 for the value
	for i, v := range pod {
		if v.IsZero() {
			return i, v, match.InvalidToleration
		}
		near := 0
		if v.Effect() == 0 || v.Effect() == t.Effect() {
			near += 2
		}
		if ref.MatchesValue(v, t.Value()) {
			near++
		}
		if (v.Key() == "" || v.Key() == t.Key()) && near > best {
			best, at, u = near, i, v
		}
	}
	_, integer := ref.Integer(t.Value())
	switch {
	case best < 0:
		return at, u, match.OtherKey
	case best < 2:
		return at, u, match.OtherEffect
	case u.Operator() < toleration.Lt:
		return at, u, match.OtherValue
	case !integer:
		return at, u, match.NotInteger
	}
	return at, u, match.OutOfBound
}

// explainsAsReference reports where the explanations of a node differ from the
// reference, and where their texts and JSON differ from their fields.
func explainsAsReference(t rapid.TB, p toleration.Choice, node match.Node, pod toleration.List) {
	t.Helper()
	got := slices.Collect(node.Explanations(p, pod))
	verdicts := ref.Verdicts(node.Taints, node.Unschedulable, pod)
	if len(got) != len(verdicts) {
		t.Errorf("%v, %v: %d explanations, want %d", node, pod, len(got), len(verdicts))
		return
	}
	for i, e := range got {
		written(t, e)
		v := verdicts[i]
		want := match.Explanation{Taint: v.Taint, Index: v.Index, At: ref.Deciding(p, v.Taint, pod)}
		switch {
		case v.Tolerated:
			want.Toleration = pod[want.At]
		case v.Taint.IsZero():
			want.Mismatch, want.At = match.InvalidTaint, -1
		default:
			want.At, want.Toleration, want.Mismatch = refNearest(v.Taint, pod)
		}
		if e != want {
			t.Errorf("%v, %v, %v: explained as\n%#v, want\n%#v", p, node, pod, e, want)
			continue
		}
		one := match.Explain(want.Taint, p, pod)
		if one.Index = e.Index; one != e {
			t.Errorf("%v, %v: Explain(%v, %v) = %+v, Explanations has %+v", node, pod, p, want.Taint, one, e)
		}
	}
}

// written compares the methods and texts of an explanation with its fields.
func written(t rapid.TB, e match.Explanation) {
	t.Helper()
	untolerated := e.Mismatch != 0
	if got, want := e.Blocks(), untolerated && e.Taint.Effect() != taint.PreferNoSchedule; got != want {
		t.Errorf("%v: Blocks() = %v, want %v", e, got, want)
	}
	seconds, limited := e.Toleration.Seconds()
	if untolerated {
		seconds, limited = 0, true
	}
	if n, ok := e.Seconds(); n != max(seconds, 0) || ok != limited {
		t.Errorf("%v: Seconds() = %d, %v", e, n, ok)
	}
	add := e.Addition()
	if add.IsZero() != (!untolerated || e.Taint.IsZero()) {
		t.Errorf("%v: Addition() = %v", e, add)
	}
	if !add.IsZero() {
		back, err := toleration.Parse(add.String())
		if back != add || err != nil {
			t.Errorf("%v: Parse(%q) = %v, %v", e, add.String(), back, err)
		}
	}
}

// refReasons counts by R4: for each distinct taint, the nodes on which it is
// untolerated.
func refReasons(nodes []match.Node, pod toleration.List) (reasons []match.Reason) {
	counts := make(map[taint.Taint]int)
	for _, n := range nodes {
		once := make(map[taint.Taint]bool)
		for _, v := range ref.Filter(n.Taints, n.Unschedulable, pod).Untolerated {
			if v.Effect != taint.PreferNoSchedule {
				untimed, _ := v.Taint.WithTimeAdded(time.Time{})
				once[untimed] = true
			}
		}
		for one := range once {
			counts[one]++
		}
	}
	for one, count := range counts {
		reasons = append(reasons, match.Reason{Taint: one, Nodes: count, Of: len(nodes)})
	}
	slices.SortFunc(reasons, func(a, b match.Reason) int {
		return cmp.Or(-cmp.Compare(a.Nodes, b.Nodes), a.Taint.Compare(b.Taint))
	})
	return reasons
}
