package fleet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// groups returns the groups of the sample and of one invalid node.
func groups(t *testing.T, a *fleet.Answer[string]) (all []fleet.Group[string]) {
	t.Helper()
	x := sample()
	x.Put("invalid", match.Node{Taints: taint.List{{}}})
	x.Snapshot().Query(a, training)
	for l := range a.AllGroups() {
		all = append(all, l)
	}
	if len(all) != 6 {
		t.Fatalf("%d groups: %v", len(all), all)
	}
	return all
}

// go-cmp compares groups by Equal, which agrees with ==.
func TestEqual(t *testing.T) {
	var a fleet.Answer[string]
	all := groups(t, &a)
	all = append(all, fleet.Group[string]{})
	for i, l := range all {
		for j, m := range all {
			if cmp.Equal(l, m) != (i == j) {
				t.Errorf("Equal of %v and %v is %v", l, m, cmp.Equal(l, m))
			}
		}
	}
}
