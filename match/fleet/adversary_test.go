package fleet_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// A group is indexed under the taint that the fewest groups have, also the first group
// with a taint that others get later. So a pod that tolerates all teams, and no pool, is
// compared with no group.
func TestSnapshot_Query_rarest(t *testing.T) {
	var x fleet.Index[int]
	for i := range 100 {
		x.Put(i, match.Node{Taints: taint.MustParseList(fmt.Sprintf("dedicated=team-%d:NoSchedule,pool=p%d:NoSchedule", i%50, i))})
	}
	for i := range 100 {
		team, pool := fmt.Sprintf("dedicated=team-%d:NoSchedule", i%50), fmt.Sprintf("pool=p%d:NoSchedule", i)
		if n, m := fleet.GroupsUnder(&x, taint.MustParse(team)), fleet.GroupsUnder(&x, taint.MustParse(pool)); n != 0 || m != 1 {
			t.Errorf("%d groups are indexed under %s, and %d under %s, want 0 and 1", n, team, m, pool)
		}
	}
	// A group with a zero Taint is compared with no pod.
	bad := taint.MustParseList("bad:NoSchedule,worse:NoSchedule")
	for i, one := range bad {
		x.Put(-i-1, match.Node{Taints: taint.List{one, {}}})
	}
	for _, one := range bad {
		if n := fleet.GroupsUnder(&x, one); n != 0 {
			t.Errorf("M8: %d groups are indexed under %v, want none", n, one)
		}
	}
}
