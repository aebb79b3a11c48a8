package kubernetes_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// conditionMistakes are wrong ways to reconcile, made from the right one.
var conditionMistakes = map[string]reconciler{
	"T2_no_cordon": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		n.Unschedulable = false
		return condition.Reconcile(n, opts)
	},
	"T2_Unknown_is_False": withStatus(func(c condition.Condition) condition.Condition {
		if c.Status == condition.StatusUnknown {
			c.Status = condition.StatusFalse
		}
		return c
	}),
	"T2_pressure_is_False": withStatus(func(c condition.Condition) condition.Condition {
		if c.Type == "DiskPressure" && c.Status == condition.StatusFalse {
			c.Status = condition.StatusTrue
		}
		return c
	}),
	"T2_any_case": withStatus(func(c condition.Condition) condition.Condition {
		if c.Type == "ready" {
			c.Type = "Ready"
		}
		return c
	}),
	"T2_absent_is_Unknown": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		n.Conditions = append(n.Conditions[:len(n.Conditions):len(n.Conditions)], condition.Condition{Type: "Ready", Status: condition.StatusUnknown})
		return condition.Reconcile(n, opts)
	},
	"T3_never_waits": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		opts.AtOnce = true
		return condition.Reconcile(n, opts)
	},
	"T4_drops_all": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		n.Taints = condition.Temporary().Drop(n.Taints)
		return condition.Reconcile(n, opts)
	},
	"T4_no_time_added": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		opts.At = time.Time{}
		return condition.Reconcile(n, opts)
	},
}

func withStatus(change func(condition.Condition) condition.Condition) reconciler {
	return func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		list := make([]condition.Condition, len(n.Conditions))
		for i, c := range n.Conditions {
			list[i] = change(c)
		}
		n.Conditions = list
		return condition.Reconcile(n, opts)
	}
}

// A brokenCluster has one mistake.
type brokenCluster struct {
	*disruption.Limiter[string]
	mistake string
}

func (c brokenCluster) Update(now time.Time, counts map[disruption.Zone]disruption.Count) (entered, left bool) {
	entered, left = c.Limiter.Update(now, counts)
	switch c.mistake {
	case "T6_never_enters":
		entered = false
	case "T6_enters_at_every_zone":
		for zone := range counts {
			state, _, _ := c.Limiter.State(zone)
			entered = entered || state == disruption.FullDisruption
		}
	}
	return entered, left
}

func (c brokenCluster) State(zone disruption.Zone) (disruption.ZoneState, float64, bool) {
	state, rate, ok := c.Limiter.State(zone)
	if c.mistake == "T6_goes_on_when_all_are_lost" {
		rate = 0.1
	}
	return state, rate, ok
}

// A brokenPacer makes one mistake.
type brokenPacer struct {
	paced
	mistake string
}

func (p brokenPacer) SetRate(now time.Time, rate float64) {
	if p.mistake != "T6_rate_stays" {
		p.paced.SetRate(now, rate)
	}
}

func (p brokenPacer) Take(now time.Time) (string, bool) {
	id, ok := p.paced.Take(now)
	if p.mistake == "T6_burst_of_two" && !ok {
		id, ok = p.paced.Take(now.Add(time.Second))
	}
	return id, ok
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationCondition(t *testing.T) {
	t.Parallel()
	const cases = 2000
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		see(t, cases, func(r reconciler) func(*gen) string { return reconciles(n, r, nil, nil) }, condition.Reconcile, conditionMistakes)
	})
	synctest.Test(t, func(t *testing.T) {
		for _, mistake := range []string{"T6_never_enters", "T6_enters_at_every_zone", "T6_goes_on_when_all_are_lost", "T6_more_than_the_share", "T6_large_at_its_size"} {
			mustSee(t, mistake, cases, disrupts(func(r disruption.Rates) zones {
				switch mistake {
				case "T6_more_than_the_share":
					r.Unhealthy += 1e-3
				case "T6_large_at_its_size":
					r.LargeZone--
				}
				return brokenCluster{disruption.NewLimiter[string](r), mistake}
			}, nil, nil))
		}
		for _, mistake := range []string{"T6_rate_stays", "T6_burst_of_two"} {
			mustSee(t, mistake, cases, paces(func(usual, reduced float64) paced { return brokenPacer{newPacedZone(usual, reduced), mistake} }, nil))
		}
	})
}
