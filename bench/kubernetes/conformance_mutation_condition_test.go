package kubernetes_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/pacer"
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
	"T2_first_of_a_type": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		var kept []condition.Condition
		seen := map[string]bool{}
		for _, c := range n.Conditions {
			if !seen[c.Type] {
				kept = append(kept, c)
			}
			seen[c.Type] = true
		}
		n.Conditions = kept
		return condition.Reconcile(n, opts)
	},
	"T3_never_waits": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		opts.AtOnce = true
		return condition.Reconcile(n, opts)
	},
	"T3_always_waits": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		opts.AtOnce = false
		return condition.Reconcile(n, opts)
	},
	"T4_drops_all": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		n.Taints = condition.Temporary().Drop(n.Taints)
		return condition.Reconcile(n, opts)
	},
	"T4_new_first": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		list, c := condition.Reconcile(n, opts)
		var added, rest taint.List
		for _, t := range list {
			is := false
			for _, u := range c.Added() {
				is = is || t.SameKeyEffect(u)
			}
			if is {
				added = append(added, t)
			} else {
				rest = append(rest, t)
			}
		}
		return append(added, rest...), c
	},
	"T4_no_time_added": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		opts.At = time.Time{}
		return condition.Reconcile(n, opts)
	},
	"T4_old_ones_anew": func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled) {
		list, c := condition.Reconcile(n, opts)
		out := make(taint.List, len(list))
		for i, t := range list {
			if condition.Temporary().Has(t) {
				t, _ = t.WithTimeAdded(opts.At)
			}
			out[i] = t
		}
		return out, c
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

// stateMistakes are wrong ways to compute the state of a zone.
var stateMistakes = map[string]judge{
	"T6_full_when_empty": func(r disruption.Rates, c disruption.Count) (disruption.ZoneState, float64) {
		if c.Ready+c.NotReady == 0 {
			return disruption.FullDisruption, r.Usual
		}
		return r.State(c)
	},
	"T6_two_are_enough": func(r disruption.Rates, c disruption.Count) (disruption.ZoneState, float64) {
		if c.NotReady == 2 && c.Ready > 0 && float64(c.NotReady)/float64(c.Ready+c.NotReady) >= r.Unhealthy {
			return disruption.PartialDisruption, 0
		}
		return r.State(c)
	},
	"T6_more_than_the_share": func(r disruption.Rates, c disruption.Count) (disruption.ZoneState, float64) {
		r.Unhealthy += 1e-3
		return r.State(c)
	},
	"T6_large_at_its_size": func(r disruption.Rates, c disruption.Count) (disruption.ZoneState, float64) {
		r.LargeZone--
		return r.State(c)
	},
	"T6_full_stops": func(r disruption.Rates, c disruption.Count) (disruption.ZoneState, float64) {
		s, rate := r.State(c)
		if s == disruption.FullDisruption {
			rate = 0
		}
		return s, rate
	},
}

// A brokenCluster has one mistake.
type brokenCluster struct {
	*disruption.Limiter[string]
	mistake string
}

func (c brokenCluster) Update(now time.Time, counts map[disruption.Zone]disruption.Count) disruption.Transition {
	t := c.Limiter.Update(now, counts)
	switch c.mistake {
	case "T6_never_enters":
		t.Entered = false
	case "T6_enters_at_every_zone":
		for _, change := range t.Changes {
			t.Entered = t.Entered || change.After.State == disruption.FullDisruption
		}
	}
	return t
}

func (c brokenCluster) Zone(zone disruption.Zone) (disruption.ZoneStatus, bool) {
	s, ok := c.Limiter.Zone(zone)
	if c.mistake == "T6_goes_on_when_all_are_lost" {
		s.Rate = 0.1
	}
	return s, ok
}

// A brokenPacer makes one mistake.
type brokenPacer struct {
	*pacer.Pacer[string]
	mistake string
	rate    float64
}

func (p *brokenPacer) Add(id string) bool {
	if p.mistake == "T6_last_comes_first" && !p.Has(id) {
		var ids []string
		for other := range p.All() {
			ids = append(ids, other)
		}
		for _, other := range ids {
			p.Remove(other)
		}
		p.Pacer.Add(id)
		for _, other := range ids {
			p.Pacer.Add(other)
		}
		return true
	}
	return p.Pacer.Add(id)
}

func (p *brokenPacer) SetRate(now time.Time, rate float64) {
	if p.mistake == "T6_another_rate_starts_anew" && rate != p.rate {
		ids := p.All()
		fresh := pacer.New[string](rate)
		for id := range ids {
			fresh.Add(id)
		}
		p.Pacer = fresh
	}
	p.rate = rate
	p.Pacer.SetRate(now, rate)
}

func (p *brokenPacer) Take(now time.Time) (string, bool) {
	if p.mistake == "T6_burst_of_two" {
		if id, ok := p.Pacer.Take(now); ok {
			return id, ok
		}
		return p.Pacer.Take(now.Add(time.Second))
	}
	return p.Pacer.Take(now)
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationCondition(t *testing.T) {
	t.Parallel()
	const cases = 2000
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		if err := differSeed(seedBase, -1, cases, reconciles(n, condition.Reconcile, nil, nil)); err != nil {
			t.Fatalf("without a mistake: %v", err)
		}
		for name, wrong := range conditionMistakes {
			if err := differSeed(seedBase, -1, cases, reconciles(n, wrong, nil, nil)); err == nil {
				t.Errorf("%s: not seen", name)
			}
		}
	})
	for name, wrong := range stateMistakes {
		if err := differSeed(seedBase, -1, 10*cases, states(wrong, nil, nil)); err == nil {
			t.Errorf("%s: not seen", name)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, mistake := range []string{"T6_never_enters", "T6_enters_at_every_zone", "T6_goes_on_when_all_are_lost"} {
			if err := differSeed(seedBase, -1, cases, disrupts(func(r disruption.Rates) zones {
				return brokenCluster{disruption.NewLimiter[string](r), mistake}
			}, nil, nil)); err == nil {
				t.Errorf("%s: not seen", mistake)
			}
		}
		for _, mistake := range []string{"T6_last_comes_first", "T6_another_rate_starts_anew", "T6_burst_of_two"} {
			if err := differSeed(seedBase, -1, cases, paces(func(rate float64) paced {
				return &brokenPacer{pacer.New[string](rate), mistake, rate}
			}, nil)); err == nil {
				t.Errorf("%s: not seen", mistake)
			}
		}
	})
}
