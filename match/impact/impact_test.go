package impact_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// node parses a node from a comma-separated list of taints; "cordoned" is not a taint.
// A taint can have been observed some seconds before noon: "x:NoExecute@-60".
func node(t *testing.T, text string) (n match.Node, observed []eviction.Observed) {
	t.Helper()
	for part := range strings.SplitSeq(text, ",") {
		if part == "cordoned" || part == "" {
			n.Unschedulable = n.Unschedulable || part != ""
			continue
		}
		name, age, aged := strings.Cut(part, "@")
		one := taint.MustParse(name)
		n.Taints = append(n.Taints, one)
		if aged {
			d, err := time.ParseDuration(age + "s")
			if err != nil {
				t.Fatal(err)
			}
			observed = append(observed, eviction.Observed{Taint: one, Since: noon.Add(d)})
		}
	}
	return n, observed
}

// There is one case of each kind, and cases that must not count.
func TestEviction(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, pod string
		want                     string // kind and decisions
		own                      string // if each taint has its own start; "" for the same
	}{
		{"now", "", "x:NoExecute", "", "Scheduled never due", ""},
		{"at_a_time", "", "x:NoExecute", "x:NoExecute for 60s", "Scheduled never at 2026-01-02T12:01:00Z", ""},
		{"called_off", "x:NoExecute@-60", "", "x:NoExecute for 300s", "Cancelled at 2026-01-02T12:04:00Z never", ""},
		{"earlier", "x:NoExecute@-60", "x:NoExecute,y:NoExecute", "x:NoExecute for 300s|y:NoExecute for 30s",
			"Unchanged at 2026-01-02T12:04:00Z at 2026-01-02T12:04:00Z", "Earlier at 2026-01-02T12:04:00Z at 2026-01-02T12:00:30Z"},
		{"later", "x:NoExecute@-60,y:NoExecute@-60", "x:NoExecute", "x:NoExecute for 300s|y:NoExecute for 70s",
			"Unchanged at 2026-01-02T12:00:10Z at 2026-01-02T12:00:10Z", "Later at 2026-01-02T12:00:10Z at 2026-01-02T12:04:00Z"},
		{"another_value_no_longer_tolerated", "x=1:NoExecute@-60", "x=2:NoExecute", "x=1:NoExecute for 300s", "Earlier at 2026-01-02T12:04:00Z due", ""},
	} {
		t.Run("R7_"+tt.name, func(t *testing.T) {
			before, observed := node(t, tt.before)
			after, _ := node(t, tt.after)
			var list toleration.List
			for text := range strings.SplitSeq(tt.pod, "|") {
				if text != "" {
					list = append(list, toleration.MustParse(text))
				}
			}
			for own, want := range map[bool]string{false: tt.want, true: cmp.Or(tt.own, tt.want)} {
				plan := newPlan(options{Now: noon, PerTaint: own}, impact.NodeChange{Before: before, After: after, Observed: observed})
				e := plan.Eviction(onNode{}, list)
				if got := fmt.Sprintf("%v %v %v", e.Kind, e.Before, e.After); got != want {
					t.Errorf("%v: %s -> %s does %s, want %s", own, tt.before, tt.after, got, want)
				}
				for _, elsewhere := range []int{-1, 1} {
					if e := plan.Eviction(onNode{Node: elsewhere}, list); e != (impact.Eviction{}) {
						t.Errorf("on node %d: %v", elsewhere, e)
					}
				}
			}
		})
	}
}

// Nodes with the same taints in any order are one kind; other nodes are of different
// kinds.
func TestPlacement(t *testing.T) {
	for _, tt := range []struct {
		name  string
		nodes []string // before -> after
		want  impact.Placement
	}{
		{"closed", []string{"x:NoSchedule -> x:NoSchedule", " -> x:NoSchedule"}, impact.Placement{Before: 1, Lost: 1, FirstLost: 1}},
		{"narrowed", []string{" -> ", " -> x:NoSchedule"}, impact.Placement{Before: 2, Lost: 1, FirstLost: 1}},
		{"moved", []string{" -> x:NoSchedule", "x:NoSchedule -> "}, impact.Placement{Before: 1, Lost: 1, Gained: 1, FirstGained: 1}},
		{"other_order", []string{"x:NoSchedule,y:NoSchedule -> ", "y:NoSchedule,x:NoSchedule -> "}, impact.Placement{Gained: 2}},
		{"disliked_twice", []string{" -> x:PreferNoSchedule", " -> x:PreferNoSchedule", "x:PreferNoSchedule -> "}, impact.Placement{Before: 3, Repelled: 1}},
	} {
		t.Run("R7_"+tt.name, func(t *testing.T) {
			var nodes []impact.NodeChange
			for _, text := range tt.nodes {
				b, a, _ := strings.Cut(text, " -> ")
				before, _ := node(t, b)
				after, _ := node(t, a)
				nodes = append(nodes, impact.NodeChange{Before: before, After: after})
			}
			plan := newPlan(options{}, nodes...)
			w := plan.Placement()
			tt.want.After = tt.want.Before + tt.want.Gained - tt.want.Lost
			if w != tt.want {
				t.Errorf("Placement() = %+v, want %+v", w, tt.want)
			}
			if ref := refPlacement(nodes, nil); w != ref {
				t.Errorf("Placement() = %+v, the reference says %+v", w, ref)
			}
			if w := plan.Placement(tolerations("op=Exists")); w.Before != len(nodes) || w.After != len(nodes) {
				t.Errorf("Placement(op=Exists) = %+v of %d nodes", w, len(nodes))
			}
		})
	}
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// checkEviction compares the evictions of one pod on a plan of one node with the
// reference.
func checkEviction(t failer, plan plan, opts options, n impact.NodeChange, pod onNode, lists ...toleration.List) {
	t.Helper()
	kind, before, after := refEviction(opts, n, pod, lists)
	e := plan.Eviction(pod, lists...)
	if e.Kind != kind || !sameTime(opts, e.Before, before) || !sameTime(opts, e.After, after) {
		t.Errorf("%v -> %v (observed %v) does %v to %+v, %v, by %+v, want %v, from %v to %v", n.Before, n.After, n.Observed, e, pod, lists, opts, kind, before, after)
	}
	// The taints and tolerations that the result names are those of the input.
	for _, side := range []struct {
		d    eviction.Decision
		list taint.List
	}{{e.Before, n.Before.Taints}, {e.After, n.After.Taints}} {
		i, ok := side.d.Taint()
		kept := !opts.PerTaint && e.Kind == eviction.Unchanged && e.Before.Kind() != eviction.Never && side.d == e.After
		if ok != (side.d.Kind() != eviction.Never) && !kept || ok && side.list[i].Effect() != taint.NoExecute {
			t.Errorf("%v of %v names the taint %d, %t", side.d, side.list, i, ok)
			continue
		}
		if by, served := side.d.Toleration(); served {
			if !lists[by.List][by.Index].Tolerates(side.list[i]) {
				t.Errorf("%v of %v names the toleration %v, which is not one of it", side.d, side.list, by)
			}
		}
	}
}

// sameTime compares a decision with the reference's deadline.
func sameTime(opts options, d eviction.Decision, want time.Time) bool {
	switch at, _ := d.Deadline(); d.Kind() {
	case eviction.Never:
		return want.IsZero()
	case eviction.Due:
		return want.Equal(opts.Now)
	default:
		return want.Equal(at)
	}
}

func testAnalysisZero(t *testing.T) {
	var plan impact.Analysis
	if e := plan.Eviction(0, eviction.Options{}); e != (impact.Eviction{}) {
		t.Errorf("the zero Analysis does %v", e)
	}
	if w := plan.Placement(tolerations("op=Exists")); w != (impact.Placement{}) {
		t.Errorf("the zero Analysis does %v", w)
	}
}

// The nodes differ, though the texts of their taints look alike one after the other.
func TestPlacement_alike(t *testing.T) {
	list := taint.MustParseList
	a := impact.NodeChange{Before: match.Node{Taints: list("falsea:NoSchedule")}, After: match.Node{Taints: list("b:NoSchedule")}}
	b := impact.NodeChange{After: match.Node{Taints: list("a:NoSchedule,falseb:NoSchedule")}}
	pod := toleration.MustParseList("a op=Exists,falseb op=Exists")
	for _, nodes := range [][]impact.NodeChange{{a, b}, {b, a}} {
		if p := newPlan(options{}, nodes...).Placement(pod); p.Before != 1 || p.After != 1 {
			t.Errorf("%v nodes: %+v, want 1 and 1", nodes, p)
		}
	}
}
