package impact_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestPlacement_contract(t *testing.T) {
	samples := []impact.Placement{
		{}, {Before: 2}, {Gained: 1}, {Gained: 1, FirstGained: 1}, {Before: 1, Lost: 1}, {Before: 2, Lost: 1, FirstLost: 1},
		{Before: 2, Gained: 1, Lost: 1}, {Before: 2, Gained: 1}, {Before: 1, Repelled: 1}, {Before: 1, Repelled: -1}, {Before: 2, Lost: 1, Repelled: -1},
	}
	contract.Result[impact.Placement]{Samples: samples}.Test(t)
	for p, want := range map[impact.Placement]string{
		{}:                                  "0 nodes before, 0 after",
		{Before: 1, After: 1, Repelled: -2}: "1 node before, 1 after, 2 fewer untolerated PreferNoSchedule",
		{Before: 1, After: 1, Repelled: 1}:  "1 node before, 1 after, 1 more untolerated PreferNoSchedule",
		{Before: 2, After: 2, Gained: 1, FirstGained: 4, Lost: 1}: "2 nodes before, 2 after, 1 gained (first: node 4), 1 lost (first: node 0)",
	} {
		if got := p.String(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestEviction_contract(t *testing.T) {
	n := impact.NodeChange{Before: match.Node{Taints: taint.MustParseList("x:NoExecute")}, After: match.Node{Taints: taint.MustParseList("y:NoExecute")}, Observed: eviction.Observe(nil, taint.MustParseList("x:NoExecute"), noon.Add(-time.Minute))}
	analysis := impact.New(noon, n)
	samples := []impact.Eviction{{}}
	for _, list := range []string{"", "x", "y", "x:NoExecute for 90s,y", "x,y:NoExecute for 30s", ":NoExecute op=Exists for 90s"} {
		samples = append(samples, analysis.Eviction(0, eviction.Options{}, toleration.MustParseList(list)))
	}
	contract.Result[impact.Eviction]{Samples: samples}.Test(t)
	if got, want := samples[0].String(), "unchanged, never"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
