package impact_test

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// refSeconds returns for how long the taint is tolerated, by the choice. It returns nil
// without a limit, and false if the taint is not tolerated.
func refSeconds(p toleration.Choice, t taint.Taint, lists []toleration.List) (seconds *int64, ok bool) {
	var all []*int64
	for _, u := range slices.Concat(lists...) {
		if !u.Tolerates(t) {
			continue
		}
		all = append(all, nil)
		if n, timed := u.Seconds(); timed {
			n = max(n, 0)
			all[len(all)-1] = &n
		}
	}
	if len(all) == 0 {
		return nil, false
	}
	forever := slices.Contains(all, nil)
	numbers := slices.DeleteFunc(slices.Clone(all), func(n *int64) bool { return n == nil })
	compare := func(a, b *int64) int { return int(min(1, max(-1, *a-*b))) }
	switch {
	case p == toleration.First:
		return all[0], true
	case forever && p != toleration.Shortest, len(numbers) == 0:
		return nil, true
	case p == toleration.Longest:
		return slices.MaxFunc(numbers, compare), true
	}
	return slices.MinFunc(numbers, compare), true
}

// A refClaim is when a taint starts, and when it evicts.
type refClaim struct {
	start, deadline time.Time
	untolerated     bool
}

// refClaims returns the claims of the taints that evict at some time. No deadline is
// before now. A start is zero if it is unknown. Seconds must be few.
func refClaims(opts options, list taint.List, seen func(taint.Taint) time.Time, lists []toleration.List) (claims []refClaim) {
	for _, t := range list {
		seconds, ok := refSeconds(opts.Choice, t, lists)
		if t.Effect() != taint.NoExecute || ok && seconds == nil {
			continue
		}
		c := refClaim{start: seen(t), deadline: opts.Now, untolerated: !ok}
		if ok && *seconds > 0 && !c.start.IsZero() {
			c.deadline = c.start.Add(time.Duration(*seconds) * time.Second)
		}
		if c.deadline.Before(opts.Now) {
			c.deadline = opts.Now
		}
		claims = append(claims, c)
	}
	return claims
}

// refDeadline returns when the pod is evicted: the zero time for never.
func refDeadline(opts options, claims []refClaim) (least time.Time) {
	for _, c := range claims {
		later := slices.ContainsFunc(claims, func(d refClaim) bool { return !d.untolerated && d.start.Before(c.start) })
		if !opts.PerTaint && !c.untolerated && later {
			continue
		}
		if least.IsZero() || c.deadline.Before(least) {
			least = c.deadline
		}
	}
	return least
}

// refEviction computes, by plain code, what the change of a node does to a pod on it:
// when it is evicted before and after, and how the two differ.
func refEviction(opts options, n impact.NodeChange, pod onNode, lists []toleration.List) (kind eviction.UpdateKind, before, after time.Time) {
	seen := func(t taint.Taint) time.Time {
		at := opts.Now
		if slices.ContainsFunc(n.Before.Taints, t.SameKeyEffect) {
			at = time.Time{}
			for _, o := range slices.Backward(n.Observed) {
				if o.Taint.SameKeyEffect(t) {
					at = o.Since
				}
			}
		}
		if added := t.TimeAdded(); at.IsZero() {
			at = added
		}
		if pod.Arrived.After(at) {
			at = pod.Arrived
		}
		return at
	}
	before = refDeadline(opts, refClaims(opts, n.Before.Taints, seen, lists))
	claims := refClaims(opts, n.After.Taints, seen, lists)
	after = refDeadline(opts, claims)
	if !opts.PerTaint { // the change is made now
		claims = refClaims(opts, n.After.Taints, func(taint.Taint) time.Time { return opts.Now }, lists)
		untolerated := slices.ContainsFunc(claims, func(c refClaim) bool { return c.untolerated })
		switch {
		case len(claims) > 0 && !before.IsZero() && !untolerated:
			after = before
		case untolerated:
			after = opts.Now
		default:
			after = refDeadline(opts, claims)
		}
	}
	switch {
	case before.Equal(after):
		kind = eviction.Unchanged
	case after.IsZero():
		kind = eviction.Cancelled
	case before.IsZero():
		kind = eviction.Scheduled
	case after.Before(before):
		kind = eviction.Earlier
	default:
		kind = eviction.Later
	}
	return kind, before, after
}

// refPlacement counts, node by node.
func refPlacement(nodes []impact.NodeChange, lists []toleration.List) impact.Placement {
	open := func(n match.Node) bool {
		keeps := func(t taint.Taint) bool {
			return t.Effect() != taint.PreferNoSchedule && !tolerated(t, lists)
		}
		return !slices.ContainsFunc(n.Taints, keeps) && (!n.Unschedulable || tolerated(match.CordonTaint(), lists))
	}
	disliked := func(n match.Node) (count int) {
		for _, t := range n.Taints {
			if t.Effect() == taint.PreferNoSchedule && !tolerated(t, lists) {
				count++
			}
		}
		return count
	}
	var w impact.Placement
	for i, n := range nodes {
		was, is := open(n.Before), open(n.After)
		if was {
			w.Before++
		}
		if is {
			w.After++
		}
		switch {
		case was && is:
			w.Repelled += disliked(n.After) - disliked(n.Before)
		case was:
			if w.Lost++; w.Lost == 1 {
				w.FirstLost = i
			}
		case is:
			if w.Gained++; w.Gained == 1 {
				w.FirstGained = i
			}
		}
	}
	return w
}

func tolerated(t taint.Taint, lists []toleration.List) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(u toleration.Toleration) bool { return u.Tolerates(t) })
}

func refPlacementKind(before, after, gained, lost, repelled int) impact.PlacementKind {
	switch {
	case before == 0 && after > 0:
		return impact.Opened
	case before > 0 && after == 0:
		return impact.Closed
	case gained > 0 && lost > 0:
		return impact.Moved
	case after > before:
		return impact.Widened
	case after < before:
		return impact.Narrowed
	case repelled < 0:
		return impact.Improved
	case repelled > 0:
		return impact.Worsened
	}
	return impact.Same
}

// options and onNode are what a plan evaluates an Eviction with.
type options struct {
	Now      time.Time
	Choice   toleration.Choice
	PerTaint bool
}

type onNode struct {
	Node    int
	Arrived time.Time
}

// A plan is an Analysis with options.
type plan struct {
	*impact.Analysis
	opts options
}

func newPlan(o options, nodes ...impact.NodeChange) plan { return plan{impact.New(o.Now, nodes...), o} }

func (p plan) Eviction(pod onNode, lists ...toleration.List) impact.Eviction {
	return p.Analysis.Eviction(pod.Node, eviction.Options{Choice: p.opts.Choice, PerTaint: p.opts.PerTaint, Arrived: pod.Arrived}, lists...)
}
