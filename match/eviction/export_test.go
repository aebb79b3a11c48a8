package eviction

import (
	"fmt"
	"time"
	"unsafe"
)

// Invariants returns an error that describes what is wrong inside the queue, if anything is.
func (q *Queue[ID]) Invariants() error { return q.h.invariants() }

// Invariants returns an error that describes what is wrong inside the schedule, if anything is.
func (s *Schedule[ID]) Invariants() error { return s.h.invariants() }

// Cap returns how many ids the queue has room for.
func (q *Queue[ID]) Cap() int { return cap(q.h.entries) }

// Pop removes the first id, whether it is due or not.
func (q *Queue[ID]) Pop() (id ID, at time.Time, ok bool) {
	if id, at, ok = q.h.next(); ok {
		q.h.removeAt(0)
	}
	return id, at, ok
}

// Bytes returns the size of the memory that the queue holds.
func (q *Queue[ID]) Bytes() uintptr {
	h := &q.h
	return uintptr(cap(h.entries))*unsafe.Sizeof(entry{}) + uintptr(cap(h.cells))*unsafe.Sizeof(cell[ID, struct{}]{})
}

func (h *heap[ID, V]) invariants() error {
	n, room := len(h.entries), cap(h.entries)
	if room > 0 && room >= len(h.cells) {
		return fmt.Errorf("room for %d entries, %d cells", room, len(h.cells))
	}
	if room > keep && n < room/4 {
		return fmt.Errorf("%d entries, room for %d", n, room)
	}
	for i := range h.entries {
		e := &h.entries[i]
		if i > 0 && e.before(&h.entries[(i-1)/ways]) {
			return fmt.Errorf("entry %d is ordered before its parent", i)
		}
		if int(e.cell) >= len(h.cells) || h.cells[e.cell].place != uint32(i)+1 {
			return fmt.Errorf("entry %d and its cell %d do not know each other", i, e.cell)
		}
		if e.seq > h.seq {
			return fmt.Errorf("entry %d is of the future", i)
		}
	}
	found := 0
	var zero ID
	for i, c := range h.cells {
		if c.place == 0 {
			if c.hash != 0 || c.id != zero {
				return fmt.Errorf("cell %d is empty and holds something", i)
			}
			continue
		}
		found++
		for j := h.home(c.hash); j != i; j = h.after(j) {
			if h.cells[j].place == 0 {
				return fmt.Errorf("cell %d is not found, since cell %d is empty", i, j)
			}
		}
	}
	if found != n {
		return fmt.Errorf("%d entries, %d cells are taken", n, found)
	}
	return nil
}
