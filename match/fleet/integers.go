package fleet

import (
	"cmp"
	"slices"
)

// leafMost is how many integers a leaf holds before it is split.
const leafMost = 256

// An integers is a sorted list of taints by the number that their value is,
// in leaves. Copying the struct shares everything, as for a cow.
type integers struct {
	leaves []leaf
	epoch  uint64 // in which leaves was copied
}

type leaf struct {
	entries []entry // never empty
	epoch   uint64  // in which entries was copied
}

type entry struct {
	n     int64
	taint uint32
}

func (e entry) compare(f entry) int {
	return cmp.Or(cmp.Compare(e.n, f.n), cmp.Compare(e.taint, f.taint))
}

// seek returns the leaf in which e is, or would be.
func (s *integers) seek(e entry) int {
	lo, hi := 0, len(s.leaves)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if l := s.leaves[mid].entries; l[len(l)-1].compare(e) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// edit returns leaf i to be changed.
func (s *integers) edit(i int, epoch uint64) *leaf {
	s.own(epoch)
	l := &s.leaves[i]
	if l.epoch != epoch {
		l.epoch = epoch
		l.entries = slices.Clone(l.entries)
	}
	return l
}

func (s *integers) own(epoch uint64) {
	if s.epoch != epoch {
		s.epoch = epoch
		s.leaves = slices.Clone(s.leaves)
	}
}

func (s *integers) insert(e entry, epoch uint64) {
	if len(s.leaves) == 0 {
		s.own(epoch)
		s.leaves = append(s.leaves, leaf{entries: []entry{e}, epoch: epoch})
		return
	}
	i := min(s.seek(e), len(s.leaves)-1)
	l := s.edit(i, epoch)
	at, _ := slices.BinarySearchFunc(l.entries, e, entry.compare)
	l.entries = slices.Insert(l.entries, at, e)
	if len(l.entries) > leafMost {
		half := slices.Clone(l.entries[leafMost/2:])
		l.entries = slices.Clone(l.entries[:leafMost/2])
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
