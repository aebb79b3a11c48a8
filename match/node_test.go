package match_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
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
	cordon := taint.MustParse(unschedulable + ":NoSchedule")
	timed := problem.Must(cordon.WithTimeAdded(someTime))
	a := taint.MustParse("a:NoSchedule")
	for _, tt := range []struct {
		name        string
		node        match.Node
		pod         toleration.List
		count       int // of untolerated taints
		first       int
		untolerated taint.List
	}{
		{"F10_without_the_taint", match.Node{Unschedulable: true}, nil, 1, -1, taint.List{cordon}},
		{"F10_with_the_taint_and_a_time", match.Node{Taints: taint.List{timed, a}, Unschedulable: true}, nil, 2, -1, taint.List{cordon, a}},
		{"F10_the_taint_alone", match.Node{Taints: taint.List{a, timed}}, nil, 2, 0, taint.List{a, timed}},
		{"F10_other_value", match.Node{Taints: taint.MustParseList(unschedulable + "=v:NoSchedule"), Unschedulable: true}, nil, 2, -1, append(taint.List{cordon}, taint.MustParseList(unschedulable+"=v:NoSchedule")...)},
		{"F10_tolerated", match.Node{Taints: taint.List{a, cordon}, Unschedulable: true}, tolerations(unschedulable + ":NoSchedule"), 1, 0, taint.List{a}},
		{"F10_its_value_is_empty", match.Node{Unschedulable: true}, tolerations(unschedulable + "=v"), 1, -1, taint.List{cordon}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.node.Filter(tt.pod)
			if i, ok := r.First(); r.Count(0) != tt.count || i != tt.first || ok != (tt.count > 0) {
				t.Errorf("%+v.Filter(%v): Count(0), First() = %d, %d, %v, want %d, %d", tt.node, tt.pod, r.Count(0), i, ok, tt.count, tt.first)
			}
			for i, want := range tt.node.Untolerated(tt.pod) {
				if got := tt.node.Taint(i); got != want {
					t.Errorf("%+v.Taint(%d) = %v, want %v", tt.node, i, got, want)
				}
			}
			if diff := cmp.Diff(tt.untolerated, taintsOf(tt.node.Untolerated(tt.pod)), comparableTypes); diff != "" {
				t.Errorf("%+v.Untolerated(%v) mismatch (-want +got):\n%s", tt.node, tt.pod, diff)
			}
			equalsReference(t, tt.node, tt.pod)
		})
	}
	if got := match.CordonTaint(); got != cordon {
		t.Errorf("CordonTaint() = %v, want %v", got, cordon)
	}
}

// The zero Matcher, and the Matcher of lists without tolerations, represent a pod that
// tolerates nothing.
func TestMatcher_zero(t *testing.T) {
	node := match.Node{Taints: taint.MustParseList("a:NoExecute,b:PreferNoSchedule"), Unschedulable: true}
	for name, m := range map[string]*match.Matcher{
		"zero": {}, "Compile(nil)": match.Compile(nil), "Compile(zero)": match.Compile(toleration.List{{}}),
	} {
		if got, want := m.Filter(node), node.Filter(nil); got != want {
			t.Errorf("%s: Filter = %+v, want %+v", name, got, want)
		}
		if got := taintsOf(m.Untolerated(match.Node{Taints: node.Taints})); !slices.Equal(got, node.Taints) {
			t.Errorf("%s: Untolerated = %v, want all", name, got)
		}
		if tolerates(m, match.CordonTaint()) || tolerates(m, taint.Taint{}) {
			t.Errorf("%s: tolerates something", name)
		}
	}
}

// The lists can be changed after they were compiled.
func TestCompile_copies(t *testing.T) {
	pod := tolerations("k", "k=1", "k=2")
	m := match.Compile(pod)
	clear(pod)
	if r := m.Filter(match.Node{Taints: taint.MustParseList("k:NoSchedule,k=1:NoExecute")}); !r.Preferred() {
		t.Errorf("after the list was cleared, %d taints are untolerated", r.Count(0))
	}
}

// Iterators stop when the loop ends, and start again each time.
func TestUntolerated_stops(t *testing.T) {
	node := match.Node{Taints: taint.MustParseList("a:NoSchedule,b:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	pod := tolerations("b op=Exists")
	m := match.Compile(pod)
	for way, seq := range map[string]func(func(int, taint.Taint) bool){
		"Node.Untolerated":    node.Untolerated(pod),
		"Matcher.Untolerated": m.Untolerated(node),
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

// Results that are made from the untolerated taints equal Filter's.
func TestResult_With(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := match.Node{Taints: gen.TaintsAndZeros().Draw(t, "taints"), Unschedulable: rapid.Bool().Draw(t, "cordon")}
		pod := gen.Tolerations().Draw(t, "pod")
		var got match.Result
		for i, u := range n.Untolerated(pod) {
			got = got.With(i, u.Effect())
		}
		if want := n.Filter(pod); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	})
	if got, want := (match.Result{}).With(2, 99), (match.Result{}).With(2, taint.NoSchedule); got != want {
		t.Errorf("unknown effect: %v, want %v", got, want)
	}
}

// No list makes many tolerations comparable with one taint: keys and values are spread
// over buckets, of which 8,000 hashes fill each with four, and those that others cover
// are left out.
func TestCompile_hostile(t *testing.T) {
	effects := [...]string{"", ":NoSchedule", ":PreferNoSchedule", ":NoExecute"}
	for _, tt := range []struct {
		name string
		text func(i int) string
		most int
	}{
		{"keys", func(i int) string { return fmt.Sprintf("key%d op=Exists", i) }, 40},
		{"keys of each effect", func(i int) string { return fmt.Sprintf("key%d%s op=Exists", i/4, effects[3-i%4]) }, 40},
		{"values", func(i int) string { return fmt.Sprintf("k=v%d", i) }, 40},
		{"keys with values", func(i int) string { return fmt.Sprintf("k%d=v%d", i, i) }, 40},
		{"keys that are their values", func(i int) string { return fmt.Sprintf("k%d=k%d", i, i) }, 40},
		{"empty values", func(i int) string { return fmt.Sprintf("k%d", i) }, 40},
		{"bounds that rise", func(i int) string { return fmt.Sprintf("k=%d op=Lt", i) }, 1},
		{"bounds that fall", func(i int) string { return fmt.Sprintf("k=%d op=Lt", 8000-i) }, 1},
		{"bounds of each effect", func(i int) string {
			return fmt.Sprintf("k=%d%s op=%s", i*7919%8000, effects[i%4], [...]string{"Lt", "Gt"}[i/4%2])
		}, 8},
		{"seconds", func(i int) string { return fmt.Sprintf("k:NoExecute op=Exists for %ds", i) }, 1},
		{"bounds with seconds", func(i int) string { return fmt.Sprintf("k=%d:NoExecute op=Gt for %ds", i, i) }, 1},
		{"repeats", func(i int) string { return "k=v" }, 1},
	} {
		var pod toleration.List
		for i := range 8000 {
			pod = append(pod, toleration.MustParse(tt.text(i)))
		}
		m := match.Compile(pod)
		if got := m.LongestBucket(); got > tt.most || got == 0 {
			t.Errorf("%s: %d tolerations are in one bucket, want at most %d", tt.name, got, tt.most)
		}
		for _, text := range []string{"key7:NoSchedule", "k=v7999:NoExecute", "k=0:NoSchedule", "k=5:PreferNoSchedule", "k77=k77:NoExecute", "k=7999:NoSchedule", "x:NoSchedule"} {
			one := taint.MustParse(text)
			if got, want := tolerates(m, one), pod.Match(one) >= 0; got != want {
				t.Errorf("%s: %v is tolerated: %v, want %v", tt.name, one, got, want)
			}
		}
	}
}

// tolerates reports whether the pod tolerates the taint of a node that has no other.
func tolerates(m *match.Matcher, t taint.Taint) bool {
	return m.Filter(match.Node{Taints: taint.List{t}}) == match.Result{}
}
