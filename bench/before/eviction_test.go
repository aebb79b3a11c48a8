package before_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	oldeviction "github.com/go-tolerate/before/match/eviction"
	oldtoleration "github.com/go-tolerate/before/toleration"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// moment draws a time near noon, and sometimes the zero time.
func moment(t *rapid.T, label string) time.Time {
	if rapid.IntRange(0, 7).Draw(t, label+" is zero") == 0 {
		return time.Time{}
	}
	return noon.Add(time.Duration(rapid.IntRange(-700, 700).Draw(t, label)) * time.Second)
}

func oldObserved(list []eviction.Observed) []oldeviction.Observed {
	return convert[[]oldeviction.Observed](list, func(o eviction.Observed) oldeviction.Observed {
		return oldeviction.Observed{Taint: oldTaint(o.Taint), Since: o.Since}
	})
}

// text is a value with all its fields.
func text(v any) string { return fmt.Sprintf("%v %#v", v, v) }

// someOptions draws options. FromAdded is gone: it is compared below, with the times that a
// caller sets.
func someOptions(t *rapid.T) (eviction.Options, oldeviction.Options) {
	choice, arrived := gen.Choice().Draw(t, "choice"), moment(t, "arrived")
	old := oldeviction.Options{Choice: oldtoleration.Choice(choice), Arrived: arrived}
	now := eviction.Options{Choice: choice, Arrived: arrived}
	if rapid.Bool().Draw(t, "each taint has its own start") {
		now.PerTaint, old.Start = true, oldeviction.FromObserved
	}
	return now, old
}

func TestEviction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene, now := gen.Scenes().Draw(t, "scene"), moment(t, "now")
		lists := oldLists(scene.Tolerations)
		first, earlier := moment(t, "first"), gen.TaintsAndZeros().Draw(t, "earlier")
		observed := eviction.Observe(eviction.Observe(nil, earlier, first), scene.Taints, now)
		same(t, "Observe", observed, oldeviction.Observe(oldeviction.Observe(nil, oldTaints(earlier), first), oldTaints(scene.Taints), now))
		for i := range observed {
			observed[i].Since = moment(t, "since")
		}
		opts, old := someOptions(t)
		d, was := eviction.Decide(observed, now, opts, scene.Tolerations...), oldeviction.Decide(oldObserved(observed), now, old, lists...)
		same(t, "Decide", text(d), text(was))
		added, oldAdded := slices.Clone(observed), oldeviction.Options{Choice: old.Choice, Start: oldeviction.FromAdded, Arrived: old.Arrived}
		for i, o := range added {
			if at := o.Taint.TimeAdded(); !at.IsZero() {
				added[i].Since = at
			}
		}
		opts.PerTaint = true
		same(t, "Decide from the times added", text(eviction.Decide(added, now, opts, scene.Tolerations...)), text(oldeviction.Decide(oldObserved(observed), now, oldAdded, lists...)))
		state := eviction.State{Deadline: moment(t, "deadline"), Start: moment(t, "start")}
		is, u := eviction.Reevaluate(state, scene.Taints, now, opts.Choice, scene.Tolerations...)
		oldIs, oldU := oldeviction.Reevaluate(oldeviction.State(state), oldTaints(scene.Taints), now, old.Choice, lists...)
		same(t, "Reevaluate", text(is)+text(u), text(oldIs)+text(oldU))
		same(t, "JSON of the observed taints", asJSON(observed), asJSON(oldObserved(observed)))
	})
	for _, in := range hostile() {
		var observed []eviction.Observed
		bounded(t, in.name+" Observe", 64<<20, func() {
			observed = eviction.Observe(eviction.Observe(nil, in.taints, noon), in.taints, noon.Add(time.Second))
		})
		observed = observed[:min(len(observed), 64)]
		opts := eviction.Options{}
		bounded(t, in.name+" Decide", 1<<20, func() { eviction.Decide(observed, noon, opts, in.tolerations) })
		same(t, in.name+" Decide", eviction.Decide(observed, noon, opts, in.tolerations),
			oldeviction.Decide(oldObserved(observed), noon, oldeviction.Options{}, oldTolerations(in.tolerations)))
	}
}

func TestEvictionSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s eviction.Schedule[int]
		var old oldeviction.Schedule[int]
		now := noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := rapid.IntRange(0, 19).Draw(t, "id")
			switch rapid.IntRange(0, 5).Draw(t, "do") {
			case 0, 1:
				scene, choice := gen.Scenes().Draw(t, "scene"), gen.Choice().Draw(t, "choice")
				same(t, "Update", text(s.Update(id, scene.Taints, now, choice, scene.Tolerations...)),
					text(old.Update(id, oldTaints(scene.Taints), now, oldtoleration.Choice(choice), oldLists(scene.Tolerations)...)))
			case 2:
				scene := gen.Scenes().Draw(t, "scene")
				opts, oldOpts := someOptions(t)
				observed := eviction.Observe(nil, scene.Taints, now)
				same(t, "Set", text(s.Set(id, eviction.Decide(observed, now, opts, scene.Tolerations...))),
					text(old.Set(id, oldeviction.Decide(oldObserved(observed), now, oldOpts, oldLists(scene.Tolerations)...))))
			case 3:
				state := eviction.State{Deadline: moment(t, "deadline"), Start: moment(t, "start")}
				s.Restore(id, state)
				old.Restore(id, oldeviction.State(state))
			case 4:
				same(t, "Remove", s.Remove(id), old.Remove(id))
			case 5:
				now = now.Add(time.Duration(rapid.IntRange(-10, 400).Draw(t, "seconds")) * time.Second)
				var due, oldDue []string
				for id, at := range s.Due(now) {
					due = append(due, fmt.Sprint(id, at))
				}
				for id, at := range old.Due(now) {
					oldDue = append(oldDue, fmt.Sprint(id, at))
				}
				same(t, "Due", due, oldDue)
			}
			id, at, ok := s.Next()
			oldID, oldAt, oldOK := old.Next()
			same(t, "Next", fmt.Sprint(id, at, ok), fmt.Sprint(oldID, oldAt, oldOK))
			for id := range 20 {
				same(t, "State", text(s.State(id)), text(old.State(id)))
			}
		}
	})
	var s eviction.Schedule[int]
	bounded(t, "a Schedule of 300,000", 128<<20, func() {
		for i := range 300_000 {
			s.Restore(i, eviction.State{Deadline: noon.Add(time.Duration(i*7919%300_000) * time.Second)})
		}
	})
	bounded(t, "draining it", 64<<20, func() {
		last := time.Time{}
		for _, at := range s.Due(noon.Add(300_000 * time.Second)) {
			if at.Before(last) {
				t.Fatal("not in order")
			}
			last = at
		}
	})
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	return fmt.Sprintf("%s %v", data, err)
}
