package fleet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// go-cmp compares groups by Equal, which agrees with ==.
func TestEqual(t *testing.T) {
	x := sample()
	x.Put("invalid", match.Node{Taints: taint.List{{}}})
	var a fleet.Answer[string]
	x.Snapshot().Query(&a, nil)
	all := []fleet.Group[string]{{}}
	for g := range a.AllGroups() {
		all = append(all, g)
	}
	for i, g := range all {
		for j, h := range all {
			if cmp.Equal(g, h) != (i == j) || len(all) != 7 {
				t.Errorf("Equal of %v and %v is %v", g, h, cmp.Equal(g, h))
			}
		}
	}
}
