package fleet

import (
	"fmt"
	"iter"
)

// A Delta is a change of the number of schedulable nodes in a group between two
// snapshots. If After is 0, Group is one of the older.
type Delta[ID comparable] struct {
	Group         Group[ID]
	Before, After int // numbers of nodes
}

func (d Delta[ID]) String() string {
	return fmt.Sprintf("%s, was %d: %s", nodeCount(d.After), d.Before, d.Group.taintText())
}

// Changes returns an iterator over the changes for this pod since an old snapshot, for
// example to try a waiting pod again. It costs what has changed, in pages of 256 groups.
func (a *Answer[ID]) Changes(old *Snapshot[ID]) iter.Seq[Delta[ID]] {
	return func(yield func(Delta[ID]) bool) {
		a.with(func(r *result[ID]) { r.eachDelta(old, yield) })
	}
}

func (r *result[ID]) eachDelta(old *Snapshot[ID], yield func(Delta[ID]) bool) {
	if r.snapshot == old {
		return
	}
	var none groups // of a nil snapshot
	now, then := &r.snapshot.nodes.groups, &none
	if old != nil {
		then = &old.nodes.groups
	}
	shift := max(now.tallies.shift, then.tallies.shift)
	pages, older := now.tallies.pages, then.tallies.pages
	for p := range max(len(pages), len(older)) {
		if p < min(len(pages), len(older)) && &pages[p].elems[0] == &older[p].elems[0] {
			continue // both share the page, so nothing in it has changed
		}
		start := uint32(p) << shift
		for id := start; id < start+1<<shift; id++ {
			if !r.compare(old, then, id, yield) {
				return
			}
		}
	}
}

// compare yields how the group with that number, of either snapshot, differs from the one
// with the same taints of the other. then has old's groups.
func (r *result[ID]) compare(old *Snapshot[ID], then *groups, id uint32, yield func(Delta[ID]) bool) bool {
	now := &r.snapshot.nodes.groups
	if after := now.size(id); after > 0 {
		before := then.size(then.findSame(now.records.at(id).elems, id))
		if !r.yieldDelta(Delta[ID]{Group[ID]{r.snapshot, id}, before, after}, yield) {
			return false
		}
	}
	if before := then.size(id); before > 0 && now.size(now.findSame(then.records.at(id).elems, id)) == 0 {
		return r.yieldDelta(Delta[ID]{Group[ID]{old, id}, before, 0}, yield)
	}
	return true
}

// yieldDelta yields d if the numbers differ and the pod can be scheduled to the
// group.
func (r *result[ID]) yieldDelta(d Delta[ID], yield func(Delta[ID]) bool) bool {
	if d.Before == d.After || !r.pod.result(d.Group.elems()).Schedulable() {
		return true
	}
	return yield(d)
}
