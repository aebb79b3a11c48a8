package main

import (
	"context"
	"slices"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// history draws what happens to a pod on a node. There are few keys, so that taints
// return, change their value, and remain while others are added and removed.
func history(g *gen) recorded.History {
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
	return c
}

// lived has the numeric operators enabled.
func lived(c recorded.History) any {
	if !possible(c.Tolerations) {
		return nil
	}
	withGate(true, func() { c.Evicted = evicted(c) })
	c.PerTaint = perTaint(c)
	return c
}

// evicted returns the second when Kubernetes' controller evicts the pod, nil for never. It
// runs in a bubble of synctest.
func evicted(c recorded.History) *int64 {
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
			return new(int64(at.Sub(start) / time.Second))
		case s.Taints != nil:
			e.SetNode(apiTaints(s.Taints))
		case s.Tolerations != nil:
			e.SetPod(api(s.Tolerations))
		}
	}
	return nil
}

// perTaint implements E5 and E6 with Kubernetes' matcher.
func perTaint(c recorded.History) *int64 {
	now, deadline := uint64(0), unlimited
	tolerations, since := c.Tolerations, map[corev1.Taint]uint64{}
	var taints []corev1.Taint
	for _, s := range append(slices.Clone(c.Steps), recorded.Step{After: 3600}) {
		if now += uint64(s.After); deadline <= now {
			return new(int64(deadline))
		}
		if s.Tolerations != nil {
			tolerations = s.Tolerations
		}
		if s.Taints != nil {
			was := since
			since, taints = map[corev1.Taint]uint64{}, apiTaints(s.Taints)
			for _, t := range taints {
				at, present := was[withoutValue(t)]
				if !present {
					at = now
				}
				since[withoutValue(t)] = at
			}
		}
		deadline = unlimited
		for _, t := range taints {
			if t.Effect == corev1.TaintEffectNoExecute {
				deadline = min(deadline, since[withoutValue(t)]+firstHolds(tolerations, &t, true))
			}
		}
		if deadline <= now {
			return new(int64(now))
		}
	}
	return nil
}

func withoutValue(t corev1.Taint) corev1.Taint {
	t.Value = ""
	return t
}
