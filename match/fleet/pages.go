package fleet

import (
	"hash/maphash"
	"math/bits"
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

// A table is a map that a snapshot can share: small lists in pages, chosen by a
// hash. It grows by one list at a time, so that no change takes long.
type table[K comparable, V any] struct {
	lists cow[page[pair[K, V]]]
	seed  maphash.Seed
	used  int // keys
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// listMost is the mean length of the lists, above which one is split:
// BenchmarkFleetChange, with snapshots and without.
const listMost = 16

func (t *table[K, V]) init(seed maphash.Seed, epoch uint64) {
	t.seed, t.lists.shift = seed, 6
	t.lists.push(page[pair[K, V]]{}, epoch)
}

// list returns the list of a key. Its number has as many bits of the hash as
// the number of the last list. If there is no such list yet, the key is in the
// one that is to be split, whose number has one bit less.
func (t *table[K, V]) list(k K) uint32 {
	last := t.lists.n - 1
	mask := uint32(1)<<bits.Len32(last) - 1
	i := uint32(maphash.Comparable(t.seed, k)) & mask
	if i > last {
		i &= mask >> 1
	}
	return i
}

func (t *table[K, V]) get(k K) (v V, ok bool) {
	if t.lists.n == 0 { // in the zero Snapshot
		return v, false
	}
	pairs := t.lists.at(t.list(k)).elems
	for i := range pairs {
		if pairs[i].key == k {
			return pairs[i].value, true
		}
	}
	return v, false
}

// edit returns the list of a key, which may be changed, and where in it the key
// is; -1 if it is not.
func (t *table[K, V]) edit(k K, epoch uint64) (pairs *[]pair[K, V], at int) {
	l := t.lists.edit(t.list(k), epoch)
	if l.epoch != epoch {
		l.elems, l.epoch = slices.Clone(l.elems), epoch
	}
	return &l.elems, slices.IndexFunc(l.elems, func(p pair[K, V]) bool { return p.key == k })
}

func (t *table[K, V]) set(k K, v V, epoch uint64) {
	pairs, at := t.edit(k, epoch)
	if at >= 0 {
		(*pairs)[at].value = v
		return
	}
	*pairs = append(*pairs, pair[K, V]{k, v})
	if t.used++; t.used > int(t.lists.n)*listMost {
		t.split(epoch)
	}
}

// delete deletes a key that is in the table.
func (t *table[K, V]) delete(k K, epoch uint64) {
	pairs, at := t.edit(k, epoch)
	last := len(*pairs) - 1
	(*pairs)[at] = (*pairs)[last]
	*pairs = slices.Delete(*pairs, last, last+1)
	t.used--
}

// split adds a list, to which keys of another move.
func (t *table[K, V]) split(epoch uint64) {
	added := t.lists.n
	t.lists.push(page[pair[K, V]]{}, epoch)
	from := t.lists.edit(added&^(1<<(bits.Len32(added)-1)), epoch)
	stay, move := make([]pair[K, V], 0, listMost), make([]pair[K, V], 0, listMost)
	for _, p := range from.elems {
		if t.list(p.key) == added {
			move = append(move, p)
		} else {
			stay = append(stay, p)
		}
	}
	*from = page[pair[K, V]]{stay, epoch}
	*t.lists.edit(added, epoch) = page[pair[K, V]]{move, epoch}
}
