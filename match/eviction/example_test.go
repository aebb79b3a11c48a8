package eviction_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// noon is when the examples begin.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// clock formats a time of that day.
func clock(t time.Time) string { return t.Format("15:04:05") }

// A small controller: it handles the events of a node, with a simulated clock,
// and evicts pods that are due.
func Example() {
	pods := map[string]toleration.List{
		"web":    {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")},
		"db":     {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 6000s")},
		"daemon": {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists")},
	}
	unreachable := taint.List{taint.MustParse("node.kubernetes.io/unreachable:NoExecute")}
	events := []struct {
		after  time.Duration
		taints taint.List
	}{
		{time.Minute, unreachable},
		{20 * time.Minute, nil}, // the taint is removed
	}

	var schedule eviction.Schedule[string]
	for _, event := range events {
		now := noon.Add(event.after)
		for id, deadline := range schedule.Due(now) { // a real controller wakes up for each
			fmt.Println(clock(deadline), id, "is evicted")
			delete(pods, id)
		}
		for _, id := range []string{"web", "db", "daemon"} {
			if tolerations, ok := pods[id]; ok {
				fmt.Println(clock(now), id, schedule.Update(id, event.taints, now, toleration.First, tolerations).Kind)
			}
		}
	}
	// Output:
	// 12:01:00 web Scheduled
	// 12:01:00 db Scheduled
	// 12:01:00 daemon Unchanged
	// 12:06:00 web is evicted
	// 12:20:00 db Cancelled
	// 12:20:00 daemon Unchanged
}

func ExampleDecide() {
	pod := toleration.List{
		toleration.MustParse("disk=slow:NoExecute for 300s"),
		toleration.MustParse("rack:NoExecute op=Exists"),
	}
	for _, text := range []string{"disk=slow:NoSchedule", "rack=hot:NoExecute", "disk=slow:NoExecute", "disk=slow:NoExecute,gpu:NoExecute"} {
		taints, err := taint.ParseList(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		observed := eviction.Observe(nil, taints, noon)
		fmt.Println(eviction.Decide(observed, noon.Add(time.Minute), eviction.Options{}, pod))
	}
	// Output:
	// never
	// never
	// at 2026-01-02T12:05:00Z
	// due
}

func ExampleObserve() {
	before := []eviction.Observed{{Taint: taint.MustParse("rack=warm:NoExecute"), Since: noon}}
	taints := taint.List{taint.MustParse("gpu:NoSchedule"), taint.MustParse("rack=hot:NoExecute")}
	for _, o := range eviction.Observe(before, taints, noon.Add(time.Hour)) {
		fmt.Println(clock(o.Since), o.Taint)
	}
	// Output:
	// 13:00:00 gpu:NoSchedule
	// 12:00:00 rack=hot:NoExecute
}

// A pod that was scheduled after the taint was observed has all of its seconds.
func ExampleOptions_arrived() {
	node := []eviction.Observed{{Taint: taint.MustParse("disk=slow:NoExecute"), Since: noon}}
	pod := toleration.List{toleration.MustParse("disk=slow:NoExecute for 300s")}
	now := noon.Add(time.Hour)
	fmt.Println(eviction.Decide(node, now, eviction.Options{}, pod))
	fmt.Println(eviction.Decide(node, now, eviction.Options{Arrived: now}, pod))
	// Output:
	// due
	// at 2026-01-02T13:05:00Z
}

// The deadline of an overdue eviction is the time at which it became due.
func ExampleDecision_Deadline() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	pod := toleration.List{toleration.MustParse("gpu:NoExecute for 60s")}
	d := eviction.Decide(observed, noon.Add(time.Hour), eviction.Options{}, pod)
	at, ok := d.Deadline()
	fmt.Println(d, clock(at), ok)
	// Output: due 12:01:00 true
}

func ExampleDecision_Toleration() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	pod := toleration.List{toleration.MustParse("op=Exists"), toleration.MustParse("gpu:NoExecute for 60s")}
	shortest := eviction.Options{Choice: toleration.Shortest}
	fmt.Println(eviction.Decide(observed, noon, shortest, pod).Toleration())
	// Output: 1 true
}

// A program can store the states itself, together with other data of the pod.
func ExampleReevaluate() {
	pod := toleration.MustParseList("x:NoExecute op=Exists for 300s,y:NoExecute op=Exists for 30s")
	var state eviction.State
	for i, text := range []string{"x:NoExecute", "x:NoExecute,y:NoExecute", "", "y:NoExecute,z:NoExecute"} {
		taints, err := taint.ParseList(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		var change eviction.Update
		now := noon.Add(time.Duration(i) * 100 * time.Second)
		state, change = eviction.Reevaluate(state, taints, now, toleration.First, pod)
		fmt.Println(clock(now), change)
	}
	// Output:
	// 12:00:00 scheduled at 2026-01-02T12:05:00Z
	// 12:01:40 unchanged, at 2026-01-02T12:05:00Z
	// 12:03:20 cancelled, was at 2026-01-02T12:05:00Z
	// 12:05:00 scheduled at 2026-01-02T12:05:00Z, due
}
