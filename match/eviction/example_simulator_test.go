package eviction_test

import (
	"fmt"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A simulator evicts the pods of one node, in simulated time.
type simulator struct {
	now      time.Time
	pods     map[string]toleration.List
	schedule eviction.Schedule[string]
}

// taint replaces the taints of the node.
func (s *simulator) taint(taints taint.List) {
	for name, tolerations := range s.pods {
		s.schedule.Update(name, taints, s.now, toleration.First, tolerations)
	}
}

// advance evicts each pod whose deadline comes within d.
func (s *simulator) advance(d time.Duration) {
	end := s.now.Add(d)
	for name, at := range s.schedule.Due(end) {
		delete(s.pods, name)
		fmt.Println(at.Format(time.TimeOnly), "evicts", name)
	}
	s.now = end
}

// A node becomes unreachable and returns after a minute: only pods whose
// tolerations are shorter are evicted.
func Example_simulator() {
	s := simulator{
		now: time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC),
		pods: map[string]toleration.List{
			"batch":   nil,
			"web":     toleration.MustParseList("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s"),
			"default": toleration.MustParseList("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"),
			"agent":   toleration.MustParseList("op=Exists"),
		},
	}
	s.taint(taint.MustParseList("node.kubernetes.io/unreachable:NoExecute"))
	s.advance(time.Minute)
	s.taint(nil)
	s.advance(time.Hour)
	fmt.Println(len(s.pods), "pods remain")
	// Output:
	// 12:00:00 evicts batch
	// 12:00:30 evicts web
	// 2 pods remain
}
