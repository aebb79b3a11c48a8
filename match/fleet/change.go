package fleet

import "iter"

// A Change is a distinct list that the pod can be scheduled to whose number of
// nodes is another than before. Where Before is 0, the pod fits it newly;
// where After is 0, it fits it no longer, and the List is one of the older
// snapshot.
type Change[ID comparable] struct {
	List          List[ID]
	Before, After int // numbers of nodes
}

// Since returns an iterator over what has changed for the pod since an older
// snapshot of the same Index, such as the last that a scheduler's queue looked
// at: whether there is anything new for this pod. A nil or zero snapshot has no
// nodes, so all is new. Newer snapshots and those of another Index may be
// compared with, too.
//
// It does not allocate when it is ranged over at once. It costs what has
// changed, in pages of some hundred lists, and a look at each page.
func (a *Answer[ID]) Since(old *Snapshot[ID]) iter.Seq[Change[ID]] {
	return func(yield func(Change[ID]) bool) { a.eachChange(old, yield) }
}

func (a *Answer[ID]) eachChange(old *Snapshot[ID], yield func(Change[ID]) bool) {
	s := a.snapshot
	if s == nil || s == old {
		return
	}
	if old == nil {
		old = new(Snapshot[ID])
	}
	now, then := &s.nodes.lists, &old.nodes.lists
	pages := max(len(now.tallies.root), len(then.tallies.root))
	for p := range pages {
		if samePage(&now.tallies, &then.tallies, p) {
			continue
		}
		start := uint32(p) << max(now.tallies.shift, then.tallies.shift)
		for id := start; id < start+1<<max(now.tallies.shift, then.tallies.shift); id++ {
			if !a.compare(old, id, yield) {
				return
			}
		}
	}
}

// compare yields how the lists of that number differ.
func (a *Answer[ID]) compare(old *Snapshot[ID], id uint32, yield func(Change[ID]) bool) bool {
	now, then := &a.snapshot.nodes.lists, &old.nodes.lists
	after, before := now.ownCount(id), then.ownCount(id)
	if after > 0 && before > 0 && now.shapes.at(id).serial == then.shapes.at(id).serial && now.seed == then.seed {
		return a.change(List[ID]{a.snapshot, id}, before, after, yield)
	}
	if after > 0 {
		earlier := 0
		if same, ok := then.findSame(now.shapes.at(id)); ok {
			earlier = then.ownCount(same)
		}
		if !a.change(List[ID]{a.snapshot, id}, earlier, after, yield) {
			return false
		}
	}
	if before > 0 {
		if same, ok := now.findSame(then.shapes.at(id)); !ok || now.ownCount(same) == 0 {
			return a.change(List[ID]{old, id}, before, 0, yield)
		}
	}
	return true
}

func (x *lists) ownCount(id uint32) int {
	if id >= x.tallies.len() {
		return 0
	}
	return int(x.tallies.at(id).own)
}

func (a *Answer[ID]) change(l List[ID], before, after int, yield func(Change[ID]) bool) bool {
	if before == after || !a.pod.judge(l.snapshot.nodes.shapes.at(l.id).elems).Schedulable() {
		return true
	}
	return yield(Change[ID]{l, before, after})
}
