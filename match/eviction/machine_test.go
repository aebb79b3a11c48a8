package eviction_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// crowd is how many ids an action of a machine adds or removes at once, so that the
// table and the heap grow several times and shrink to almost nothing.
const crowd = 150

// The clock also moves backwards, stops, jumps, and passes the year 9999, the zero time
// and the last time that a Time can represent.
func ticks() *rapid.Generator[func(time.Time) time.Time] {
	return rapid.Custom(func(t *rapid.T) func(time.Time) time.Time {
		if rapid.IntRange(0, 9).Draw(t, "jump") == 0 {
			to := rapid.SampledFrom([]time.Time{
				noon, noon.Add(-time.Hour), time.Time{}.Add(time.Second), time.Time{}.Add(-5 * time.Second), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC),
				time.Date(9999, 12, 31, 23, 59, 58, 0, time.UTC), last.Add(-3 * time.Second), last,
			}).Draw(t, "to")
			return func(time.Time) time.Time { return to }
		}
		by := rapid.SampledFrom([]time.Duration{0, 1, time.Second, 4 * time.Second, 300 * time.Second, -1, -time.Second, -5 * time.Second, -300 * time.Second}).Draw(t, "by")
		return func(now time.Time) time.Time { return now.Add(by) }
	})
}

// A plan is a plain implementation of Schedule, by its documentation: a sorted list,
// and a new decision at every update.
type plan struct {
	list
	starts  map[int]time.Time
	options eviction.Options
}

func (p *plan) set(id int, at, start time.Time) {
	p.list.set(id, at)
	p.starts[id] = start.UTC()
}

func (p *plan) state(id int) (s eviction.State, ok bool) {
	if i := p.index(id); i >= 0 {
		return eviction.State{Deadline: p.items[i].at.UTC(), Start: p.starts[id]}, true
	}
	return s, false
}

// update returns the kind and the deadline of the decision.
func (p *plan) update(id int, now time.Time, taints taint.List, pod toleration.List) (eviction.UpdateKind, verdict) {
	was, had := p.state(id)
	v := p.fewest(now, taints, pod)
	is := eviction.State{Deadline: v.deadline}
	if v.kind != eviction.Never {
		is.Start = now.UTC().Round(0)
		untolerated := v.by == nobody
		if due := had && !now.Before(was.Deadline); due || had && !untolerated && !was.Start.Equal(now) {
			is, v = was, verdict{kind: eviction.At, deadline: was.Deadline, taint: -1, by: nobody}
		}
		if !v.deadline.After(now) {
			v.kind = eviction.Due
		}
	}
	return p.become(id, is, v), v
}

// become sets the state of a pod after a verdict, and returns the kind of the update.
func (p *plan) become(id int, is eviction.State, v verdict) eviction.UpdateKind {
	was, had := p.state(id)
	if v.kind == eviction.Never {
		p.remove(id)
	} else {
		p.set(id, is.Deadline, is.Start)
	}
	kind := eviction.Unchanged
	switch {
	case v.kind == eviction.Never && had:
		kind = eviction.Cancelled
	case v.kind == eviction.Never:
	case !had:
		kind = eviction.Scheduled
	case v.deadline.Before(was.Deadline):
		kind = eviction.Earlier
	case v.deadline.After(was.Deadline):
		kind = eviction.Later
	}
	return kind
}

// fewest returns the decision if all taints are new.
func (p *plan) fewest(now time.Time, taints taint.List, pod toleration.List) verdict {
	v := verdict{taint: -1, by: nobody}
	for i, one := range taints {
		by, seconds := chosen(p.options.Choice, one, pod)
		switch {
		case one.Effect() != taint.NoExecute:
		case by == nobody:
			return verdict{kind: eviction.At, deadline: now.UTC().Round(0), taint: i, by: by}
		case seconds != nil:
			if at, ok := plus(now, *seconds); ok && (v.kind == eviction.Never || at.Before(v.deadline)) {
				v = verdict{kind: eviction.At, deadline: at, taint: i, by: by}
			}
		}
	}
	return v
}

var (
	scheduleTaints = taint.List{
		{}, taint.MustParse("x:NoExecute"), taint.MustParse("x=1:NoExecute"), taint.MustParse("y:NoExecute"), taint.MustParse("z:NoSchedule"),
	}
	scheduleTolerations = toleration.List{
		{}, toleration.MustParse("op=Exists"), toleration.MustParse("x:NoExecute op=Exists for 300s"), toleration.MustParse("x:NoExecute for 30s"),
		toleration.MustParse("y:NoExecute op=Exists for 4s"), toleration.MustParse("y:NoExecute for 0s"), toleration.MustParse("y op=Exists"),
		toleration.MustParse(":NoExecute op=Exists for 5s"), toleration.MustParse("x:NoExecute for 9223372036854775807s"),
	}
)

// scheduleProperty performs every operation on a Schedule and on a plan.
func scheduleProperty(t *rapid.T) {
	const ids = 2 * crowd
	p := plan{starts: map[int]time.Time{}, options: someOptions().Draw(t, "options")}
	s := new(eviction.Schedule[int])
	now := noon
	node := scheduleTaints[1:2]
	observed := eviction.Observe(nil, node, now)
	id := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, ids-1))
	tolerations := func(t *rapid.T) toleration.List {
		return gen.ListOf[toleration.List](rapid.SampledFrom(scheduleTolerations), 0, 5).Draw(t, "tolerations")
	}
	update := func(t *rapid.T, id int, pod toleration.List) {
		was, had := p.state(id)
		again, c := eviction.Reevaluate(was, node, now, p.options.Choice, pod)
		got := s.Update(id, node, now, p.options.Choice, pod)
		kind, v := p.update(id, now, node, pod)
		is, _ := p.state(id)
		if got.Kind != kind || got.Before != was.Deadline || spell(got.Decision) != v || s.State(id) != is {
			t.Fatalf("E8: Update(%d, %v, %v, %v) = %v, to %v; want %v, %v, to %v", id, now, node, pod, got, s.State(id), kind, v, is)
		}
		// A State cannot represent a deadline at the zero time.
		if zero := had && was.Deadline.IsZero(); !zero && (again != is || c != got) {
			t.Fatalf("E8: Reevaluate(%v, %v, %v, %v) = %v, %v; Update %v, %v", was, now, node, pod, again, c, is, got)
		}
	}
	set := func(t *rapid.T) {
		id, pod := id.Draw(t, "id"), tolerations(t)
		was, _ := p.state(id)
		c := s.Set(id, eviction.Decide(observed, now, p.options, pod))
		v := decide(now, observed, p.options, pod)
		kind := p.become(id, eviction.State{Deadline: v.deadline}, v)
		if is, _ := p.state(id); c.Kind != kind || c.Before != was.Deadline || spell(c.Decision) != v || s.State(id) != is {
			t.Fatalf("E8: Set(%d, %v) = %v, to %v; want %v, %v, to %v", id, v, c, s.State(id), kind, v, is)
		}
	}
	restore := func(t *rapid.T) {
		id, is := id.Draw(t, "id"), eviction.State{Deadline: moment(now).Draw(t, "deadline"), Start: moment(now).Draw(t, "start")}
		if s.Restore(id, is); is.Deadline.IsZero() {
			p.remove(id)
		} else {
			p.set(id, is.Deadline, is.Start)
		}
	}
	remove := func(t *rapid.T) {
		id := id.Draw(t, "id")
		if got, want := s.Remove(id), p.remove(id); got != want {
			t.Fatalf("Remove(%d) = %v", id, got)
		}
	}
	var due func(t *rapid.T)
	meanwhile := map[string]func(*rapid.T){ // what a loop over Due calls
		"nothing": func(*rapid.T) {}, "Set": set, "Restore": restore, "Remove": remove,
		"clock": func(t *rapid.T) { now = ticks().Draw(t, "clock")(now) },
		"Due":   func(t *rapid.T) { due(t) }, // another pass
		"Update": func(t *rapid.T) {
			for range rapid.IntRange(1, 3).Draw(t, "pods") {
				update(t, id.Draw(t, "id"), tolerations(t))
			}
		},
	}
	due = func(t *rapid.T) {
		pass, now := p.begin(), now
		most, changing := rapid.IntRange(1, 2*crowd).Draw(t, "most"), rapid.IntRange(0, 3).Draw(t, "changing")
		for id, at := range s.Due(now) {
			wantID, wantAt, ok := p.pop(pass, now)
			if !ok || id != wantID || at != wantAt {
				t.Fatalf("E9: Due(%v) yields %v, %v, want %v, %v, %v", now, id, at, wantID, wantAt, ok)
			}
			if most--; most == 0 {
				return
			}
			if rapid.IntRange(0, 3).Draw(t, "change") < changing {
				if rapid.Bool().Draw(t, "back") { // as after a refused eviction
					update(t, id, tolerations(t))
				}
				meanwhile[rapid.SampledFrom(slices.Sorted(maps.Keys(meanwhile))).Draw(t, "meanwhile")](t)
			}
		}
		if id, at, ok := p.pop(pass, now); ok {
			t.Fatalf("E9: Due(%v) leaves %v, %v", now, id, at)
		}
	}
	t.Repeat(gen.Actions[eviction.Schedule[int]](t, map[string]func(*rapid.T){
		"clock": func(t *rapid.T) { now = ticks().Draw(t, "clock")(now) },
		"node": func(t *rapid.T) { // the clock may have been set back since these were observed
			taints := rapid.SliceOfN(rapid.SampledFrom(scheduleTaints), 0, 4).Draw(t, "taints")
			if len(taints) > 0 && rapid.Bool().Draw(t, "timed") {
				if timed, err := taints[0].WithTimeAdded(now); err == nil {
					taints[0] = timed
				}
			}
			before := observed
			node, observed = taints, eviction.Observe(before, taints, now)
			for j, one := range taints {
				o := observed[j]
				i := slices.IndexFunc(before, func(b eviction.Observed) bool { return b.Taint.SameKeyEffect(o.Taint) })
				if o.Taint != one || len(observed) != len(taints) || i >= 0 && o.Since != before[i].Since || i < 0 && o.Since != now {
					t.Fatalf("E5: %v was observed at %v, at %v", o.Taint, o.Since, now)
				}
			}
		},
		"options": func(t *rapid.T) {
			p.options = someOptions().Draw(t, "options")
		},
		"Update": func(t *rapid.T) {
			id, pod := id.Draw(t, "id"), tolerations(t)
			update(t, id, pod)
			for range rapid.IntRange(0, 3).Draw(t, "again") { // at other times
				now = ticks().Draw(t, "clock")(now)
				update(t, id, pod)
			}
		},
		"Set":     set,
		"Restore": restore,
		"Remove":  remove,
		"updateMany": func(t *rapid.T) {
			from, pod := id.Draw(t, "from"), tolerations(t)
			for i := range rapid.IntRange(1, crowd).Draw(t, "n") {
				update(t, (from+i)%ids, pod)
			}
		},
		"State": func(t *rapid.T) {
			for id := range ids {
				if want, _ := p.state(id); s.State(id) != want {
					t.Fatalf("State(%d) = %v, want %v", id, s.State(id), want)
				}
			}
		},
		"removeMany": func(t *rapid.T) {
			for id := range rapid.IntRange(ids/2, ids).Draw(t, "n") {
				if got, want := s.Remove(id), p.remove(id); got != want {
					t.Fatalf("Remove(%d) = %v", id, got)
				}
			}
		},
		"Next": func(t *rapid.T) {
			id, at, ok := s.Next()
			if want := len(p.items) > 0; ok != want || ok && (id != p.items[0].id || at != p.items[0].at.UTC()) {
				t.Fatalf("Next() = %v, %v, %v, want the first of %v", id, at, ok, p.items)
			}
		},
		"Due": func(t *rapid.T) { due(t) },
		"All": func(t *rapid.T) {
			var want []int
			for _, it := range p.items {
				want = append(want, it.id)
			}
			var got []int
			for id, is := range s.All() {
				if want, _ := p.state(id); is != want {
					t.Fatalf("All() yields %d, %v, want %v", id, is, want)
				}
				got = append(got, id)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("All() yields %v, want %v", got, want)
			}
		},
		"Clone": func(t *rapid.T) { // what happens to the one does not affect the other
			other := s.Clone()
			if rapid.Bool().Draw(t, "swap") {
				s, other = other, s
			}
			var all []int
			for id := range other.Due(last) {
				all = append(all, id)
			}
			for i, it := range p.items {
				if i >= len(all) || all[i] != it.id {
					t.Fatalf("the clone has %v, want %v", all, p.items)
				}
			}
			other.Restore(0, eviction.State{Deadline: now})
		},
		"Len": func(t *rapid.T) {
			if s.Len() != len(p.items) {
				t.Fatalf("Len() = %d, want %d", s.Len(), len(p.items))
			}
		},
	}))
}

// The plan is E8 and E9. Kubernetes' recorded histories, E8 too, are in
// TestReevaluate_recorded.
func TestSchedule(t *testing.T) { t.Run("E8_machine", rapid.MakeCheck(scheduleProperty)) }
