package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A zero Taint, which represents a taint that could not be read, repels every pod and
// evicts none.
func TestSnapshot_Query_unreadable(t *testing.T) {
	bad, err := taint.From("gpu", "a/b", "NoSchedule")
	if err == nil {
		t.Fatal("the taint can be read")
	}
	var wide taint.List
	for i := range 9 { // several times in a list that must be sorted
		wide = append(wide, taint.MustParse(fmt.Sprintf("a=%d:NoSchedule", i)))
	}
	m := model{
		0: {Taints: taint.List{bad}},
		1: {Taints: taint.List{bad, bad}, Unschedulable: true},
		2: {Taints: append(taints(t, "a:NoExecute"), bad)},
		3: {Taints: append(taints(t, "a:PreferNoSchedule"), bad, taint.MustParse("b:NoSchedule"))},
		4: {Taints: slices.Concat(wide, wide, taint.List{bad}, wide)},
		5: {Taints: slices.Concat(taint.List{bad}, wide, wide, wide), Unschedulable: true},
		6: {Taints: slices.Concat(wide, wide)},
		7: {Taints: taints(t, "a:NoExecute")},
		8: {},
	}
	for _, c := range []struct {
		name                            string
		pod                             toleration.List
		schedulable, preferred, evicted int
	}{
		{"M8_no_toleration", nil, 1, 1, 2},
		{"M8_wildcard", tolerations("op=Exists"), 3, 3, 0},
		{"M8_wildcard_of_an_effect", tolerations(":NoSchedule op=Exists"), 2, 2, 2},
		{"M8_wildcards_of_all_effects", tolerations(":NoSchedule op=Exists", ":PreferNoSchedule op=Exists", ":NoExecute op=Exists"), 3, 3, 0},
		{"M8_zero_toleration", toleration.List{{}}, 1, 1, 2},
		{"M8_by_key", tolerations("a op=Exists", "gpu op=Exists", "gpu=a"), 3, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := fleet.Small[int]()
			for i := range len(m) {
				x.Put(i, m[i])
			}
			s := x.Snapshot()
			check(t, s, m, c.pod)
			var a fleet.Answer[int]
			s.Query(&a, c.pod)
			if a.Counts().Schedulable != c.schedulable || a.Counts().Preferred != c.preferred || a.Counts().Evicted != c.evicted {
				t.Errorf("%d schedulable, %d preferred, %d evicted, want %d, %d, %d",
					a.Counts().Schedulable, a.Counts().Preferred, a.Counts().Evicted, c.schedulable, c.preferred, c.evicted)
			}
			for l := range a.AllGroups() {
				if text := l.String(); strings.Contains(text, "b:NoSchedule") && text != "1 node: (invalid taint),a:PreferNoSchedule,b:NoSchedule" {
					t.Error(text)
				}
			}
			reasons := a.TopReasons(1)
			if len(reasons) != 1 || !reasons[0].Taint.IsZero() || reasons[0].Nodes != 6 {
				t.Errorf("the first reason is %v, want the zero Taint of 6 nodes", reasons)
			}
			for i := range len(m) { // when the taint can be read, the node is like any other
				x.Put(i, match.Node{Taints: taints(t, "a:NoSchedule")})
			}
			x.Snapshot().Query(&a, c.pod)
			if a.Counts().Evicted != 0 || len(a.TopReasons(9)) > 1 {
				t.Errorf("without zero Taints: %d evicted, reasons %v", a.Counts().Evicted, a.TopReasons(9))
			}
			if err := fleet.Invariants(x); err != nil {
				t.Error(err)
			}
		})
	}
}
