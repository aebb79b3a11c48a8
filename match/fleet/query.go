package fleet

// Snapshot.Query searches the groups whose taints are all tolerated (search.go) and adds
// up their numbers; each method of Answer is a question about them. A new number is a
// field of tally, which groups.count keeps, and of Counts. A new method ranges over
// result.eachSchedulable or result.each; it yields inside a.with(...), so that a query
// inside the loop does not change what it yields.

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An Answer is the result of a query. The zero Answer is that of an empty fleet. An Answer
// must not be copied.
//
// A query reuses the memory of an Answer, so keep one for each goroutine. The methods may
// be called concurrently, but not during a query. Only TopReasons allocates. A query inside
// a range over an iterator does not change what that yields.
//
// An Answer and a [Group] hold the memory of their snapshot.
type Answer[ID comparable] struct {
	_      [0]func() // not comparable
	_      nocopy.NoCopy
	result *result[ID]
}

// A result is what a query found. It does not change while an iterator uses it:
// the next query then makes another.
type result[ID comparable] struct {
	snapshot *Snapshot[ID]
	pod      pod
	found    search
	used     atomic.Int32 // iterators that use it
}

// Query sets a to the answer for a pod with these tolerations. It does not allocate once
// a has had an answer of that size.
func (s *Snapshot[ID]) Query(a *Answer[ID], tolerations toleration.List) {
	r := a.result
	if r == nil || r.used.Load() > 0 {
		r = new(result[ID])
		a.result = r
	}
	r.snapshot = s
	r.pod.reset(tolerations)
	r.found.run(&s.nodes.groups, &r.pod)
}

// with runs f on the result of the last query, if there was one, and keeps the next query
// from changing that result meanwhile.
func (a *Answer[ID]) with(f func(*result[ID])) {
	if r := a.result; r != nil {
		r.used.Add(1)
		defer r.used.Add(-1)
		f(r)
	}
}

// Counts are numbers of nodes.
type Counts struct {
	Schedulable int `json:"schedulable"` // without an untolerated NoSchedule or NoExecute taint
	Preferred   int `json:"preferred"`   // without an untolerated taint
	Evicted     int `json:"evicted"`     // with an untolerated NoExecute taint
	Of          int `json:"of"`          // all
}

func (c Counts) String() string {
	return fmt.Sprintf("%d of %s schedulable, %d preferred, %d evicted", c.Schedulable, nodeCount(c.Of), c.Preferred, c.Evicted)
}

func (a *Answer[ID]) Counts() Counts {
	if a.result == nil {
		return Counts{}
	}
	return a.result.found.counts
}

// Nodes returns an iterator over the schedulable nodes, in the same order for the same
// snapshot and tolerations.
func (a *Answer[ID]) Nodes() iter.Seq[ID] { return each(a.NodeSlices()) }

// NodeSlices is like Nodes, and several times faster. It yields slices of the index, which
// must not be modified.
func (a *Answer[ID]) NodeSlices() iter.Seq[[]ID] {
	return func(yield func([]ID) bool) {
		a.with(func(r *result[ID]) {
			r.eachSchedulable(func(id uint32) bool { return r.snapshot.eachSlice(id, yield) })
		})
	}
}

// eachSlice yields the nodes of a group that has some, and returns false if yield did.
// The members have no entry for a group that never had nodes, such as a blocking part.
func (s *Snapshot[ID]) eachSlice(group uint32, yield func([]ID) bool) bool {
	for _, page := range s.nodes.members.at(group).ids.pages {
		if len(page.elems) > 0 && !yield(slices.Clip(page.elems)) {
			return false
		}
	}
	return true
}

func each[ID comparable](slices iter.Seq[[]ID]) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for ids := range slices {
			for _, id := range ids {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// Groups returns an iterator over the groups of the schedulable nodes. The indices of the
// results are those of [Group.Taint].
func (a *Answer[ID]) Groups() iter.Seq2[Group[ID], match.Result] {
	return func(yield func(Group[ID], match.Result) bool) {
		a.with(func(r *result[ID]) {
			r.eachSchedulable(func(id uint32) bool { return yield(r.group(id)) })
		})
	}
}

// AllGroups is like Groups, for all nodes.
func (a *Answer[ID]) AllGroups() iter.Seq2[Group[ID], match.Result] {
	return func(yield func(Group[ID], match.Result) bool) {
		a.with(func(r *result[ID]) {
			r.each(true, func(id uint32) bool { return yield(r.group(id)) })
		})
	}
}

func (r *result[ID]) group(id uint32) (Group[ID], match.Result) {
	return Group[ID]{r.snapshot, id}, r.pod.result(&r.snapshot.nodes.groups, id)
}

// each yields the groups with nodes; those with the zero Taint only if
// unreadable is true.
func (r *result[ID]) each(unreadable bool, yield func(id uint32) bool) {
	x := &r.snapshot.nodes
	for id := range x.tallies.n {
		if x.size(id) > 0 && (unreadable || x.readable(id)) && !yield(id) {
			return
		}
	}
}

// eachSchedulable yields the groups with nodes whose blocking part is tolerated.
func (r *result[ID]) eachSchedulable(yield func(id uint32) bool) {
	if r.pod.effects == allEffects {
		r.each(false, yield)
		return
	}
	x := &r.snapshot.nodes
	for _, part := range r.found.groups {
		if x.records.at(part).blocking != part {
			continue // it is in the list of its blocking part, which is also found
		}
		for id := part; ; {
			if x.size(id) > 0 && !yield(id) {
				return
			}
			if id = x.records.at(id).nextBlocked; id == untainted {
				break
			}
		}
	}
}

// Node returns the group of a node, and its result; false if there is none.
func (a *Answer[ID]) Node(id ID) (g Group[ID], r match.Result, ok bool) {
	if a.result == nil {
		return g, r, false
	}
	p, ok := a.result.snapshot.nodes.byID.get(id)
	if ok {
		g, r = a.result.group(p.group)
	}
	return g, r, ok
}

// TopReasons returns up to n reasons why the pod cannot be scheduled to the other nodes:
// the untolerated NoSchedule and NoExecute taints of the most nodes. They are sorted by
// [match.Reason.Compare].
func (a *Answer[ID]) TopReasons(n int) []match.Reason {
	r := a.result
	if r == nil || n <= 0 {
		return nil
	}
	x := &r.snapshot.nodes
	var reasons []match.Reason
	least := 1 // number of nodes
	for id := range x.taints.n {
		t, nodes := x.taints.at(id).taint, int(*x.withTaint.at(id))
		if nodes < least || t.Effect() == taint.PreferNoSchedule || r.pod.tolerates(t) {
			continue
		}
		reasons = append(reasons, match.Reason{Taint: t, Nodes: nodes, Of: x.total})
		if len(reasons)/2 >= n { // the rest cannot be among the first
			slices.SortFunc(reasons, match.Reason.Compare)
			reasons = reasons[:n]
			least = reasons[n-1].Nodes
		}
	}
	slices.SortFunc(reasons, match.Reason.Compare)
	return slices.Clip(reasons[:min(n, len(reasons))])
}

// A Group is the nodes of a snapshot with the same set of canonical taints, including
// [match.CordonTaint]. It is comparable with ==; groups of two snapshots are compared by
// Number and Version. The zero Group is empty.
type Group[ID comparable] struct {
	snapshot *Snapshot[ID]
	id       uint32
}

func (g Group[ID]) Len() int {
	if g.snapshot == nil {
		return 0
	}
	return g.snapshot.nodes.size(g.id)
}

// Number returns the number of the group, unique in the process. The group keeps it in all
// snapshots and forks, until its last node leaves.
func (g Group[ID]) Number() uint64 { return g.members().number }

// Version returns a number that changes whenever a node joins or leaves the group. Groups
// with the same number and version have the same nodes.
func (g Group[ID]) Version() uint64 { return g.members().version }

func (g Group[ID]) members() (m members[ID]) {
	if g.snapshot != nil {
		m = *g.snapshot.nodes.members.at(g.id)
	}
	return m
}

// Taints returns an iterator over the taints: the cordon's first, then the others, sorted.
func (g Group[ID]) Taints() iter.Seq[taint.Taint] {
	return func(yield func(taint.Taint) bool) {
		if g.snapshot == nil {
			return
		}
		x := &g.snapshot.nodes
		for i := range x.records.at(g.id).taints {
			if !yield(x.taint(g.id, i)) {
				return
			}
		}
	}
}

// Taint returns a taint by its index, such as that of [match.Result.First]. It panics if
// there is none.
func (g Group[ID]) Taint(i int) taint.Taint { return g.snapshot.nodes.taint(g.id, i) }

func (g Group[ID]) Nodes() iter.Seq[ID] { return each(g.NodeSlices()) }

// NodeSlices is like [Answer.NodeSlices].
func (g Group[ID]) NodeSlices() iter.Seq[[]ID] {
	return func(yield func([]ID) bool) {
		if g.snapshot != nil {
			g.snapshot.eachSlice(g.id, yield)
		}
	}
}

func (g Group[ID]) Equal(h Group[ID]) bool { return g == h }

func (g Group[ID]) String() string {
	taints := taint.List(slices.Collect(g.Taints())).String()
	return nodeCount(g.Len()) + ": " + cmp.Or(taints, "no taints")
}

func nodeCount(n int) string {
	if n == 1 {
		return "1 node"
	}
	return strconv.Itoa(n) + " nodes"
}
