//go:build !race

package lint_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Sinks keep the calls from being optimized away.
var (
	sinkFindings []lint.Finding
	sinkText     string
	sinkChecks   []lint.Check
)

// Every documented promise about allocations, with the exact count. It must not
// run in parallel with another test.
func TestAllocs(t *testing.T) {
	var (
		clean = list("nvidia.com/gpu:NoSchedule op=Exists", "dedicated=team-7:NoSchedule op=Equal",
			"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")

		defaults = list("team=a:NoSchedule", "spot=true:NoExecute for 60s")
		long     toleration.List
		found    = list("cores=0 op=Lt", "op=Exists", "gpu:NoExecute op=Exists for 60s")
		all      = lint.Options{}
		skip     = lint.Checks()
	)
	for i := range 128 {
		long = append(long, problem.Must(toleration.New("key", toleration.Equal, string(rune('a'+i%26))+string(rune('a'+i/26)), taint.NoSchedule)))
	}
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Find/clean", 0, func() { sinkFindings = lint.Find(clean, all) }},
		{"Find/long", 0, func() { sinkFindings = lint.Find(long, all) }},
		{"Find/nil", 0, func() { sinkFindings = lint.Find(nil, all) }},
		{"Find/defaults", 0, func() { sinkFindings = lint.Find(clean, lint.Options{Defaults: defaults}) }},
		{"Find/skip", 0, func() { sinkFindings = lint.Find(clean, lint.Options{Skip: skip}) }},
		{"Find/found", 1, func() { sinkFindings = lint.Find(found[1:2], all) }},
		{"Find/never matches", 3, func() { sinkFindings = lint.Find(found[:2], all) }},
		{"Find/shadowed", 101, func() { sinkFindings = lint.Find(found, all) }},
		{"Check.String", 0, func() { sinkText = lint.Shadowed.String() }},
		{"Check.Doc", 0, func() { sinkText = lint.Shadowed.Doc() }},
		{"Checks", 1, func() { sinkChecks = lint.Checks() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}
