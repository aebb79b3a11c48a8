package eviction

import (
	"container/heap"
	"slices"
)

// A queue holds pods in the order of their deadlines, and for equal ones of their
// insertion. Those that were inserted since the last pass began are in a heap of their
// own, so that a pass does not yield them, and they do not hide others.
type queue[ID comparable] struct {
	byID       map[ID]*item[ID]
	old, added pods[ID]
	seq        uint64 // of the last item that was added or moved, or pass that began
	pass       uint64 // of the last pass; items of old have smaller ones
}

type item[ID comparable] struct {
	pending
	id    ID
	seq   uint64
	index int // in its heap
}

// pods is a heap of package container/heap.
type pods[ID comparable] []*item[ID]

func (h pods[ID]) Len() int { return len(h) }

func (h pods[ID]) Less(i, j int) bool { return h[i].less(h[j]) }

func (a *item[ID]) less(b *item[ID]) bool {
	if a.deadline != b.deadline {
		return a.deadline.before(b.deadline)
	}
	return a.seq < b.seq
}

func (h pods[ID]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *pods[ID]) Push(x any) {
	it := x.(*item[ID])
	it.index = len(*h)
	*h = append(*h, it)
}

func (h *pods[ID]) Pop() any {
	last := len(*h) - 1
	it := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return it
}

func (q *queue[ID]) Len() int { return len(q.old) + len(q.added) }

// first returns the first pod of a queue that is not empty.
func (q *queue[ID]) first() *item[ID] {
	if len(q.old) == 0 || len(q.added) > 0 && q.added[0].less(q.old[0]) {
		return q.added[0]
	}
	return q.old[0]
}

// begin begins a pass over old, and returns its number.
func (q *queue[ID]) begin() uint64 {
	for _, it := range q.added {
		heap.Push(&q.old, it)
	}
	clear(q.added)
	q.added = q.added[:0]
	q.seq++
	q.pass = q.seq
	return q.pass
}

// set makes the pod last of those with its deadline, unless that is unchanged.
func (q *queue[ID]) set(id ID, p pending) {
	it, ok := q.byID[id]
	switch {
	case ok && it.deadline == p.deadline:
		it.pending = p
		return
	case ok:
		q.take(it)
	default:
		it = &item[ID]{id: id}
	}
	q.seq++
	it.pending, it.seq = p, q.seq
	if id == id { // what is never found, such as a NaN, could not be deleted
		q.byID[id] = it
	}
	heap.Push(&q.added, it)
}

// take takes the item out of its heap.
func (q *queue[ID]) take(it *item[ID]) {
	if it.seq < q.pass {
		heap.Remove(&q.old, it.index)
	} else {
		heap.Remove(&q.added, it.index)
	}
}

func (q *queue[ID]) remove(id ID) bool {
	it, ok := q.byID[id]
	if ok {
		q.removeItem(it)
	}
	return ok
}

func (q *queue[ID]) removeItem(it *item[ID]) {
	q.take(it)
	delete(q.byID, it.id)
}

// sorted returns copies of the items in their order.
func (q *queue[ID]) sorted() []item[ID] {
	all := make([]item[ID], 0, q.Len())
	for _, h := range []pods[ID]{q.old, q.added} {
		for _, it := range h {
			all = append(all, *it)
		}
	}
	slices.SortFunc(all, func(a, b item[ID]) int {
		if a.less(&b) {
			return -1
		}
		return 1 // no two items have the same seq
	})
	return all
}

func (q *queue[ID]) clone() *queue[ID] {
	c := &queue[ID]{byID: make(map[ID]*item[ID], len(q.byID)), seq: q.seq, pass: q.pass}
	c.old, c.added = c.copies(q.old), c.copies(q.added)
	return c
}

// copies returns a copy of a heap, whose items can then be found by their ids.
func (q *queue[ID]) copies(h pods[ID]) pods[ID] {
	h = slices.Clone(h)
	for i, it := range h {
		copied := *it
		h[i] = &copied
		if it.id == it.id {
			q.byID[it.id] = h[i]
		}
	}
	return h
}
