package fleet

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// pages is an array in pages. A copy of the struct is a snapshot: the writer copies what is
// of an older epoch before it changes it, the list of pages and a page. So the pages grow
// with their list, to O(√n) elements.
type pages[T any] struct {
	pages []page[T]
	n     uint32 // the number of elements
	shift uint8  // a page has up to 1<<shift elements
	epoch uint64 // of pages
}

type page[T any] struct {
	elems []T
	epoch uint64 // of elems
}

func (c *pages[T]) at(i uint32) *T {
	return &c.pages[i>>c.shift].elems[i&(1<<c.shift-1)]
}

// edit returns an element that may be changed.
func (c *pages[T]) edit(i uint32, epoch uint64) *T {
	return &c.editPage(i>>c.shift, epoch).elems[i&(1<<c.shift-1)]
}

func (c *pages[T]) editPage(i uint32, epoch uint64) *page[T] {
	c.unshare(epoch)
	p := &c.pages[i]
	if p.epoch != epoch {
		p.elems, p.epoch = slices.Clone(p.elems), epoch
	}
	return p
}

func (c *pages[T]) unshare(epoch uint64) {
	if c.epoch != epoch {
		c.pages, c.epoch = slices.Clone(c.pages), epoch
	}
}

// push adds an element.
func (c *pages[T]) push(v T, epoch uint64) {
	if c.n>>c.shift == uint32(len(c.pages)) {
		c.addPage(epoch)
	}
	p := c.editPage(c.n>>c.shift, epoch)
	if n := len(p.elems); n == cap(p.elems) { // a small fleet takes little memory
		p.elems = append(make([]T, 0, min(max(2*n, 1), 1<<c.shift)), p.elems...)
	}
	p.elems = append(p.elems, v)
	c.n++
}

// addPage makes room for an element. If there would be more pages than elements in a page,
// it merges pages in pairs first: BenchmarkFleetChange in bench, with snapshots.
func (c *pages[T]) addPage(epoch uint64) {
	c.unshare(epoch)
	if len(c.pages) >= 1<<c.shift {
		c.shift++
		var pages []page[T]
		for pair := range slices.Chunk(c.pages, 2) {
			elems := make([]T, 0, 1<<c.shift)
			for _, p := range pair {
				elems = append(elems, p.elems...)
			}
			pages = append(pages, page[T]{elems, epoch})
		}
		c.pages = pages
	}
	if c.n>>c.shift == uint32(len(c.pages)) {
		c.pages = append(c.pages, page[T]{epoch: epoch})
	}
}

// remove removes an element, and puts the last one in its place, which it
// returns; false if it was the last.
func (c *pages[T]) remove(i uint32, epoch uint64) (moved T, ok bool) {
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
// hash. It grows by one list at a time.
type table[K comparable, V any] struct {
	lists pages[page[pair[K, V]]]
	seed  maphash.Seed
	used  int // keys
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// listMost is the mean length of the lists, above which one is split:
// BenchmarkFleetChange in bench, with snapshots and without.
const listMost = 16

func (t *table[K, V]) init(seed maphash.Seed, epoch uint64) {
	*t = table[K, V]{seed: seed}
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

// find returns the list of a key, and where in it the key is; -1 if it is not.
func (t *table[K, V]) find(k K) (list uint32, i int) {
	if t.lists.n == 0 { // in the zero Snapshot
		return 0, -1
	}
	list = t.list(k)
	pairs := t.lists.at(list).elems
	for i := range pairs {
		if pairs[i].key == k {
			return list, i
		}
	}
	return list, -1
}

func (t *table[K, V]) get(k K) (v V, ok bool) {
	if list, i := t.find(k); i >= 0 {
		return t.lists.at(list).elems[i].value, true
	}
	return v, false
}

// edit returns a list that may be changed.
func (t *table[K, V]) edit(list uint32, epoch uint64) *[]pair[K, V] {
	l := t.lists.edit(list, epoch)
	if l.epoch != epoch {
		l.elems, l.epoch = slices.Clone(l.elems), epoch
	}
	return &l.elems
}

func (t *table[K, V]) set(k K, v V, epoch uint64) {
	list, i := t.find(k)
	t.put(list, i, pair[K, V]{k, v}, epoch)
}

// put sets a pair where find has found its key, or adds it.
func (t *table[K, V]) put(list uint32, i int, p pair[K, V], epoch uint64) {
	pairs := t.edit(list, epoch)
	if i >= 0 {
		(*pairs)[i] = p
		return
	}
	*pairs = append(*pairs, p)
	if t.used++; t.used > int(t.lists.n)*listMost {
		t.split(epoch)
	}
}

// delete deletes a key that is in the table.
func (t *table[K, V]) delete(k K, epoch uint64) {
	list, i := t.find(k)
	pairs := t.edit(list, epoch)
	*pairs = slices.Delete(*pairs, i, i+1)
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
