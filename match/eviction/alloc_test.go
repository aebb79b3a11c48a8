//go:build !race

// Under the race detector, the compiler inlines less.

package eviction_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of calls, so that the compiler keeps the calls.
var (
	sinkDecision eviction.Decision
	sinkChange   eviction.Update
	sinkState    eviction.State
	sinkObserved []eviction.Observed
	sinkInt      int
	sinkBool     bool
	sinkText     string
)

// The counts are the documented ones. The test must not run in parallel with other
// tests.
func TestAllocs(t *testing.T) {
	type name struct{ namespace, name string }
	var (
		pod      = toleration.MustParseList("a:NoExecute for 300s,b=x:NoExecute for 30s,c=5:NoExecute op=Gt for 0s,:NoExecute op=Exists for 600s")
		observed = observe(t, "a:NoExecute @0", "b=x:NoExecute @10", "c=99.5:NoExecute @20", "d:NoSchedule @30")
		taints   taint.List
		device   = eviction.Options{Choice: toleration.ForeverElseShortest, PerTaint: true}
		arrived  = eviction.Options{Arrived: after(15)}
		many     []eviction.Observed
		lots     toleration.List
		kept     = eviction.State{Deadline: after(300), Start: noon}
	)
	for _, o := range observed {
		taints = append(taints, o.Taint)
	}
	for i := range 1000 {
		many = append(many, eviction.Observed{Taint: taint.MustParse(fmt.Sprintf("k%d:NoExecute", i)), Since: noon})
		lots = append(lots, toleration.MustParse(fmt.Sprintf("k%d:NoExecute for %ds", i, i+1)))
	}
	d := eviction.Decide(observed, noon, eviction.Options{}, pod)

	const n = 3000
	ids := make([]name, n)
	for i := range ids {
		ids[i] = name{"ns", fmt.Sprint("pod-", i)}
	}
	var schedule eviction.Schedule[name]
	for _, id := range ids[:n] {
		schedule.Update(id, taints, noon, toleration.First, pod)
	}
	step := 0
	const rounds = 1000 // many operations in one run, so that rare allocations count

	measure.Allocs(t, "Decide", 0, func() { sinkDecision = eviction.Decide(observed, noon, eviction.Options{}, pod) })
	measure.Allocs(t, "Decide/no taints", 0, func() { sinkDecision = eviction.Decide(nil, noon, eviction.Options{}, pod) })
	measure.Allocs(t, "Decide/PerTaint", 0, func() { sinkDecision = eviction.Decide(observed, noon, device, pod) })
	measure.Allocs(t, "Decide/1,000 by 1,000", 0, func() { sinkDecision = eviction.Decide(many, noon, eviction.Options{}, lots) })
	measure.Allocs(t, "Decide/arrived", 0, func() { sinkDecision = eviction.Decide(observed, noon, arrived, pod) })
	measure.Allocs(t, "Decision", 0, func() {
		_, sinkBool = d.Deadline()
		sinkInt, sinkBool = d.Taint()
		_, sinkBool = d.Toleration()
		sinkText = d.Kind().String()
	})
	measure.Allocs(t, "Observe", 1, func() { sinkObserved = eviction.Observe(observed, taints, noon) })
	measure.Allocs(t, "Observe/nothing", 0, func() { sinkObserved = eviction.Observe(observed, nil, noon) })
	measure.Allocs(t, "Reevaluate", 0, func() {
		sinkState, sinkChange = eviction.Reevaluate(kept, taints, noon, toleration.First, pod)
	})
	measure.Allocs(t, "Schedule.Update", 0, func() {
		for range rounds {
			step++
			sinkChange = schedule.Update(ids[step%n], taints, after(step), toleration.First, pod)
		}
	})
	measure.Allocs(t, "Schedule.Set", 0, func() {
		for range rounds {
			step++
			sinkChange = schedule.Set(ids[step%n], eviction.Decide(observed, after(step), device, pod))
		}
	})
	measure.Allocs(t, "Schedule.Update/cancel and again", rounds, func() {
		for range rounds {
			step++
			sinkChange = schedule.Update(ids[step%n], nil, noon, toleration.First, pod)
			sinkChange = schedule.Update(ids[step%n], taints, noon, toleration.First, pod)
		}
	})
	measure.Allocs(t, "Schedule/look", 0, func() {
		sinkState = schedule.State(ids[step%n])
		_, _, sinkBool = schedule.Next()
		sinkInt = schedule.Len()
	})
	measure.Allocs(t, "Schedule/due", 1, func() {
		for id := range schedule.Due(after(1e6)) {
			schedule.Restore(id, kept)
			break
		}
	})
}
