package impact

import (
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/update"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Pod is a running pod.
type Pod struct {
	// Node is the index of the pod's node in the arguments of [New]. Without
	// such a node nothing changes for the pod.
	Node int
	// Arrived is when the pod was scheduled to its node, as in
	// [eviction.Options].
	Arrived time.Time
}

// An Eviction is what a change does to a running pod. The zero value is nothing.
// It is comparable with ==, and an object in JSON.
type Eviction struct {
	// Kind is the difference. A pod that must be evicted now because of the
	// change is not Unchanged, and After is Due.
	Kind eviction.UpdateKind `json:"kind"`
	// Before is the decision without the change, and After with it.
	Before eviction.Decision `json:"before"`
	After  eviction.Decision `json:"after"`
}

// Eviction returns what the change does to a running pod with these
// tolerations (several lists match as one). It does not allocate, and is
// O(t·n) for n tolerations and the t taints of its node.
func (a *Analysis) Eviction(pod Pod, tolerations ...toleration.List) Eviction {
	if pod.Node < 0 || pod.Node >= len(a.nodes) {
		return Eviction{}
	}
	n, now := &a.nodes[pod.Node], a.opts.Now
	opts := eviction.Options{Choice: a.opts.Choice, Start: a.opts.Start, Arrived: pod.Arrived}
	e := Eviction{Before: eviction.Decide(n.before, now, opts, tolerations...)}
	from, _ := e.Before.Deadline()
	if opts.Start == eviction.AsKubernetes { // the change does not move a deadline
		_, u := eviction.Reevaluate(eviction.State{Deadline: from}, n.taints, now, opts.Choice, tolerations...)
		e.After = u.Decision
	} else {
		e.After = eviction.Decide(n.after, now, opts, tolerations...)
	}
	to, _ := e.After.Deadline()
	e.Kind = update.Kind(e.Before.Kind(), e.After.Kind(), from, to)
	return e
}
