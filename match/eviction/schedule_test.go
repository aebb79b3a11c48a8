package eviction_test

import (
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
		{"E8_clock_set_back", false, []step{
			{100, "x:NoExecute", usual, eviction.Scheduled, 400},
			{150, "x:NoExecute", usual, eviction.Unchanged, 400},
			{50, "x:NoExecute", usual, eviction.Unchanged, 400},
			{50, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 400},
			{50, "", usual, eviction.Cancelled, never},
			{40, "x:NoExecute", usual, eviction.Scheduled, 340},
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

func TestSchedule(t *testing.T) { t.Run("E8_E9_machine", rapid.MakeCheck(scheduleProperty)) }
