package match_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var (
	someTime        = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	comparableTypes = cmpopts.EquateComparable(taint.Taint{}, toleration.Toleration{}, match.Result{})
)

const unschedulable = "node.kubernetes.io/unschedulable"

func TestNode(t *testing.T) {
	borne := taint.MustParse(unschedulable + ":NoSchedule")
	timed, err := borne.WithTimeAdded(someTime)
	if err != nil {
		t.Fatal(err)
	}
	a := taint.MustParse("a:NoSchedule")
	for _, tt := range []struct {
		name        string
		node        match.Node
		pod         []toleration.Toleration
		count       int // of untolerated taints
		first       int
		untolerated []taint.Taint
	}{
		{"F10_not_borne", match.Node{Unschedulable: true}, nil, 1, -1, []taint.Taint{borne}},
		{"F10_borne_too", match.Node{Taints: []taint.Taint{a, borne}, Unschedulable: true}, nil, 2, -1, []taint.Taint{borne, a}},
		{"F10_borne_with_a_time", match.Node{Taints: []taint.Taint{timed, a}, Unschedulable: true}, nil, 2, -1, []taint.Taint{borne, a}},
		{"F10_borne_alone", match.Node{Taints: []taint.Taint{a, timed}}, nil, 2, 0, []taint.Taint{a, timed}},
		{"F10_other_effect", match.Node{Taints: taints(unschedulable + ":NoExecute"), Unschedulable: true}, nil, 2, -1, append([]taint.Taint{borne}, taints(unschedulable+":NoExecute")...)},
		{"F10_other_value", match.Node{Taints: taints(unschedulable + "=v:NoSchedule"), Unschedulable: true}, nil, 2, -1, append([]taint.Taint{borne}, taints(unschedulable+"=v:NoSchedule")...)},
		{"F10_tolerated", match.Node{Taints: []taint.Taint{a, borne}, Unschedulable: true}, tolerations(unschedulable + ":NoSchedule"), 1, 0, []taint.Taint{a}},
		{"F10_tolerated_by_the_wildcard", match.Node{Unschedulable: true}, tolerations("op=Exists"), 0, 0, nil},
		{"F10_its_value_is_empty", match.Node{Unschedulable: true}, tolerations(unschedulable + "=v"), 1, -1, []taint.Taint{borne}},
		{"F10_the_zero_node", match.Node{}, nil, 0, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.node.Filter(tt.pod)
			if i, ok := r.First(); r.Count(0) != tt.count || i != tt.first || ok != (tt.count > 0) {
				t.Errorf("%+v.Filter(%v): Count(0), First() = %d, %d, %v, want %d, %d", tt.node, tt.pod, r.Count(0), i, ok, tt.count, tt.first)
			}
			if diff := cmp.Diff(tt.untolerated, tt.node.AppendUntolerated(nil, tt.pod), comparableTypes); diff != "" {
				t.Errorf("%+v.AppendUntolerated(nil, %v) mismatch (-want +got):\n%s", tt.node, tt.pod, diff)
			}
			equalsReference(t, tt.node, tt.pod)
			equalsReference(t, tt.node, nil, tt.pod)
		})
	}
	if got := match.Cordon(); got != borne {
		t.Errorf("Cordon() = %v, want %v", got, borne)
	}
}

// First asks for several effects at once, and the order of the arguments does
// not matter; -1 comes before 0.
func TestFirst(t *testing.T) {
	node := match.Node{Taints: taints("a:NoExecute,b:PreferNoSchedule,c:NoSchedule,d:NoExecute"), Unschedulable: true}
	cordonServed := tolerations(unschedulable)
	for _, tt := range []struct {
		pod     []toleration.Toleration
		effects []taint.Effect
		want    int
		ok      bool
	}{
		{nil, nil, -1, true},
		{nil, []taint.Effect{taint.NoSchedule}, -1, true},
		{nil, []taint.Effect{taint.NoExecute}, 0, true},
		{nil, []taint.Effect{taint.NoExecute, taint.NoSchedule}, -1, true},
		{nil, []taint.Effect{taint.PreferNoSchedule, taint.NoExecute}, 0, true},
		{cordonServed, nil, 0, true},
		{cordonServed, []taint.Effect{taint.NoSchedule}, 2, true},
		{cordonServed, []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule}, 1, true},
		{cordonServed, []taint.Effect{taint.PreferNoSchedule, taint.NoSchedule}, 1, true},
		{tolerations("op=Exists"), nil, 0, false},
		{tolerations(":NoExecute op=Exists"), []taint.Effect{taint.NoExecute}, 0, false},
		{nil, []taint.Effect{taint.Effect(9)}, 0, false},
	} {
		if i, ok := node.Filter(tt.pod).First(tt.effects...); i != tt.want || ok != tt.ok {
			t.Errorf("%+v.Filter(%v).First(%v) = %d, %v, want %d, %v", node, tt.pod, tt.effects, i, ok, tt.want, tt.ok)
		}
	}
	if got := node.Filter().Count(taint.Effect(9)); got != 0 {
		t.Errorf("Count(Effect(9)) = %d, want 0", got)
	}
}

// The zero Result is that of a node without taints.
func TestZeroResult(t *testing.T) {
	var r match.Result
	if got := letters(r); got != "sp-" {
		t.Errorf("the zero Result is %s, want sp-", got)
	}
	if run, goOn := r.Daemon(); !run || !goOn {
		t.Errorf("the zero Result: Daemon() = %v, %v, want true, true", run, goOn)
	}
	if r.Class() != match.ForGood || r.Count(0) != 0 {
		t.Errorf("the zero Result: Class() = %v, Count(0) = %d, want ForGood, 0", r.Class(), r.Count(0))
	}
	for _, effects := range effectSets {
		if i, ok := r.First(effects...); i != 0 || ok {
			t.Errorf("the zero Result: First(%v) = %d, %v, want 0, false", effects, i, ok)
		}
	}
	if got := (match.Node{}).Filter(); got != r {
		t.Errorf("Node{}.Filter() = %+v, want the zero Result", got)
	}
}

func TestClassString(t *testing.T) {
	for c, want := range map[match.Class]string{
		match.NotTolerated: "NotTolerated", match.ForAWhile: "ForAWhile", match.ForGood: "ForGood", 3: "Class(3)", 255: "Class(255)",
	} {
		if got := c.String(); got != want {
			t.Errorf("Class(%d).String() = %q, want %q", uint8(c), got, want)
		}
	}
	var zero match.Class
	if zero != match.NotTolerated || match.NotTolerated >= match.ForAWhile || match.ForAWhile >= match.ForGood {
		t.Error("the classes must go from the worst, the zero one, to the best")
	}
}

// The zero Matcher, and the Matcher of lists without tolerations, are those of
// a pod that tolerates nothing.
func TestZeroMatcher(t *testing.T) {
	node := match.Node{Taints: taints("a:NoExecute,b:PreferNoSchedule"), Unschedulable: true}
	for name, m := range map[string]*match.Matcher{
		"zero": {}, "Compile()": match.Compile(), "Compile(nil)": match.Compile(nil),
		"Compile(zero)": match.Compile([]toleration.Toleration{{}}),
	} {
		if got, want := m.FilterNode(node), node.Filter(); got != want {
			t.Errorf("%s: FilterNode = %+v, want %+v", name, got, want)
		}
		if got := m.AppendUntolerated(nil, node.Taints); !slices.Equal(got, node.Taints) {
			t.Errorf("%s: AppendUntolerated = %v, want all", name, got)
		}
		if m.Tolerates(match.Cordon()) || m.Tolerates(taint.Taint{}) {
			t.Errorf("%s: tolerates something", name)
		}
	}
}

// The lists may be changed once they are compiled.
func TestCompileCopies(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 40, 200} {
		t.Run(fmt.Sprintf("tolerations=%d", n), func(t *testing.T) {
			var pod []toleration.Toleration
			var node []taint.Taint
			for i := range n {
				pod = append(pod, toleration.MustParse(fmt.Sprintf("k%d=%d", i, i)))
				node = append(node, taint.MustParse(fmt.Sprintf("k%d=%d:NoSchedule", i, i)))
			}
			m := match.Compile(pod)
			clear(pod)
			if r := m.Filter(node); !r.Preferred() {
				t.Errorf("after the list was cleared, %d of %d taints are untolerated", r.Count(0), n)
			}
		})
	}
}

// Of the compiled tolerations with one key the first decides, however many
// there are.
func TestCompileOrder(t *testing.T) {
	for _, n := range []int{0, 10, 14, 15, 16, 17, 40, 200} {
		var others []toleration.Toleration
		for i := range n {
			others = append(others, toleration.MustParse(fmt.Sprintf("k%d:NoExecute op=Exists", i)))
		}
		a := taints("a:NoExecute")
		for _, tt := range []struct {
			first, last string
			want        match.Class
		}{
			{"a:NoExecute for 3s", "a:NoExecute", match.ForAWhile},
			{"a:NoExecute", "a:NoExecute for 3s", match.ForGood},
			{"a=v:NoExecute", "a:NoExecute for 3s", match.ForAWhile},
			{":NoExecute op=Exists for 3s", "a:NoExecute", match.ForAWhile},
			{"a:NoExecute", ":NoExecute op=Exists for 3s", match.ForGood},
			{"a=v:NoExecute", "a:NoSchedule", match.NotTolerated},
		} {
			pod := slices.Concat(tolerations(tt.first), others, tolerations(tt.last))
			if got := match.Compile(pod).Filter(a).Class(); got != tt.want {
				t.Errorf("Compile(%s, %d others, %s).Filter(%v).Class() = %v, want %v", tt.first, n, tt.last, a, got, tt.want)
			}
			if got := match.Filter(a, pod).Class(); got != tt.want {
				t.Errorf("Filter(%v, %s, %d others, %s).Class() = %v, want %v", a, tt.first, n, tt.last, got, tt.want)
			}
		}
	}
}

// Iterators stop when they are told to, and start anew each time.
func TestUntoleratedStops(t *testing.T) {
	node := match.Node{Taints: taints("a:NoSchedule,b:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	pod := tolerations("b op=Exists")
	m := match.Compile(pod)
	for way, seq := range map[string]func(func(int, taint.Taint) bool){
		"Node.Untolerated":        node.Untolerated(pod),
		"Matcher.UntoleratedNode": m.UntoleratedNode(node),
	} {
		for stop := range 3 {
			var got []int
			for i := range seq {
				if got = append(got, i); len(got) > stop {
					break
				}
			}
			if want := []int{-1, 0, 2}[:stop+1]; !slices.Equal(got, want) {
				t.Errorf("%s, left after %d: indices %v, want %v", way, stop+1, got, want)
			}
		}
	}
}

// What is appended to stays, and spare room is used.
func TestAppendUntolerated(t *testing.T) {
	node, pod := taints("a:NoSchedule,b:NoExecute"), tolerations("a")
	had := taints("x:NoSchedule")
	for way, do := range map[string]func(dst []taint.Taint) []taint.Taint{
		"AppendUntolerated":         func(dst []taint.Taint) []taint.Taint { return match.AppendUntolerated(dst, node, pod) },
		"Node.AppendUntolerated":    func(dst []taint.Taint) []taint.Taint { return match.Node{Taints: node}.AppendUntolerated(dst, pod) },
		"Matcher.AppendUntolerated": func(dst []taint.Taint) []taint.Taint { return match.Compile(pod).AppendUntolerated(dst, node) },
	} {
		dst := append(make([]taint.Taint, 0, 2), had...)
		got := do(dst)
		if want := append(slices.Clone(had), node[1]); !slices.Equal(got, want) || &got[0] != &dst[0] {
			t.Errorf("%s(%v) = %v, want %v in place", way, had, got, want)
		}
	}
}
