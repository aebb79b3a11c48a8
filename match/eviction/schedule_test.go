package eviction_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A step is a time, the taints of a pod's node and the pod's tolerations from then on,
// and the resulting update and deadline.
type step struct {
	at     int // seconds after noon
	taints string
	pod    []string
	want   eviction.UpdateKind
	until  int // the deadline, in seconds after noon, or never
}

const never = math.MinInt

// TestReevaluate contains the examples of the rules: of Kubernetes, and with a start for
// each taint.
func TestReevaluate(t *testing.T) {
	usual := []string{"x:NoExecute op=Exists for 300s", "y:NoExecute op=Exists for 30s", "z:NoExecute op=Exists"}
	for _, tt := range []struct {
		name  string
		own   bool // each taint has its own start
		steps []step
	}{
		{"E8_another_taint_own_start", true, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{100, "x:NoExecute,y:NoExecute", usual, eviction.Earlier, 130},
			{110, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 130},
			{120, "x:NoExecute", usual, eviction.Later, 300}, // y is removed: x counts from its own start
			{300, "x:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_another_taint", false, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{100, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 300},
			{299, "y:NoExecute", usual, eviction.Unchanged, 300},
			{300, "y:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_taint_replaced_own_start", true, []step{
			{0, "y:NoExecute", usual, eviction.Scheduled, 30},
			{10, "x:NoExecute", usual, eviction.Later, 310},
		}},
		{"E8_taint_replaced", false, []step{
			{0, "y:NoExecute", usual, eviction.Scheduled, 30},
			{10, "x:NoExecute", usual, eviction.Unchanged, 30},
		}},
		{"E8_gone_own_start", true, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{10, "x:NoSchedule", usual, eviction.Cancelled, never},
			{20, "x:NoSchedule", usual, eviction.Unchanged, never},
			{30, "x:NoExecute", usual, eviction.Scheduled, 330},
		}},
		{"E8_gone", false, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{10, "", usual, eviction.Cancelled, never},
			{30, "x:NoExecute", usual, eviction.Scheduled, 330},
		}},
		{"E8_value_changed_own_start", true, []step{
			{0, "x=1:NoExecute", usual, eviction.Scheduled, 300},
			{10, "x=2:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_value_changed_to_one_not_tolerated_own_start", true, []step{
			{0, "x=1:NoExecute", []string{"x=1:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x=2:NoExecute", []string{"x=1:NoExecute for 300s"}, eviction.Earlier, 0},
		}},
		{"E8_shorter_and_longer_own_start", true, []step{
			{0, "x:NoExecute", []string{"x:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x:NoExecute", []string{"x:NoExecute for 60s"}, eviction.Earlier, 60},
			{20, "x:NoExecute", []string{"x:NoExecute for 600s"}, eviction.Later, 600},
			{30, "x:NoExecute", []string{"x:NoExecute"}, eviction.Cancelled, never},
			{40, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Scheduled, 50}, // not from 40
			{45, "x:NoExecute", []string{"x:NoExecute for 20s"}, eviction.Earlier, 20},
			{45, "x:NoExecute", nil, eviction.Earlier, 0},
			{46, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Later, 50}, // not too late
		}},
		{"E8_shorter_and_longer", false, []step{
			{0, "x:NoExecute", []string{"x:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x:NoExecute", []string{"x:NoExecute for 60s"}, eviction.Unchanged, 300},
			{20, "x:NoExecute", []string{"x:NoExecute for 0s"}, eviction.Unchanged, 300},
			{30, "x:NoExecute", []string{"x:NoExecute"}, eviction.Cancelled, never},
			{40, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Scheduled, 90},
			{50, "x:NoExecute", nil, eviction.Earlier, 50},
			{60, "x:NoExecute", nil, eviction.Unchanged, 50},
			{60, "", nil, eviction.Cancelled, never},
		}},
		{"E8_tolerated_for_good", false, []step{
			{0, "x:NoExecute,z:NoExecute", usual, eviction.Scheduled, 300},
			{10, "z:NoExecute", usual, eviction.Cancelled, never},
		}},
		{"E8_at_the_same_time", false, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{0, "x:NoExecute,y:NoExecute", usual, eviction.Earlier, 30},
			{0, "x:NoExecute", usual, eviction.Later, 300},
			{1, "y:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_clock_set_back", false, []step{
			{100, "x:NoExecute", usual, eviction.Scheduled, 400},
			{150, "x:NoExecute", usual, eviction.Unchanged, 400},
			{50, "x:NoExecute", usual, eviction.Unchanged, 400},
			{50, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 400},
			{50, "", usual, eviction.Cancelled, never},
			{40, "x:NoExecute", usual, eviction.Scheduled, 340},
		}},
		{"E8_clock_set_back_own_start", true, []step{
			{100, "x:NoExecute", usual, eviction.Scheduled, 400},
			{50, "x:NoExecute", usual, eviction.Unchanged, 400},
			{50, "x:NoExecute,y:NoExecute", usual, eviction.Earlier, 80},
			{-1000, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 80},
			{80, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 80},
			{79, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 80},
		}},
		{"E8_for_0_seconds", false, []step{
			{5, "x:NoExecute", []string{"x:NoExecute for 0s"}, eviction.Scheduled, 5},
			{6, "x:NoExecute", []string{"x:NoExecute for 30s"}, eviction.Unchanged, 5}, // the pod is not evicted yet
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s eviction.Schedule[string]
			var state eviction.State
			var observed []eviction.Observed
			for i, step := range tt.steps {
				now := second(step.at)
				taints, err := taint.ParseList(step.taints)
				if err != nil {
					t.Fatal(err)
				}
				observed = eviction.Observe(observed, taints, now)
				before := state.Deadline
				var c eviction.Update
				if tt.own {
					c = s.Set("pod", eviction.Decide(observed, now, eviction.Options{PerTaint: true}, pod(step.pod...)))
					state = s.State("pod")
				} else {
					state, c = eviction.Reevaluate(state, taints, now, toleration.First, pod(step.pod...))
					if got := s.Update("pod", taints, now, toleration.First, pod(step.pod...)); got != c || s.State("pod") != state {
						t.Errorf("step %d: Update gives %v, %v, want %v, %v", i, got, s.State("pod"), c, state)
					}
				}
				if c.Kind != step.want || c.Before != before {
					t.Errorf("step %d: %+v, want %v, from %v", i, c, step.want, before)
				}
				kind := eviction.Never
				switch {
				case step.until == never:
				case step.until <= step.at:
					kind = eviction.Due
				default:
					kind = eviction.At
				}
				at, ok := c.Decision.Deadline()
				if c.Decision.Kind() != kind || ok == (kind == eviction.Never) || ok && at != second(step.until) || at != state.Deadline {
					t.Errorf("step %d: %v, with the state %v, want %v s", i, c, state, step.until)
				}
			}
		})
	}
}

func TestSchedule(t *testing.T) {
	t.Run("E8_set_and_update", testScheduleSetAndUpdate)
	t.Run("E8_restore", testScheduleRestore)
	t.Run("E8_machine", rapid.MakeCheck(scheduleProperty))
}

// Set leaves nothing of a State, and Update keeps the deadline of Set.
func testScheduleSetAndUpdate(t *testing.T) {
	u, node := pod("x:NoExecute for 300s", "y:NoExecute for 30s"), taint.List{taint.MustParse("x:NoExecute")}
	var s eviction.Schedule[string]
	s.Update("pod", node, noon, toleration.First, u)
	if got, want := s.State("pod"), (eviction.State{Deadline: second(300), Start: noon}); got != want {
		t.Errorf("Update: %v, want %v", got, want)
	}
	c := s.Set("pod", eviction.Decide(observe(t, "x:NoExecute @0"), second(10), eviction.Options{}, u))
	if got, want := s.State("pod"), (eviction.State{Deadline: second(300)}); got != want || c.Kind != eviction.Unchanged {
		t.Errorf("Set: %v: %v, want %v", c, got, want)
	}
	c = s.Update("pod", append(node, taint.MustParse("y:NoExecute")), second(10), toleration.First, u)
	if got, want := s.State("pod"), (eviction.State{Deadline: second(300)}); got != want || c.Kind != eviction.Unchanged {
		t.Errorf("Update after Set: %v: %v, want %v", c, got, want)
	}
	if c := s.Set("pod", eviction.Decision{}); c.Kind != eviction.Cancelled || s.Len() != 0 {
		t.Errorf("Set of never: %v, %d pods", c, s.Len())
	}
}

func TestReevaluate_kept(t *testing.T) {
	t.Run("E8_deadline_has_no_taint", testReevaluateKeptDeadlineHasNoTaint)
}

// A deadline that is kept does not depend on the current taints.
func testReevaluateKeptDeadlineHasNoTaint(t *testing.T) {
	u := pod("x:NoExecute for 300s", "y:NoExecute for 30s")
	state, c := eviction.Reevaluate(eviction.State{}, taint.List{taint.MustParse("x:NoExecute")}, noon, toleration.First, u)
	if _, ok := c.Decision.Taint(); !ok || state.Start != noon {
		t.Errorf("%v, %v", state, c)
	}
	_, c = eviction.Reevaluate(state, taint.List{taint.MustParse("y:NoExecute")}, second(1), toleration.First, u)
	_, hasTaint := c.Decision.Taint()
	_, hasToleration := c.Decision.Toleration()
	if hasTaint || hasToleration || c.Decision.Kind() != eviction.At {
		t.Errorf("%v", c)
	}
}

// A controller can read again what it stores.
func testScheduleRestore(t *testing.T) {
	var s eviction.Schedule[string]
	want := map[string]eviction.State{}
	for i := range 5 {
		id := fmt.Sprint("pod-", i)
		want[id] = eviction.State{Deadline: second(10 - i), Start: second(-i)}
		s.Restore(id, want[id])
	}
	for id, want := range want {
		if got := s.State(id); got != want || s.Len() != 5 {
			t.Errorf("State(%s) = %v, want %v", id, got, want)
		}
	}
	other := eviction.State{Deadline: want["pod-0"].Deadline, Start: second(7)}
	if s.Restore("pod-0", other); s.State("pod-0") != other || s.Len() != 5 {
		t.Errorf("State() = %v, want %v", s.State("pod-0"), other)
	}
	s.Restore("pod-4", eviction.State{})
	s.Restore("pod-9", eviction.State{})
	if s.Remove("pod-4") || !s.Remove("pod-3") || s.Remove("pod-3") || s.Len() != 3 {
		t.Errorf("%d left", s.Len())
	}
	if id, at, ok := s.Next(); id != "pod-2" || at != second(8) || !ok {
		t.Errorf("Next() = %v, %v, %v", id, at, ok)
	}
}
