package eviction_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func after(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func ExampleQueue() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	q.Set("db", after(6000))
	q.Set("batch", after(30))
	q.Set("web", after(10)) // moved
	q.Remove("batch")       // cancelled
	for id, at := range q.Due(after(9000)) {
		fmt.Println(clock(at), id)
	}
	// Output:
	// 12:00:10 web
	// 13:40:00 db
}

func ExampleQueue_Set() {
	var q eviction.Queue[string]
	fmt.Println(q.Set("web", after(300)))
	fmt.Println(q.Set("web", after(30)))
	// Output:
	// 0001-01-01 00:00:00 +0000 UTC false
	// 2026-01-02 12:05:00 +0000 UTC true
}

func ExampleQueue_Remove() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	fmt.Println(q.Remove("web"), q.Remove("web"))
	// Output: true false
}

func ExampleQueue_Deadline() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	at, ok := q.Deadline("web")
	fmt.Println(clock(at), ok)
	_, ok = q.Deadline("db")
	fmt.Println(ok)
	// Output:
	// 12:05:00 true
	// false
}

// A controller can sleep until the next deadline.
func ExampleQueue_Next() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	if id, at, ok := q.Next(); ok {
		fmt.Println(at.Sub(after(100)), "until", id)
	}
	// Output: 3m20s until web
}

// A pod that cannot be evicted now is queued again for later.
func ExampleQueue_Due() {
	var q eviction.Queue[string]
	for i, id := range []string{"a", "b", "c", "d"} {
		q.Set(id, after(10*i))
	}
	for id, at := range q.Due(after(20)) {
		fmt.Println(clock(at), id)
		if id == "b" {
			q.Set(id, after(60))
		}
	}
	id, at, _ := q.Next()
	fmt.Println(q.Len(), "left, first", id, clock(at))
	// Output:
	// 12:00:00 a
	// 12:00:10 b
	// 12:00:20 c
	// 2 left, first d 12:00:30
}

func ExampleQueue_All() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	for id, at := range q.All() {
		fmt.Println(clock(at), id)
	}
	// Output: 12:05:00 web
}

func ExampleQueue_Len() {
	var q eviction.Queue[string]
	q.Set("web", after(300))
	q.Set("web", after(30))
	fmt.Println(q.Len())
	// Output: 1
}

// slow are the taints of a node.
var slow = taint.List{taint.MustParse("disk=slow:NoExecute")}

func ExampleSchedule() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk:NoExecute op=Exists for 300s")})
	s.Update("cache", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk:NoExecute op=Exists for 60s")})
	s.Update("batch", slow, noon, toleration.First, nil)
	for {
		_, at, ok := s.Next()
		if !ok {
			break
		}
		now := at // a real clock advances without this
		for id := range s.Due(now) {
			fmt.Println(clock(now), id)
		}
	}
	// Output:
	// 12:00:00 batch
	// 12:01:00 cache
	// 12:05:00 web
}

func ExampleSchedule_Update() {
	var s eviction.Schedule[string]
	pod := toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")}
	fmt.Println(s.Update("web", slow, noon, toleration.First, pod).Kind)

	pod = toleration.List{toleration.MustParse("disk=slow:NoExecute for 600s")}
	fmt.Println(s.Update("web", slow, after(100), toleration.First, pod).Kind)
	fmt.Println(s.Update("web", nil, after(200), toleration.First, pod).Kind)
	// Output:
	// Scheduled
	// Unchanged
	// Cancelled
}

// A controller for which each taint has its own start.
func ExampleSchedule_Set() {
	var s eviction.Schedule[string]
	opts := eviction.Options{Start: eviction.FromObserved}
	pod := toleration.MustParseList("x:NoExecute op=Exists for 300s,y:NoExecute op=Exists for 30s")
	observed := eviction.Observe(nil, taint.MustParseList("x:NoExecute"), noon)
	fmt.Println(s.Set("web", eviction.Decide(observed, noon, opts, pod)))
	observed = eviction.Observe(observed, taint.MustParseList("x:NoExecute,y:NoExecute"), after(100))
	fmt.Println(s.Set("web", eviction.Decide(observed, after(100), opts, pod)))
	// Output:
	// scheduled at 2026-01-02T12:05:00Z
	// moved from 2026-01-02T12:05:00Z to 2026-01-02T12:02:10Z
}

// A controller stores its states, so that a restart does not change a deadline.
func ExampleSchedule_Restore() {
	pod := toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")}
	var before, again eviction.Schedule[string]
	before.Update("web", slow, noon, toleration.First, pod)
	for id, state := range before.All() {
		again.Restore(id, state)
	}
	fmt.Println(again.Update("web", slow, after(100), toleration.First, pod))
	// Output: unchanged, at 2026-01-02T12:05:00Z
}

// An eviction that is refused is tried again ten seconds later.
func ExampleSchedule_Restore_later() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, nil)
	for _, now := range []time.Time{noon, after(5), after(10)} {
		for id := range s.Due(now) {
			fmt.Println(clock(now), id)
			if now == noon { // for example, a disruption budget does not allow it yet
				s.Restore(id, eviction.State{Deadline: now.Add(10 * time.Second)})
			}
		}
	}
	// Output:
	// 12:00:00 web
	// 12:00:10 web
}

func ExampleSchedule_State() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")})
	fmt.Println(clock(s.State("web").Deadline))
	// Output: 12:05:00
}

func ExampleSchedule_Remove() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, nil)
	fmt.Println(s.Remove("web"), s.Remove("web")) // it is gone
	// Output: true false
}

func ExampleSchedule_Next() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")})
	id, at, ok := s.Next()
	fmt.Println(id, clock(at), ok)
	// Output: web 12:05:00 true
}

func ExampleSchedule_Due() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")})
	s.Update("batch", slow, noon, toleration.First, nil)
	for id, deadline := range s.Due(after(200)) {
		fmt.Println(clock(deadline), id)
	}
	// Output: 12:00:00 batch
}

func ExampleSchedule_All() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")})
	for id, state := range s.All() {
		fmt.Println(id, clock(state.Deadline))
	}
	// Output: web 12:05:00
}

func ExampleSchedule_Len() {
	var s eviction.Schedule[string]
	s.Update("web", slow, noon, toleration.First, nil)
	s.Update("db", nil, noon, toleration.First, nil) // stays
	fmt.Println(s.Len())
	// Output: 1
}
