package fleet

import (
	"cmp"
	"slices"
)

// The structures of this file are shared with snapshots: a copy of the struct
// is a snapshot. The writer copies each part before it changes it for the first
// time after a snapshot. It knows by the epoch in which it copied the part last.

// A cow is an array in pages.
type cow[T any] struct {
	pages []page[T]
	n     uint32 // the number of elements
	shift uint8  // a page has up to 1<<shift elements
	epoch uint64 // of pages
}

type page[T any] struct {
	elems []T
	epoch uint64 // of elems
}

func (c *cow[T]) at(i uint32) *T {
	return &c.pages[i>>c.shift].elems[i&(1<<c.shift-1)]
}

// edit returns an element that may be changed.
func (c *cow[T]) edit(i uint32, epoch uint64) *T {
	return &c.editPage(i>>c.shift, epoch).elems[i&(1<<c.shift-1)]
}

func (c *cow[T]) editPage(i uint32, epoch uint64) *page[T] {
	c.unshare(epoch)
	p := &c.pages[i]
	if p.epoch != epoch {
		p.elems, p.epoch = slices.Clone(p.elems), epoch
	}
	return p
}

func (c *cow[T]) unshare(epoch uint64) {
	if c.epoch != epoch {
		c.pages, c.epoch = slices.Clone(c.pages), epoch
	}
}

// push adds an element.
func (c *cow[T]) push(v T, epoch uint64) {
	i := c.n >> c.shift
	if i == uint32(len(c.pages)) {
		c.unshare(epoch)
		c.pages = append(c.pages, page[T]{epoch: epoch})
	}
	p := c.editPage(i, epoch)
	if n := len(p.elems); n == cap(p.elems) { // a small fleet takes little memory
		p.elems = append(make([]T, 0, min(max(2*n, 1), 1<<c.shift)), p.elems...)
	}
	p.elems = append(p.elems, v)
	c.n++
}

// remove removes an element, and puts the last one in its place, which it
// returns; false if it was the last.
func (c *cow[T]) remove(i uint32, epoch uint64) (moved T, ok bool) {
	c.n--
	last := c.editPage(c.n>>c.shift, epoch)
	end := c.n & (1<<c.shift - 1)
	moved = last.elems[end]
	clear(last.elems[end:])
	last.elems = last.elems[:end]
	// One empty page stays, so that a change back and forth does not allocate.
	if most := c.n>>c.shift + 2; most < uint32(len(c.pages)) {
		clear(c.pages[most:])
		c.pages = c.pages[:most]
	}
	if i == c.n {
		return moved, false
	}
	*c.edit(i, epoch) = moved
	return moved, true
}

// trim frees spare capacity.
func (c *cow[T]) trim(epoch uint64) {
	pages := c.pages
	c.pages, c.epoch = make([]page[T], (c.n+1<<c.shift-1)>>c.shift), epoch
	copy(c.pages, pages)
	if n := len(c.pages); n > 0 {
		if p := &c.pages[n-1]; len(p.elems) < cap(p.elems) {
			p.elems, p.epoch = append(make([]T, 0, len(p.elems)), p.elems...), epoch
		}
	}
}

// samePage reports whether a and b share page p, which is then equal in both.
func samePage[T any](a, b *cow[T], p int) bool {
	return p < len(a.pages) && p < len(b.pages) && &a.pages[p].elems[0] == &b.pages[p].elems[0]
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
