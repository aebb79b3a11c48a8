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

// refDeadline returns when the pod is evicted, which is not before now: the zero time for
// never. Each taint was observed when seen returns.
func refDeadline(opts options, list taint.List, seen func(taint.Taint) time.Time, lists []toleration.List) time.Time {
	var observed []eviction.Observed
	for _, t := range list {
		observed = append(observed, eviction.Observed{Taint: t, Since: seen(t)})
	}
	d := eviction.Decide(observed, opts.Now, eviction.Options{Choice: opts.Choice, PerTaint: opts.PerTaint}, lists...)
	if d.Kind() == eviction.Due {
		return opts.Now
	}
	at, _ := d.Deadline()
	return at
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
	before, after = refDeadline(opts, n.Before.Taints, seen, lists), refDeadline(opts, n.After.Taints, seen, lists)
	if !opts.PerTaint { // the change is made now
		after = refDeadline(opts, n.After.Taints, func(taint.Taint) time.Time { return opts.Now }, lists)
		untolerated := slices.ContainsFunc(n.After.Taints, func(t taint.Taint) bool {
			return t.Effect() == taint.NoExecute && !tolerated(t, lists)
		})
		if !after.IsZero() && !before.IsZero() && !untolerated {
			after = before
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
