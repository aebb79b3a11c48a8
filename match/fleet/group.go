package fleet

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
)

// A Group is the nodes of a snapshot with the same set of canonical taints,
// [match.CordonTaint] among them if they are cordoned.
//
// A Group is a small value, comparable with ==, and safe for concurrent use. The
// zero Group has neither taints nor nodes.
type Group[ID comparable] struct {
	snapshot *Snapshot[ID]
	id       uint32
}

// Len returns the number of nodes.
func (g Group[ID]) Len() int {
	if g.snapshot == nil {
		return 0
	}
	return g.snapshot.nodes.size(g.id)
}

// Taints returns an iterator over the taints, each once, in the order of
// [taint.Taint.Compare].
func (g Group[ID]) Taints() iter.Seq[taint.Taint] {
	return func(yield func(taint.Taint) bool) { g.eachTaint(yield) }
}

func (g Group[ID]) eachTaint(yield func(taint.Taint) bool) {
	if g.snapshot == nil {
		return
	}
	for _, e := range g.snapshot.nodes.records.at(g.id).elems {
		if !yield(e.taint) {
			return
		}
	}
}

// Nodes returns an iterator over the nodes.
func (g Group[ID]) Nodes() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		if g.snapshot != nil {
			eachMember(g.snapshot, g.id, yield)
		}
	}
}

// Equal reports whether g == h.
func (g Group[ID]) Equal(h Group[ID]) bool { return g == h }

// String returns the number of nodes and the taints. The text may change.
func (g Group[ID]) String() string {
	return nodeCount(g.Len()) + ": " + g.taintText()
}

func nodeCount(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}

// taintText returns the taints as text, separated by commas.
func (g Group[ID]) taintText() string {
	var texts []string
	for t := range g.Taints() {
		texts = append(texts, cmp.Or(t.String(), "(invalid taint)"))
	}
	return cmp.Or(strings.Join(texts, ","), "no taints")
}

// A Delta is a change of the number of schedulable nodes in a group between two
// snapshots. If After is 0, Group is one of the older snapshot.
type Delta[ID comparable] struct {
	Group         Group[ID]
	Before, After int // numbers of nodes
}

// String returns the numbers of nodes and the taints. The text may change.
func (d Delta[ID]) String() string {
	return fmt.Sprintf("%s, was %d: %s", nodeCount(d.After), d.Before, d.Group.taintText())
}

// Changes returns an iterator over the changes for this pod since an old snapshot:
// whether a waiting pod can be tried again. A nil or zero snapshot is an empty
// fleet. It may also be a newer one, or of another Index.
//
// It costs what has changed, in pages of 256 groups.
func (a *Answer[ID]) Changes(old *Snapshot[ID]) iter.Seq[Delta[ID]] {
	return func(yield func(Delta[ID]) bool) { a.eachDelta(old, yield) }
}

func (a *Answer[ID]) eachDelta(old *Snapshot[ID], yield func(Delta[ID]) bool) {
	r := a.use()
	if r == nil {
		return
	}
	defer r.used.Add(-1)
	if r.snapshot == old {
		return
	}
	var none groups // of a nil snapshot
	now, then := &r.snapshot.nodes.groups, &none
	if old != nil {
		then = &old.nodes.groups
	}
	shift := max(now.tallies.shift, then.tallies.shift)
	for p := range max(len(now.tallies.pages), len(then.tallies.pages)) {
		if samePage(&now.tallies, &then.tallies, p) {
			continue
		}
		start := uint32(p) << shift
		for id := start; id < start+1<<shift; id++ {
			if !r.compare(old, then, id, yield) {
				return
			}
		}
	}
}

// compare yields how the groups with that number differ. then has old's groups.
func (r *result[ID]) compare(old *Snapshot[ID], then *groups, id uint32, yield func(Delta[ID]) bool) bool {
	now := &r.snapshot.nodes.groups
	if after := now.size(id); after > 0 {
		before := 0
		if same, ok := then.findSame(now.records.at(id).elems, id); ok {
			before = then.size(same)
		}
		if !r.yieldDelta(Delta[ID]{Group[ID]{r.snapshot, id}, before, after}, yield) {
			return false
		}
	}
	if before := then.size(id); before > 0 {
		if same, ok := now.findSame(then.records.at(id).elems, id); !ok || now.size(same) == 0 {
			return r.yieldDelta(Delta[ID]{Group[ID]{old, id}, before, 0}, yield)
		}
	}
	return true
}

// yieldDelta yields d if the numbers differ and the pod can be scheduled to the
// group.
func (r *result[ID]) yieldDelta(d Delta[ID], yield func(Delta[ID]) bool) bool {
	if d.Before == d.After || !r.pod.result(d.Group.snapshot.nodes.records.at(d.Group.id).elems).Schedulable() {
		return true
	}
	return yield(d)
}
