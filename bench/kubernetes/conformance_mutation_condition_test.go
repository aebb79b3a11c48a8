package kubernetes_test

import (
	"slices"
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
	usual, reduced, rate float64
	mistake              string
	waiting              []string
}

func (p *brokenPacer) Add(id string) bool {
	if !p.paced.Add(id) {
		return false
	}
	p.waiting = append(p.waiting, id)
	if p.mistake == "T6_last_comes_first" {
		for _, other := range p.waiting[:len(p.waiting)-1] {
			p.paced.Remove(other)
			p.paced.Add(other)
		}
		p.waiting = append([]string{id}, p.waiting[:len(p.waiting)-1]...)
	}
	return true
}

func (p *brokenPacer) Remove(id string) bool {
	p.waiting = slices.DeleteFunc(p.waiting, func(other string) bool { return other == id })
	return p.paced.Remove(id)
}

func (p *brokenPacer) SetRate(now time.Time, rate float64) {
	if p.mistake == "T6_another_rate_starts_anew" && rate != p.rate {
		p.paced = newPacedZone(p.usual, p.reduced)
		p.paced.SetRate(now, rate) // of a new zone
		for _, id := range p.waiting {
			p.paced.Add(id)
		}
	}
	p.rate = rate
	p.paced.SetRate(now, rate)
}

func (p *brokenPacer) Take(now time.Time) (string, bool) {
	id, ok := p.paced.Take(now)
	if p.mistake == "T6_burst_of_two" && !ok {
		id, ok = p.paced.Take(now.Add(time.Second))
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(other string) bool { return ok && other == id })
	return id, ok
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationCondition(t *testing.T) {
	t.Parallel()
	const cases = 2000
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		see(t, cases, func(r reconciler) func(*gen) string { return reconciles(n, r, nil, nil) }, condition.Reconcile, conditionMistakes)
	})
	for name, wrong := range stateMistakes {
		mustSee(t, name, 10*cases, states(wrong, nil, nil))
	}
	synctest.Test(t, func(t *testing.T) {
		for _, mistake := range []string{"T6_never_enters", "T6_enters_at_every_zone", "T6_goes_on_when_all_are_lost"} {
			mustSee(t, mistake, cases, disrupts(func(r disruption.Rates) zones {
				return brokenCluster{disruption.NewLimiter[string](r), mistake}
			}, nil, nil))
		}
		for _, mistake := range []string{"T6_last_comes_first", "T6_another_rate_starts_anew", "T6_burst_of_two"} {
			mustSee(t, mistake, cases, paces(func(usual, reduced float64) paced {
				return &brokenPacer{paced: newPacedZone(usual, reduced), usual: usual, reduced: reduced, rate: usual, mistake: mistake}
			}, nil))
		}
	})
}
