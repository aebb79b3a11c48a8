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
		{"tolerated_for_good", "", "x:NoExecute", "x:NoExecute", "Unchanged never never", ""},
		{"zero_seconds", "", "x:NoExecute", "x:NoExecute for 0s", "Scheduled never due", ""},
		{"called_off", "x:NoExecute@-60", "", "x:NoExecute for 300s", "Cancelled at 2026-01-02T12:04:00Z never", ""},
		{"called_off_though_due", "x:NoExecute@-60", "", "", "Cancelled due never", ""},
		{"earlier", "x:NoExecute@-60", "x:NoExecute,y:NoExecute", "x:NoExecute for 300s|y:NoExecute for 30s",
			"Unchanged at 2026-01-02T12:04:00Z at 2026-01-02T12:04:00Z", "Earlier at 2026-01-02T12:04:00Z at 2026-01-02T12:00:30Z"},
		{"later", "x:NoExecute@-60,y:NoExecute@-60", "x:NoExecute", "x:NoExecute for 300s|y:NoExecute for 70s",
			"Unchanged at 2026-01-02T12:00:10Z at 2026-01-02T12:00:10Z", "Later at 2026-01-02T12:00:10Z at 2026-01-02T12:04:00Z"},
		{"later_though_due", "x:NoExecute@-60,y:NoExecute@-60", "x:NoExecute", "x:NoExecute for 300s", "Unchanged due due", "Later due at 2026-01-02T12:04:00Z"},
		{"due_already", "x:NoExecute", "x:NoExecute,y:NoExecute", "", "Unchanged due due", ""},
		{"due_already_for_another_taint", "x:NoExecute", "y:NoExecute", "", "Unchanged due due", ""},
		{"due_because_seconds_ran_out", "x:NoExecute@-60", "x:NoExecute", "x:NoExecute for 60s", "Unchanged due due", ""},
		{"at_the_same_time_for_another_taint", "x:NoExecute@0", "y:NoExecute", ":NoExecute op=Exists for 60s", "Unchanged at 2026-01-02T12:01:00Z at 2026-01-02T12:01:00Z", ""},
		{"another_value_keeps_its_start", "x=1:NoExecute@-60", "x=2:NoExecute", "x:NoExecute op=Exists for 300s", "Unchanged at 2026-01-02T12:04:00Z at 2026-01-02T12:04:00Z", ""},
		{"another_value_no_longer_tolerated", "x=1:NoExecute@-60", "x=2:NoExecute", "x=1:NoExecute for 300s", "Earlier at 2026-01-02T12:04:00Z due", ""},
		{"NoSchedule", "", "x:NoSchedule", "", "Unchanged never never", ""},
		{"cordon", "", "cordoned", "", "Unchanged never never", ""},
		{"same_key_under_another_effect", "x:NoSchedule", "x:NoExecute", "x:NoSchedule", "Scheduled never due", ""},
		{"longer_instead", "x:NoExecute@-60", "y:NoExecute", "x:NoExecute for 90s|y:NoExecute for 300s",
			"Unchanged at 2026-01-02T12:00:30Z at 2026-01-02T12:00:30Z", "Later at 2026-01-02T12:00:30Z at 2026-01-02T12:05:00Z"},
		{"another_untolerated", "x:NoExecute@-60", "x:NoExecute,y:NoExecute", "x:NoExecute for 90s", "Earlier at 2026-01-02T12:00:30Z due", ""},
		{"unobserved_has_passed", "x:NoExecute", "x:NoExecute", "x:NoExecute for 60s", "Unchanged due due", ""},
		{"beyond_any_time", "", "x:NoExecute", "x:NoExecute for 9223372036854775807s", "Unchanged never never", ""},
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

func TestPlacement(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, pod string
		want                     string // before, after, repelled
	}{
		{"opened", "x:NoSchedule", "", "", "0 1 0"},
		{"opened_by_value", "x=1:NoSchedule", "x=2:NoSchedule", "x=2", "0 1 0"},
		{"closed", "", "x:NoExecute", "", "1 0 0"},
		{"closed_by_cordon", "", "cordoned", "x", "1 0 0"},
		{"cordon_tolerated", "", "cordoned", "node.kubernetes.io/unschedulable op=Exists", "1 1 0"},
		{"still_closed", "x:NoSchedule", "x:NoExecute", "", "0 0 0"},
		{"tolerated", "", "x:NoSchedule", "x", "1 1 0"},
		{"tolerated_for_a_time", "", "x:NoExecute", "x:NoExecute for 0s", "1 1 0"},
		{"disliked", "", "x:PreferNoSchedule", "", "1 1 1"},
		{"preferred", "x:PreferNoSchedule,y:PreferNoSchedule", "x:PreferNoSchedule", "", "1 1 -1"},
		{"disliked_no_more_than_before", "x:PreferNoSchedule", "y:PreferNoSchedule", "", "1 1 0"},
		{"disliked_though_closed", "x:NoSchedule", "x:NoSchedule,y:PreferNoSchedule", "", "0 0 0"},
		{"order", "x:NoSchedule,y:NoSchedule", "y:NoSchedule,x:NoSchedule", "x", "0 0 0"},
	} {
		t.Run("R7_"+tt.name, func(t *testing.T) {
			before, _ := node(t, tt.before)
			after, _ := node(t, tt.after)
			var list toleration.List
			if tt.pod != "" {
				list = tolerations(tt.pod)
			}
			w := newPlan(options{}, impact.NodeChange{Before: before, After: after}).Placement(list)
			if got := fmt.Sprint(w.Before, w.After, w.Repelled); got != tt.want {
				t.Errorf("%s -> %s does %s, want %s", tt.before, tt.after, got, tt.want)
			}
		})
	}
}

// Nodes with the same taints in any order are one kind; other nodes are of different
// kinds.
func TestPlacement_pool(t *testing.T) {
	for _, tt := range []struct {
		name  string
		nodes []string // before -> after
		want  impact.Placement
	}{
		{"none", nil, impact.Placement{}},
		{"opened", []string{"x:NoSchedule -> x:NoSchedule", "x:NoSchedule -> ", "x:NoSchedule -> "}, impact.Placement{Gained: 2, FirstGained: 1}},
		{"closed", []string{"x:NoSchedule -> x:NoSchedule", " -> x:NoSchedule"}, impact.Placement{Before: 1, Lost: 1, FirstLost: 1}},
		{"widened", []string{" -> ", "x:NoSchedule -> "}, impact.Placement{Before: 1, Gained: 1, FirstGained: 1}},
		{"narrowed", []string{" -> ", " -> x:NoSchedule"}, impact.Placement{Before: 2, Lost: 1, FirstLost: 1}},
		{"moved", []string{" -> x:NoSchedule", "x:NoSchedule -> "}, impact.Placement{Before: 1, Lost: 1, Gained: 1, FirstGained: 1}},
		{"moved_to_fewer", []string{" -> x:NoSchedule", " -> x:NoExecute", "x:NoSchedule -> "}, impact.Placement{Before: 2, Lost: 2, Gained: 1, FirstGained: 2}},
		{"cordons_differ", []string{" -> ", " -> cordoned", "cordoned -> "}, impact.Placement{Before: 2, Lost: 1, FirstLost: 1, Gained: 1, FirstGained: 2}},
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

// This tests every change of a node with up to two taints to one with up to two, for
// every pod with up to two tolerations, with several ages, seconds, values and effects.
func testAnalysisExhaustive(t *testing.T) {
	pool := taints("x:NoExecute", "x=v:NoExecute", "y:NoExecute", "x:NoSchedule")
	added, err := pool[2].WithTimeAdded(noon.Add(-40 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	pool[2] = added
	lists := []taint.List{nil}
	for i, a := range pool {
		lists = append(lists, taint.List{a})
		for j, b := range pool {
			if i != j && !a.SameKeyEffect(b) {
				lists = append(lists, taint.List{a, b})
			}
		}
	}
	some := tolerations("x:NoExecute", "x=v:NoExecute for 30s", ":NoExecute op=Exists for 60s", "y op=Exists", "x:NoExecute op=Exists for -1s", "y:NoExecute for 41s")
	var pods []toleration.List
	for i, u := range some {
		pods = append(pods, toleration.List{u}, nil)
		for j, v := range some {
			if i != j {
				pods = append(pods, toleration.List{u, v})
			}
		}
	}
	kinds := make(map[eviction.UpdateKind]int)
	for _, own := range []bool{false, true} {
		for _, p := range []toleration.Choice{toleration.First, toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest} {
			opts := options{Now: noon, Choice: p, PerTaint: own}
			for _, before := range lists {
				for _, after := range lists {
					n := impact.NodeChange{Before: match.Node{Taints: before}, After: match.Node{Taints: after}, Observed: eviction.Observe(nil, before, noon.Add(-45*time.Second))}
					plan := newPlan(opts, n)
					for _, list := range pods {
						kinds[checkEviction(t, plan, opts, n, onNode{}, list)]++
					}
				}
			}
		}
	}
	if len(kinds) != 5 {
		t.Errorf("kinds seen: %v", kinds)
	}
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// checkEviction compares the evictions of one pod on a plan of one node with the
// reference.
func checkEviction(t failer, plan plan, opts options, n impact.NodeChange, pod onNode, lists ...toleration.List) eviction.UpdateKind {
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
	return e.Kind
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

func TestPlacement_zero(t *testing.T) {
	t.Run("M8_zero_taint", testPlacementZero)
}

// A node with a zero Taint is of a different kind than a node without.
func testPlacementZero(t *testing.T) {
	open, bad := taints("x:PreferNoSchedule"), append(taints("x:PreferNoSchedule"), taint.Taint{})
	plan := newPlan(options{},
		impact.NodeChange{Before: match.Node{Taints: open}, After: match.Node{Taints: open}},
		impact.NodeChange{Before: match.Node{Taints: bad}, After: match.Node{Taints: bad}},
		impact.NodeChange{Before: match.Node{Taints: open}, After: match.Node{Taints: bad}},
		impact.NodeChange{Before: match.Node{Taints: bad}, After: match.Node{Taints: open}},
	)
	want := impact.Placement{Before: 2, After: 2, Gained: 1, Lost: 1, FirstGained: 3, FirstLost: 2}
	if got := plan.Placement(tolerations("op=Exists")); got != want {
		t.Errorf("Placement = %+v, want %+v", got, want)
	}
	for i := range 4 {
		if e := plan.Eviction(onNode{Node: i}); e.Kind != eviction.Unchanged {
			t.Errorf("a zero Taint evicts: %v", e)
		}
	}
}
