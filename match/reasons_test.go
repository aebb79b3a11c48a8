package match_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// reasonsAsReference compares the reasons of these nodes, counted in every way,
// with the reference.
func reasonsAsReference(t tb, nodes []match.Node, lists ...toleration.List) {
	t.Helper()
	compiled := match.Compile(lists...)
	want := refReasons(nodes, lists...)
	var one, other, several match.Reasons
	var repeated []match.Node
	for i, n := range nodes {
		one.Add(n.Untolerated(lists...))
		other.Add(compiled.Untolerated(n))
		several.AddN(i%4-1, n.Untolerated(lists...))
		repeated = append(repeated, slices.Repeat([]match.Node{n}, max(i%4-1, 0))...)
	}
	checkReasons(t, &one, want)
	checkReasons(t, &other, want)
	checkReasons(t, &several, refReasons(repeated, lists...))
}

func checkReasons(t tb, r *match.Reasons, want []match.Reason) {
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

func TestReasons(t *testing.T) {
	t.Run("M7_time_added", reasonsTimeAdded)
	for _, tt := range []struct {
		name  string
		nodes []match.Node
		pod   []string
		want  string
	}{
		{"R4_none", nil, nil, ""},
		{"R4_the_most_frequent_first", []match.Node{
			{Taints: taints("b:NoSchedule,a:NoSchedule")}, {Taints: taints("c:NoExecute,a:NoSchedule")}, {},
		}, nil, "2 of 3 nodes: untolerated a:NoSchedule\n1 of 3 nodes: untolerated b:NoSchedule\n1 of 3 nodes: untolerated c:NoExecute"},
		{"R4_PreferNoSchedule_is_no_reason", []match.Node{{Taints: taints("a:PreferNoSchedule")}}, nil, ""},
		{"R4_tolerated_for_a_while_is_no_reason", []match.Node{{Taints: taints("a:NoExecute")}}, []string{"a:NoExecute for 0s"}, ""},
		{"R4_once_a_node", []match.Node{{Taints: slices.Repeat(taints("a=1:NoSchedule"), 3)}}, nil, "1 of 1 node: untolerated a=1:NoSchedule"},
		{"R4_values_are_distinct", []match.Node{{Taints: taints("a=1:NoSchedule")}, {Taints: taints("a=2:NoSchedule")}}, []string{"a=3"},
			"1 of 2 nodes: untolerated a=1:NoSchedule\n1 of 2 nodes: untolerated a=2:NoSchedule"},
		{"R4_effects_are_distinct", []match.Node{{Taints: taints("a=1:NoSchedule,a=1:NoExecute")}}, nil,
			"1 of 1 node: untolerated a=1:NoSchedule\n1 of 1 node: untolerated a=1:NoExecute"},
		{"F10_cordon", []match.Node{
			{Unschedulable: true}, {Taints: taints("node.kubernetes.io/unschedulable:NoSchedule")},
			{Taints: taints("node.kubernetes.io/unschedulable:NoSchedule"), Unschedulable: true},
		}, nil, "3 of 3 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule"},
		{"M8_zero", []match.Node{{Taints: make(taint.List, 2)}, {}}, []string{"op=Exists"}, "1 of 2 nodes: untolerated (invalid taint)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r match.Reasons
			pod := tolerations(tt.pod...)
			for _, n := range tt.nodes {
				r.Add(n.Untolerated(pod))
			}
			if got := r.String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			reasonsAsReference(t, tt.nodes, pod)
		})
	}
}

// Times added make no difference.
func reasonsTimeAdded(t *testing.T) {
	var r match.Reasons
	for i, one := range taints("a:NoSchedule,a:NoExecute")[:1:1] {
		r.Add(match.Node{Taints: taint.List{one}}.Untolerated())
		one, _ = one.WithTimeAdded(gen.Time().Example(i))
		r.Add(match.Node{Taints: taint.List{one}}.Untolerated())
	}
	if got := r.String(); got != "2 of 2 nodes: untolerated a:NoSchedule" {
		t.Errorf("%q", got)
	}
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
