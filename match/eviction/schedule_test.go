package eviction_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

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
	t.Run("E8_kubernetes_small_space", testScheduleKubernetesSmallSpace)
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

// testScheduleKubernetesSmallSpace compares Update with a plain model of Kubernetes'
// controller, for all histories of four events in a small space.
func testScheduleKubernetesSmallSpace(t *testing.T) {
	x, y := taint.MustParse("x:NoExecute"), taint.MustParse("y:NoExecute")
	nodes := []taint.List{nil, {x}, {y}, {y, x}}
	var pods []toleration.List
	for _, a := range []string{"", "x:NoExecute", "x:NoExecute for 0s", "x:NoExecute for 2s", "x:NoExecute for 5s"} {
		for _, b := range []string{"", "y:NoExecute", "y:NoExecute for 4s"} {
			var u toleration.List
			for _, text := range []string{a, b} {
				if text != "" {
					u = append(u, toleration.MustParse(text))
				}
			}
			pods = append(pods, u)
		}
	}
	const kinds, events = 3 * 4, 4
	count := 1
	for range events {
		count *= kinds
	}
	for _, u := range pods {
		for n := range count {
			var r race
			for range events {
				r.now += []int{0, 1, 4}[n%3]
				n /= 3
				r.step(t, nodes[n%4], u)
				n /= 4
			}
			if r.settle(t); t.Failed() {
				return
			}
		}
	}
}

// A race is one pod in a Schedule and in a plain model of Kubernetes'
// controller: when each evicts it, in seconds after noon.
type race struct {
	now       int
	s         eviction.Schedule[string]
	model     controller
	got, want []int
}

// A controller is a model of Kubernetes' controller for one pod: a work item with the
// times at which it was created and at which it fires.
type controller struct {
	pending       bool
	created, fire int
}

// process handles a change of the pod or its node. It reports whether the pod is
// evicted at once.
func (c *controller) process(now int, node taint.List, u toleration.List) bool {
	tainted, shortest := false, -1 // no limit
	for _, one := range node {
		if one.Effect() != taint.NoExecute {
			continue
		}
		tainted = true
		i := u.Match(one)
		if i < 0 {
			c.pending = false
			return true
		}
		if n, ok := u[i].Seconds(); ok && (shortest < 0 || int(max(n, 0)) < shortest) {
			shortest = int(max(n, 0))
		}
	}
	switch {
	case !tainted || shortest < 0:
		c.pending = false
	case c.pending && c.created < now: // a work item for another time is not looked at
	default:
		if !c.pending {
			c.created = now
		}
		c.pending, c.fire = true, now+shortest
		if c.fire <= c.created {
			c.pending = false
			return true
		}
	}
	return false
}

// wait advances the time to now.
func (r *race) wait() {
	if r.model.pending && r.model.fire <= r.now {
		r.want = append(r.want, r.model.fire)
		r.model.pending = false
	}
	for _, at := range r.s.Due(second(r.now)) {
		r.got = append(r.got, int(at.Sub(noon)/time.Second))
	}
}

func (r *race) step(t errorer, node taint.List, u toleration.List) {
	r.wait()
	if r.model.process(r.now, node, u) {
		r.want = append(r.want, r.now)
	}
	r.s.Update("pod", node, second(r.now), toleration.First, u)
	r.wait()
	r.compare(t, node, u)
}

func (r *race) compare(t errorer, node taint.List, u toleration.List) {
	is := r.s.State("pod")
	var want eviction.State
	if r.model.pending {
		want = eviction.State{Deadline: second(r.model.fire), Start: second(r.model.created)}
	}
	if !slices.Equal(r.got, r.want) || is != want {
		t.Errorf("E8: at %d, %v on %v: evicted at %v, pending %v; Kubernetes at %v, %v", r.now, u, node, r.got, is, r.want, want)
	}
}

func (r *race) settle(t errorer) {
	r.now += 1000
	r.wait()
	r.compare(t, nil, nil)
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
