package fleet

import (
	"math/bits"
	"slices"
)

// Slots are kept in chunks of 1<<chunkBits: a sorted list while there are few,
// a bitmap from where that takes less memory.
const (
	chunkBits  = 14
	chunkSize  = 1 << chunkBits
	chunkWords = chunkSize / 64
	listMost   = chunkSize / 16   // as a list this takes the bitmap's memory
	bitmapMost = listMost * 3 / 4 // fewer than that become a list again
)

// A slotSet is a sorted set of slots. A set of one needs no memory of its own.
// Copying the struct shares everything, as for a cow.
type slotSet struct {
	chunks []chunk
	epoch  uint64 // in which chunks was copied
	n      uint32
	one    uint32 // the slot, when n is 1 and chunks is nil
}

type chunk struct {
	list  []uint16
	bits  *[chunkWords]uint64 // instead of list, when not nil
	epoch uint64              // in which list or bits was copied
	base  uint32              // slot >> chunkBits
	n     uint32
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

// add puts in a slot that is not in the set.
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

func (s *slotSet) own(epoch uint64) {
	if s.epoch != epoch {
		s.chunks = slices.Clone(s.chunks)
		s.epoch = epoch
	}
}

func (s *slotSet) insert(slot uint32, epoch uint64) {
	i, ok := s.find(slot >> chunkBits)
	s.own(epoch)
	if !ok {
		s.chunks = slices.Insert(s.chunks, i, chunk{base: slot >> chunkBits, epoch: epoch})
	}
	s.chunks[i].add(uint16(slot&(chunkSize-1)), epoch)
}

// remove takes out a slot that is in the set.
func (s *slotSet) remove(slot uint32, epoch uint64) {
	s.n--
	if s.chunks == nil {
		return
	}
	s.own(epoch)
	i, _ := s.find(slot >> chunkBits)
	s.chunks[i].remove(uint16(slot&(chunkSize-1)), epoch)
}

// clip gives back what the lists have to spare.
func (s *slotSet) clip(epoch uint64) {
	if s.chunks == nil {
		return
	}
	s.own(epoch)
	s.chunks = slices.DeleteFunc(s.chunks, func(c chunk) bool { return c.n == 0 })
	if len(s.chunks) < cap(s.chunks) {
		s.chunks = append(make([]chunk, 0, len(s.chunks)), s.chunks...)
	}
	for i := range s.chunks {
		if c := &s.chunks[i]; len(c.list) < cap(c.list) {
			c.list = append(make([]uint16, 0, len(c.list)), c.list...)
			c.epoch = epoch
		}
	}
}

func (c *chunk) own(epoch uint64) {
	if c.epoch == epoch {
		return
	}
	c.epoch = epoch
	if c.bits != nil {
		bits := *c.bits
		c.bits = &bits
		return
	}
	c.list = append(make([]uint16, 0, len(c.list)+1), c.list...)
}

func (c *chunk) add(v uint16, epoch uint64) {
	c.own(epoch)
	c.n++
	if c.bits == nil && c.n > listMost {
		c.bits = new([chunkWords]uint64)
		for _, v := range c.list {
			c.bits[v/64] |= 1 << (v % 64)
		}
		c.list = nil
	}
	if c.bits != nil {
		c.bits[v/64] |= 1 << (v % 64)
		return
	}
	i := len(c.list)
	if i > 0 && c.list[i-1] > v { // slots come in order while a fleet is loaded
		i, _ = slices.BinarySearch(c.list, v)
	}
	c.list = slices.Insert(c.list, i, v)
}

func (c *chunk) remove(v uint16, epoch uint64) {
	c.own(epoch)
	c.n--
	if c.bits != nil {
		c.bits[v/64] &^= 1 << (v % 64)
		if c.n < bitmapMost {
			list := make([]uint16, 0, c.n)
			c.each(func(slot uint32) bool {
				list = append(list, uint16(slot&(chunkSize-1)))
				return true
			})
			c.list, c.bits = list, nil
		}
		return
	}
	i, _ := slices.BinarySearch(c.list, v)
	c.list = slices.Delete(c.list, i, i+1)
	if len(c.list)*4 < cap(c.list) && cap(c.list) > 64 {
		c.list = append(make([]uint16, 0, len(c.list)*2), c.list...)
	}
}

// each yields the slots of the chunk, in order, and reports whether it came to
// the end.
func (c *chunk) each(yield func(slot uint32) bool) bool {
	base := c.base << chunkBits
	for _, v := range c.list {
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

// each is that of all chunks.
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

// or sets the bits of the slots.
func (s *slotSet) or(bitmap []uint64) {
	if s.chunks == nil {
		if s.n > 0 {
			bitmap[s.one/64] |= 1 << (s.one % 64)
		}
		return
	}
	for i := range s.chunks {
		c := &s.chunks[i]
		words := bitmap[c.base*chunkWords:]
		for _, v := range c.list {
			words[v/64] |= 1 << (v % 64)
		}
		if c.bits != nil {
			words = words[:min(chunkWords, len(words))]
			for j := range words {
				words[j] |= c.bits[j]
			}
		}
	}
}
