package impact

import (
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
)

// A Node is a node whose taints, or whose cordon, are about to change. One
// with equal sides is a node that does not change: it counts among those on
// which a pod may be scheduled.
type Node struct {
	Before, After match.Node
	// Observed tells when the taints of Before were seen first. Those that it
	// leaves out are seen when the change is made; others count for nothing.
	Observed []eviction.Observed
}

// Options say when and by which policy pods are judged. The zero value takes
// what package eviction takes, at the zero time.
type Options struct {
	// Now is when the change is made.
	Now time.Time
	// Policy says which toleration decides for how long a taint is tolerated,
	// and from when the seconds run.
	Policy eviction.Policy
}

// A Plan is a change of some nodes, to be asked what it does to pods. The zero
// Plan has no nodes, and touches nobody.
//
// A Plan holds on to the nodes' lists, which must not be changed as long as it
// is used. It must not be copied. It is safe for concurrent use, but for
// [Plan.Reset].
type Plan struct {
	opts  Options
	nodes []observed
	room  []eviction.Observed // where those of nodes lie
	kinds []kind
	known map[look]int // by their look, the kinds
}

// observed is a node as running pods see it.
type observed struct{ before, after []eviction.Observed }

// A kind is a number of nodes that a waiting pod cannot tell apart. A pool has
// few, so it is asked about these.
type kind struct {
	before, after match.Node
	first, count  int // the first of the nodes, and how many they are
}

// look is what nodes of one kind have in common. Others may have it too.
type look struct {
	before, after     uint64
	cordoned, cordons bool
}

// New returns the Plan that changes the nodes.
//
// It is O(n) in the number of taints of all nodes, as long as a node has at
// most some tens. It allocates what the Plan holds: for each taint on either
// side some 48 bytes, and some more for each node.
func New(opts Options, nodes ...Node) *Plan {
	p := new(Plan)
	p.Reset(opts, nodes...)
	return p
}

// Reset makes p the Plan that [New] returns, in the memory that it has: it
// does not allocate when the Plan has been as large before, for nodes of at
// most 32 taints.
func (p *Plan) Reset(opts Options, nodes ...Node) {
	p.opts = opts
	clear(p.nodes)
	clear(p.room)
	clear(p.kinds)
	clear(p.known)
	p.nodes, p.room, p.kinds = p.nodes[:0], p.room[:0], p.kinds[:0]
	size := 0
	for _, n := range nodes {
		size += len(n.Before.Taints) + len(n.After.Taints)
	}
	if cap(p.room) < size {
		p.room = make([]eviction.Observed, 0, size)
	}
	if p.known == nil {
		p.known = make(map[look]int)
	}
	for i, n := range nodes {
		var o observed
		o.before = p.observe(n.Observed, n.Before.Taints)
		o.after = p.observe(o.before, n.After.Taints)
		p.nodes = append(p.nodes, o)
		p.count(i, n)
	}
}

// observe is [eviction.Observe] in the Plan's memory, which has room.
func (p *Plan) observe(before []eviction.Observed, taints []taint.Taint) []eviction.Observed {
	start := len(p.room)
	p.room = eviction.AppendObserved(p.room, before, taints, p.opts.Now)
	return p.room[start:len(p.room):len(p.room)]
}

// count adds the node to those of its kind.
func (p *Plan) count(i int, n Node) {
	l := look{taint.HashSet(n.Before.Taints), taint.HashSet(n.After.Taints), n.Before.Unschedulable, n.After.Unschedulable}
	if at, ok := p.known[l]; ok {
		k := &p.kinds[at]
		if taint.EqualSets(k.before.Taints, n.Before.Taints) && taint.EqualSets(k.after.Taints, n.After.Taints) {
			k.count++
			return
		}
	}
	p.known[l] = len(p.kinds)
	p.kinds = append(p.kinds, kind{n.Before, n.After, i, 1})
}

// Len returns the number of nodes.
func (p *Plan) Len() int { return len(p.nodes) }
