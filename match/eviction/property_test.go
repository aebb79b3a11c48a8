package eviction_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func startPolicy() *rapid.Generator[eviction.Start] { return rapid.SampledFrom(starts) }

func policy() *rapid.Generator[eviction.Policy] {
	return rapid.Custom(func(t *rapid.T) eviction.Policy {
		return eviction.Policy{Toleration: gen.Policy().Draw(t, "toleration"), Start: startPolicy().Draw(t, "start")}
	})
}

// property draws a node and a pod, and holds Decide against the reference, and
// against what it is not to depend on.
func property(t *rapid.T) {
	scene := gen.Scenes().Draw(t, "scene")
	observed := seen(t, scene.Taints, noon)
	now := rapid.OneOf(rapid.Just(noon), moment(noon)).Draw(t, "now")
	kept := slices.Clone(observed)
	for _, p := range policies() {
		d := check(t, now, observed, p, scene.Tolerations...)
		if !slices.Equal(observed, kept) {
			t.Fatalf("the observed taints were changed")
		}
		joined := eviction.Decide(now, observed, p, slices.Concat(scene.Tolerations...))
		if !sameTime(d, joined) {
			t.Errorf("E2: several lists: %v; as one: %v", d, joined)
		}
		executing := slices.DeleteFunc(slices.Clone(observed), func(o eviction.Observed) bool { return o.Taint.Effect() != taint.NoExecute })
		if got := eviction.Decide(now, executing, p, scene.Tolerations...); !sameTime(d, got) {
			t.Errorf("E1: %v, but %v without the other effects", d, got)
		}
		if other := eviction.Decide(now, rapid.Permutation(observed).Draw(t, "order"), p, scene.Tolerations...); due(now, d) != due(now, other) {
			t.Errorf("E2: %v, but %v in another order", d, other)
		}
	}
}

// sameTime reports whether two decisions agree, whichever taint decides.
func sameTime(d, e eviction.Decision) bool {
	a, _ := d.Deadline()
	b, _ := e.Deadline()
	return d.Kind() == e.Kind() && a == b
}

// A fate is when a pod goes, at the time now or later; comparable with ==.
type fate struct {
	ever bool
	at   time.Time
}

func due(now time.Time, d eviction.Decision) fate {
	at, ok := d.Deadline()
	switch {
	case !ok:
		return fate{}
	case d.Kind() == eviction.Now:
		return fate{true, now}
	}
	return fate{true, at}
}

// sooner reports whether a pod goes sooner by f than by g.
func (f fate) sooner(g fate) bool { return f.ever && (!g.ever || f.at.Before(g.at)) }

func TestE2_property(t *testing.T) { rapid.Check(t, property) }

func TestE2_more_seconds_never_evict_earlier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene := gen.Scenes().Draw(t, "scene")
		list := slices.Concat(scene.Tolerations...)
		timed := slices.DeleteFunc(indices(list), func(i int) bool { _, ok := list[i].Seconds(); return !ok })
		if len(timed) == 0 {
			return // there are enough others
		}
		observed := seen(t, scene.Taints, noon)
		longer := slices.Clone(list)
		i := rapid.SampledFrom(timed).Draw(t, "index")
		n, _ := list[i].Seconds()
		if more := gen.Seconds().Draw(t, "more"); more >= n {
			longer[i], _ = list[i].WithSeconds(more)
		} else {
			longer[i] = list[i].WithoutSeconds()
		}
		for _, p := range policies() {
			a, b := eviction.Decide(noon, observed, p, list), eviction.Decide(noon, observed, p, longer)
			if due(noon, b).sooner(due(noon, a)) {
				t.Errorf("%v: %v with %v, and sooner, %v, with %v", p, a, list[i], b, longer[i])
			}
		}
	})
}

func indices[V any](list []V) (all []int) {
	for i := range list {
		all = append(all, i)
	}
	return all
}

func TestE2_another_taint_never_evicts_later(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene := gen.Scenes().Draw(t, "scene")
		more := seen(t, scene.Taints, noon)
		if len(more) == 0 {
			return // there are enough others
		}
		i := rapid.IntRange(0, len(more)-1).Draw(t, "another")
		fewer := slices.Delete(slices.Clone(more), i, i+1)
		for _, p := range policies() {
			a, b := eviction.Decide(noon, fewer, p, scene.Tolerations...), eviction.Decide(noon, more, p, scene.Tolerations...)
			if due(noon, a).sooner(due(noon, b)) {
				t.Errorf("%v: %v, and later, %v, with %v", p, a, b, more[i])
			}
		}
	})
}

func TestE3_shortest_first_longest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene := gen.Scenes().Draw(t, "scene")
		observed := seen(t, scene.Taints, noon)
		for _, s := range starts {
			by := func(p toleration.Policy) fate {
				return due(noon, eviction.Decide(noon, observed, eviction.Policy{Toleration: p, Start: s}, scene.Tolerations...))
			}
			shortest, first, longest, device := by(toleration.Shortest), by(toleration.First), by(toleration.Longest), by(toleration.ForeverElseShortest)
			if first.sooner(shortest) || longest.sooner(first) || device.sooner(shortest) || longest.sooner(device) {
				t.Errorf("%v: shortest %v, first %v, longest %v, forever-else-shortest %v", s, shortest, first, longest, device)
			}
		}
	})
}

// As time goes by, a deadline comes nearer and stays where it is.
func TestE7_time_goes_by(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene := gen.Scenes().Draw(t, "scene")
		observed := seen(t, scene.Taints, noon)
		for i := range observed {
			if observed[i].Since.IsZero() || observed[i].Since.After(noon) {
				observed[i].Since = noon
			}
		}
		later := noon.Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "later")))
		p := eviction.Policy{Toleration: gen.Policy().Draw(t, "policy")} // what is added in the future is not due from then
		a, b := eviction.Decide(noon, observed, p, scene.Tolerations...), eviction.Decide(later, observed, p, scene.Tolerations...)
		at, _ := a.Deadline()
		bt, _ := b.Deadline()
		if at != bt || (a.Kind() == eviction.Never) != (b.Kind() == eviction.Never) || a.Kind() == eviction.Now && b.Kind() != eviction.Now {
			t.Errorf("at %v: %v; at %v: %v", noon, a, later, b)
		}
	})
}
