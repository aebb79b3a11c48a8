package fleet

import (
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/toleration"
)

// A Memo remembers what pods were told, for the next with the same
// tolerations: pods of one workload have the same. It gives exactly the
// answers that [Snapshot.Query] gives. Make one with [NewMemo]; the zero Memo
// and a nil one remember nothing.
//
// It is safe for concurrent use, by readers of any snapshots of one Index,
// without a lock.
type Memo struct {
	seed    maphash.Seed
	entries []atomic.Pointer[remembered]
}

// A remembered never changes.
type remembered struct {
	of          maphash.Seed // of the Index
	version     uint64
	structure   uint64
	tolerations []toleration.Toleration
	found       found
}

// What a Memo does not remember, so that its memory is bounded: longer lists,
// and those that are answered by more lists of nodes.
const (
	memoTolerations = 64
	memoLists       = 1024
)

// NewMemo returns a Memo for that many lists of tolerations. It takes no more
// than 8 KiB for each, and a few hundred bytes as a rule.
func NewMemo(lists int) *Memo {
	return &Memo{seed: maphash.MakeSeed(), entries: make([]atomic.Pointer[remembered], max(lists, 0))}
}

// QueryMemo is [Snapshot.Query] with a memory. It is what it costs to look the
// tolerations up when nothing has changed since they were asked about;
// what it costs to add up as many numbers as there are lists in the answer
// when nodes went from list to list since; and what Query costs otherwise.
// The first time that a list is asked about after a change it remembers the
// answer, which allocates.
func (s *Snapshot[ID]) QueryMemo(m *Memo, a *Answer[ID], tolerations ...[]toleration.Toleration) {
	a.snapshot = s
	a.pod.reset(tolerations)
	x := &s.nodes.lists
	if m == nil || len(m.entries) == 0 || a.pod.all || len(a.pod.tolerations) > memoTolerations || x.shapes.len() == 0 {
		a.found.ask(x, &a.pod)
		return
	}
	at, e := m.find(x, a.pod.tolerations)
	known := e != nil
	if known {
		buf := a.found.buf
		a.found = e.found
		a.found.buf = buf
		if e.version == x.version {
			return
		}
		a.found.sum(x)
	} else {
		a.found.ask(x, &a.pod)
	}
	if len(a.found.lists) > memoLists || known && e.version > x.version {
		return
	}
	next := &remembered{of: x.seed, version: x.version, structure: x.structure, found: a.found}
	if known {
		next.tolerations = e.tolerations
	} else {
		next.tolerations = slices.Clone(a.pod.tolerations)
		next.found.lists = slices.Clone(a.found.lists)
	}
	next.found.buf = nil
	at.Store(next)
}

// find returns where the answer is or is to be, and the answer if it is there.
// There are two places for each, so that two that are asked for in turn seldom
// drive each other out.
func (m *Memo) find(x *lists, tolerations []toleration.Toleration) (at *atomic.Pointer[remembered], e *remembered) {
	h, n := m.hash(tolerations), uint64(len(m.entries))
	at = &m.entries[h>>32%n]
	first := at.Load()
	if first.answers(x, tolerations) {
		return at, first
	}
	other := &m.entries[h&(1<<32-1)%n]
	second := other.Load()
	if second.answers(x, tolerations) {
		return other, second
	}
	if first != nil && (second == nil || second.version < first.version || second.version == first.version && h&1 == 0) {
		at = other
	}
	return at, nil
}

// answers reports whether the lists that the pod tolerates are still the same.
func (e *remembered) answers(x *lists, tolerations []toleration.Toleration) bool {
	return e != nil && e.structure == x.structure && e.of == x.seed && slices.Equal(e.tolerations, tolerations)
}

func (m *Memo) hash(tolerations []toleration.Toleration) uint64 {
	h := uint64(len(tolerations))
	for _, u := range tolerations {
		h = h*0x9e3779b97f4a7c15 + maphash.Comparable(m.seed, u)
	}
	return h
}
