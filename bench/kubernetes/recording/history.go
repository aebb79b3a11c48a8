package recording

import (
	"context"
	"math"
	"slices"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// history draws what happens to a pod on a node. There are few keys, so that taints
// return, change their value, and remain while others are added and removed.
func history(g *gen) any {
	few := keys[:3]
	tolerations := func() []toleration {
		list := times(g.IntN(4), func() toleration {
			u := toleration{Key: g.one(few...), Operator: g.one("Exists", "Exists", "Equal"), Effect: "NoExecute"}
			if u.Operator == "Equal" {
				u.Value = g.one("", "x")
			} else if g.in(4) {
				u.Key = ""
			}
			if !g.in(4) {
				u.Seconds = new([]int64{0, -1, 1, 5, 10, 30, 60, 60, 120, 300}[g.IntN(10)])
			}
			return u
		})
		if g.in(4) {
			return list
		}
		return append(list, toleration{Operator: "Exists", Effect: "NoExecute", Seconds: new(int64(200))}) // a long history
	}
	c := recorded.History{Tolerations: tolerations()}
	for range 1 + g.IntN(7) {
		s := recorded.Step{After: []int64{0, 0, 1, 3, 10, 29, 30, 100}[g.IntN(8)]}
		if len(c.Steps) == 0 || g.in(2) {
			s.Taints = []taint{}
			for _, key := range few {
				if g.in(2) {
					s.Taints = append(s.Taints, taint{Key: key, Value: g.one("", "x"), Effect: g.one("NoExecute", "NoExecute", "NoExecute", "NoSchedule")})
				}
			}
		} else {
			s.Tolerations = tolerations()
		}
		c.Steps = append(c.Steps, s)
	}
	return lived(c)
}

// lived has the numeric operators enabled.
func lived(c recorded.History) recorded.History {
	withGate(true, func() {
		if at, ok := evicted(c); ok {
			c.Evicted = &at
		}
	})
	if at, ok := perTaint(c); ok {
		c.PerTaint = &at
	}
	return c
}

// evicted returns when Kubernetes' controller evicts the pod. It runs in a bubble of synctest.
func evicted(c recorded.History) (seconds int64, ok bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, start := upstream.NewEvictor(ctx), time.Now()
	e.SetPod(api(c.Tolerations))
	for _, s := range append(slices.Clone(c.Steps), recorded.Step{After: 3600}) {
		time.Sleep(time.Duration(s.After) * time.Second)
		synctest.Wait()
		at, ok := e.Evicted()
		switch {
		case ok:
			return int64(at.Sub(start) / time.Second), true
		case s.Taints != nil:
			e.SetNode(apiTaints(s.Taints))
		case s.Tolerations != nil:
			e.SetPod(api(s.Tolerations))
		}
	}
	return 0, false
}

// perTaint implements E5 and E6 with Kubernetes' matcher.
func perTaint(c recorded.History) (seconds int64, ok bool) {
	now, deadline := int64(0), int64(math.MaxInt64)
	tolerations, taints, since := c.Tolerations, []taint(nil), map[taint]int64{}
	for _, s := range append(slices.Clone(c.Steps), recorded.Step{After: 3600}) {
		if now += s.After; deadline <= now {
			return deadline, true
		}
		if s.Tolerations != nil {
			tolerations = s.Tolerations
		}
		if s.Taints != nil {
			was := since
			since, taints = map[taint]int64{}, s.Taints
			for _, t := range taints {
				id := taint{Key: t.Key, Effect: t.Effect}
				if at, present := was[id]; present {
					since[id] = at
				} else {
					since[id] = now
				}
			}
		}
		deadline = math.MaxInt64
		for _, t := range taints {
			theirs := apiTaints([]taint{t})
			least, limited := leastSeconds(theirs, api(tolerations), true)
			switch {
			case t.Effect != "NoExecute":
			case !slices.ContainsFunc(api(tolerations), func(u corev1.Toleration) bool { return upstream.Matches(&u, &theirs[0], true) }):
				deadline = now
			case limited:
				deadline = min(deadline, since[taint{Key: t.Key, Effect: t.Effect}]+least)
			}
		}
		if deadline <= now {
			return now, true
		}
	}
	return 0, false
}
