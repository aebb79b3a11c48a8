package kubernetes_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// overflowing are seconds that Kubernetes' durations cannot represent (E7-overflow).
func overflowing(seconds int64) bool {
	return seconds > math.MaxInt64/int64(time.Second) && seconds != math.MaxInt64
}

// evicting makes tolerations and taints, most of them NoExecute. Their seconds do not
// overflow.
func (g *gen) evicting() ([]corev1.Toleration, []corev1.Taint) {
	tols, taints := g.lists()
	for i := range taints {
		if !g.in(4) {
			taints[i].Effect = corev1.TaintEffectNoExecute
		}
	}
	for i := range tols {
		if g.in(2) {
			tols[i].Effect = corev1.TaintEffectNoExecute
		}
		if tols[i].Effect == corev1.TaintEffectNoExecute && !g.in(3) {
			tols[i].TolerationSeconds = g.seconds()
		}
		if s := tols[i].TolerationSeconds; s != nil && overflowing(*s) {
			*s = []int64{10, math.MaxInt64 / int64(time.Second)}[g.IntN(2)]
		}
	}
	return tols, taints
}

// A decider is eviction.Decide with the zero Options. The mutation check replaces it.
type decider func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision

func decide(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
	return eviction.Decide(observed, now, eviction.Options{}, tolerations)
}

// decides compares the first decision about a pod with the time that the controller
// computes.
func decides(ours decider, gate bool, never, now, at *share) func(g *gen) string {
	return func(g *gen) string {
		theirs, theirTaints := g.evicting()
		taints, tolerations := gated(theirTaints, theirs, gate)
		present := time.Unix(g.Int64N(4_000_000_000), g.Int64N(1e9))
		d := ours(present, eviction.Observe(nil, taints, present), tolerations)
		lasts, tolerated := upstream.TolerationTime(theirTaints, theirs)
		kind, deadline := eviction.At, present.Add(lasts)
		switch {
		case !tolerated || lasts == 0:
			kind, deadline = eviction.Due, present
		case lasts < 0:
			kind, deadline = eviction.Never, time.Time{}
		}
		never.count(kind == eviction.Never && len(theirTaints) > 0)
		now.count(kind == eviction.Due && tolerated)
		at.count(kind == eviction.At)
		if got, _ := d.Deadline(); d.Kind() != kind || !got.Equal(deadline) {
			return fmt.Sprintf("%v on %v: Kubernetes %v, tolerated %v; ours %v", theirText(theirs), theirTaints, lasts, tolerated, d)
		}
		return ""
	}
}

func TestGetMinTolerationTime_E1_E2_E3_E6(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		var never, now, at share
		conform(t, pure/2, decides(decide, gate, &never, &now, &at))
		never.within(t, "stay forever in spite of taints", 0.1, 0.8)
		now.within(t, "are tolerated for no time", 0.01, 0.5)
		at.within(t, "go at a time", 0.02, 0.5)
	})
}

// A step of a pod's life is some time that passes, and then a change of the node's
// taints or of the pod's tolerations.
type step struct {
	after       time.Duration
	node        bool // whether the node changes, or else the pod
	taints      []corev1.Taint
	tolerations []corev1.Toleration
}

// tolerating makes a toleration of NoExecute taints.
func (g *gen) tolerating(keys []string) corev1.Toleration {
	u := corev1.Toleration{Key: g.one(keys...), Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
	switch g.IntN(6) {
	case 0:
		u.Key = ""
	case 1:
		u.Operator, u.Value = corev1.TolerationOpEqual, g.one("", "x")
	}
	if !g.in(4) {
		n := []int64{0, -1, 1, 5, 10, 30, 60, 60, 120, 300}[g.IntN(10)]
		u.TolerationSeconds = &n
	}
	return u
}

// life makes what happens to a pod on a node. There are few keys, so that taints
// return, change their value, and remain while others are added and removed.
func (g *gen) life() []step {
	keys := goodKeys[:3]
	theirTaint := func() corev1.Taint {
		return corev1.Taint{Key: g.one(keys...), Value: g.one("", "x"), Effect: corev1.TaintEffect(g.one(effects[2], effects[2], effects[2], effects[0]))}
	}
	lasting := append(make([]corev1.Toleration, 0, len(keys)), corev1.Toleration{Operator: corev1.TolerationOpExists})
	if g.in(2) { // no taint is untolerated, so that a life is long
		n := int64(200)
		lasting[0].Effect, lasting[0].TolerationSeconds = corev1.TaintEffectNoExecute, &n
	}
	if g.in(4) {
		lasting = nil
	}
	var taints []corev1.Taint
	tolerations := lasting
	steps := make([]step, 1+g.IntN(8))
	for i := range steps {
		s := &steps[i]
		s.after = time.Duration([]int64{0, 0, 1, 3, 10, 29, 30, 100}[g.IntN(8)]) * time.Second
		s.node = i == 0 || g.in(2)
		if s.node {
			taints = nil
			for range g.IntN(4) {
				t := theirTaint()
				known := false
				for _, u := range taints {
					known = known || u.MatchTaint(&t)
				}
				if !known {
					taints = append(taints, t)
				}
			}
		} else {
			tolerations = nil
			for range g.IntN(4) {
				tolerations = append(tolerations, g.tolerating(keys))
			}
			tolerations = append(tolerations, lasting...)
		}
		s.taints, s.tolerations = taints, tolerations
	}
	return steps
}

// The outcome of a life is how long the pod ran before it was evicted, or stays.
const stays = -time.Second

// livesThere runs the life with Kubernetes' controller. It must run in a bubble.
func livesThere(e *upstream.Evictor, life []step) time.Duration {
	e.Reset()
	start := time.Now()
	end := func(after time.Duration) bool {
		time.Sleep(after)
		synctest.Wait()
		_, ok := e.Evicted()
		return ok
	}
	e.SetPod(life[0].tolerations)
	for _, s := range life {
		if end(s.after) {
			break
		}
		if s.node {
			e.SetNode(s.taints)
		} else {
			e.SetPod(s.tolerations)
		}
	}
	end(time.Hour)
	at, ok := e.Evicted()
	if !ok {
		return stays
	}
	return at.Sub(start)
}

// A reevaluater is eviction.Reevaluate. The mutation check replaces it.
type reevaluater func(before eviction.State, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (eviction.State, eviction.Update)

// livesHere runs the life with the library. update evaluates the pod, and returns its
// deadline.
func livesHere(life []step, update func(now time.Time, taints taint.List, tolerations toleration.List) time.Time) time.Duration {
	start := time.Unix(1e9, 0)
	now := start
	var deadline time.Time
	for _, s := range life {
		now = now.Add(s.after)
		if !deadline.IsZero() && !deadline.After(now) {
			return deadline.Sub(start)
		}
		taints, _ := ourTaints(s.taints)
		tolerations, _ := ourTolerations(s.tolerations)
		deadline = update(now, taints, tolerations)
		if !deadline.IsZero() && !deadline.After(now) {
			return now.Sub(start)
		}
	}
	if deadline.IsZero() {
		return stays
	}
	return deadline.Sub(start)
}

// withState evaluates a pod with a State.
func withState(reevaluate reevaluater) func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
	var state eviction.State
	return func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
		state, _ = reevaluate(state, taints, now, toleration.First, tolerations)
		return state.Deadline
	}
}

// withSchedule evaluates a pod with a Schedule.
func withSchedule() func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
	var s eviction.Schedule[string]
	return func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
		s.Update("pod", taints, now, toleration.First, tolerations)
		return s.State("pod").Deadline
	}
}

// ownStart evaluates a pod each of whose taints has its own start.
func ownStart() func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
	var observed []eviction.Observed
	return func(now time.Time, taints taint.List, tolerations toleration.List) time.Time {
		observed = eviction.Observe(observed, taints, now)
		at, _ := eviction.Decide(observed, now, eviction.Options{PerTaint: true}, tolerations).Deadline()
		return at
	}
}

// lives compares whole lives with the controller.
func lives(e *upstream.Evictor, reevaluate reevaluater, evicted, moved *share) func(g *gen) string {
	return func(g *gen) string {
		life := g.life()
		want := livesThere(e, life)
		evicted.count(want > 0)
		moved.count(want != livesHere(life, ownStart()))
		if got := livesHere(life, withState(reevaluate)); got != want {
			return fmt.Sprintf("%v: Kubernetes evicts after %v, ours after %v", life, want, got)
		}
		if got := livesHere(life, withSchedule()); got != want {
			return fmt.Sprintf("%v: Kubernetes evicts after %v, by a Schedule ours after %v", life, want, got)
		}
		return ""
	}
}

// foresees compares a deadline, from the times at which taints were added and the pod was
// scheduled, with the time at which the controller evicts.
func foresees(e *upstream.Evictor, own bool, waits *share) func(g *gen) string {
	return func(g *gen) string {
		tolerations := []corev1.Toleration{g.tolerating(goodKeys[:3])}
		for range g.IntN(4) {
			tolerations = append(tolerations, g.tolerating(goodKeys[:3]))
		}
		list, _ := ourTolerations(tolerations)
		seconds := func() time.Duration { return time.Duration([]int64{0, 1, 10, 29, 30, 100}[g.IntN(6)]) * time.Second }
		scheduled, start := seconds(), time.Unix(1e9, 0)
		var observed []eviction.Observed
		var taints []corev1.Taint
		e.Reset()
		begin := time.Now()
		reach := func(at time.Duration) {
			if at = max(at, time.Since(begin)); time.Since(begin) <= scheduled && scheduled <= at {
				time.Sleep(scheduled - time.Since(begin))
				e.SetPod(tolerations)
				scheduled = -1
			}
			time.Sleep(at - time.Since(begin))
			synctest.Wait()
		}
		arrived := start.Add(scheduled)
		for _, key := range goodKeys[:1+g.IntN(3)] {
			reach(time.Since(begin) + seconds())
			t := corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute}
			taints = append(taints, t)
			own, _ := ourTaints([]corev1.Taint{t})
			observed = append(observed, eviction.Observed{Taint: own[0], Since: start.Add(time.Since(begin))})
			e.SetNode(taints)
		}
		reach(time.Hour)
		at, evicts := e.Evicted()
		g.Shuffle(len(observed), func(i, j int) { observed[i], observed[j] = observed[j], observed[i] })
		d := eviction.Decide(observed, start.Add(time.Hour), eviction.Options{PerTaint: own, Arrived: arrived}, list)
		deadline, ok := d.Deadline()
		waits.count(evicts && at.Sub(begin) > arrived.Sub(start))
		if ok != evicts || ok && deadline.Sub(start) != at.Sub(begin) {
			return fmt.Sprintf("%v on %v, scheduled after %v: Kubernetes evicts after %v, %t; ours %v since %v", list, observed, arrived.Sub(start), at.Sub(begin), evicts, d, deadline)
		}
		return ""
	}
}

// inBubble runs f with a controller, on a clock that advances while all goroutines
// wait.
func inBubble(t *testing.T, f func(t *testing.T, e *upstream.Evictor)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		f(t, upstream.NewEvictor(ctx))
	})
}

func TestTaintEvictionController_E8(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		var evicted, moved share
		conform(t, 2*objects, lives(e, eviction.Reevaluate, &evicted, &moved))
		evicted.within(t, "end by an eviction after some time", 0.1, 0.8)
		moved.within(t, "end otherwise when each taint has its own start", 0.01, 0.5)
	})
}

func TestTaintEvictionController_E4(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		var waits share
		conform(t, objects, foresees(e, false, &waits))
		waits.within(t, "are evicted after some time", 0.1, 0.8)
	})
}

func (s step) String() string {
	what, on := "tolerations now ", fmt.Sprint(theirText(s.tolerations))
	if s.node {
		texts := make([]string, len(s.taints))
		for i := range s.taints {
			texts[i] = s.taints[i].ToString()
		}
		what, on = "taints now ", fmt.Sprint(texts)
	}
	return fmt.Sprintf("after %v %s%s", s.after, what, on)
}
