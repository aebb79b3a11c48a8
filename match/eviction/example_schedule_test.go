package eviction_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

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

// A controller for which each taint has its own start: a second taint shortens the time. In
// Kubernetes, and with zero Options, it does not.
func ExampleSchedule_Set() {
	var s eviction.Schedule[string]
	opts := eviction.Options{PerTaint: true}
	pod := toleration.MustParseList("x:NoExecute op=Exists for 300s,y:NoExecute op=Exists for 30s")
	observed := eviction.Observe(nil, taint.MustParseList("x:NoExecute"), noon)
	fmt.Println(s.Set("web", eviction.Decide(observed, noon, opts, pod)))
	observed = eviction.Observe(observed, taint.MustParseList("x:NoExecute,y:NoExecute"), after(100))
	fmt.Println(s.Set("web", eviction.Decide(observed, after(100), opts, pod)))
	// Output:
	// scheduled at 2026-01-02T12:05:00Z
	// moved from 2026-01-02T12:05:00Z to 2026-01-02T12:02:10Z
}

// A deadline from elsewhere, such as of a job's budget, is held with the others.
func ExampleNewDecision() {
	var schedule eviction.Schedule[string]
	fmt.Println(schedule.Set("job", eviction.NewDecision(noon.Add(time.Hour), noon)))
	// Output: scheduled at 2026-01-02T13:00:00Z
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

// A simulator tries both: the node keeps its taint, or loses it after two minutes.
func ExampleSchedule_Clone() {
	stays := new(eviction.Schedule[string])
	pods := map[string]toleration.List{
		"web":   {toleration.MustParse("disk:NoExecute op=Exists for 300s")},
		"cache": {toleration.MustParse("disk:NoExecute op=Exists for 60s")},
	}
	for id, pod := range pods {
		stays.Update(id, slow, noon, toleration.First, pod)
	}
	repaired := stays.Clone()
	for id := range stays.Due(after(300)) {
		fmt.Println("with the taint:", id)
	}
	for id := range repaired.Due(after(119)) {
		fmt.Println("without:", id)
	}
	for id := range repaired.All() {
		fmt.Println(id, repaired.Update(id, nil, after(120), toleration.First, pods[id]).Kind)
	}
	// Output:
	// with the taint: cache
	// with the taint: web
	// without: cache
	// web Cancelled
}
