package fleet

import (
	"cmp"
	"iter"
	"slices"

	"github.com/go-tolerate/tolerate/taint"
)

// An Answer is what a fleet's taints do to one pod. The zero Answer is that of
// an empty fleet. [Snapshot.Query] fills it in; its memory is used again when
// it is filled in again, so keep one for each goroutine.
//
// An Answer's methods do not allocate unless they say so, and may be called
// concurrently while it is not filled in; it must not be filled in while one of
// its iterators runs. It must not be copied.
//
// An Answer holds its snapshot, and so does a [List] or a [Change]. To let go
// of it, set the Answer to the zero Answer.
type Answer[ID comparable] struct {
	snapshot *Snapshot[ID]
	pod      pod
	found    found
}

// Total returns the number of nodes in the fleet. It is O(1).
func (a *Answer[ID]) Total() int {
	if a.snapshot == nil {
		return 0
	}
	return a.snapshot.Len()
}

// Schedulable returns the number of nodes that the pod may be scheduled to. It
// is O(1).
func (a *Answer[ID]) Schedulable() int { return a.found.schedulable }

// Preferred returns the number of nodes that nothing speaks against. It is
// O(1).
func (a *Answer[ID]) Preferred() int { return a.found.preferred }

// Evicted returns the number of nodes that the pod, if it runs there, must
// leave now. It is O(1).
func (a *Answer[ID]) Evicted() int { return a.found.evicted }

// Nodes returns an iterator over the nodes that the pod may be scheduled to,
// list by list and within a list by slot: the same order each time for one
// snapshot and the same tolerations. [Snapshot.QueryMatcher] may give another.
//
// It does not allocate when it is ranged over at once. It costs what it
// yields, and a look at a few hundred lists without nodes at most.
func (a *Answer[ID]) Nodes() iter.Seq[ID] {
	return func(yield func(ID) bool) { a.eachNode(yield) }
}

func (a *Answer[ID]) eachNode(yield func(ID) bool) {
	a.eachFit(func(id uint32) bool { return eachMember(a.snapshot, id, yield) })
}

func eachMember[ID comparable](s *Snapshot[ID], list uint32, yield func(ID) bool) bool {
	return s.nodes.members.at(list).each(func(slot uint32) bool { return yield(*s.nodes.ids.at(slot)) })
}

// Lists returns an iterator over the distinct lists of the nodes that the pod
// may be scheduled to, and what each does to the pod. Its order is that of
// Nodes, and so is its cost.
func (a *Answer[ID]) Lists() iter.Seq2[List[ID], Verdict] {
	return func(yield func(List[ID], Verdict) bool) { a.eachList(yield) }
}

func (a *Answer[ID]) eachList(yield func(List[ID], Verdict) bool) {
	a.eachFit(func(id uint32) bool {
		return yield(List[ID]{a.snapshot, id}, a.pod.judge(a.snapshot.nodes.shapes.at(id).elems))
	})
}

// AllLists is Lists for all nodes of the fleet, those that the pod may not be
// scheduled to among them. It costs as much as there are distinct lists.
func (a *Answer[ID]) AllLists() iter.Seq2[List[ID], Verdict] {
	return func(yield func(List[ID], Verdict) bool) { a.eachOfAll(yield) }
}

func (a *Answer[ID]) eachOfAll(yield func(List[ID], Verdict) bool) {
	if a.snapshot == nil {
		return
	}
	x := &a.snapshot.nodes.lists
	x.each(func(id uint32) bool {
		return yield(List[ID]{a.snapshot, id}, a.pod.judge(x.shapes.at(id).elems))
	})
}

// each yields the lists that some node bears.
func (x *lists) each(yield func(id uint32) bool) {
	for id := range x.tallies.len() {
		if x.tallies.at(id).own > 0 && !yield(id) {
			return
		}
	}
}

// eachFit yields the lists, of those that some node bears, of which all
// NoSchedule and NoExecute taints are tolerated.
func (a *Answer[ID]) eachFit(yield func(id uint32) bool) {
	if a.snapshot == nil {
		return
	}
	x := &a.snapshot.nodes.lists
	if a.pod.all {
		x.each(yield)
		return
	}
	for _, hard := range a.found.lists {
		if x.tallies.at(hard).hard == 0 {
			continue
		}
		for l := x.shapes.at(hard).child; l != 0; {
			if x.tallies.at(l-1).own > 0 && !yield(l-1) {
				return
			}
			l = x.shapes.at(l - 1).sibling
		}
	}
}

// A Verdict is what one list of taints does to a pod: how many are untolerated,
// of each effect. It is what match.Filter says, but for what depends on the
// order of taints. The zero Verdict is that of a node without taints.
type Verdict struct {
	counts [4]int32 // by taint.Effect
}

func (p *pod) judge(elems []elem) (v Verdict) {
	if p.all {
		return v
	}
	for i := range elems {
		if t := elems[i].taint; !p.tolerates(t) {
			v.counts[t.Effect()]++
		}
	}
	return v
}

// Schedulable reports whether the pod may be scheduled to the node.
func (v Verdict) Schedulable() bool {
	return v.counts[taint.NoSchedule]|v.counts[taint.NoExecute] == 0
}

// Preferred reports whether nothing speaks against the node.
func (v Verdict) Preferred() bool { return v == Verdict{} }

// Evicted reports whether the pod, if it runs on the node, must leave it now.
func (v Verdict) Evicted() bool { return v.counts[taint.NoExecute] > 0 }

// Count returns the number of untolerated taints with that effect; of all
// effects for 0. That of PreferNoSchedule is what match.AppendScores takes.
func (v Verdict) Count(e taint.Effect) int {
	switch {
	case e == 0:
		return int(v.counts[taint.NoSchedule] + v.counts[taint.PreferNoSchedule] + v.counts[taint.NoExecute])
	case e.IsValid():
		return int(v.counts[e])
	}
	return 0
}

// Node returns the verdict on one node; false when it is not in the fleet. It
// costs the same in every fleet: O(taints of the node · tolerations).
func (a *Answer[ID]) Node(id ID) (Verdict, bool) {
	if a.snapshot == nil {
		return Verdict{}, false
	}
	slot, ok := a.snapshot.nodes.lookup(id)
	if !ok {
		return Verdict{}, false
	}
	return a.Slot(int(slot))
}

// Slot is Node for the node in that slot.
func (a *Answer[ID]) Slot(slot int) (Verdict, bool) {
	if a.snapshot == nil {
		return Verdict{}, false
	}
	list := a.snapshot.nodes.list(slot)
	if list == 0 {
		return Verdict{}, false
	}
	return a.pod.judge(a.snapshot.nodes.shapes.at(list - 1).elems), true
}

// Bitmap returns the slots of the nodes that the pod may be scheduled to: bit
// slot%64 of word slot/64 is set for each. It has (Slots()+63)/64 words, and
// uses the memory of dst, whose contents are lost; it does not allocate when
// that is enough.
//
// To intersect with it is what a caller does whose own filters keep nodes by
// slot, a word at a time.
func (a *Answer[ID]) Bitmap(dst []uint64) []uint64 {
	if a.snapshot == nil {
		return dst[:0]
	}
	words := (a.snapshot.Slots() + 63) / 64
	dst = slices.Grow(dst[:0], words)[:words]
	clear(dst)
	a.eachFit(func(id uint32) bool {
		a.snapshot.nodes.members.at(id).or(dst)
		return true
	})
	return dst
}

// A Reason is an untolerated taint that keeps the pod away from nodes.
type Reason struct {
	Taint taint.Taint
	Nodes int // that bear it
}

// AppendReasons appends to dst why the pod may not be scheduled to the nodes
// that are not schedulable: each distinct NoSchedule or NoExecute taint that
// is untolerated, with the number of nodes that bear it, the most frequent
// first, at most that many. A node counts for each of its taints, so that the
// numbers may add up to more than the nodes.
//
// It is O(distinct taints in the fleet). It does not allocate when dst has
// room for most more.
func (a *Answer[ID]) AppendReasons(dst []Reason, most int) []Reason {
	if a.snapshot == nil || a.pod.all || most <= 0 {
		return dst
	}
	x := &a.snapshot.nodes.lists
	top := leaders{dst: dst, start: len(dst), most: most}
	for p, page := range x.taints.root {
		for i := range page {
			t := page[i].taint
			if e := t.Effect(); e != taint.NoSchedule && e != taint.NoExecute {
				continue
			}
			r := Reason{t, int(*x.bearing.at(uint32(p)<<x.taints.shift | uint32(i)))}
			if r.Nodes > 0 && top.wants(r) && !a.pod.tolerates(t) {
				top.add(r)
			}
		}
	}
	return top.sorted()
}

func (r Reason) compare(s Reason) int {
	if r.Nodes != s.Nodes { // texts are compared only where they must be
		return cmp.Compare(s.Nodes, r.Nodes)
	}
	return r.Taint.Compare(s.Taint)
}

// A leaders is a heap of the first reasons seen so far, the last of them on
// top.
type leaders struct {
	dst         []Reason
	start, most int
}

func (h *leaders) heap() []Reason { return h.dst[h.start:] }

func (h *leaders) wants(r Reason) bool {
	return len(h.heap()) < h.most || r.compare(h.heap()[0]) < 0
}

func (h *leaders) add(r Reason) {
	if len(h.heap()) < h.most {
		h.dst = append(h.dst, r)
		if len(h.heap()) < h.most {
			return
		}
		for i := h.most/2 - 1; i >= 0; i-- {
			h.down(i)
		}
		return
	}
	h.heap()[0] = r
	h.down(0)
}

func (h *leaders) down(i int) {
	s := h.heap()
	for {
		last := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(s); c++ {
			if s[c].compare(s[last]) > 0 {
				last = c
			}
		}
		if last == i {
			return
		}
		s[i], s[last] = s[last], s[i]
		i = last
	}
}

func (h *leaders) sorted() []Reason {
	slices.SortFunc(h.heap(), Reason.compare)
	return h.dst
}
