package impact

import (
	"hash/maphash"
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

// Options specify when the change is made and how deadlines are computed.
type Options struct {
	Now    time.Time
	Choice toleration.Choice // as in [eviction.Options]
	Start  eviction.Start    // as in [eviction.Options]
}

// An Analysis evaluates a change of nodes. [New] makes one. The zero Analysis has no
// nodes. It refers to the nodes' taints, which must not be modified. It is safe for
// concurrent use.
type Analysis struct {
	opts  Options
	nodes []observed
	kinds []kind
	memo  *memo // nil if there is one kind or none
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

// New returns the Analysis of a change of these nodes. It is O(n log n) for n taints on
// both sides of all nodes. The Analysis takes about 48 bytes for each taint and up to
// 200 for each node, and 4 kB if nodes differ; New also needs the texts of the taints. It panics if a constant in opts is unknown.
func New(opts Options, nodes ...NodeChange) *Analysis {
	eviction.Decide(nil, opts.Now, eviction.Options{Choice: opts.Choice, Start: opts.Start}) // panics
	a := &Analysis{opts: opts, nodes: make([]observed, len(nodes))}
	known := make(map[string]int) // indices of kinds
	var name []byte
	for i := range nodes {
		n, o := &nodes[i], &a.nodes[i]
		o.before = eviction.Observe(n.Observed, n.Before.Taints, time.Time{})
		o.after, o.taints = eviction.Observe(o.before, n.After.Taints, opts.Now), n.After.Taints
		name = a.count(known, name, i, n)
	}
	if len(a.kinds) > 1 {
		a.memo = &memo{seed: maphash.MakeSeed()}
	}
	return a
}

// count adds a node to its kind. It reuses the memory of name.
func (a *Analysis) count(known map[string]int, name []byte, i int, n *NodeChange) []byte {
	name = appendName(appendName(name[:0], n.Before), n.After)
	if at, ok := known[string(name)]; ok {
		a.kinds[at].count++
		return name
	}
	known[string(name)] = len(a.kinds)
	a.kinds = append(a.kinds, kind{n.Before, n.After, i, 1})
	return name
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
