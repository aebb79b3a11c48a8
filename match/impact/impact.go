package impact

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A NodeChange is a node before and after the change. A [Placement] counts nodes that do
// not change as well.
type NodeChange struct {
	Before, After match.Node
	// Observed is when the taints of Before were first seen; of others, the time added is
	// used, and without one, their seconds have passed.
	Observed []eviction.Observed
}

// An Analysis evaluates a change of nodes. The zero Analysis has no nodes. It refers to
// the nodes' taints, which must not be modified. It is safe for concurrent use.
type Analysis struct {
	now    time.Time
	nodes  []observed
	kinds  []kind
	taints taint.List // canonical, each once
}

// observed is a node as eviction sees it.
type observed struct {
	before, after []eviction.Observed
	taints        taint.List // those of after
}

// A kind is a set of nodes that are equal for a waiting pod. A pool has few
// kinds, and its nodes share taints, so that Placement evaluates kinds, and each
// taint once.
type kind struct {
	before, after []int // indices of taints, sorted
	first, count  int   // the index of the first node, and their number
}

// New returns the Analysis of a change that is made now. It is O(n log n) for n taints.
func New(now time.Time, nodes ...NodeChange) *Analysis {
	a := &Analysis{now: now, nodes: make([]observed, len(nodes))}
	taints := make(map[taint.Taint]int) // indices of taints
	known := make(map[string]int)       // indices of kinds
	var both []int
	var name []byte
	for i := range nodes {
		n, o := &nodes[i], &a.nodes[i]
		o.before = eviction.Observe(n.Observed, n.Before.Taints, time.Time{})
		o.after, o.taints = eviction.Observe(o.before, n.After.Taints, now), n.After.Taints
		both = a.appendIndices(both[:0], taints, n.Before)
		before := len(both)
		both = a.appendIndices(both, taints, n.After)
		name = binary.AppendUvarint(name[:0], uint64(before))
		for _, t := range both {
			name = binary.AppendUvarint(name, uint64(t))
		}
		if at, ok := known[string(name)]; ok {
			a.kinds[at].count++
			continue
		}
		known[string(name)] = len(a.kinds)
		kept := slices.Clone(both)
		a.kinds = append(a.kinds, kind{kept[:before], kept[before:], i, 1})
	}
	return a
}

// appendIndices appends the sorted indices of the taints of a node, which are added if
// they are new.
func (a *Analysis) appendIndices(b []int, known map[taint.Taint]int, n match.Node) []int {
	start := len(b)
	add := func(t taint.Taint) {
		i, ok := known[t]
		if !ok {
			i = len(a.taints)
			known[t], a.taints = i, append(a.taints, t)
		}
		b = append(b, i)
	}
	if n.Unschedulable {
		add(match.CordonTaint())
	}
	for _, t := range n.Taints {
		add(t.Canonical())
	}
	slices.Sort(b[start:])
	return b
}

// An Eviction is what a change does to a running pod.
type Eviction struct {
	// Kind is the difference: not Unchanged if the change evicts the pod now.
	Kind eviction.UpdateKind `json:"kind"`
	// Before and After are the decisions without and with the change.
	Before eviction.Decision `json:"before"`
	After  eviction.Decision `json:"after"`
}

// Eviction returns what the change does to a running pod with these tolerations on the
// node with this index in the arguments of [New]. It does not allocate, and is O(t·n) for
// n tolerations and t taints.
func (a *Analysis) Eviction(node int, opts eviction.Options, tolerations toleration.List) Eviction {
	if node < 0 || node >= len(a.nodes) {
		return Eviction{}
	}
	n := &a.nodes[node]
	e := Eviction{Before: eviction.Decide(n.before, a.now, opts, tolerations)}
	from, _ := e.Before.Deadline()
	if !opts.PerTaint { // the change does not move a deadline
		_, u := eviction.Reevaluate(eviction.State{Deadline: from}, n.taints, a.now, opts.Choice, tolerations)
		e.After = u.Decision
	} else {
		e.After = eviction.Decide(n.after, a.now, opts, tolerations)
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

func (e Eviction) String() string {
	if e.Kind == eviction.Unchanged {
		return "unchanged, " + e.After.String()
	}
	return e.After.String() + ", was " + e.Before.String()
}
