package fleet

import (
	"cmp"
	"math/bits"
	"slices"
)

// The structures of this file are shared with snapshots: a copy of the struct
// is a snapshot. The writer copies each part before it changes it for the first
// time after a snapshot. It knows by the epoch in which it copied the part last.

// A cow is an array in pages.
type cow[T any] struct {
	root  [][]T // all that readers use
	shift uint8 // a page has 1<<shift elements

	rootEpoch uint64
	epochs    []uint64 // of the pages
}

func (c *cow[T]) at(i uint32) *T {
	return &c.root[i>>c.shift][i&(1<<c.shift-1)]
}

// len returns the number of elements that c has room for.
func (c *cow[T]) len() uint32 {
	if len(c.root) == 1 {
		return uint32(len(c.root[0]))
	}
	return uint32(len(c.root)) << c.shift
}

// edit returns an element that may be changed.
func (c *cow[T]) edit(i uint32, epoch uint64) *T {
	if p := i >> c.shift; c.epochs[p] != epoch {
		c.unshare(p, epoch)
	}
	return c.at(i)
}

func (c *cow[T]) unshare(p uint32, epoch uint64) {
	c.unshareRoot(epoch)
	page := make([]T, len(c.root[p]))
	copy(page, c.root[p])
	c.root[p] = page
	c.epochs[p] = epoch
}

func (c *cow[T]) unshareRoot(epoch uint64) {
	if c.rootEpoch != epoch {
		c.root = slices.Clone(c.root)
		c.rootEpoch = epoch
	}
}

// grow makes room for n elements. The first page starts small, so that a small
// fleet takes little memory.
func (c *cow[T]) grow(n uint32, epoch uint64) {
	for c.len() < n {
		c.unshareRoot(epoch)
		if len(c.root) == 0 {
			c.root = append(c.root, nil)
			c.epochs = append(c.epochs, epoch)
		}
		if have := c.len(); have < 1<<c.shift {
			page := make([]T, min(max(2*have, n, 4), 1<<c.shift))
			copy(page, c.root[0])
			c.root[0], c.epochs[0] = page, epoch
			continue
		}
		c.root = append(c.root, make([]T, 1<<c.shift))
		c.epochs = append(c.epochs, epoch)
	}
}

// samePage reports whether a and b share page p, which is then equal in both.
func samePage[T any](a, b *cow[T], p int) bool {
	return p < len(a.root) && p < len(b.root) && &a.root[p][0] == &b.root[p][0]
}

// leafMost is the number of entries above which a leaf is split.
const leafMost = 256

// An integers is a sorted list of taints by the integer of their value.
type integers struct {
	leaves []leaf
	epoch  uint64 // of leaves
}

type leaf struct {
	entries []entry // never empty
	epoch   uint64  // of entries
}

type entry struct {
	n     int64
	taint uint32
}

func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.n, f.n), cmp.Compare(e.taint, f.taint))
}

// seek returns the first leaf that does not end before e.
func (s *integers) seek(e entry) int {
	i, _ := slices.BinarySearchFunc(s.leaves, e, func(l leaf, e entry) int {
		return l.entries[len(l.entries)-1].compare(e)
	})
	return i
}

// edit returns a leaf that may be changed.
func (s *integers) edit(i int, epoch uint64) *leaf {
	s.unshare(epoch)
	l := &s.leaves[i]
	if l.epoch != epoch {
		l.epoch = epoch
		l.entries = slices.Clone(l.entries)
	}
	return l
}

func (s *integers) unshare(epoch uint64) {
	if s.epoch != epoch {
		s.epoch = epoch
		s.leaves = slices.Clone(s.leaves)
	}
}

// insert adds an entry. A leaf of more than most entries is split.
func (s *integers) insert(e entry, epoch uint64, most int) {
	if len(s.leaves) == 0 {
		s.unshare(epoch)
		s.leaves = append(s.leaves, leaf{entries: []entry{e}, epoch: epoch})
		return
	}
	i := min(s.seek(e), len(s.leaves)-1)
	l := s.edit(i, epoch)
	at, _ := slices.BinarySearchFunc(l.entries, e, entry.compare)
	l.entries = slices.Insert(l.entries, at, e)
	if len(l.entries) > most {
		half := slices.Clone(l.entries[most/2:])
		l.entries = slices.Clone(l.entries[:most/2])
		s.leaves = slices.Insert(s.leaves, i+1, leaf{entries: half, epoch: epoch})
	}
}

func (s *integers) remove(e entry, epoch uint64) {
	i := s.seek(e)
	l := s.edit(i, epoch)
	at, _ := slices.BinarySearchFunc(l.entries, e, entry.compare)
	l.entries = slices.Delete(l.entries, at, at+1)
	switch n := len(l.entries); {
	case n == 0:
		s.leaves = slices.Delete(s.leaves, i, i+1)
	case n*4 < cap(l.entries) && cap(l.entries) > 32:
		l.entries = append(make([]entry, 0, n*2), l.entries...)
	}
}

// upTo calls f for each entry whose integer is less than n.
func (s *integers) upTo(n int64, f func(entry)) {
	for _, l := range s.leaves {
		for _, e := range l.entries {
			if e.n >= n {
				return
			}
			f(e)
		}
	}
}

// after calls f for each entry whose integer is greater than n.
func (s *integers) after(n int64, f func(entry)) {
	first := entry{n, ^uint32(0)}
	for l := s.seek(first); l < len(s.leaves); l++ {
		entries := s.leaves[l].entries
		at, _ := slices.BinarySearchFunc(entries, first, entry.compare)
		for _, e := range entries[at:] {
			f(e)
		}
	}
}

// Slots are kept in chunks of 1<<chunkBits. A chunk with few slots is a sorted
// list, one with many a bitmap, whichever takes less memory.
const (
	chunkBits  = 14
	chunkSize  = 1 << chunkBits
	chunkWords = chunkSize / 64
	sortedMost = chunkSize / 16     // a sorted list of so many takes the memory of a bitmap
	bitmapMost = sortedMost * 3 / 4 // a bitmap of fewer becomes a sorted list
)

// A slotSet is a sorted set of slots. A set of one slot needs no memory of its
// own.
type slotSet struct {
	chunks []chunk
	epoch  uint64 // of chunks
	n      uint32
	one    uint32 // the slot, if n is 1 and chunks is nil
}

type chunk struct {
	sorted []uint16
	bits   *[chunkWords]uint64 // instead of sorted, if it is not nil
	epoch  uint64              // of sorted or bits
	base   uint32              // slot >> chunkBits
	n      uint32
}

func (s *slotSet) find(base uint32) (i int, ok bool) {
	lo, hi := 0, len(s.chunks)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); s.chunks[mid].base < base {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(s.chunks) && s.chunks[lo].base == base
}

// add adds a slot that is not in the set.
func (s *slotSet) add(slot uint32, epoch uint64) {
	s.n++
	if s.chunks == nil {
		if s.n == 1 {
			s.one = slot
			return
		}
		s.epoch = epoch
		s.insert(s.one, epoch)
	}
	s.insert(slot, epoch)
}

func (s *slotSet) unshare(epoch uint64) {
	if s.epoch != epoch {
		s.chunks = slices.Clone(s.chunks)
		s.epoch = epoch
	}
}

func (s *slotSet) insert(slot uint32, epoch uint64) {
	i, ok := s.find(slot >> chunkBits)
	s.unshare(epoch)
	if !ok {
		s.chunks = slices.Insert(s.chunks, i, chunk{base: slot >> chunkBits, epoch: epoch})
	}
	s.chunks[i].add(uint16(slot&(chunkSize-1)), epoch)
}

// remove removes a slot that is in the set.
func (s *slotSet) remove(slot uint32, epoch uint64) {
	s.n--
	if s.chunks == nil {
		return
	}
	s.unshare(epoch)
	i, _ := s.find(slot >> chunkBits)
	s.chunks[i].remove(uint16(slot&(chunkSize-1)), epoch)
}

// trim frees spare capacity.
func (s *slotSet) trim(epoch uint64) {
	if s.chunks == nil {
		return
	}
	s.unshare(epoch)
	s.chunks = slices.DeleteFunc(s.chunks, func(c chunk) bool { return c.n == 0 })
	if len(s.chunks) < cap(s.chunks) {
		s.chunks = append(make([]chunk, 0, len(s.chunks)), s.chunks...)
	}
	for i := range s.chunks {
		if c := &s.chunks[i]; len(c.sorted) < cap(c.sorted) {
			c.sorted = append(make([]uint16, 0, len(c.sorted)), c.sorted...)
			c.epoch = epoch
		}
	}
}

func (c *chunk) unshare(epoch uint64) {
	if c.epoch == epoch {
		return
	}
	c.epoch = epoch
	if c.bits != nil {
		bits := *c.bits
		c.bits = &bits
		return
	}
	c.sorted = append(make([]uint16, 0, len(c.sorted)+1), c.sorted...)
}

func (c *chunk) add(v uint16, epoch uint64) {
	c.unshare(epoch)
	c.n++
	if c.bits == nil && c.n > sortedMost {
		c.bits = new([chunkWords]uint64)
		for _, v := range c.sorted {
			c.bits[v/64] |= 1 << (v % 64)
		}
		c.sorted = nil
	}
	if c.bits != nil {
		c.bits[v/64] |= 1 << (v % 64)
		return
	}
	i := len(c.sorted)
	if i > 0 && c.sorted[i-1] > v { // slots are added in order while a fleet is loaded
		i, _ = slices.BinarySearch(c.sorted, v)
	}
	c.sorted = slices.Insert(c.sorted, i, v)
}

func (c *chunk) remove(v uint16, epoch uint64) {
	c.unshare(epoch)
	c.n--
	if c.bits != nil {
		c.bits[v/64] &^= 1 << (v % 64)
		if c.n < bitmapMost {
			sorted := make([]uint16, 0, c.n)
			c.each(func(slot uint32) bool {
				sorted = append(sorted, uint16(slot&(chunkSize-1)))
				return true
			})
			c.sorted, c.bits = sorted, nil
		}
		return
	}
	i, _ := slices.BinarySearch(c.sorted, v)
	c.sorted = slices.Delete(c.sorted, i, i+1)
	if len(c.sorted)*4 < cap(c.sorted) && cap(c.sorted) > 64 {
		c.sorted = append(make([]uint16, 0, len(c.sorted)*2), c.sorted...)
	}
}

// each yields the slots of the chunk in order, and reports whether it yielded
// all.
func (c *chunk) each(yield func(slot uint32) bool) bool {
	base := c.base << chunkBits
	for _, v := range c.sorted {
		if !yield(base | uint32(v)) {
			return false
		}
	}
	if c.bits == nil {
		return true
	}
	for i, w := range c.bits {
		for ; w != 0; w &= w - 1 {
			if !yield(base | uint32(i*64+bits.TrailingZeros64(w))) {
				return false
			}
		}
	}
	return true
}

// each yields the slots of all chunks, as chunk.each does.
func (s *slotSet) each(yield func(slot uint32) bool) bool {
	if s.chunks == nil {
		return s.n == 0 || yield(s.one)
	}
	for i := range s.chunks {
		if !s.chunks[i].each(yield) {
			return false
		}
	}
	return true
}
