package impact

import (
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/update"
	"github.com/go-tolerate/tolerate/toleration"
)

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
// tolerations (several lists match as one), on the node with this index in the
// arguments of [New]; without such a node, nothing. It does not allocate, and is
// O(t·n) for n tolerations and the t taints of the node.
func (a *Analysis) Eviction(node int, opts eviction.Options, tolerations ...toleration.List) Eviction {
	if node < 0 || node >= len(a.nodes) {
		return Eviction{}
	}
	n := &a.nodes[node]
	e := Eviction{Before: eviction.Decide(n.before, a.now, opts, tolerations...)}
	from, _ := e.Before.Deadline()
	if !opts.PerTaint { // the change does not move a deadline
		_, u := eviction.Reevaluate(eviction.State{Deadline: from}, n.taints, a.now, opts.Choice, tolerations...)
		e.After = u.Decision
	} else {
		e.After = eviction.Decide(n.after, a.now, opts, tolerations...)
	}
	to, _ := e.After.Deadline()
	e.Kind = update.Kind(e.Before.Kind(), e.After.Kind(), from, to)
	return e
}
