package fleet

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// An Answer is the result of a query: which nodes of a snapshot a pod can be
// scheduled to, prefers, and is evicted from. [Snapshot.Query] sets it. The zero
// Answer is that of an empty fleet.
//
// A query reuses the memory of an Answer, so keep one for each goroutine. The
// methods may be called concurrently, but not during a query. Except for
// String and MarshalJSON they do not allocate, nor do iterators that are
// ranged over directly. An Answer must not be copied once it is set: a method
// of a copy panics.
//
// A range over an iterator yields the answer that the Answer had when the range
// began. A query inside the loop does not change that; it takes memory of its own.
//
// An Answer, a [Group] and a [Delta] hold their snapshot. To release it, set the
// Answer to the zero Answer.
type Answer[ID comparable] struct {
	// Memo, if not nil, remembers answers. Any number of Answers may share it.
	Memo *Memo

	_      [0]func()    // not comparable
	guard  nocopy.Guard // checked once result is set
	result *result[ID]
}

// A result is what a query found. It does not change while an iterator uses it:
// the next query then makes another.
type result[ID comparable] struct {
	snapshot *Snapshot[ID]
	pod      pod
	found    found
	used     atomic.Int32 // iterators that use it
}

// get returns the result of the last query, nil if there was none. It does not
// write to a, since any number of goroutines may call it.
func (a *Answer[ID]) get() *result[ID] {
	if a.result != nil {
		a.guard.Check("fleet.Answer")
	}
	return a.result
}

// use is get for iterators, which call release when they end.
func (a *Answer[ID]) use() *result[ID] {
	r := a.get()
	if r != nil {
		r.used.Add(1)
	}
	return r
}

func (r *result[ID]) release() { r.used.Add(-1) }

// Total returns the number of nodes in the snapshot.
func (a *Answer[ID]) Total() int {
	if r := a.get(); r != nil {
		return r.snapshot.Len()
	}
	return 0
}

// Schedulable returns the number of nodes without an untolerated NoSchedule or
// NoExecute taint.
func (a *Answer[ID]) Schedulable() int {
	if r := a.get(); r != nil {
		return r.found.schedulable
	}
	return 0
}

// Preferred returns the number of nodes without an untolerated taint.
func (a *Answer[ID]) Preferred() int {
	if r := a.get(); r != nil {
		return r.found.preferred
	}
	return 0
}

// Evicted returns the number of nodes with an untolerated NoExecute taint.
func (a *Answer[ID]) Evicted() int {
	if r := a.get(); r != nil {
		return r.found.evicted
	}
	return 0
}

// Nodes returns an iterator over the schedulable nodes, group by group, in the
// same order for the same snapshot and tolerations.
func (a *Answer[ID]) Nodes() iter.Seq[ID] {
	return func(yield func(ID) bool) { a.eachNode(yield) }
}

func (a *Answer[ID]) eachNode(yield func(ID) bool) {
	if r := a.use(); r != nil {
		defer r.release()
		r.eachSchedulable(func(id uint32) bool { return eachMember(r.snapshot, id, yield) })
	}
}

func eachMember[ID comparable](s *Snapshot[ID], group uint32, yield func(ID) bool) bool {
	for _, page := range s.nodes.members.at(group).pages {
		for _, id := range page.elems {
			if !yield(id) {
				return false
			}
		}
	}
	return true
}

// Groups returns an iterator over the groups of the schedulable nodes, in the
// order of Nodes.
func (a *Answer[ID]) Groups() iter.Seq2[Group[ID], Counts] {
	return func(yield func(Group[ID], Counts) bool) { a.eachGroup(yield) }
}

func (a *Answer[ID]) eachGroup(yield func(Group[ID], Counts) bool) {
	if r := a.use(); r != nil {
		defer r.release()
		r.eachSchedulable(func(id uint32) bool { return yield(r.group(id)) })
	}
}

// AllGroups returns an iterator over all groups, also those of other nodes. It is
// O(groups in the fleet).
func (a *Answer[ID]) AllGroups() iter.Seq2[Group[ID], Counts] {
	return func(yield func(Group[ID], Counts) bool) { a.eachOfAll(yield) }
}

func (a *Answer[ID]) eachOfAll(yield func(Group[ID], Counts) bool) {
	if r := a.use(); r != nil {
		defer r.release()
		r.snapshot.nodes.each(true, func(id uint32) bool { return yield(r.group(id)) })
	}
}

func (r *result[ID]) group(id uint32) (Group[ID], Counts) {
	return Group[ID]{r.snapshot, id}, r.pod.count(r.snapshot.nodes.records.at(id).elems)
}

// eachSchedulable yields the groups with nodes whose blocking part is tolerated.
func (r *result[ID]) eachSchedulable(yield func(id uint32) bool) {
	x := &r.snapshot.nodes.groups
	if r.pod.all {
		x.each(false, yield)
		return
	}
	for _, part := range r.found.groups {
		if x.tallies.at(part).blocking == 0 {
			continue
		}
		for l := x.records.at(part).users; l != 0; {
			if x.tallies.at(l-1).nodes > 0 && !yield(l-1) {
				return
			}
			l = x.records.at(l - 1).nextUser
		}
	}
}

// Node returns the counts for one node; false if there is none.
func (a *Answer[ID]) Node(id ID) (Counts, bool) {
	r := a.get()
	if r == nil {
		return Counts{}, false
	}
	elems, ok := r.snapshot.nodes.lookup(id)
	return r.pod.count(elems), ok
}

// TopReasons returns why the pod cannot be scheduled to the other nodes: the n
// first, in the order of [match.Reason.Compare], of the untolerated NoSchedule and
// NoExecute taints, each with the number of nodes that have it. A node counts for
// each of its taints.
//
// It is O(distinct taints in the fleet), and allocates the result.
func (a *Answer[ID]) TopReasons(n int) []match.Reason {
	r := a.get()
	if r == nil || n <= 0 {
		return nil
	}
	x := &r.snapshot.nodes.groups
	if r.pod.all && x.unreadable == 0 {
		return nil
	}
	first := firstReasons{most: n}
	for p, page := range x.taints.pages {
		for i := range page.elems {
			t := page.elems[i].taint
			if t.Effect() == taint.PreferNoSchedule {
				continue
			}
			nodes := *x.withTaint.at(uint32(p)<<x.taints.shift | uint32(i))
			reason := match.Reason{Taint: t, Nodes: int(nodes), Of: x.total}
			if nodes > 0 && first.wants(reason) && !r.pod.tolerates(t) {
				first.add(reason)
			}
		}
	}
	slices.SortFunc(first.heap, match.Reason.Compare)
	return first.heap
}

// A firstReasons collects the first reasons in order, in a heap with the last of
// them on top once it is full.
type firstReasons struct {
	heap []match.Reason
	most int
}

// wants reports whether r is among the first so far.
func (f *firstReasons) wants(r match.Reason) bool {
	return len(f.heap) < f.most || r.Nodes >= f.heap[0].Nodes && r.Compare(f.heap[0]) < 0
}

func (f *firstReasons) add(r match.Reason) {
	if len(f.heap) == f.most {
		f.heap[0] = r
		f.down(0)
		return
	}
	if f.heap == nil {
		f.heap = make([]match.Reason, 0, min(f.most, 16))
	}
	f.heap = append(f.heap, r)
	if len(f.heap) == f.most {
		for i := f.most/2 - 1; i >= 0; i-- {
			f.down(i)
		}
	}
}

func (f *firstReasons) down(i int) {
	s := f.heap
	for {
		last := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(s); c++ {
			if s[c].Compare(s[last]) > 0 {
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

// String returns the numbers of nodes. The text may change.
func (a *Answer[ID]) String() string {
	return fmt.Sprintf("%d of %s schedulable, %d preferred, %d evicted", a.Schedulable(), nodeCount(a.Total()), a.Preferred(), a.Evicted())
}

// MarshalJSON returns an object of numbers with the fields total, schedulable,
// preferred and evicted.
func (a *Answer[ID]) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Total       int `json:"total"`
		Schedulable int `json:"schedulable"`
		Preferred   int `json:"preferred"`
		Evicted     int `json:"evicted"`
	}{a.Total(), a.Schedulable(), a.Preferred(), a.Evicted()})
}
