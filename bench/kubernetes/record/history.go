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
