//go:build !race

package lint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkFindings []lint.Finding
	sinkList     []toleration.Toleration
	sinkText     string
	sinkRules    lint.Rules
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	var (
		clean = list("nvidia.com/gpu:NoSchedule op=Exists", "dedicated=team-7:NoSchedule op=Equal",
			"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")
		numbers  = list("cores=3 op=Gt", "cores=2 op=Lt", "cores=x", "CriticalAddonsOnly op=Exists", ":NoSchedule op=Exists")
		defaults = list("team=a:NoSchedule", "spot=true:NoExecute for 60s")
		long     []toleration.Toleration
		found    = list("cores=0 op=Lt", "op=Exists", "gpu:NoExecute op=Exists for 60s")
		dst      = make([]lint.Finding, 0, 16)
		room     = make([]toleration.Toleration, 0, 16)
		all      = lint.Options{}
		fixes    = []lint.Fix{{Edit: lint.Remove, Index: 1}, {Edit: lint.Replace, Index: 2, By: clean[0]}}
		c        lint.Cluster
	)
	for i := range 200 {
		u, err := toleration.New("key", toleration.Equal, string(rune('a'+i%26))+string(rune('a'+i/26)), taint.NoSchedule)
		if err != nil {
			t.Fatal(err)
		}
		long = append(long, u)
	}
	taints := []taint.Taint{taint.MustParse("a=x:NoSchedule"), taint.MustParse("b:NoExecute")}
	c.AddNode(taints)
	c.AddPod(clean, numbers)
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"List/clean", 0, func() { sinkFindings = lint.List(clean, all) }},
		{"List/numbers", 0, func() { sinkFindings = lint.List(numbers, all) }},
		{"List/long", 0, func() { sinkFindings = lint.List(long, all) }},
		{"List/nil", 0, func() { sinkFindings = lint.List(nil, all) }},
		{"Pod/clean", 0, func() { sinkFindings = lint.Pod(clean, defaults, all) }},
		{"AppendList/found", 0, func() { sinkFindings = lint.AppendList(dst, found[1:2], all) }},
		{"AppendList/never matches", 2, func() { sinkFindings = lint.AppendList(dst, found[:2], all) }},
		{"AppendList/shadowed", 3, func() { sinkFindings = lint.AppendList(dst, found, all) }},
		{"Apply", 1, func() { sinkList = lint.Apply(clean, fixes...) }},
		{"Apply/nothing", 0, func() { sinkList = lint.Apply(nil, fixes...) }},
		{"AppendApply", 0, func() { sinkList = lint.AppendApply(room, clean, fixes...) }},
		{"Cluster.AddNode", 0, func() { c.AddNode(taints) }},
		{"Cluster.AddPod", 0, func() { c.AddPod(clean, numbers) }},
		{"Rule.Name", 0, func() { sinkText = lint.Shadowed.Name() }},
		{"Rule.Doc", 0, func() { sinkText = lint.Shadowed.Doc() }},
		{"Rules.With", 0, func() { sinkRules = lint.AllRules().Without(lint.Shadowed).With(lint.Redundant) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}
