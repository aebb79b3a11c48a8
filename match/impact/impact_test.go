package impact_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// observedNode parses the taints of a node. Each can have been observed some seconds before
// noon: "x:NoExecute@60".
func observedNode(text string) (n match.Node, observed []eviction.Observed) {
	for part := range strings.SplitSeq(text, ",") {
		name, ago, aged := strings.Cut(part, "@")
		if name == "" {
			continue
		}
		one := taint.MustParse(name)
		n.Taints = append(n.Taints, one)
		if aged {
			d := problem.Must(time.ParseDuration(ago + "s"))
			observed = append(observed, eviction.Observed{Taint: one, Since: noon.Add(-d)})
		}
	}
	return n, observed
}

// There is one case of each kind.
func TestEviction(t *testing.T) {
	for _, tt := range []struct {
		name, before, after, pod string
		want                     string // kind and decisions
		perTaint                 string // the same with PerTaint
	}{
		{"now", "", "x:NoExecute", "", "Scheduled never due", "Scheduled never due"},
		{"at_a_time", "", "x:NoExecute", "x:NoExecute for 60s", "Scheduled never at 2026-01-02T12:01:00Z", "Scheduled never at 2026-01-02T12:01:00Z"},
		{"called_off", "x:NoExecute@60", "", "x:NoExecute for 300s", "Cancelled at 2026-01-02T12:04:00Z never", "Cancelled at 2026-01-02T12:04:00Z never"},
		{"earlier", "x:NoExecute@60", "x:NoExecute,y:NoExecute", "x:NoExecute for 300s,y:NoExecute for 30s",
			"Unchanged at 2026-01-02T12:04:00Z at 2026-01-02T12:04:00Z", "Earlier at 2026-01-02T12:04:00Z at 2026-01-02T12:00:30Z"},
		{"later", "x:NoExecute@60,y:NoExecute@60", "x:NoExecute", "x:NoExecute for 300s,y:NoExecute for 70s",
			"Unchanged at 2026-01-02T12:00:10Z at 2026-01-02T12:00:10Z", "Later at 2026-01-02T12:00:10Z at 2026-01-02T12:04:00Z"},
		{"another_value_no_longer_tolerated", "x=1:NoExecute@60", "x=2:NoExecute", "x=1:NoExecute for 300s",
			"Earlier at 2026-01-02T12:04:00Z due", "Earlier at 2026-01-02T12:04:00Z due"},
	} {
		t.Run("R7_"+tt.name, func(t *testing.T) {
			before, observed := observedNode(tt.before)
			after, _ := observedNode(tt.after)
			change := impact.New(noon, impact.NodeChange{Before: before, After: after, Observed: observed})
			for perTaint, want := range map[bool]string{false: tt.want, true: tt.perTaint} {
				e := change.Eviction(0, eviction.Options{PerTaint: perTaint}, toleration.MustParseList(tt.pod))
				if got := fmt.Sprintf("%v %v %v", e.Kind, e.Before, e.After); got != want {
					t.Errorf("PerTaint %v: %s, want %s", perTaint, got, want)
				}
			}
		})
	}
}

// checkEviction compares what the change of a node does to a pod with the reference.
func checkEviction(t *rapid.T, e impact.Eviction, opts eviction.Options, n impact.NodeChange, pod toleration.List) {
	t.Helper()
	kind, before, after := refEviction(opts, n, pod)
	if e.Kind != kind || !sameTime(e.Before, before) || !sameTime(e.After, after) {
		t.Errorf("%v -> %v (observed %v) does %v to %v, by %+v, want %v, from %v to %v", n.Before, n.After, n.Observed, e, pod, opts, kind, before, after)
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
			if !pod[by].Tolerates(side.list[i]) {
				t.Errorf("%v of %v names the toleration %v, which is not one of it", side.d, side.list, by)
			}
		}
	}
}

// sameTime compares a decision with the reference's deadline.
func sameTime(d eviction.Decision, want time.Time) bool {
	switch at, _ := d.Deadline(); d.Kind() {
	case eviction.Never:
		return want.IsZero()
	case eviction.Due:
		return want.Equal(noon)
	default:
		return want.Equal(at)
	}
}

func testAnalysisZero(t *testing.T) {
	var plan impact.Analysis
	if e := plan.Eviction(0, eviction.Options{}, nil); e != (impact.Eviction{}) {
		t.Errorf("the zero Analysis does %v", e)
	}
	if w := plan.Placement(toleration.MustParseList("op=Exists")); w != (impact.Placement{}) {
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
		if p := impact.New(noon, nodes...).Placement(pod); p.Before != 1 || p.After != 1 {
			t.Errorf("%v nodes: %+v, want 1 and 1", nodes, p)
		}
	}
}
