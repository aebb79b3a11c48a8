package eviction

import "container/heap"

// A queue holds pods in the order of their deadlines, and for equal ones of their
// insertion. It is a heap of package container/heap.
type queue[ID comparable] struct {
	byID  map[ID]*item[ID]
	items []*item[ID]
	seq   uint64 // of the last item that was added or moved
}

type item[ID comparable] struct {
	pending
	id    ID
	seq   uint64
	index int // in items
}

func (q *queue[ID]) Len() int { return len(q.items) }

func (q *queue[ID]) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if a.deadline != b.deadline {
		return a.deadline.before(b.deadline)
	}
	return a.seq < b.seq
}

func (q *queue[ID]) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	q.items[i].index, q.items[j].index = i, j
}

func (q *queue[ID]) Push(x any) {
	it := x.(*item[ID])
	it.index = len(q.items)
	q.items = append(q.items, it)
}

func (q *queue[ID]) Pop() any {
	last := len(q.items) - 1
	it := q.items[last]
	q.items[last] = nil
	q.items = q.items[:last]
	return it
}

// set makes the pod last of those with its deadline, unless that is unchanged.
func (q *queue[ID]) set(id ID, p pending) {
	it, ok := q.byID[id]
	if ok && it.deadline == p.deadline {
		it.pending = p
		return
	}
	q.seq++
	if ok {
		it.pending, it.seq = p, q.seq
		heap.Fix(q, it.index)
		return
	}
	it = &item[ID]{pending: p, id: id, seq: q.seq}
	if id == id { // what is never found, such as a NaN, could not be deleted
		q.byID[id] = it
	}
	heap.Push(q, it)
}

func (q *queue[ID]) remove(id ID) bool {
	it, ok := q.byID[id]
	if ok {
		q.removeItem(it)
	}
	return ok
}

func (q *queue[ID]) removeItem(it *item[ID]) {
	heap.Remove(q, it.index)
	delete(q.byID, it.id)
}
