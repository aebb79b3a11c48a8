package fleet_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The cost of a query depends on the groups that a thousand tolerations visit, not on
// this number times a thousand: tolerations that repeat or overlap count once.
func TestSnapshot_Query_cost(t *testing.T) {
	const n = 1000
	m := model{}
	for i := range n {
		m[i] = match.Node{Taints: taint.MustParseList(fmt.Sprintf("n=%d:NoSchedule,k%d:NoSchedule", i%50, i))}
		if i%3 == 0 {
			m[i] = match.Node{Taints: taint.MustParseList(fmt.Sprintf("n=%d:NoSchedule", i))}
		}
	}
	s := fill(m).Snapshot()
	type size struct {
		effects uint8
		wants   int
	}
	const noExecute, noSchedule = 1 << taint.NoExecute, 1 << taint.NoSchedule
	for _, c := range []struct {
		name       string
		toleration func(i int) string
		want       size
	}{
		{"M2_one_effect", func(int) string { return ":NoExecute op=Exists" }, size{noExecute, 0}},
		{"M2_effects_in_turn", func(i int) string { return fmt.Sprintf(":%v op=Exists", []string{"NoExecute", "NoSchedule"}[i%2]) }, size{noExecute | noSchedule, 0}},
		{"M3_one_key", func(int) string { return "n op=Exists" }, size{0, 1}},
		{"M4_one_value", func(i int) string { return fmt.Sprintf("n=7:%v", []string{"NoExecute", "NoSchedule"}[i%2]) }, size{0, 1}},
		{"M4_own_values", func(i int) string { return fmt.Sprintf("n=%d", i) }, size{0, n}},
		{"M5_smaller_and_greater", func(i int) string { return fmt.Sprintf("n=%d op=%s", i/2, []string{"Lt", "Gt"}[i%2]) }, size{0, 1}},
		{"M3_own_keys", func(i int) string { return fmt.Sprintf("k%d op=Exists", i) }, size{0, n}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pod toleration.List
			for i := range n {
				pod = append(pod, toleration.MustParse(c.toleration(i)))
			}
			check(t, s, m, pod)
			var a fleet.Answer[int]
			s.Query(&a, pod)
			var got size
			got.effects, got.wants = fleet.PlanSize(&a)
			if got != c.want {
				t.Errorf("the query looks for %+v, want %+v", got, c.want)
			}
		})
	}
}
