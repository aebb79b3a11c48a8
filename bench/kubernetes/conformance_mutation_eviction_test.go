package kubernetes_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These are possible mistakes of a Schedule, made with the right decision.
var reevaluateMistakes = map[string]reevaluater{
	"E8_forgets": func(_ eviction.State, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (eviction.State, eviction.Update) {
		return eviction.Reevaluate(eviction.State{}, taints, now, choice, tolerations)
	},
	"E8_never_cancels": func(before eviction.State, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (eviction.State, eviction.Update) {
		s, c := eviction.Reevaluate(before, taints, now, choice, tolerations)
		if c.Kind == eviction.Cancelled {
			return before, eviction.Update{}
		}
		return s, c
	},
	"E8_keeps_when_untolerated": func(before eviction.State, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (eviction.State, eviction.Update) {
		s, c := eviction.Reevaluate(before, taints, now, choice, tolerations)
		if c.Decision.Kind() == eviction.Due && !c.Before.IsZero() {
			return before, eviction.Update{}
		}
		return s, c
	},
}

// These are mistakes of a single decision, made with the right one.
var decideMistakes = map[string]decider{
	"E1_all_effects": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		for _, o := range observed {
			if !served(o.Taint, tolerations) {
				return eviction.Decide([]eviction.Observed{{Taint: taint.MustParse("some.other/key:NoExecute")}}, now, eviction.Options{}, nil)
			}
		}
		return decide(now, observed, tolerations)
	},
	"E1_untolerated_waits": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		var kept []eviction.Observed
		for _, o := range observed {
			if served(o.Taint, tolerations) {
				kept = append(kept, o)
			}
		}
		return decide(now, kept, tolerations)
	},
	"E2_first_taint_only": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		return decide(now, observed[:min(1, len(observed))], tolerations)
	},
	"E2_negative_is_never": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		return decide(now, observed, changed(tolerations, func(n int64) (int64, bool) { return n, n < 0 }))
	},
	"E2_one_more_second": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		return decide(now, observed, changed(tolerations, func(n int64) (int64, bool) { return n + 1, n == math.MaxInt64 }))
	},
	"E3_last_toleration": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		turned := slices.Clone(tolerations)
		slices.Reverse(turned)
		return decide(now, observed, turned)
	},
	"E3_forever_else_shortest": func(now time.Time, observed []eviction.Observed, tolerations toleration.List) eviction.Decision {
		return eviction.Decide(observed, now, eviction.Options{Choice: toleration.ForeverElseShortest}, tolerations)
	},
}

func served(t taint.Taint, tolerations toleration.List) bool {
	return match.Explain(t, toleration.First, tolerations).Mismatch == 0
}

// changed returns the tolerations with other seconds; where off, without.
func changed(tolerations toleration.List, seconds func(int64) (n int64, off bool)) (out toleration.List) {
	for _, u := range tolerations {
		if n, ok := u.Seconds(); ok {
			if n, off := seconds(n); off {
				u = u.WithoutSeconds()
			} else {
				u, _ = u.WithSeconds(n)
			}
		}
		out = append(out, u)
	}
	return out
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationEviction(t *testing.T) {
	const cases = 20_000
	withGate(t, func(t *testing.T, gate bool) {
		see(t, cases, func(d decider) func(*gen) string { return decides(d, gate, nil, nil, nil) }, decide, decideMistakes)
	})
	inBubble(t, func(t *testing.T, e *upstream.Evictor) {
		see(t, cases, func(r reevaluater) func(*gen) string { return lives(e, r, nil, nil) }, eviction.Reevaluate, reevaluateMistakes)
		mustSee(t, "E4_own_start", cases, foresees(e, true, nil))
	})
}
