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

func ExampleObserve() {
	before := []eviction.Observed{{Taint: taint.MustParse("rack=warm:NoExecute"), Since: noon}}
	taints := []taint.Taint{taint.MustParse("gpu:NoSchedule"), taint.MustParse("rack=hot:NoExecute")}
	for _, o := range eviction.Observe(before, taints, noon.Add(time.Hour)) {
		fmt.Println(clock(o.Since), o.Taint)
	}
	// Output:
	// 13:00:00 gpu:NoSchedule
	// 12:00:00 rack=hot:NoExecute
}

func ExampleAppendObserved() {
	var before, after []eviction.Observed // of one node; each other's room is used
	for i, text := range []string{"a:NoExecute", "b:NoExecute,a:NoExecute", "b:NoExecute"} {
		taints, err := taint.ParseList(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		after = eviction.AppendObserved(after[:0], before, taints, noon.Add(time.Duration(i)*time.Minute))
		for _, o := range after {
			fmt.Println(i, clock(o.Since), o.Taint)
		}
		before, after = after, before
	}
	// Output:
	// 0 12:00:00 a:NoExecute
	// 1 12:01:00 b:NoExecute
	// 1 12:00:00 a:NoExecute
	// 2 12:01:00 b:NoExecute
}

// A pod that came when the taint was there already has all of its seconds.
func ExampleArrived() {
	node := []eviction.Observed{{Taint: taint.MustParse("disk=slow:NoExecute"), Since: noon}}
	pod := []toleration.Toleration{toleration.MustParse("disk=slow:NoExecute for 300s")}
	now := noon.Add(time.Hour)
	fmt.Println(eviction.Decide(now, node, eviction.Policy{}, pod))
	fmt.Println(eviction.Decide(now, eviction.Arrived(node, now), eviction.Policy{}, pod))
	// Output:
	// now
	// at 2026-01-02T13:05:00Z
}

func ExampleAppendArrived() {
	node := []eviction.Observed{{Taint: taint.MustParse("disk=slow:NoExecute"), Since: noon}}
	buf := make([]eviction.Observed, 0, 8) // for many pods
	for i := range 2 {
		buf = eviction.AppendArrived(buf[:0], node, noon.Add(time.Duration(i)*time.Hour))
		fmt.Println(clock(buf[0].Since))
	}
	// Output:
	// 12:00:00
	// 13:00:00
}

// Which toleration counts, and from when, is a matter of policy.
func ExamplePolicy() {
	slow, err := taint.MustParse("disk=slow:NoExecute").WithTimeAdded(noon.Add(-time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	observed := []eviction.Observed{{Taint: slow, Since: noon}}
	pod := []toleration.Toleration{
		toleration.MustParse("disk:NoExecute op=Exists for 300s"),
		toleration.MustParse("disk=slow:NoExecute for 600s"),
	}
	for _, p := range []eviction.Policy{
		{},
		{Toleration: toleration.Longest},
		{Toleration: toleration.Longest, Start: eviction.FromAdded},
		{Toleration: toleration.ForeverElseShortest, Start: eviction.FromAdded}, // as for devices
	} {
		fmt.Println(p.Toleration, p.Start, eviction.Decide(noon, observed, p, pod))
	}
	// Output:
	// First FromObserved at 2026-01-02T12:05:00Z
	// Longest FromObserved at 2026-01-02T12:10:00Z
	// Longest FromAdded at 2026-01-02T12:09:00Z
	// ForeverElseShortest FromAdded at 2026-01-02T12:04:00Z
}

func ExampleStart_String() {
	fmt.Println(eviction.FromObserved, eviction.FromAdded, eviction.Sticky)
	// Output: FromObserved FromAdded Sticky
}

func ExampleDecision() {
	observed := []eviction.Observed{
		{Taint: taint.MustParse("gpu:NoExecute"), Since: noon},
		{Taint: taint.MustParse("disk=slow:NoExecute"), Since: noon},
	}
	pod := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 300s"), toleration.MustParse("disk op=Exists")}
	d := eviction.Decide(noon, observed, eviction.Policy{}, pod)
	if d.Kind() == eviction.At {
		at, _ := d.Deadline()
		i, _ := d.Taint()
		by, _ := d.Toleration()
		fmt.Printf("%v for %v, which %q tolerates until then\n", clock(at), observed[i].Taint, pod[by.Index])
	}
	// Output: 12:05:00 for gpu:NoExecute, which "gpu:NoExecute for 300s" tolerates until then
}

func ExampleDecision_Kind() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	fmt.Println(eviction.Decide(noon, nil, eviction.Policy{}).Kind())
	fmt.Println(eviction.Decide(noon, observed, eviction.Policy{}).Kind())
	// Output:
	// Never
	// Now
}

// What is overdue tells since when.
func ExampleDecision_Deadline() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	pod := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s")}
	d := eviction.Decide(noon.Add(time.Hour), observed, eviction.Policy{}, pod)
	at, ok := d.Deadline()
	fmt.Println(d, clock(at), ok)
	// Output: now 12:01:00 true
}

func ExampleDecision_Taint() {
	observed := []eviction.Observed{
		{Taint: taint.MustParse("gpu:NoExecute"), Since: noon},
		{Taint: taint.MustParse("disk=slow:NoExecute"), Since: noon},
	}
	pod := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 60s")}
	fmt.Println(eviction.Decide(noon, observed, eviction.Policy{}, pod).Taint())
	fmt.Println(eviction.Decide(noon, nil, eviction.Policy{}, pod).Taint())
	// Output:
	// 1 true
	// 0 false
}

func ExampleDecision_Toleration() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	pod := []toleration.Toleration{toleration.MustParse("disk:NoExecute")}
	queue := []toleration.Toleration{toleration.MustParse("op=Exists"), toleration.MustParse("gpu:NoExecute for 60s")}
	shortest := eviction.Policy{Toleration: toleration.Shortest}
	fmt.Println(eviction.Decide(noon, observed, shortest, pod, queue).Toleration())
	// Output: {1 1} true
}

func ExampleDecision_String() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	fmt.Println(eviction.Decide(noon, observed, eviction.Policy{}))
	// Output: now
}

func ExampleKind_String() {
	fmt.Println(eviction.Never, eviction.Now, eviction.At)
	// Output: Never Now At
}

// One who keeps the states himself, with whatever else he knows of a pod.
func ExampleReevaluate() {
	pod := []toleration.Toleration{
		toleration.MustParse("x:NoExecute for 300s"),
		toleration.MustParse("y:NoExecute for 30s"),
	}
	for _, start := range []eviction.Start{eviction.FromObserved, eviction.Sticky} {
		var (
			state    eviction.State
			observed []eviction.Observed
			change   eviction.Change
		)
		for i, text := range []string{"x:NoExecute", "x:NoExecute,y:NoExecute", ""} {
			taints, err := taint.ParseList(text)
			if err != nil {
				fmt.Println(err)
				continue
			}
			now := noon.Add(time.Duration(i) * 100 * time.Second)
			observed = eviction.Observe(observed, taints, now)
			state, change = eviction.Reevaluate(state, now, observed, eviction.Policy{Start: start}, pod)
			fmt.Println(start, clock(now), change)
		}
	}
	// Output:
	// FromObserved 12:00:00 scheduled at 2026-01-02T12:05:00Z
	// FromObserved 12:01:40 moved from 2026-01-02T12:05:00Z to 2026-01-02T12:02:10Z
	// FromObserved 12:03:20 cancelled, was at 2026-01-02T12:02:10Z
	// Sticky 12:00:00 scheduled at 2026-01-02T12:05:00Z
	// Sticky 12:01:40 unchanged, at 2026-01-02T12:05:00Z
	// Sticky 12:03:20 cancelled, was at 2026-01-02T12:05:00Z
}

func ExampleChange_String() {
	observed := []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}
	_, change := eviction.Reevaluate(eviction.State{}, noon, observed, eviction.Policy{})
	fmt.Println(change)
	// Output: due now
}

func ExampleChangeKind_String() {
	fmt.Println(eviction.Unchanged, eviction.Scheduled, eviction.Earlier, eviction.Later, eviction.Cancelled, eviction.Due)
	// Output: Unchanged Scheduled Earlier Later Cancelled Due
}

func ExampleState() {
	var s eviction.Schedule[string]
	pod := []toleration.Toleration{toleration.MustParse("gpu:NoExecute for 300s")}
	s.Update("train", noon, []eviction.Observed{{Taint: taint.MustParse("gpu:NoExecute"), Since: noon}}, pod)
	fmt.Println(s.State("train").Deadline)
	fmt.Println(s.State("other").Deadline.IsZero())
	// Output:
	// 2026-01-02 12:05:00 +0000 UTC
	// true
}
