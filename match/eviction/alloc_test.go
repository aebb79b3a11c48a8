//go:build !race

// Under the race detector some of what is inlined otherwise is not.

package eviction_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// What calls leave behind, so that they are not done away with.
var (
	sinkDecision eviction.Decision
	sinkChange   eviction.Change
	sinkState    eviction.State
	sinkObserved []eviction.Observed
	sinkInt      int
	sinkBool     bool
	sinkText     string
)

// Every promise that something does not allocate, with the exact count. Not to
// be run in parallel with anything.
func TestAllocs(t *testing.T) {
	type name struct{ namespace, name string }
	var (
		u        = pod("a:NoExecute for 300s", "b=x:NoExecute for 30s", "c=5:NoExecute op=Gt for 0s")
		queue    = pod(":NoExecute op=Exists for 600s")
		observed = observe(t, "a:NoExecute @0", "b=x:NoExecute @10", "c=99.5:NoExecute @20", "d:NoSchedule @30")
		taints   []taint.Taint
		sticky   = eviction.Policy{Toleration: toleration.ForeverElseShortest, Start: eviction.Sticky}
		dst      = make([]eviction.Observed, 0, 2000)
		many     []eviction.Observed
		lots     []toleration.Toleration
		kept, _  = eviction.Reevaluate(eviction.State{}, noon, observed, eviction.Policy{}, u, queue)
	)
	for _, o := range observed {
		taints = append(taints, o.Taint)
	}
	for i := range 1000 {
		many = append(many, eviction.Observed{Taint: taint.MustParse(fmt.Sprintf("k%d:NoExecute", i)), Since: noon})
		lots = append(lots, toleration.MustParse(fmt.Sprintf("k%d:NoExecute for %ds", i, i+1)))
	}
	d := eviction.Decide(noon, observed, eviction.Policy{}, u, queue)

	const n = 3000
	numbers, names := churned(n, func(i int) uint64 { return uint64(i) }), churned(n, func(i int) name { return name{"ns", fmt.Sprint("pod-", i)} })
	ids := make([]name, 2*n)
	for i := range ids {
		ids[i] = name{"ns", fmt.Sprint("pod-", i)}
	}
	schedule := eviction.Schedule[name]{Policy: sticky}
	for _, id := range ids[:n] {
		schedule.Update(id, noon, observed, u, queue)
	}
	step := 0
	const rounds = 1000 // many in one run: what is rare counts too

	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Decide", 0, func() { sinkDecision = eviction.Decide(noon, observed, eviction.Policy{}, u) }},
		{"Decide/no taints", 0, func() { sinkDecision = eviction.Decide(noon, nil, eviction.Policy{}, u) }},
		{"Decide/several lists", 0, func() { sinkDecision = eviction.Decide(noon, observed, sticky, u, nil, queue) }},
		{"Decide/1,000 by 1,000", 0, func() { sinkDecision = eviction.Decide(noon, many, eviction.Policy{}, lots) }},
		{"Decision", 0, func() {
			_, sinkBool = d.Deadline()
			sinkInt, sinkBool = d.Taint()
			_, sinkBool = d.Toleration()
			sinkText = d.Kind().String()
		}},
		{"Observe", 1, func() { sinkObserved = eviction.Observe(observed, taints, noon) }},
		{"Observe/nothing", 0, func() { sinkObserved = eviction.Observe(observed, nil, noon) }},
		{"AppendObserved", 0, func() { sinkObserved = eviction.AppendObserved(dst, observed, taints, noon) }},
		{"Arrived", 1, func() { sinkObserved = eviction.Arrived(observed, noon) }},
		{"AppendArrived", 0, func() { sinkObserved = eviction.AppendArrived(dst, many, noon) }},
		{"Reevaluate", 0, func() { sinkState, sinkChange = eviction.Reevaluate(kept, noon, observed, eviction.Policy{}, u, queue) }},
		{"Reevaluate/sticky", 0, func() { sinkState, sinkChange = eviction.Reevaluate(kept, noon, observed, sticky, u, queue) }},
		{"Queue/add and remove", 0, func() {
			for range rounds {
				step++
				numbers.Set(uint64(n+step), second(step%600))
				sinkBool = numbers.Remove(uint64(n + step - 1))
			}
		}},
		{"Queue/move", 0, func() {
			for range rounds {
				step++
				names.Set(ids[step%n], second(step*7%600))
			}
		}},
		{"Queue/pop and add", 0, func() {
			for range rounds {
				step++
				_, _, _ = names.Pop()
				names.Set(ids[n+step%n], second(600+step))
			}
		}},
		{"Queue/ask", 0, func() {
			_, _, sinkBool = names.Next()
			_, sinkBool = names.Deadline(ids[step%n])
			sinkInt = names.Len()
		}},
		{"Queue/due", 0, func() {
			for id, at := range names.Due(second(1e6)) {
				sinkText, sinkBool = id.name, at.IsZero()
				names.Set(id, second(2e6))
				break
			}
		}},
		{"Queue/all", 0, func() {
			for id, at := range names.All() {
				sinkText, sinkBool = id.name, at.IsZero()
			}
		}},
		{"Schedule/update", 0, func() {
			for range rounds {
				step++
				sinkChange = schedule.Update(ids[step%n], second(step), observed, u, queue)
			}
		}},
		{"Schedule/cancel and again", 0, func() {
			for range rounds {
				step++
				sinkChange = schedule.Update(ids[step%n], noon, nil, u)
				sinkChange = schedule.Update(ids[step%n], noon, observed, u, queue)
			}
		}},
		{"Schedule/ask", 0, func() {
			sinkState = schedule.State(ids[step%n])
			_, _, sinkBool = schedule.Next()
			sinkInt = schedule.Len()
			for _, state := range schedule.All() {
				sinkState = state
			}
		}},
		{"Schedule/due", 0, func() {
			for id := range schedule.Due(second(1e6)) {
				schedule.Restore(id, kept)
				break
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}

// What Grow has made room for, or Clip has left, is enough for all that is
// there to move, and to go and come again. The first run is not counted, so it
// has queues of its own.
func TestAllocs_E9_made_to_measure(t *testing.T) {
	var grown, clipped [2][100]eviction.Queue[int]
	for run := range grown {
		for n := range grown[run] {
			grown[run][n].Grow(n)
			for i := range n {
				clipped[run][n].Set(i, noon)
			}
			clipped[run][n].Clip()
		}
	}
	use := func(q *eviction.Queue[int], n int) {
		for after := range 2 {
			for i := range n {
				q.Set(i, second(after))
			}
		}
		for i := range n {
			q.Remove(i)
			q.Set(n+i, noon)
		}
	}
	for _, queues := range []*[2][100]eviction.Queue[int]{&grown, &clipped} {
		run := 0
		got := testing.AllocsPerRun(1, func() {
			for n := range queues[run] {
				use(&queues[run][n], n)
			}
			run++
		})
		if got != 0 {
			t.Errorf("%v allocations", got)
		}
	}
}

// churned returns a queue of n that has had one more: enough for what is held
// while one comes before another goes.
func churned[ID comparable](n int, id func(i int) ID) *eviction.Queue[ID] {
	var q eviction.Queue[ID]
	for i := range n + 1 {
		q.Set(id(i), second(i%600))
	}
	q.Remove(id(n))
	return &q
}
