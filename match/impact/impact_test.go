package impact_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// checkEviction compares what the change of a node does to a pod with the reference.
func checkEviction(t *rapid.T, e impact.Eviction, opts eviction.Options, n impact.NodeChange, lists []toleration.List) {
	t.Helper()
	kind, before, after := refEviction(opts, n, lists)
	if e.Kind != kind || !sameTime(e.Before, before) || !sameTime(e.After, after) {
		t.Errorf("%v -> %v (observed %v) does %v to %v, by %+v, want %v, from %v to %v", n.Before, n.After, n.Observed, e, lists, opts, kind, before, after)
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
	if e := plan.Eviction(0, eviction.Options{}); e != (impact.Eviction{}) {
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
