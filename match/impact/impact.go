package impact

import (
	"slices"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A NodeChange is a node before and after the change. A node that does not change
// still counts in a [Placement].
type NodeChange struct {
	Before, After match.Node
	// Observed is when the taints of Before were first seen. For others of
	// Before, that is their time added; without one, their seconds have passed.
	// New taints of After are first seen when the change is made.
	Observed []eviction.Observed
}

// An Analysis evaluates a change of nodes. [New] makes one. The zero Analysis has no
// nodes. It refers to the nodes' taints, which must not be modified. It is safe for
// concurrent use.
type Analysis struct {
	now   time.Time
	nodes []observed
	kinds []kind
}

// observed is a node as eviction sees it.
type observed struct {
	before, after []eviction.Observed
	taints        taint.List // those of after
}

// A kind is a set of nodes that are equal for a waiting pod. A pool has few
// kinds, so that Placement evaluates kinds and not nodes.
type kind struct {
	before, after match.Node
	first, count  int // the index of the first node, and their number
}

// New returns the Analysis of a change of these nodes that is made now. It is O(n log n)
// for n taints on both sides of all nodes.
func New(now time.Time, nodes ...NodeChange) *Analysis {
	a := &Analysis{now: now, nodes: make([]observed, len(nodes))}
	known := make(map[string]int) // indices of kinds
	var name []byte
	for i := range nodes {
		n, o := &nodes[i], &a.nodes[i]
		o.before = eviction.Observe(n.Observed, n.Before.Taints, time.Time{})
		o.after, o.taints = eviction.Observe(o.before, n.After.Taints, now), n.After.Taints
		name = appendName(appendName(name[:0], n.Before), n.After)
		if at, ok := known[string(name)]; ok {
			a.kinds[at].count++
			continue
		}
		known[string(name)] = len(a.kinds)
		a.kinds = append(a.kinds, kind{n.Before, n.After, i, 1})
	}
	return a
}

// appendName appends what nodes with the same taints, in any order, have in common.
func appendName(b []byte, n match.Node) []byte {
	taints := append(make(taint.List, 0, 16), n.Taints...)
	slices.SortFunc(taints, taint.Taint.Compare)
	for _, t := range taints {
		b, _ = t.AppendText(b)
		b = append(b, ',')
	}
	return append(strconv.AppendBool(b, n.Unschedulable), ';') // no text of a taint has this
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
	e.Kind = kindOf(e.Before.Kind(), e.After.Kind(), to.Compare(from))
	return e
}

// kindOf returns the kind of the change between two decisions. order is that of the
// deadlines: less than 0 if the second is earlier.
func kindOf(was, is eviction.DecisionKind, order int) eviction.UpdateKind {
	switch {
	case was == is && is != eviction.At:
		return eviction.Unchanged
	case is == eviction.Never:
		return eviction.Cancelled
	case was == eviction.Never:
		return eviction.Scheduled
	case order < 0: // the deadline of a due pod is not after now
		return eviction.Earlier
	case order > 0:
		return eviction.Later
	}
	return eviction.Unchanged
}

// String returns text for people, which may change.
func (e Eviction) String() string {
	if e.Kind == eviction.Unchanged {
		return "unchanged, " + e.After.String()
	}
	return e.After.String() + ", was " + e.Before.String()
}
