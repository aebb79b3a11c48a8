package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A report is what the edits would do.
type report struct {
	opts  options
	c     *cluster
	nodes []*node // those that are known

	evictions []evicted
	waiting   []waiting
	// How many pods run, wait, are evicted whether or not the nodes are edited,
	// and are left out.
	running, waits, dueAnyway, leftOut int
}

// evicted is a running pod whose eviction changes.
type evicted struct {
	*pod
	impact.Eviction
	node int // its index
	fits int // the nodes on which it may be scheduled then
}

// waiting is a waiting pod whose chances change.
type waiting struct {
	*pod
	impact.Placement
}

func newReport(c *cluster, opts options) *report {
	r := &report{opts: opts, c: c}
	index := make(map[string]int)
	var changes []impact.NodeChange
	for _, n := range c.nodes {
		if len(n.problems) > 0 {
			continue
		}
		index[n.name] = len(r.nodes)
		r.nodes = append(r.nodes, n)
		changes = append(changes, impact.NodeChange{Before: n.before, After: n.after})
	}
	plan := impact.New(impact.Options{Now: opts.now, Eviction: eviction.Options{Start: eviction.FromAdded}}, changes...)
	for _, p := range c.pods {
		switch {
		case p.Finished() || p.Terminating || p.Static || len(p.problems) > 0:
			r.leftOut++
		case p.Node == "":
			r.waits++
			if w := plan.Placement(p.Tolerations); w.Kind() != impact.Same {
				r.waiting = append(r.waiting, waiting{p, w})
			}
		default:
			r.running++
			at, ok := index[p.Node]
			if !ok {
				continue
			}
			e := plan.Eviction(impact.Pod{Node: at}, p.Tolerations)
			switch {
			case e.Kind != eviction.Unchanged:
				r.evictions = append(r.evictions, evicted{p, e, at, plan.Placement(p.Tolerations).After()})
			case e.After.Kind() == eviction.Now:
				r.dueAnyway++
			}
		}
	}
	slices.SortStableFunc(r.evictions, func(a, b evicted) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), a.at().Compare(b.at()))
	})
	return r
}

// rank puts those that go now before those that go later, and these before
// those that may stay.
func (e evicted) rank() int {
	switch e.After.Kind() {
	case eviction.Now:
		return 0
	case eviction.At:
		return 1
	}
	return 2
}

// at is when the pod is evicted, if not at once.
func (e evicted) at() time.Time {
	if e.rank() != 1 {
		return time.Time{}
	}
	at, _ := e.After.Deadline()
	return at
}

// decider returns the taint that decides when the pod is evicted, with the edits
// or, when it may stay then, without them, and the toleration that does.
func (r *report) decider(e evicted) (t taint.Taint, u toleration.Toleration) {
	n := r.nodes[e.node]
	d, side := e.After, n.after
	if d.Kind() == eviction.Never {
		d, side = e.Before, n.before
	}
	if i, ok := d.Taint(); ok {
		t = side.Taints[i]
	}
	if at, ok := d.Toleration(); ok {
		u = e.Tolerations[at.Index]
	}
	return t, u
}

// keptOut returns the taint that keeps the pod out of the node that it has
// lost first, or, when it has lost none, out of the one that it gains first;
// the zero Taint when neither is the case.
func (r *report) keptOut(w waiting) taint.Taint {
	switch {
	case w.Lost > 0:
		return obstacle(r.nodes[w.FirstLost].after, w.Tolerations)
	case w.Gained > 0:
		return obstacle(r.nodes[w.FirstGained].before, w.Tolerations)
	}
	return taint.Taint{}
}

func obstacle(n match.Node, tolerations toleration.List) taint.Taint {
	i, ok := n.Filter(tolerations).First(taint.NoSchedule, taint.NoExecute)
	if !ok || i < 0 { // a cordon is there before and after, so it decides nothing
		return taint.Taint{}
	}
	return n.Taints[i]
}
