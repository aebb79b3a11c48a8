package fleet_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/contract"
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

func TestAnswer_contract(t *testing.T) {
	var zero, some, all fleet.Answer[string]
	sample().Snapshot().Query(&some)
	sample().Snapshot().Query(&all, training)
	contract.Result[*fleet.Answer[string]]{Samples: []*fleet.Answer[string]{&zero, &some, &all}}.Test(t)
}

// go-cmp compares groups by Equal, which agrees with ==.
func TestEqual(t *testing.T) {
	var a fleet.Answer[string]
	all := groups(t, &a)
	all = append(all, fleet.Group[string]{})
	for i, l := range all {
		for j, m := range all {
			if cmp.Equal(l, m) != (i == j) || cmp.Equal(fleet.Delta[string]{Group: l}, fleet.Delta[string]{Group: m}) != (i == j) {
				t.Errorf("Equal of %v and %v is %v", l, m, cmp.Equal(l, m))
			}
		}
	}
}

func checkAnswerText(t fatal, what string, a *fleet.Answer[int], total, schedulable, preferred, evicted int) {
	t.Helper()
	s := "s"
	if total == 1 {
		s = ""
	}
	want := fmt.Sprintf("%d of %d node%s schedulable, %d preferred, %d evicted", schedulable, total, s, preferred, evicted)
	if got := a.String(); got != want {
		t.Errorf("%s: String() = %q, want %q", what, got, want)
	}
}
