package fleet

import "slices"

// A cow is an array in pages that a snapshot can share. Copying the struct
// shares everything; the writer then copies each page before it changes it for
// the first time, which it knows by the epoch: the number of snapshots taken.
//
// Readers touch root alone.
type cow[T any] struct {
	root  [][]T
	shift uint8 // a page has 1<<shift elements

	// The writer's.
	rootEpoch uint64   // in which root was copied
	owned     []uint64 // for each page, the epoch in which it was copied
}

func (c *cow[T]) at(i uint32) *T {
	return &c.root[i>>c.shift][i&(1<<c.shift-1)]
}

// len is how many elements there is room for.
func (c *cow[T]) len() uint32 {
	if len(c.root) == 1 {
		return uint32(len(c.root[0]))
	}
	return uint32(len(c.root)) << c.shift
}

// edit returns the element to be changed.
func (c *cow[T]) edit(i uint32, epoch uint64) *T {
	if p := i >> c.shift; c.owned[p] != epoch {
		c.own(p, epoch)
	}
	return c.at(i)
}

func (c *cow[T]) own(p uint32, epoch uint64) {
	c.ownRoot(epoch)
	page := make([]T, len(c.root[p]))
	copy(page, c.root[p])
	c.root[p] = page
	c.owned[p] = epoch
}

func (c *cow[T]) ownRoot(epoch uint64) {
	if c.rootEpoch != epoch {
		c.root = slices.Clone(c.root)
		c.rootEpoch = epoch
	}
}

// grow makes room for n elements. The first page grows with them, so that a
// small fleet takes little.
func (c *cow[T]) grow(n uint32, epoch uint64) {
	for c.len() < n {
		c.ownRoot(epoch)
		if len(c.root) == 0 {
			c.root = append(c.root, nil)
			c.owned = append(c.owned, epoch)
		}
		if have := c.len(); have < 1<<c.shift {
			page := make([]T, min(max(2*have, n, 4), 1<<c.shift))
			copy(page, c.root[0])
			c.root[0], c.owned[0] = page, epoch
			continue
		}
		c.root = append(c.root, make([]T, 1<<c.shift))
		c.owned = append(c.owned, epoch)
	}
}

// samePage reports whether page p of both is the same memory, and hence the
// same in content.
func samePage[T any](a, b *cow[T], p int) bool {
	return p < len(a.root) && p < len(b.root) && &a.root[p][0] == &b.root[p][0]
}
