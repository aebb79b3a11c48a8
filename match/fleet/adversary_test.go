package fleet_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// TestSnapshot_Query_adversary compares the answers with the plain filter's for fleets
// that are hard for an index, at a size that the plain filter can handle.
func TestSnapshot_Query_adversary(t *testing.T) {
	const n = 3000
	numbers := func(i int) taint.List {
		return taint.List{taint.MustParse(fmt.Sprintf("n=%d:%v", (i*7919)%n, []taint.Effect{taint.NoSchedule, taint.NoExecute, taint.PreferNoSchedule}[i%3]))}
	}
	for _, c := range []struct {
		name string
		node func(i int) taint.List
		pods []string
	}{
		{"F1_every_node_its_own_list", func(i int) taint.List {
			return taints(t, fmt.Sprintf("host=h%d:NoSchedule,team=t%d:NoSchedule,shared:NoExecute", i, i%7))
		}, []string{"host op=Exists", "host=h5", "op=Exists", ":NoSchedule op=Exists", "team op=Exists"}},
		{"M3_one_key_many_values", func(i int) taint.List {
			return taints(t, fmt.Sprintf("tenant=v%d:NoSchedule", i))
		}, []string{"tenant op=Exists", "tenant=v5", "tenant:NoExecute op=Exists"}},
		{"M5_many_integers", numbers, []string{"n=-1 op=Gt", "n=1500 op=Gt", "n=1500 op=Lt", "n=2998:NoSchedule op=Gt", "n=1 op=Lt", "n=0 op=Lt", "n=9223372036854775807 op=Gt"}},
		{"M2_wildcards", func(i int) taint.List {
			return taints(t, fmt.Sprintf([]string{"c=%d:NoSchedule", "a=%d:NoSchedule", "a=%d:NoExecute", "a=%[1]d:NoSchedule,b=%[1]d:NoExecute", "a=%d:PreferNoSchedule"}[i%5], i/50))
		}, []string{"op=Exists", ":NoSchedule op=Exists", ":NoExecute op=Exists", ":PreferNoSchedule op=Exists"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model{}
			for i := range n {
				m[i] = match.Node{Taints: c.node(i)}
			}
			x := fill(m)
			s := x.Snapshot()
			for i, p := range c.pods {
				check(t, s, m, tolerations(p))
				check(t, s, m, tolerations(c.pods[(i+1)%len(c.pods)], p, p))
			}
			for i := range n {
				if i%3 != 0 {
					x.Remove(i)
					delete(m, i)
				}
			}
			if err := fleet.Invariants(x); err != nil {
				t.Fatal(err)
			}
			check(t, x.Snapshot(), m, tolerations(c.pods...))
			check(t, x.Snapshot(), m, tolerations(c.pods[0]))
		})
	}
}

// A group is indexed under the taint that the fewest groups have, also the first group
// with a taint that others get later. So a pod that tolerates all teams, and no pool, is
// compared with no group.
func TestSnapshot_Query_rarest(t *testing.T) {
	var x fleet.Index[int]
	for i := range 100 {
		x.Put(i, match.Node{Taints: taints(t, fmt.Sprintf("dedicated=team-%d:NoSchedule,pool=p%d:NoSchedule", i%50, i))})
	}
	for i := range 100 {
		team, pool := fmt.Sprintf("dedicated=team-%d:NoSchedule", i%50), fmt.Sprintf("pool=p%d:NoSchedule", i)
		if n, m := fleet.GroupsUnder(&x, taint.MustParse(team)), fleet.GroupsUnder(&x, taint.MustParse(pool)); n != 0 || m != 1 {
			t.Errorf("%d groups are indexed under %s, and %d under %s, want 0 and 1", n, team, m, pool)
		}
	}
}

func TestSnapshot_Query_thousands(t *testing.T) {
	t.Run("F12_thousand_taints_thousand_tolerations", func(t *testing.T) {
		var wide taint.List
		var pod toleration.List
		for i := range 1000 {
			wide = append(wide, taint.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
			pod = append(pod, toleration.MustParse(fmt.Sprintf("k%d=v:NoSchedule", i)))
		}
		m := model{1: {Taints: wide}, 2: {Taints: wide[:999]}, 3: {Taints: wide[1:], Unschedulable: true}, 4: {Taints: append(wide[:500:500], wide[:500]...)}}
		x := fill(m)
		check(t, x.Snapshot(), m, pod)
		check(t, x.Snapshot(), m, pod[:999])
		check(t, x.Snapshot(), m, pod[:500], pod[400:])
		for range 3 { // there and back
			x.Put(1, m[2])
			x.Put(1, m[1])
		}
		if err := fleet.Invariants(x); err != nil {
			t.Fatal(err)
		}
		check(t, x.Snapshot(), m, pod)
	})
}
