package fleet

import "math/bits"

// A table finds records by a hash, as a Go map does, but a snapshot can share
// it: it is an open-addressing table with linear probing, in pages. A cell has
// four bytes. Its lower bits are the number of the record (the ref) plus one, 0
// for an empty cell; its upper bits are a part of the hash, so that few records
// of another hash are looked at. The caller compares the records.
//
// Go maps in parts were measured instead. With 1,000,000 nodes, loading and
// changes took 1.4 times the CPU time, and a node 55 bytes instead of 21.
type table struct {
	cells cow[uint32]
	size  uint32 // the number of cells; not only powers of two
	used  uint32
	bits  uint8 // of a cell, how many are the ref's
}

// A probe is the state of a lookup.
type probe struct {
	cell, tag uint32
	ref       uint32
}

// home returns the cell in which the search for a hash begins.
func (t *table) home(h uint64) uint32 {
	hi, _ := bits.Mul64(h, uint64(t.size))
	return uint32(hi)
}

func (t *table) tag(h uint64) uint32 { return uint32(h) &^ (1<<t.bits - 1) }

func (t *table) probe(h uint64) probe {
	return probe{cell: t.home(h), tag: t.tag(h)}
}

// next sets p.ref to the next candidate, and reports whether there is one.
func (t *table) next(p *probe) bool {
	if t.size == 0 {
		return false
	}
	for {
		c := *t.cells.at(p.cell)
		if c == 0 {
			return false
		}
		if p.cell++; p.cell == t.size {
			p.cell = 0
		}
		if c&^(1<<t.bits-1) == p.tag {
			p.ref = c&(1<<t.bits-1) - 1
			return true
		}
	}
}

// insert adds a ref that is not in the table. At most seven of eight cells are
// in use. hash returns the hash of any ref in the table, for a resize.
func (t *table) insert(h uint64, ref uint32, epoch uint64, hash func(ref uint32) uint64) {
	if uint64(t.used+1)*8 > uint64(t.size)*7 || bits.Len32(ref+1) > int(t.bits) {
		t.resize(max(t.size, 8+t.used+t.used*2/3), max(ref, t.largest()), epoch, hash)
	}
	t.put(h, ref, epoch)
	t.used++
}

func (t *table) put(h uint64, ref uint32, epoch uint64) {
	cell := t.home(h)
	for *t.cells.at(cell) != 0 {
		cell = t.after(cell)
	}
	*t.cells.edit(cell, epoch) = t.tag(h) | (ref + 1)
}

func (t *table) after(cell uint32) uint32 {
	if cell++; cell < t.size {
		return cell
	}
	return 0
}

// trim frees cells that are not needed now.
func (t *table) trim(epoch uint64, hash func(ref uint32) uint64) {
	t.resize(t.used+t.used/4+8, t.largest(), epoch, hash)
}

// largest returns the largest ref in the table, which can be much larger than
// the number of refs; 0 if the table is empty.
func (t *table) largest() (ref uint32) {
	for i := range t.size {
		if c := *t.cells.at(i) & (1<<t.bits - 1); c > ref+1 {
			ref = c - 1
		}
	}
	return ref
}

// resize moves the refs to a new table of that size, for refs up to largest.
func (t *table) resize(size, largest uint32, epoch uint64, hash func(ref uint32) uint64) {
	old := *t
	t.cells = cow[uint32]{shift: old.cells.shift}
	t.cells.grow(size, epoch)
	t.size = size
	t.bits = uint8(bits.Len32(max(size, largest+1)))
	for i := range old.size {
		if c := *old.cells.at(i); c != 0 {
			ref := c&(1<<old.bits-1) - 1
			t.put(hash(ref), ref, epoch)
		}
	}
}

// remove removes a ref that is in the table.
func (t *table) remove(h uint64, ref uint32, epoch uint64, hash func(ref uint32) uint64) {
	mask := uint32(1)<<t.bits - 1
	hole := t.home(h)
	for *t.cells.at(hole)&mask != ref+1 {
		hole = t.after(hole)
	}
	// Fill the hole with a later ref whose search would end there, and so on.
	for i := t.after(hole); ; i = t.after(i) {
		c := *t.cells.at(i)
		if c == 0 {
			break
		}
		home := t.home(hash(c&mask - 1))
		if hole < i && (home <= hole || home > i) || hole > i && home <= hole && home > i {
			*t.cells.edit(hole, epoch) = c
			hole = i
		}
	}
	*t.cells.edit(hole, epoch) = 0
	t.used--
}
