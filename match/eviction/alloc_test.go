//go:build !race

// Under the race detector, the compiler inlines less.

package eviction_test

import (
	"fmt"
	"testing"

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
		u        = pod("a:NoExecute for 300s", "b=x:NoExecute for 30s", "c=5:NoExecute op=Gt for 0s")
		queue    = pod(":NoExecute op=Exists for 600s")
		observed = observe(t, "a:NoExecute @0", "b=x:NoExecute @10", "c=99.5:NoExecute @20", "d:NoSchedule @30")
		taints   taint.List
		device   = eviction.Options{Choice: toleration.ForeverElseShortest, Start: eviction.FromAdded}
		arrived  = eviction.Options{Arrived: second(15)}
		many     []eviction.Observed
		lots     toleration.List
		kept     = eviction.State{Deadline: second(300), Start: noon}
	)
	for _, o := range observed {
		taints = append(taints, o.Taint)
	}
	for i := range 1000 {
		many = append(many, eviction.Observed{Taint: taint.MustParse(fmt.Sprintf("k%d:NoExecute", i)), Since: noon})
		lots = append(lots, toleration.MustParse(fmt.Sprintf("k%d:NoExecute for %ds", i, i+1)))
	}
	d := eviction.Decide(observed, noon, eviction.Options{}, u, queue)

	const n = 3000
	numbers, names := churned(n, func(i int) uint64 { return uint64(i) }), churned(n, func(i int) name { return name{"ns", fmt.Sprint("pod-", i)} })
	ids := make([]name, 2*n)
	for i := range ids {
		ids[i] = name{"ns", fmt.Sprint("pod-", i)}
	}
	var schedule eviction.Schedule[name]
	for _, id := range ids[:n] {
		schedule.Update(id, taints, noon, toleration.First, u, queue)
	}
	step := 0
	const rounds = 1000 // many operations in one run, so that rare allocations count

	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Decide", 0, func() { sinkDecision = eviction.Decide(observed, noon, eviction.Options{}, u) }},
		{"Decide/no taints", 0, func() { sinkDecision = eviction.Decide(nil, noon, eviction.Options{}, u) }},
		{"Decide/several lists", 0, func() { sinkDecision = eviction.Decide(observed, noon, device, u, nil, queue) }},
		{"Decide/1,000 by 1,000", 0, func() { sinkDecision = eviction.Decide(many, noon, eviction.Options{}, lots) }},
		{"Decide/arrived", 0, func() { sinkDecision = eviction.Decide(observed, noon, arrived, u, queue) }},
		{"Decision", 0, func() {
			_, sinkBool = d.Deadline()
			sinkInt, sinkBool = d.Taint()
			_, sinkBool = d.Toleration()
			sinkText = d.Kind().String()
		}},
		{"Observe", 1, func() { sinkObserved = eviction.Observe(observed, taints, noon) }},
		{"Observe/nothing", 0, func() { sinkObserved = eviction.Observe(observed, nil, noon) }},
		{"Reevaluate", 0, func() {
			sinkState, sinkChange = eviction.Reevaluate(kept, taints, noon, toleration.First, u, queue)
		}},
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
				for range names.Due(second(1e6)) {
					break
				}
				names.Set(ids[n+step%n], second(600+step))
			}
		}},
		{"Queue/look", 0, func() {
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
		{"Schedule.Update", 0, func() {
			for range rounds {
				step++
				sinkChange = schedule.Update(ids[step%n], taints, second(step), toleration.First, u, queue)
			}
		}},
		{"Schedule.Set", 0, func() {
			for range rounds {
				step++
				sinkChange = schedule.Set(ids[step%n], eviction.Decide(observed, second(step), device, u, queue))
			}
		}},
		{"Schedule.Update/cancel and again", 0, func() {
			for range rounds {
				step++
				sinkChange = schedule.Update(ids[step%n], nil, noon, toleration.First, u)
				sinkChange = schedule.Update(ids[step%n], taints, noon, toleration.First, u, queue)
			}
		}},
		{"Schedule/look", 0, func() {
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

// A Queue of at most 1,024 ids, and one that grows and shrinks by less than a
// factor of four, keep their memory. The first run is not counted, so each run
// has queues of its own.
func TestQueue_allocs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		from  int // the number of ids in the queue at the beginning
		least int // the number of ids when others are set again
	}{{"E9_small", 1024, 0}, {"E9_large", 9000, 5000}} {
		t.Run(tt.name, func(t *testing.T) {
			var queues [2]eviction.Queue[int]
			for run := range queues {
				for i := range tt.from {
					queues[run].Set(i, noon)
				}
			}
			run := 0
			got := testing.AllocsPerRun(1, func() {
				q := &queues[run]
				for i := tt.least; i < tt.from; i++ {
					q.Set(i, second(1))
					q.Remove(i)
				}
				for i := tt.least; i < tt.from; i++ {
					q.Set(tt.from+i, second(2))
				}
				run++
			})
			if got != 0 {
				t.Errorf("%v allocations", got)
			}
		})
	}
}

// churned returns a queue of n ids that has had one more id, so that it has room for an
// id that is added before another is removed.
func churned[ID comparable](n int, id func(i int) ID) *eviction.Queue[ID] {
	var q eviction.Queue[ID]
	for i := range n + 1 {
		q.Set(id(i), second(i%600))
	}
	q.Remove(id(n))
	return &q
}
