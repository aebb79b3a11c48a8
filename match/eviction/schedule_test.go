package eviction_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A step is what a pod's node bears, and what the pod tolerates, from a time
// on; and what that changes, with the deadline that then holds.
type step struct {
	at     int // seconds after noon
	taints string
	pod    []string
	want   eviction.ChangeKind
	goes   int // 0 for never
}

// TestReevaluate has the rules' own examples.
func TestReevaluate(t *testing.T) {
	usual := []string{"x:NoExecute op=Exists for 300s", "y:NoExecute op=Exists for 30s", "z:NoExecute op=Exists"}
	var plain, sticky = eviction.Policy{}, eviction.Policy{Start: eviction.Sticky}
	for _, tt := range []struct {
		name   string
		policy eviction.Policy
		steps  []step
	}{
		{"E8_another_taint", plain, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{100, "x:NoExecute,y:NoExecute", usual, eviction.Earlier, 130},
			{110, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 130},
			{120, "x:NoExecute", usual, eviction.Later, 300}, // y gone: x from its own start
			{300, "x:NoExecute", usual, eviction.Due, 300},
		}},
		{"E8_another_taint_sticky", sticky, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{100, "x:NoExecute,y:NoExecute", usual, eviction.Unchanged, 300},
			{299, "y:NoExecute", usual, eviction.Unchanged, 300},
			{300, "y:NoExecute", usual, eviction.Due, 300},
		}},
		{"E8_taint_replaced", plain, []step{
			{0, "y:NoExecute", usual, eviction.Scheduled, 30},
			{10, "x:NoExecute", usual, eviction.Later, 310},
		}},
		{"E8_taint_replaced_sticky", sticky, []step{
			{0, "y:NoExecute", usual, eviction.Scheduled, 30},
			{10, "x:NoExecute", usual, eviction.Unchanged, 30},
		}},
		{"E8_gone", plain, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{10, "x:NoSchedule", usual, eviction.Cancelled, 0},
			{20, "x:NoSchedule", usual, eviction.Unchanged, 0},
			{30, "x:NoExecute", usual, eviction.Scheduled, 330},
		}},
		{"E8_gone_sticky", sticky, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{10, "", usual, eviction.Cancelled, 0},
			{30, "x:NoExecute", usual, eviction.Scheduled, 330},
		}},
		{"E8_value_changed", plain, []step{
			{0, "x=1:NoExecute", usual, eviction.Scheduled, 300},
			{10, "x=2:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_value_changed_to_one_not_tolerated", plain, []step{
			{0, "x=1:NoExecute", []string{"x=1:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x=2:NoExecute", []string{"x=1:NoExecute for 300s"}, eviction.Due, 0},
		}},
		{"E8_shorter_and_longer", plain, []step{
			{0, "x:NoExecute", []string{"x:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x:NoExecute", []string{"x:NoExecute for 60s"}, eviction.Earlier, 60},
			{20, "x:NoExecute", []string{"x:NoExecute for 600s"}, eviction.Later, 600},
			{30, "x:NoExecute", []string{"x:NoExecute"}, eviction.Cancelled, 0},
			{40, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Scheduled, 50}, // not from 40
			{45, "x:NoExecute", []string{"x:NoExecute for 20s"}, eviction.Due, 20},
			{45, "x:NoExecute", nil, eviction.Due, 0},
			{46, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Later, 50}, // not too late
		}},
		{"E8_shorter_and_longer_sticky", sticky, []step{
			{0, "x:NoExecute", []string{"x:NoExecute for 300s"}, eviction.Scheduled, 300},
			{10, "x:NoExecute", []string{"x:NoExecute for 60s"}, eviction.Unchanged, 300},
			{20, "x:NoExecute", []string{"x:NoExecute for 0s"}, eviction.Unchanged, 300},
			{30, "x:NoExecute", []string{"x:NoExecute"}, eviction.Cancelled, 0},
			{40, "x:NoExecute", []string{"x:NoExecute for 50s"}, eviction.Scheduled, 90},
			{50, "x:NoExecute", nil, eviction.Due, 50},
			{60, "x:NoExecute", nil, eviction.Due, 50},
			{60, "", nil, eviction.Cancelled, 0},
		}},
		{"E8_tolerated_for_good_sticky", sticky, []step{
			{0, "x:NoExecute,z:NoExecute", usual, eviction.Scheduled, 300},
			{10, "z:NoExecute", usual, eviction.Cancelled, 0},
		}},
		{"E8_at_the_same_time_sticky", sticky, []step{
			{0, "x:NoExecute", usual, eviction.Scheduled, 300},
			{0, "x:NoExecute,y:NoExecute", usual, eviction.Earlier, 30},
			{0, "x:NoExecute", usual, eviction.Later, 300},
			{1, "y:NoExecute", usual, eviction.Unchanged, 300},
		}},
		{"E8_for_0_seconds_sticky", sticky, []step{
			{5, "x:NoExecute", []string{"x:NoExecute for 0s"}, eviction.Due, 5},
			{6, "x:NoExecute", []string{"x:NoExecute for 30s"}, eviction.Due, 5}, // nobody has acted yet
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := eviction.Schedule[string]{Policy: tt.policy}
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
				var c eviction.Change
				state, c = eviction.Reevaluate(state, now, observed, tt.policy, pod(step.pod...))
				if c.Kind != step.want || c.Before != before {
					t.Errorf("step %d: %+v, want %v, from %v", i, c, step.want, before)
				}
				at, ok := c.Decision.Deadline()
				if ok != (c.Decision.Kind() != eviction.Never) || at != state.Deadline {
					t.Errorf("step %d: %v, with the state %v", i, c, state)
				}
				if step.goes != 0 && at != second(step.goes) || step.want == eviction.Cancelled && ok {
					t.Errorf("step %d: %v, want %v s", i, c, step.goes)
				}
				if got := s.Update("pod", now, observed, pod(step.pod...)); got != c || s.State("pod") != state {
					t.Errorf("step %d: Update gives %v, %v, want %v, %v", i, got, s.State("pod"), c, state)
				}
			}
		})
	}
}

// A State is the same when it has been written and read.
func TestE8_state_is_written_down(t *testing.T) {
	sticky := eviction.Policy{Start: eviction.Sticky}
	for _, seconds := range []int64{300, 9e12} {
		u, err := toleration.MustParse("x:NoExecute").WithSeconds(seconds)
		if err != nil {
			t.Fatal(err)
		}
		state, _ := eviction.Reevaluate(eviction.State{}, noon.Add(1), observe(t, "x:NoExecute @0"), sticky, []toleration.Toleration{u})
		var buf bytes.Buffer
		var back eviction.State
		if err := gob.NewEncoder(&buf).Encode(state); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&buf).Decode(&back); err != nil || back != state {
			t.Errorf("as gob %v is read as %v, %v", state, back, err)
		}
		text, err := json.Marshal(state)
		if (err == nil) != (state.Deadline.Year() <= 9999) { // as documented
			t.Errorf("%v as JSON: %v", state, err)
		}
		if err == nil {
			back = eviction.State{}
			if err := json.Unmarshal(text, &back); err != nil || back != state {
				t.Errorf("%s is read as %v, %v, want %v", text, back, err, state)
			}
		}
	}
}

// Another policy leaves nothing of the one before, even where the deadline stays.
func TestE8_policy_changed(t *testing.T) {
	u, observed := pod("x:NoExecute for 300s"), observe(t, "x:NoExecute @0")
	s := eviction.Schedule[string]{Policy: eviction.Policy{Start: eviction.Sticky}}
	s.Update("pod", noon, observed, u)
	if got, want := s.State("pod"), (eviction.State{Deadline: second(300), Start: noon}); got != want {
		t.Errorf("sticky: %v, want %v", got, want)
	}
	s.Policy = eviction.Policy{}
	c := s.Update("pod", second(10), observed, u)
	if got, want := s.State("pod"), (eviction.State{Deadline: second(300)}); got != want || c.Kind != eviction.Unchanged {
		t.Errorf("%v: %v, want %v", c, got, want)
	}
}

// A deadline that is kept has nothing to do with the taints that are there now.
func TestE8_kept_deadline_has_no_taint(t *testing.T) {
	u := pod("x:NoExecute for 300s", "y:NoExecute for 30s")
	sticky := eviction.Policy{Start: eviction.Sticky}
	state, c := eviction.Reevaluate(eviction.State{}, noon, observe(t, "x:NoExecute @0"), sticky, u)
	if _, ok := c.Decision.Taint(); !ok || state.Start != noon {
		t.Errorf("%v, %v", state, c)
	}
	_, c = eviction.Reevaluate(state, second(1), observe(t, "y:NoExecute @0"), sticky, u)
	_, hasTaint := c.Decision.Taint()
	_, hasToleration := c.Decision.Toleration()
	if hasTaint || hasToleration || c.Decision.Kind() != eviction.At {
		t.Errorf("%v", c)
	}
}

// A world is some pods on one node, and a history of what happens there.
type world struct {
	pods [][]toleration.Toleration // as lists
	now  time.Time
	node []taint.Taint
}

// hold compares a Schedule with deciding everything from scratch.
type hold struct {
	s        eviction.Schedule[int]
	observed []eviction.Observed
}

func (h *hold) update(t errorer, w *world) {
	for id, u := range w.pods {
		was := h.s.State(id)
		c := h.s.Update(id, w.now, h.observed, u)
		v := decide(w.now, h.observed, h.s.Policy, [][]toleration.Toleration{u})
		want := expected(was.Deadline, v)
		if c.Kind != want || c.Before != was.Deadline || spell(c.Decision) != v {
			t.Errorf("E8: at %v, %v on %v, after %v: %+v, want %v, %+v", w.now, u, h.observed, was, c, want, v)
		}
		if got := h.s.State(id).Deadline; got != v.deadline {
			t.Errorf("E8: scheduled for %v, want %v", got, v.deadline)
		}
	}
	if err := h.s.Invariants(); err != nil {
		t.Errorf("%v", err)
	}
}

// expected is what a change is called, by what it says.
func expected(before time.Time, v verdict) eviction.ChangeKind {
	had := !before.IsZero()
	switch {
	case v.kind == eviction.Now:
		return eviction.Due
	case v.kind == eviction.Never && had:
		return eviction.Cancelled
	case v.kind == eviction.Never, had && before.Equal(v.deadline):
		return eviction.Unchanged
	case !had:
		return eviction.Scheduled
	case v.deadline.Before(before):
		return eviction.Earlier
	}
	return eviction.Later
}

// history draws what happens, and calls then after each event.
func history(t *rapid.T, w *world, then func()) {
	scene := gen.Scenes().Draw(t, "scene")
	w.now = noon
	w.pods = scene.Tolerations
	for range rapid.IntRange(1, 12).Draw(t, "events") {
		w.now = w.now.Add(rapid.SampledFrom([]time.Duration{0, 1, time.Second, 29 * time.Second, 30 * time.Second, 300 * time.Second, 24 * time.Hour}).Draw(t, "goes by"))
		switch rapid.IntRange(0, 3).Draw(t, "event") {
		case 0:
		case 1:
			id := rapid.IntRange(0, len(w.pods)-1).Draw(t, "pod")
			w.pods[id] = gen.Tolerations().Draw(t, "tolerations")
		default:
			w.node = nil
			for _, one := range scene.Taints {
				if !one.IsZero() && rapid.Bool().Draw(t, "borne") {
					if one.TimeAdded().IsZero() || rapid.Bool().Draw(t, "added again") {
						one = added(t, one, w.now)
					}
					if !slices.ContainsFunc(w.node, one.SameKeyEffect) {
						w.node = append(w.node, one)
					}
				}
			}
		}
		then()
	}
}

// TestE8_from_scratch: whatever happens, a Schedule has what deciding from
// scratch gives.
func TestE8_from_scratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w world
		h := hold{s: eviction.Schedule[int]{Policy: eviction.Policy{
			Toleration: gen.Policy().Draw(t, "policy"),
			Start:      rapid.SampledFrom([]eviction.Start{eviction.FromObserved, eviction.FromAdded}).Draw(t, "start"),
		}}}
		history(t, &w, func() {
			if rapid.Bool().Draw(t, "evict") {
				for id, at := range h.s.Due(w.now) {
					if at.After(w.now) || h.s.State(id) != (eviction.State{}) {
						t.Errorf("E9: %d comes out at %v, for %v", id, w.now, at)
					}
				}
			}
			h.observed = eviction.Observe(h.observed, w.node, w.now)
			h.update(t, &w)
		})
	})
}

// TestE8_restart: who loses everything has the same again. Measured from when
// taints were added, nothing is needed; from when they were observed, that;
// and sticky, the states.
func TestE8_restart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w world
		s := eviction.Schedule[int]{Policy: policy().Draw(t, "policy")}
		var observed []eviction.Observed
		history(t, &w, func() {
			observed = eviction.Observe(observed, w.node, w.now)
			for id, u := range w.pods {
				s.Update(id, w.now, observed, u)
			}
			again := eviction.Schedule[int]{Policy: s.Policy}
			kept := observed
			switch s.Policy.Start {
			case eviction.FromAdded:
				kept = eviction.Observe(nil, w.node, w.now)
			case eviction.Sticky:
				for id, state := range s.All() {
					again.Restore(id, state)
				}
			}
			for id, u := range w.pods {
				c := again.Update(id, w.now, kept, u)
				if want := s.Update(id, w.now, observed, u); c.Decision != want.Decision {
					t.Errorf("%d: %v after a restart, %v without", id, c, want)
				}
			}
			got, want := maps.Collect(again.All()), maps.Collect(s.All())
			if !maps.Equal(got, want) {
				t.Errorf("%v after a restart, want %v", got, want)
			}
		})
	})
}

// TestE8_sticky_small_space holds Sticky against a plain model of Kubernetes'
// controller, for all histories of four events in a small space.
func TestE8_sticky_small_space(t *testing.T) {
	x, y := taint.MustParse("x:NoExecute"), taint.MustParse("y:NoExecute")
	nodes := [][]taint.Taint{nil, {x}, {y}, {y, x}}
	var pods [][]toleration.Toleration
	for _, a := range []string{"", "x:NoExecute", "x:NoExecute for 0s", "x:NoExecute for 2s", "x:NoExecute for 5s"} {
		for _, b := range []string{"", "y:NoExecute", "y:NoExecute for 4s"} {
			var u []toleration.Toleration
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

func TestE8_sticky(t *testing.T) {
	all := []taint.Taint{taint.MustParse("x:NoExecute"), taint.MustParse("y:NoExecute"), taint.MustParse("z:NoExecute"), taint.MustParse("x:NoSchedule")}
	timed := rapid.Custom(func(t *rapid.T) toleration.Toleration {
		key := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "key")
		u := toleration.MustParse(key + ":NoExecute op=Exists")
		if n := rapid.IntRange(-1, 9).Draw(t, "seconds"); n < 9 {
			u, _ = u.WithSeconds(int64(n))
		}
		return u
	})
	rapid.Check(t, func(t *rapid.T) {
		var r race
		var u []toleration.Toleration
		var node []taint.Taint
		for i := range rapid.IntRange(1, 20).Draw(t, "events") {
			r.now += rapid.IntRange(0, 4).Draw(t, "goes by")
			if i == 0 || rapid.IntRange(0, 3).Draw(t, "pod") == 0 {
				u = rapid.SliceOfN(timed, 0, 5).Draw(t, "tolerations")
			} else {
				node = nil
				for _, one := range all {
					if rapid.Bool().Draw(t, "borne") {
						node = append(node, one)
					}
				}
			}
			r.step(t, node, u)
		}
		r.settle(t)
	})
}

// A race is one pod under a Schedule with Sticky and under a plain model of
// Kubernetes' controller: who evicts it when, in seconds after noon.
type race struct {
	now       int
	s         eviction.Schedule[string]
	model     controller
	got, want []int
}

// A controller is Kubernetes', for one pod: a work item with the time that it
// was created for and the one that it fires at.
type controller struct {
	pending       bool
	created, fire int
}

// process is what is done about a pod when it, or its node, has changed. It
// reports whether the pod is evicted on the spot.
func (c *controller) process(now int, node []taint.Taint, u []toleration.Toleration) bool {
	bearing, shortest := false, -1 // no number
	for _, one := range node {
		if one.Effect() != taint.NoExecute {
			continue
		}
		bearing = true
		i := toleration.Index(u, one)
		if i < 0 {
			c.pending = false
			return true
		}
		if n, ok := u[i].Seconds(); ok && (shortest < 0 || int(max(n, 0)) < shortest) {
			shortest = int(max(n, 0))
		}
	}
	switch {
	case !bearing || shortest < 0:
		c.pending = false
	case c.pending && c.created < now: // what would fire at another time is not looked at
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

// wait lets the time go by until now.
func (r *race) wait() {
	if r.model.pending && r.model.fire <= r.now {
		r.want = append(r.want, r.model.fire)
		r.model.pending = false
	}
	for _, at := range r.s.Due(second(r.now)) {
		r.got = append(r.got, int(at.Sub(noon)/time.Second))
	}
}

func (r *race) step(t errorer, node []taint.Taint, u []toleration.Toleration) {
	r.s.Policy.Start = eviction.Sticky
	r.wait()
	if r.model.process(r.now, node, u) {
		r.want = append(r.want, r.now)
	}
	// When the taints were observed does not matter.
	r.s.Update("pod", second(r.now), eviction.Observe(nil, node, second(-r.now)), u)
	r.wait()
	r.compare(t, node, u)
}

func (r *race) compare(t errorer, node []taint.Taint, u []toleration.Toleration) {
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

// What a controller writes down it reads again.
func TestE8_restore(t *testing.T) {
	var s eviction.Schedule[string]
	want := map[string]eviction.State{}
	for i := range 5 {
		id := fmt.Sprint("pod-", i)
		want[id] = eviction.State{Deadline: second(10 - i), Start: second(-i)}
		s.Restore(id, want[id])
	}
	if got := maps.Collect(s.All()); !maps.Equal(got, want) || s.Len() != 5 {
		t.Errorf("All() = %v, want %v", got, want)
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
	s.Grow(100)
	s.Clip()
	if id, at, ok := s.Next(); id != "pod-2" || at != second(8) || !ok {
		t.Errorf("Next() = %v, %v, %v", id, at, ok)
	}
	for range s.All() { // ended early
		break
	}
}
