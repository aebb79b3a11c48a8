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

// clock tells a time of that day.
func clock(t time.Time) string { return t.Format("15:04:05") }

// A controller in small: it is told what happens on a node, by a clock that is
// not its own, and wakes up when a pod is due.
func Example() {
	pods := map[string][]toleration.Toleration{
		"web":    {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s")},
		"db":     {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 6000s")},
		"daemon": {toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists")},
	}
	unreachable := []taint.Taint{taint.MustParse("node.kubernetes.io/unreachable:NoExecute")}
	events := []struct {
		after  time.Duration
		taints []taint.Taint
	}{
		{time.Minute, unreachable},
		{20 * time.Minute, nil}, // back again
	}

	var (
		schedule eviction.Schedule[string]
		observed []eviction.Observed
	)
	for _, event := range events {
		now := noon.Add(event.after)
		for id, deadline := range schedule.Due(now) { // a real one wakes up for each
			fmt.Println(clock(deadline), id, "is evicted")
			delete(pods, id)
		}
		observed = eviction.Observe(observed, event.taints, now)
		for _, id := range []string{"web", "db", "daemon"} {
			if tolerations, ok := pods[id]; ok {
				fmt.Println(clock(now), id, schedule.Update(id, now, observed, tolerations).Kind)
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
	pod := []toleration.Toleration{
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
		fmt.Println(eviction.Decide(noon.Add(time.Minute), observed, eviction.Policy{}, pod))
	}
	// Output:
	// never
	// never
	// at 2026-01-02T12:05:00Z
	// now
}
