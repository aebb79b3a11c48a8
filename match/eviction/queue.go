package eviction

import (
	"hash/maphash"
	"iter"
	"time"

	"github.com/go-tolerate/tolerate/internal/nocopy"
)

// A Queue holds deadlines by id, ordered by deadline and, if equal, by insertion.
// The zero Queue is ready to use. It must not be copied after first use: methods of
// a copy panic. It is not safe for concurrent use.
//
// Ids are like keys of a map. An id that is not equal to itself (NaN) is never
// found; only Due removes it.
//
// Set and Remove are O(log n); Next, Deadline and Len are O(1). In a large
// Queue an id of 8 bytes takes 50 to 75 bytes. Memory is allocated when the
// Queue holds more ids than before, and given back, above 1,365 ids, when
// three quarters are removed.
type Queue[ID comparable] struct {
	guard nocopy.Guard
	h     heap[ID, struct{}]
}

// Set sets the deadline of an id. It returns the previous one, if any. If the
// deadline is new or changes, the id is ordered after all others with that
// deadline.
func (q *Queue[ID]) Set(id ID, at time.Time) (previous time.Time, ok bool) {
	q.guard.Check("eviction.Queue")
	was, ok := q.h.set(id, instantOf(at), struct{}{})
	if !ok {
		return time.Time{}, false
	}
	return was.time(), true
}

// Remove removes an id and reports whether it was there.
func (q *Queue[ID]) Remove(id ID) bool {
	q.guard.Check("eviction.Queue")
	return q.h.remove(id)
}

// Deadline returns the deadline of an id, and false if it has none.
func (q *Queue[ID]) Deadline(id ID) (time.Time, bool) {
	q.guard.Check("eviction.Queue")
	s, ok := q.h.find(id)
	if !ok {
		return time.Time{}, false
	}
	return q.h.entries[s.place].at().time(), true
}

// Next returns the first id and its deadline, and false if the Queue is empty.
func (q *Queue[ID]) Next() (id ID, at time.Time, ok bool) {
	q.guard.Check("eviction.Queue")
	return q.h.next()
}

// Due returns an iterator that removes and yields, in order, each id whose deadline
// is not after now. The Queue may be changed meanwhile: an id that is set to such a
// deadline is yielded again.
func (q *Queue[ID]) Due(now time.Time) iter.Seq2[ID, time.Time] {
	q.guard.Check("eviction.Queue")
	return func(yield func(ID, time.Time) bool) { q.h.due(now, yield) }
}

// All returns an iterator over all ids and deadlines, in no particular order. The
// Queue must not be changed meanwhile.
func (q *Queue[ID]) All() iter.Seq2[ID, time.Time] {
	q.guard.Check("eviction.Queue")
	return func(yield func(ID, time.Time) bool) {
		for i := range q.h.slots {
			s := &q.h.slots[i]
			if !yield(s.id, q.h.entries[s.place].at().time()) {
				return
			}
		}
	}
}

// Len returns the number of ids.
func (q *Queue[ID]) Len() int {
	q.guard.Check("eviction.Queue")
	return len(q.h.entries)
}

// A heap is a priority queue with a value beside each id. entries is a heap with
// four children to a parent; it holds no pointers, so that comparing and moving
// entries is cheap. slots holds the ids and values. cells is a hash table with
// linear probing that finds the slot of an id.
//
// A Go map instead of cells takes 78 instead of 49 bytes an id, and twice as
// long to fill and drain: BenchmarkEvictionQueueFill, BenchmarkEvictionQueueDrain
// and BenchmarkEvictionQueueMemory.
type heap[ID comparable, V any] struct {
	entries []entry       // its capacity is the room of the heap: see resize
	slots   []slot[ID, V] // as many as entries, in no particular order
	cells   []cell
	seq     uint64
	seed    maphash.Seed // set when cells are made
}

// An entry has 24 bytes; with an instant as a field it would have 32.
type entry struct {
	sec  int64
	nsec int32
	slot uint32
	seq  uint64
}

func (e *entry) at() instant { return instant{e.sec, e.nsec} }

type slot[ID comparable, V any] struct {
	value V // not last: there a zero-size field is padded
	id    ID
	hash  uint32
	place uint32 // index in entries
}

type cell struct {
	hash uint32
	ref  uint32 // index of the slot + 1; 0 in an empty cell
}

const (
	ways    = 4    // children of an entry
	minRoom = 8    // of a heap that is not empty
	keep    = 2048 // room that is not given back
)

func (e *entry) before(f *entry) bool {
	if e.sec != f.sec {
		return e.sec < f.sec
	}
	if e.nsec != f.nsec {
		return e.nsec < f.nsec
	}
	return e.seq < f.seq
}

func (h *heap[ID, V]) hash(id ID) uint32 { return uint32(maphash.Comparable(h.seed, id) >> 32) }

func (h *heap[ID, V]) home(hash uint32) int {
	return int(uint64(hash) * uint64(len(h.cells)) >> 32)
}

func (h *heap[ID, V]) after(i int) int {
	if i++; i < len(h.cells) {
		return i
	}
	return 0
}

// find returns the slot of the id. The slot is valid until the next change.
func (h *heap[ID, V]) find(id ID) (*slot[ID, V], bool) {
	if len(h.cells) == 0 {
		return nil, false
	}
	s, ok := h.findHashed(h.hash(id), id)
	return s, ok
}

func (h *heap[ID, V]) findHashed(hash uint32, id ID) (*slot[ID, V], bool) {
	for i := h.home(hash); h.cells[i].ref != 0; i = h.after(i) {
		if c := h.cells[i]; c.hash == hash {
			if s := &h.slots[c.ref-1]; s.id == id {
				return s, true
			}
		}
	}
	return nil, false
}

// cellOf returns the cell of a slot. It compares no ids, since an id may be
// different from itself.
func (h *heap[ID, V]) cellOf(s uint32) int {
	i := h.home(h.slots[s].hash)
	for h.cells[i].ref != s+1 {
		i = h.after(i)
	}
	return i
}

func (h *heap[ID, V]) set(id ID, at instant, value V) (before instant, ok bool) {
	if len(h.cells) == 0 {
		h.resize(minRoom)
	}
	hash := h.hash(id)
	if s, ok := h.findHashed(hash, id); ok {
		s.value = value
		e := &h.entries[s.place]
		if before = e.at(); before != at {
			e.sec, e.nsec, e.seq = at.sec, at.nsec, h.count()
			h.fix(int(s.place))
		}
		return before, true
	}
	n := len(h.entries)
	if n == cap(h.entries) {
		h.resize(n + n/2)
	}
	h.put(cell{hash, uint32(n) + 1})
	h.slots = append(h.slots, slot[ID, V]{id: id, hash: hash, value: value})
	h.entries = append(h.entries, entry{at.sec, at.nsec, uint32(n), h.count()})
	h.up(n)
	return instant{}, false
}

func (h *heap[ID, V]) count() uint64 {
	h.seq++
	return h.seq
}

// resize sets the room of the heap to n ids, which is at least the number that it
// holds. At least one cell stays empty, which ends each search.
func (h *heap[ID, V]) resize(n int) {
	if h.cells == nil {
		h.seed = maphash.MakeSeed()
	}
	h.entries = append(make([]entry, 0, n), h.entries...)
	h.slots = append(make([]slot[ID, V], 0, n), h.slots...)
	old := h.cells
	h.cells = make([]cell, n+n/7+2)
	for _, c := range old {
		if c.ref != 0 {
			h.put(c)
		}
	}
}

func (h *heap[ID, V]) put(c cell) {
	i := h.home(c.hash)
	for h.cells[i].ref != 0 {
		i = h.after(i)
	}
	h.cells[i] = c
}

func (h *heap[ID, V]) remove(id ID) bool {
	s, ok := h.find(id)
	if ok {
		h.removeAt(int(s.place))
	}
	return ok
}

// removeAt removes the entry with that index, its slot and its cell.
func (h *heap[ID, V]) removeAt(i int) {
	free := h.entries[i].slot
	last := len(h.entries) - 1
	moved := h.entries[last]
	h.entries = h.entries[:last]
	if i < last {
		h.entries[i] = moved
		h.fix(i)
	}
	h.vacate(h.cellOf(free))
	if free != uint32(last) { // move the last slot there
		h.cells[h.cellOf(uint32(last))].ref = free + 1
		h.slots[free] = h.slots[last]
		h.entries[h.slots[free].place].slot = free
	}
	h.slots[last] = slot[ID, V]{}
	h.slots = h.slots[:last]
	if room := cap(h.entries); room > keep && last < room/4 {
		h.resize(room / 2)
	}
}

// vacate empties a cell, and moves cells behind it into the gap so that each is
// still found from its home.
func (h *heap[ID, V]) vacate(gap int) {
	for i := h.after(gap); h.cells[i].ref != 0; i = h.after(i) {
		if h.distance(h.home(h.cells[i].hash), i) >= h.distance(gap, i) {
			h.cells[gap] = h.cells[i]
			gap = i
		}
	}
	h.cells[gap] = cell{}
}

func (h *heap[ID, V]) distance(from, to int) int {
	if to -= from; to < 0 {
		to += len(h.cells)
	}
	return to
}

// fix moves the entry with that index to its place in the order.
func (h *heap[ID, V]) fix(i int) {
	if h.up(i) == i {
		h.down(i)
	}
}

func (h *heap[ID, V]) up(i int) int {
	e := h.entries[i]
	for i > 0 {
		parent := (i - 1) / ways
		if !e.before(&h.entries[parent]) {
			break
		}
		h.place(i, h.entries[parent])
		i = parent
	}
	h.place(i, e)
	return i
}

func (h *heap[ID, V]) down(i int) {
	e := h.entries[i]
	for {
		first := i*ways + 1
		if first >= len(h.entries) {
			break
		}
		least := first
		for child := first + 1; child < min(first+ways, len(h.entries)); child++ {
			if h.entries[child].before(&h.entries[least]) {
				least = child
			}
		}
		if !h.entries[least].before(&e) {
			break
		}
		h.place(i, h.entries[least])
		i = least
	}
	h.place(i, e)
}

func (h *heap[ID, V]) place(i int, e entry) {
	h.entries[i] = e
	h.slots[e.slot].place = uint32(i)
}

func (h *heap[ID, V]) next() (id ID, at time.Time, ok bool) {
	if len(h.entries) == 0 {
		return id, at, false
	}
	e := h.entries[0]
	return h.slots[e.slot].id, e.at().time(), true
}

func (h *heap[ID, V]) due(now time.Time, yield func(ID, time.Time) bool) {
	for present := instantOf(now); len(h.entries) > 0 && !present.before(h.entries[0].at()); {
		id, at, _ := h.next()
		h.removeAt(0)
		if !yield(id, at) {
			return
		}
	}
}
