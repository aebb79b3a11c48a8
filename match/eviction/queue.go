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
// Queue an id of 8 bytes takes 44 to 66 bytes. Memory is allocated when the
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
	c, ok := q.h.find(id)
	if !ok {
		return time.Time{}, false
	}
	return q.h.at(c).time(), true
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
		for c := range q.h.all {
			if !yield(c.id, q.h.at(c).time()) {
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
// entries is cheap. cells is a hash table with linear probing that holds the ids
// and values.
//
// With a Go map instead of cells, an id takes 83 to 110 instead of 44 to 66 bytes,
// and to fill and to drain takes twice as long: BenchmarkEvictionQueueFill,
// BenchmarkEvictionQueueDrain and BenchmarkEvictionQueueMemory.
type heap[ID comparable, V any] struct {
	entries []entry // its capacity is the room of the heap: see resize
	cells   []cell[ID, V]
	seq     uint64
	seed    maphash.Seed // set when cells are made
}

// An entry has 24 bytes; with an instant as a field it would have 32.
type entry struct {
	sec  int64
	nsec int32
	cell uint32 // its index
	seq  uint64
}

func (e *entry) at() instant { return instant{e.sec, e.nsec} }

type cell[ID comparable, V any] struct {
	value V // not last: there a zero-size field is padded
	id    ID
	hash  uint32
	place uint32 // index in entries + 1; 0 in an empty cell
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

// at returns the deadline of a cell that is not empty.
func (h *heap[ID, V]) at(c *cell[ID, V]) instant { return h.entries[c.place-1].at() }

// all yields the cells that are not empty.
func (h *heap[ID, V]) all(yield func(*cell[ID, V]) bool) {
	for i := range h.cells {
		if c := &h.cells[i]; c.place != 0 && !yield(c) {
			return
		}
	}
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

// find returns the cell of the id. It is valid until the next change.
func (h *heap[ID, V]) find(id ID) (*cell[ID, V], bool) {
	if len(h.cells) == 0 {
		return nil, false
	}
	c := &h.cells[h.search(h.hash(id), id)]
	return c, c.place != 0
}

// search returns the index of the id's cell, or of the empty one to put it in.
func (h *heap[ID, V]) search(hash uint32, id ID) int {
	i := h.home(hash)
	for h.cells[i].place != 0 && (h.cells[i].hash != hash || h.cells[i].id != id) {
		i = h.after(i)
	}
	return i
}

func (h *heap[ID, V]) set(id ID, at instant, value V) (before instant, ok bool) {
	if len(h.cells) == 0 {
		h.resize(minRoom)
	}
	hash := h.hash(id)
	i := h.search(hash, id)
	if c := &h.cells[i]; c.place != 0 {
		c.value = value
		e := &h.entries[c.place-1]
		if before = e.at(); before != at {
			e.sec, e.nsec, e.seq = at.sec, at.nsec, h.count()
			h.fix(int(c.place) - 1)
		}
		return before, true
	}
	n := len(h.entries)
	if n == cap(h.entries) {
		h.resize(n + n/2)
		i = h.search(hash, id)
	}
	h.entries = append(h.entries, entry{sec: at.sec, nsec: at.nsec, seq: h.count()})
	h.put(i, cell[ID, V]{value, id, hash, uint32(n) + 1})
	h.up(n)
	return instant{}, false
}

func (h *heap[ID, V]) count() uint64 {
	h.seq++
	return h.seq
}

// put stores a cell that is not empty at that index.
func (h *heap[ID, V]) put(i int, c cell[ID, V]) {
	h.cells[i] = c
	h.entries[c.place-1].cell = uint32(i)
}

// resize sets the room of the heap to n ids, which is at least the number that it
// holds. A fifth of the cells stays empty, which end each search.
func (h *heap[ID, V]) resize(n int) {
	if h.cells == nil {
		h.seed = maphash.MakeSeed()
	}
	h.entries = append(make([]entry, 0, n), h.entries...)
	old := h.cells
	h.cells = make([]cell[ID, V], n+n/4)
	for _, c := range old {
		if c.place == 0 {
			continue
		}
		i := h.home(c.hash)
		for h.cells[i].place != 0 {
			i = h.after(i)
		}
		h.put(i, c)
	}
}

func (h *heap[ID, V]) remove(id ID) bool {
	c, ok := h.find(id)
	if ok {
		h.removeAt(int(c.place) - 1)
	}
	return ok
}

// removeAt removes the entry with that index and its cell.
func (h *heap[ID, V]) removeAt(i int) {
	gone := h.entries[i].cell
	last := len(h.entries) - 1
	moved := h.entries[last]
	h.entries = h.entries[:last]
	if i < last {
		h.entries[i] = moved
		h.fix(i)
	}
	h.vacate(int(gone))
	if room := cap(h.entries); room > keep && last < room/4 {
		h.resize(room / 2)
	}
}

// vacate empties a cell, and moves cells behind it into the gap so that each is
// still found from its home.
func (h *heap[ID, V]) vacate(gap int) {
	for i := h.after(gap); h.cells[i].place != 0; i = h.after(i) {
		if h.distance(h.home(h.cells[i].hash), i) >= h.distance(gap, i) {
			h.put(gap, h.cells[i])
			gap = i
		}
	}
	h.cells[gap] = cell[ID, V]{}
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
	h.cells[e.cell].place = uint32(i) + 1
}

func (h *heap[ID, V]) next() (id ID, at time.Time, ok bool) {
	if len(h.entries) == 0 {
		return id, at, false
	}
	e := h.entries[0]
	return h.cells[e.cell].id, e.at().time(), true
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
