package eviction

import (
	"hash/maphash"
	"iter"
	"slices"
	"time"
)

// A Queue holds the deadlines of many pods, or of whatever else has an id, in
// the order of deadlines and, among equal ones, of insertion. The zero Queue is
// empty and ready to use. It must not be copied after its first use, and is not
// safe for concurrent use.
//
// Ids are told apart as the keys of a map are: one that is not equal to itself
// (a NaN) is not found again, so that each Set adds it once more, and it leaves
// by Pop and Due alone; and one that cannot be compared panics, and changes
// nothing.
//
// Set, Remove and Pop are O(log n); Next, Deadline and Len are O(1). Nothing
// allocates as long as no more ids are held than were before, or than Grow has
// made room for. An id of 8 bytes takes about 50 bytes in a large Queue that was
// made to measure by Grow or Clip, and up to half as much again in one that grew
// by itself; what is taken out leaves its room to others until Clip.
type Queue[ID comparable] struct {
	h heap[ID, struct{}]
}

// Set gives the id a deadline: a new one, or another than it has. It returns
// the deadline before, and whether there was one.
//
// An id that is new, or whose deadline changes, comes after all others with the
// same deadline. One whose deadline stays keeps its place.
func (q *Queue[ID]) Set(id ID, at time.Time) (before time.Time, ok bool) {
	was, ok := q.h.set(id, instantOf(at), struct{}{})
	if !ok {
		return time.Time{}, false
	}
	return was.time(), true
}

// Remove takes the id out, and reports whether it was there.
func (q *Queue[ID]) Remove(id ID) bool { return q.h.remove(id) }

// Deadline returns the id's deadline; false when it has none.
func (q *Queue[ID]) Deadline(id ID) (time.Time, bool) { return q.h.deadline(id) }

// Next returns the id that comes first, and its deadline, and leaves them
// there; false when the queue is empty.
func (q *Queue[ID]) Next() (id ID, at time.Time, ok bool) { return q.h.next() }

// Pop takes out the id that comes first, due or not; false when the queue is
// empty.
func (q *Queue[ID]) Pop() (id ID, at time.Time, ok bool) { return q.h.pop() }

// Due returns an iterator that takes out, in order, each id whose deadline is
// not after now, and yields it with its deadline. What is not yielded any more,
// after a break, stays in the queue.
//
// The queue may be changed meanwhile: each step takes what comes first then. A
// loop that gives an id a deadline that is not after now meets it again.
func (q *Queue[ID]) Due(now time.Time) iter.Seq2[ID, time.Time] {
	return func(yield func(ID, time.Time) bool) { q.h.due(now, yield) }
}

// All returns an iterator over all ids and their deadlines, in no particular
// order. The queue must not be changed meanwhile.
func (q *Queue[ID]) All() iter.Seq2[ID, time.Time] {
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
func (q *Queue[ID]) Len() int { return len(q.h.entries) }

// Grow makes room for n more ids. A negative n is 0.
func (q *Queue[ID]) Grow(n int) { q.h.grow(n) }

// Clip gives back the memory that is not needed for the ids that are there.
func (q *Queue[ID]) Clip() { q.h.clip() }

// A heap is a queue that keeps a value beside each id: a heap of deadlines,
// four children to a parent, the slots that hold the ids, and an open-addressing
// table with linear probing that finds them. Deadlines, and what compares and
// moves them, have no pointers in them. The table is our own, not a map, since
// a map that sees ids come and go allocates now and then.
type heap[ID comparable, V any] struct {
	entries []entry
	slots   []slot[ID, V] // as many as entries, in no particular order
	cells   []cell
	seq     uint64
	seed    maphash.Seed // made when cells are
}

// An entry is 24 bytes, which an instant inside would make 32.
type entry struct {
	sec  int64
	nsec int32
	slot uint32
	seq  uint64
}

func (e *entry) at() instant { return instant{e.sec, e.nsec} }

type slot[ID comparable, V any] struct {
	value V // not last, where one without a size would take some room
	id    ID
	hash  uint32
	place uint32 // in entries
}

type cell struct {
	hash uint32
	ref  uint32 // slot and one; 0 in an empty cell
}

const ways = 4

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

// find returns the slot of the id.
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

// cellOf returns the cell of a slot that is there, by number: its id need not
// be equal to itself.
func (h *heap[ID, V]) cellOf(s uint32) int {
	i := h.home(h.slots[s].hash)
	for h.cells[i].ref != s+1 {
		i = h.after(i)
	}
	return i
}

func (h *heap[ID, V]) set(id ID, at instant, value V) (before instant, ok bool) {
	if len(h.cells) == 0 {
		h.reserve() // makes the seed
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
	h.reserve()
	n := len(h.entries)
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

// reserve makes room in the table for one more.
func (h *heap[ID, V]) reserve() {
	if n := len(h.entries) + 1; !fits(n, len(h.cells)) {
		h.resize(max(cellsFor(n), len(h.cells)+len(h.cells)/2))
	}
}

// fits reports whether n ids may be in a table of so many cells. One cell at
// least is always empty, which is where a search ends.
func fits(n, cells int) bool { return n <= cells-cells/8-1 }

// cellsFor returns the number of cells for n ids.
func cellsFor(n int) int { return n + n/7 + 2 }

func (h *heap[ID, V]) resize(cells int) {
	if h.cells == nil {
		h.seed = maphash.MakeSeed()
	}
	old := h.cells
	h.cells = make([]cell, cells)
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

// removeAt takes out the entry at that place, with its slot and cell.
func (h *heap[ID, V]) removeAt(i int) {
	gone := h.entries[i].slot
	last := len(h.entries) - 1
	moved := h.entries[last]
	h.entries = h.entries[:last]
	if i < last {
		h.entries[i] = moved
		h.fix(i)
	}
	h.vacate(h.cellOf(gone))
	if gone != uint32(last) { // the last slot takes its place
		h.cells[h.cellOf(uint32(last))].ref = gone + 1
		h.slots[gone] = h.slots[last]
		h.entries[h.slots[gone].place].slot = gone
	}
	h.slots[last] = slot[ID, V]{}
	h.slots = h.slots[:last]
}

// vacate empties a cell, and closes the gap with what could not stand nearer
// to its home.
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

// fix brings the entry at that place to where it belongs.
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

func (h *heap[ID, V]) deadline(id ID) (time.Time, bool) {
	s, ok := h.find(id)
	if !ok {
		return time.Time{}, false
	}
	return h.entries[s.place].at().time(), true
}

func (h *heap[ID, V]) next() (id ID, at time.Time, ok bool) {
	if len(h.entries) == 0 {
		return id, at, false
	}
	e := h.entries[0]
	return h.slots[e.slot].id, e.at().time(), true
}

func (h *heap[ID, V]) pop() (id ID, at time.Time, ok bool) {
	id, at, ok = h.next()
	if ok {
		h.removeAt(0)
	}
	return id, at, ok
}

func (h *heap[ID, V]) due(now time.Time, yield func(ID, time.Time) bool) {
	for present := instantOf(now); len(h.entries) > 0 && !present.before(h.entries[0].at()); {
		id, at, _ := h.pop()
		if !yield(id, at) {
			return
		}
	}
}

func (h *heap[ID, V]) grow(n int) {
	n = max(n, 0)
	h.entries = slices.Grow(h.entries, n)
	h.slots = slices.Grow(h.slots, n)
	if n += len(h.entries); n > 0 && !fits(n, len(h.cells)) {
		h.resize(cellsFor(n))
	}
}

func (h *heap[ID, V]) clip() {
	if len(h.entries) == 0 {
		*h = heap[ID, V]{}
		return
	}
	h.entries = slices.Clone(h.entries)
	h.slots = slices.Clone(h.slots)
	h.resize(cellsFor(len(h.entries)))
}
