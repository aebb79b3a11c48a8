package fleet

import (
	"fmt"
	"iter"
)

// A Delta is a change of the nodes with some taints between two snapshots. If After is 0,
// Group is one of the older. If After equals Before, as many nodes joined as left.
type Delta[ID comparable] struct {
	Group         Group[ID]
	Before, After int // numbers of nodes
}

func (d Delta[ID]) String() string {
	how := fmt.Sprintf("was %d", d.Before)
	if d.Before == d.After {
		how = "as many joined as left"
	}
	return fmt.Sprintf("%s, %s: %s", nodeCount(d.After), how, d.Group.taintText())
}

// Changes returns an iterator over the groups of schedulable nodes whose number or version
// has changed since an old snapshot. Its time is in proportion to the pages of groups that
// differ. The zero Answer yields none.
func (a *Answer[ID]) Changes(old *Snapshot[ID]) iter.Seq[Delta[ID]] {
	return func(yield func(Delta[ID]) bool) {
		a.with(func(r *result[ID]) { r.eachDelta(old, yield) })
	}
}

// Current reports whether Changes yields nothing for a newer snapshot. A node that left
// and returned is a change. Other counts and reasons can differ. The zero Answer is never
// current.
func (a *Answer[ID]) Current(s *Snapshot[ID]) bool {
	for range a.Changes(s) {
		return false
	}
	return a.result != nil
}

func (r *result[ID]) eachDelta(old *Snapshot[ID], yield func(Delta[ID]) bool) {
	var none nodes[ID] // of a nil snapshot
	now, then := &r.snapshot.nodes, &none
	if old != nil {
		then = &old.nodes
	}
	report := func(g Group[ID], before, after int) bool {
		return !r.pod.result(g.elems()).Schedulable() || yield(Delta[ID]{g, before, after})
	}
	for id := range now.members.differing(&then.members) {
		g, was := Group[ID]{r.snapshot, id}, Group[ID]{old, id}
		after, before := now.size(id), then.size(id)
		var more bool
		if after > 0 && before > 0 && g.Number() == was.Number() {
			more = g.Version() == was.Version() || report(g, before, after)
		} else { // the same taints can have another number in the other snapshot
			more = (after == 0 || report(g, then.sizeOf(g.elems()), after)) &&
				(before == 0 || now.sizeOf(was.elems()) > 0 || report(was, before, 0))
		}
		if !more {
			return
		}
	}
}
