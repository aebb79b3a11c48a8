package impact_test

import (
	"fmt"
	"testing"

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
	sinkKind      impact.PlacementKind
)

// The counts are the documented ones. The test must not run in parallel with other
// tests.
func TestAllocs(t *testing.T) {
	var (
		before = taints("x:NoExecute", "dedicated=gpu:NoSchedule")
		after  = taints("x:NoExecute", "y=1:NoExecute", "spot:PreferNoSchedule")
		own    = tolerations("x:NoExecute for 300s", "y:NoExecute op=Exists for 30s")
		queue  = tolerations("dedicated op=Exists")
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
		opts    = impact.Options{Now: noon}
		plan    = impact.New(opts, pool...)
		wide    = impact.New(opts, impact.NodeChange{Before: match.Node{Taints: most}, After: match.Node{Taints: most[1:]}})
		starts  = impact.New(impact.Options{Now: noon, Start: eviction.FromObserved}, pool...)
		pod     = impact.Pod{Node: 3}
		arrived = impact.Pod{Arrived: noon}
		all     = tolerations(":NoExecute op=Exists for 60s")
		fresh   = tolerations("x:NoExecute for 0s")
		long    = make(toleration.List, 65)
		seconds = int64(0)
	)
	for i := range long {
		long[i] = toleration.MustParse("x:NoExecute")
	}
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Eviction", 0, func() { sinkEviction = plan.Eviction(pod, own) }},
		{"Eviction/more", 0, func() { sinkEviction = plan.Eviction(pod, own, queue) }},
		{"Eviction/arrived", 0, func() { sinkEviction = wide.Eviction(arrived, all) }},
		{"Eviction/own start", 0, func() { sinkEviction = starts.Eviction(pod, own) }},
		{"Placement", 0, func() { sinkPlacement = plan.Placement(own, queue) }},
		{"Placement/other list each time", 2, func() {
			seconds++
			fresh[0], _ = fresh[0].WithSeconds(seconds)
			sinkPlacement = plan.Placement(fresh)
		}},
		{"Placement/list of 64", 0, func() { sinkPlacement = plan.Placement(long[:60], long[60:64]) }},
		{"Placement/other list of 65, which is not kept", 0, func() {
			seconds++
			long[0], _ = long[0].WithSeconds(seconds)
			sinkPlacement = plan.Placement(long[:60], long[60:])
		}},
		{"Placement/other list, one kind of nodes", 0, func() {
			seconds++
			fresh[0], _ = fresh[0].WithSeconds(seconds)
			sinkPlacement = wide.Placement(fresh)
		}},
		{"Kind", 0, func() { sinkKind = sinkPlacement.Kind() }},
	} {
		if got := testing.AllocsPerRun(100, tt.do); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
	if starts.Eviction(pod, own).Kind == eviction.Unchanged || plan.Placement(own, queue).Kind() == impact.Same {
		t.Error("the pod is not affected")
	}
}
