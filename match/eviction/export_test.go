package eviction

import (
	"fmt"
	"time"
	"unsafe"
)

// Invariants returns what is wrong inside the queue, if anything is.
func (q *Queue[ID]) Invariants() error { return q.h.invariants() }

// Invariants returns what is wrong inside the schedule, if anything is.
func (s *Schedule[ID]) Invariants() error { return s.h.invariants() }

// Cap returns how many ids the queue has room for.
func (q *Queue[ID]) Cap() int { return cap(q.h.entries) }

// Pop removes the first id, due or not.
func (q *Queue[ID]) Pop() (id ID, at time.Time, ok bool) {
	if id, at, ok = q.h.next(); ok {
		q.h.removeAt(0)
	}
	return id, at, ok
}

// Bytes returns the memory that the queue holds.
func (q *Queue[ID]) Bytes() uintptr {
	h := &q.h
	return uintptr(cap(h.entries))*unsafe.Sizeof(entry{}) + uintptr(cap(h.slots))*unsafe.Sizeof(slot[ID, struct{}]{}) +
		uintptr(cap(h.cells))*unsafe.Sizeof(cell{})
}

func (h *heap[ID, V]) invariants() error {
	n := len(h.entries)
	if len(h.slots) != n {
		return fmt.Errorf("%d entries, %d slots", n, len(h.slots))
	}
	if cap(h.slots) != cap(h.entries) || n > 0 && cap(h.entries) >= len(h.cells) {
		return fmt.Errorf("room for %d entries and %d slots, %d cells", cap(h.entries), cap(h.slots), len(h.cells))
	}
	if room := cap(h.entries); room > keep && n < room/4 {
		return fmt.Errorf("%d entries, room for %d", n, room)
	}
	for i := range h.entries {
		e := &h.entries[i]
		if i > 0 && e.before(&h.entries[(i-1)/ways]) {
			return fmt.Errorf("entry %d is ordered before its parent", i)
		}
		if int(e.slot) >= n || h.slots[e.slot].place != uint32(i) {
			return fmt.Errorf("entry %d and its slot %d do not know each other", i, e.slot)
		}
		if e.seq > h.seq {
			return fmt.Errorf("entry %d is of the future", i)
		}
	}
	found := 0
	for i, c := range h.cells {
		if c.ref == 0 {
			continue
		}
		found++
		if int(c.ref) > n || h.slots[c.ref-1].hash != c.hash {
			return fmt.Errorf("cell %d and its slot %d do not know each other", i, c.ref-1)
		}
		if at := h.cellOf(c.ref - 1); at != i {
			return fmt.Errorf("slot %d is found in cell %d and is in %d", c.ref-1, at, i)
		}
	}
	if found != n {
		return fmt.Errorf("%d entries, %d cells are taken", n, found)
	}
	for _, s := range h.slots[n:cap(h.slots)] {
		if s.hash != 0 || s.place != 0 {
			return fmt.Errorf("a slot that is free holds something")
		}
	}
	return nil
}
