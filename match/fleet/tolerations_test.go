package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Tolerations that repeat and overlap visit each group once, whether they are compared
// one by one or looked up in tables.
func TestSnapshot_Query_tolerations(t *testing.T) {
	effects := []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	t.Run("F1_F11_M1_M2_M3_M4_M5_any_number", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			keys := rapid.SampledFrom([]int{1, 3, 100}).Draw(t, "keys")
			values := rapid.SampledFrom([]int{3, 20}).Draw(t, "values")
			m := model{}
			for i := range 120 {
				var list taint.List
				for range 1 + rng.IntN(2) {
					text := fmt.Sprintf("k%d=%d:%v", rng.IntN(keys), rng.IntN(values), effects[rng.IntN(3)])
					list = append(list, taint.MustParse(text))
				}
				m[i] = match.Node{Taints: list}
			}
			var pod toleration.List
			for range rapid.SampledFrom([]int{2, 5, 10, fleet.Linear, fleet.Linear + 1, 300}).Draw(t, "tolerations") {
				text := fmt.Sprintf("k%d=%d", rng.IntN(keys), rng.IntN(values))
				switch rng.IntN(8) {
				case 0:
					text = fmt.Sprintf("k%d:%v op=Exists", rng.IntN(keys), effects[rng.IntN(3)])
				case 1, 2:
					text = fmt.Sprintf("k%d=%d op=%s", rng.IntN(keys), rng.IntN(values+2)-1, []string{"Lt", "Gt"}[rng.IntN(2)])
				case 3:
					text = fmt.Sprintf("k%d=%d:%v op=%s", rng.IntN(keys), rng.IntN(values+2)-1, effects[rng.IntN(3)], []string{"Lt", "Gt"}[rng.IntN(2)])
				case 4, 5:
					text = fmt.Sprintf("k%d=%d:%v", rng.IntN(keys), rng.IntN(values), effects[rng.IntN(3)])
				case 6:
					if rng.IntN(8) == 0 {
						text = fmt.Sprintf(":%v op=Exists", effects[rng.IntN(3)])
					}
				}
				pod = append(pod, toleration.MustParse(text))
			}
			check(t, fill(m).Snapshot(), m, pod)
		})
	})
}

// The cost of a query depends on the groups that a thousand tolerations visit, not on
// this number times a thousand: tolerations that repeat or overlap count once.
func TestSnapshot_Query_cost(t *testing.T) {
	const n = 1000
	m := model{}
	for i := range n {
		m[i] = match.Node{Taints: taints(t, fmt.Sprintf("n=%d:NoSchedule,k%d:NoSchedule", i%50, i))}
		if i%3 == 0 {
			m[i] = match.Node{Taints: taints(t, fmt.Sprintf("n=%d:NoSchedule", i))}
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
