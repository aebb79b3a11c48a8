package impact_test

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// refDeadline returns when the pod is evicted, which is not before now: the zero time for
// never. Each taint was observed when seen returns.
func refDeadline(opts eviction.Options, list taint.List, seen func(taint.Taint) time.Time, pod toleration.List) time.Time {
	var observed []eviction.Observed
	for _, t := range list {
		observed = append(observed, eviction.Observed{Taint: t, Since: seen(t)})
	}
	d := eviction.Decide(observed, noon, eviction.Options{Choice: opts.Choice, PerTaint: opts.PerTaint}, pod)
	if d.Kind() == eviction.Due {
		return noon
	}
	at, _ := d.Deadline()
	return at
}

// refEviction computes, by plain code, what the change of a node does to a pod on it:
// when it is evicted before and after, and how the two differ. The change is made at noon.
func refEviction(opts eviction.Options, n impact.NodeChange, pod toleration.List) (kind eviction.UpdateKind, before, after time.Time) {
	seen := func(t taint.Taint) time.Time {
		at := noon
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
		if opts.Arrived.After(at) {
			at = opts.Arrived
		}
		return at
	}
	before, after = refDeadline(opts, n.Before.Taints, seen, pod), refDeadline(opts, n.After.Taints, seen, pod)
	if !opts.PerTaint { // the change is made now
		after = refDeadline(opts, n.After.Taints, func(taint.Taint) time.Time { return noon }, pod)
		untolerated := reference.Filter(n.After.Taints, false, pod).Evicted
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
func refPlacement(nodes []impact.NodeChange, pod toleration.List) impact.Placement {
	answer := func(n match.Node) (open bool, disliked int) {
		a := reference.Filter(n.Taints, n.Unschedulable, pod)
		for _, v := range a.Untolerated {
			if v.Effect == taint.PreferNoSchedule {
				disliked++
			}
		}
		return a.Schedulable, disliked
	}
	var w impact.Placement
	for i, n := range nodes {
		was, before := answer(n.Before)
		is, after := answer(n.After)
		if was {
			w.Before++
		}
		if is {
			w.After++
		}
		switch {
		case was && is:
			w.Repelled += after - before
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
