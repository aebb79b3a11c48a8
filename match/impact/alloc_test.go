package impact_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkEviction  impact.Eviction
	sinkPlacement impact.Placement
)

// The counts are the documented ones. The test must not run in parallel with other
// tests.
func TestAllocs(t *testing.T) {
	var (
		before = taint.MustParseList("x:NoExecute,dedicated=gpu:NoSchedule")
		after  = taint.MustParseList("x:NoExecute,y=1:NoExecute,spot:PreferNoSchedule")
		own    = toleration.MustParseList("dedicated=gpu,x:NoExecute for 300s,y:NoExecute op=Exists for 30s")
		most   taint.List
		pool   []impact.NodeChange
	)
	for i := range 40 {
		most = append(most, taint.MustParse(fmt.Sprintf("k%d:NoExecute", i)))
	}
	for i := range 100 {
		pool = append(pool, impact.NodeChange{
			Before:   match.Node{Taints: append(before[:2:2], taint.MustParse(fmt.Sprintf("k%d:PreferNoSchedule", i%7)))},
			After:    match.Node{Taints: after, Unschedulable: i%2 == 0},
			Observed: eviction.Observe(nil, before, noon),
		})
	}
	var (
		analysis = impact.New(noon, pool...)
		wide     = impact.New(noon, impact.NodeChange{Before: match.Node{Taints: most}, After: match.Node{Taints: most[1:]}})
		opts     eviction.Options
		starts   = eviction.Options{PerTaint: true}
		all      = toleration.MustParseList(":NoExecute op=Exists for 60s")
	)
	measure.Allocs(t, "Eviction", 0, func() { sinkEviction = analysis.Eviction(3, opts, own) })
	measure.Allocs(t, "Eviction/arrived", 0, func() { sinkEviction = wide.Eviction(0, eviction.Options{Arrived: noon}, all) })
	measure.Allocs(t, "Eviction/own start", 0, func() { sinkEviction = analysis.Eviction(3, starts, own) })
	measure.Allocs(t, "Placement", 0, func() { sinkPlacement = analysis.Placement(own) })
	if analysis.Eviction(3, starts, own).Kind == eviction.Unchanged || analysis.Placement(own).Lost == 0 {
		t.Error("the pod is not affected")
	}
}
