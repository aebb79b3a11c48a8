package match_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// reasonsAsReference compares the reasons of these nodes, counted in every way,
// with the reference.
func reasonsAsReference(t rapid.TB, nodes []match.Node, pod toleration.List) {
	t.Helper()
	compiled := match.Compile(pod)
	want := refReasons(nodes, pod)
	var one, other, several match.Reasons
	var repeated []match.Node
	for i, n := range nodes {
		one.Add(1, n.Untolerated(pod))
		other.Add(1, compiled.Untolerated(n))
		several.Add(i%4-1, n.Untolerated(pod))
		repeated = append(repeated, slices.Repeat([]match.Node{n}, max(i%4-1, 0))...)
	}
	checkReasons(t, &one, want)
	checkReasons(t, &other, want)
	checkReasons(t, &several, refReasons(repeated, pod))
}

func checkReasons(t rapid.TB, r *match.Reasons, want []match.Reason) {
	t.Helper()
	for most := -1; most <= len(want)+1; most++ {
		got := r.TopReasons(most)
		if wanted := want[:max(0, min(most, len(want)))]; !slices.Equal(got, wanted) {
			t.Errorf("TopReasons(%d) = %v, want %v", most, got, wanted)
		}
		clear(got) // the caller owns the slice
	}
	var lines []string
	for _, r := range want {
		lines = append(lines, r.String())
	}
	if got := strings.Join(lines, "\n"); r.String() != got {
		t.Errorf("String() = %q, want %q", r, got)
	}
}

// Times added make no difference. Everything else is compared with the reference in
// TestExplain_property.
func TestReasons(t *testing.T) {
	t.Run("R4_none", func(t *testing.T) {
		var r match.Reasons
		if got := r.TopReasons(1); got == nil || len(got) > 0 || r.String() != "" {
			t.Errorf("%#v, %q", got, &r)
		}
	})
	t.Run("M7_time_added", func(t *testing.T) {
		one := taint.MustParse("a:NoSchedule")
		timed := problem.Must(one.WithTimeAdded(someTime))
		var r match.Reasons
		for i, want := range []string{"1 of 1 node: untolerated a:NoSchedule", "2 of 2 nodes: untolerated a:NoSchedule"} {
			r.Add(1, match.Node{Taints: taint.List{one, timed}[i : i+1]}.Untolerated(nil))
			if got := r.String(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

func TestReason_Compare(t *testing.T) {
	var sorted []match.Reason // more nodes first, then the smaller taint
	for nodes := 3; nodes > 0; nodes-- {
		for _, text := range []string{"a:NoSchedule", "a=1:NoSchedule", "a:NoExecute", "b:NoSchedule"} {
			sorted = append(sorted, match.Reason{Taint: taint.MustParse(text), Nodes: nodes})
		}
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := a.Compare(b); got != cmp.Compare(i, j) {
				t.Errorf("%v.Compare(%v) = %d, want %d", a, b, got, cmp.Compare(i, j))
			}
		}
	}
}
