//go:build !race

// Under the race detector some of what is inlined otherwise is not.

package impact_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkEviction  impact.Eviction
	sinkPlacement impact.Placement
	sinkKind      impact.PlacementKind
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	var (
		before = taints("x:NoExecute", "dedicated=gpu:NoSchedule")
		after  = taints("x:NoExecute", "y=1:NoExecute", "spot:PreferNoSchedule")
		own    = tolerations("x:NoExecute for 300s", "y:NoExecute op=Exists for 30s")
		queue  = tolerations("dedicated op=Exists")
		most   []taint.Taint
		pool   []impact.Node
	)
	for i := range 16 {
		most = append(most, taint.MustParse(fmt.Sprintf("k%d:NoExecute", i)))
	}
	for i := range 100 {
		pool = append(pool, impact.Node{
			Before:   match.Node{Taints: append(before[:2:2], taint.MustParse(fmt.Sprintf("k%d:PreferNoSchedule", i%7)))},
			After:    match.Node{Taints: after, Unschedulable: i%2 == 0},
			Observed: eviction.Observe(nil, before, noon),
		})
	}
	var (
		opts       = impact.Options{Now: noon}
		plan       = impact.New(opts, pool...)
		wide       = impact.New(opts, impact.Node{Before: match.Node{Taints: most}, After: match.Node{Taints: most[1:]}})
		sticky     = impact.New(impact.Options{Now: noon, Policy: eviction.Policy{Start: eviction.Sticky}}, pool...)
		pod        = impact.Pod{Tolerations: own, Node: 3}
		came       = impact.Pod{Tolerations: tolerations(":NoExecute op=Exists for 60s"), Arrived: noon}
		pods       = []impact.Pod{pod, {}, {Node: -1}, {Tolerations: append(own, queue...)}}
		evictions  = make([]impact.Eviction, 0, 8)
		placements = make([]impact.Placement, 0, 8)
		again      = impact.New(opts, pool...)
	)
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Eviction", 0, func() { sinkEviction = plan.Eviction(pod) }},
		{"Eviction/more", 0, func() { sinkEviction = plan.Eviction(pod, queue) }},
		{"Eviction/arrived", 0, func() { sinkEviction = wide.Eviction(came) }},
		{"Eviction/sticky", 0, func() { sinkEviction = sticky.Eviction(pod) }},
		{"Placement", 0, func() { sinkPlacement = plan.Placement(own, queue) }},
		{"Kind", 0, func() { sinkKind = sinkPlacement.Kind() }},
		{"AppendEvictions", 0, func() { evictions = plan.AppendEvictions(evictions[:0], pods) }},
		{"AppendPlacements", 0, func() { placements = plan.AppendPlacements(placements[:0], pods) }},
		{"Evictions/none", 0, func() { plan.Evictions(pods[2:3]) }},
		{"Reset", 0, func() { again.Reset(opts, pool...) }},
		{"Reset/fewer", 0, func() { again.Reset(opts, pool[:50]...) }},
	} {
		if got := testing.AllocsPerRun(100, tt.do); got != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
		}
	}
	if len(evictions) == 0 || len(placements) == 0 {
		t.Error("the pods are not touched")
	}
}
