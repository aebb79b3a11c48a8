package fleet

import "math/bits"

// A table finds small numbers (refs) by a hash: an open-addressing table with
// linear probing, four bytes a cell, that leaves it to its user what a ref
// stands for. The lower bits of a cell are the ref and one, 0 in an empty one;
// the bits above hold as much of the hash as there is room for, so that hardly
// any ref that is not wanted is looked at. There is no other limit to the
// load, so a table can be filled to seven eighths.
type table struct {
	cells cow[uint32]
	size  uint32 // cells in use; need not be a power of two
	used  uint32
	bits  uint8 // of a cell, how many are the ref's
}

// A probe walks the refs whose hash may be the one looked for.
type probe struct {
	cell, tag uint32
	ref       uint32
}

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

// insert adds a ref that is not in the table. hash gives that of any ref in
// it: it is called when the table has to grow.
func (t *table) insert(h uint64, ref uint32, epoch uint64, hash func(ref uint32) uint64) {
	if uint64(t.used+1)*8 > uint64(t.size)*7 || bits.Len32(ref+1) > int(t.bits) {
		t.resize(max(t.size, 8+t.used+t.used*2/3), ref, epoch, hash)
	}
	t.put(h, ref, epoch)
	t.used++
}

func (t *table) put(h uint64, ref uint32, epoch uint64) {
	cell := t.home(h)
	for *t.cells.at(cell) != 0 {
		if cell++; cell == t.size {
			cell = 0
		}
	}
	*t.cells.edit(cell, epoch) = t.tag(h) | (ref + 1)
}

// tight returns the smallest size that leaves n entries some room.
func tight(n uint32) uint32 { return n + n/4 + 8 }

// resize moves everything to new pages, in a table of that size which can hold
// refs up to ref.
func (t *table) resize(size, ref uint32, epoch uint64, hash func(ref uint32) uint64) {
	old := *t
	t.cells = cow[uint32]{shift: old.cells.shift}
	t.cells.grow(size, epoch)
	t.size = size
	t.bits = uint8(bits.Len32(max(size, ref+1)))
	for i := range old.size {
		if c := *old.cells.at(i); c != 0 {
			ref := c&(1<<old.bits-1) - 1
			t.put(hash(ref), ref, epoch)
		}
	}
}

// remove takes a ref out. hash gives that of any ref in the table.
func (t *table) remove(h uint64, ref uint32, epoch uint64, hash func(ref uint32) uint64) {
	mask := uint32(1)<<t.bits - 1
	hole := t.home(h)
	for *t.cells.at(hole)&mask != ref+1 {
		hole = t.after(hole)
	}
	// Close the gap with what could not stand nearer to its home.
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

func (t *table) after(cell uint32) uint32 {
	if cell++; cell < t.size {
		return cell
	}
	return 0
}
