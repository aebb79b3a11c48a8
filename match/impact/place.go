package impact

import (
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Placement is what a change does to a waiting pod. It is comparable with ==.
type Placement struct {
	// Before is on how many nodes the pod can be scheduled without the change.
	Before int
	// Gained is how many nodes the change adds, and Lost how many it removes.
	Gained, Lost int
	// FirstGained and FirstLost are the first indices of these; 0 if none.
	FirstGained, FirstLost int
	// Repelled is how many more PreferNoSchedule taints are untolerated (if
	// negative, fewer), on nodes possible before and after.
	Repelled int
}

// A PlacementKind is the kind of a [Placement].
type PlacementKind uint8

const (
	Same     PlacementKind = iota // nothing changes
	Opened                        // the pod can be scheduled, and could not before
	Closed                        // the pod can no longer be scheduled
	Widened                       // nodes are gained
	Narrowed                      // nodes are lost, and others remain
	Moved                         // nodes are gained, and others are lost
	Improved                      // the same nodes, fewer PreferNoSchedule taints
	Worsened                      // the same nodes, more PreferNoSchedule taints
)

var placementNames = [...]string{"Same", "Opened", "Closed", "Widened", "Narrowed", "Moved", "Improved", "Worsened"}

// String returns the name.
func (k PlacementKind) String() string {
	return enum.String(k, "impact.PlacementKind", placementNames[:])
}

// After returns on how many nodes the pod can be scheduled with the change.
func (p Placement) After() int { return p.Before + p.Gained - p.Lost }

// Kind returns the kind.
func (p Placement) Kind() PlacementKind {
	switch {
	case p.Gained > 0 && p.Before == 0:
		return Opened
	case p.Lost > 0 && p.After() == 0:
		return Closed
	case p.Gained > 0 && p.Lost > 0:
		return Moved
	case p.Gained > 0:
		return Widened
	case p.Lost > 0:
		return Narrowed
	case p.Repelled < 0:
		return Improved
	case p.Repelled > 0:
		return Worsened
	}
	return Same
}

// Placement returns what the change does to a waiting pod with these
// tolerations, or whether a running pod could be scheduled again. It is O(t·n)
// for n tolerations and the t taints of all nodes that differ.
//
// Most pods have the tolerations of another pod. If nodes differ, an Analysis
// keeps the Placements of up to 512 lists of at most 64 tolerations, with copies
// of the lists, which take at most 1 MiB: for these, Placement is O(n) and does not
// allocate. For a list that it adds, it allocates at most twice.
func (a *Analysis) Placement(tolerations ...toleration.List) Placement {
	n := 0
	for _, list := range tolerations {
		n += len(list)
	}
	if a.memo == nil || n > longest {
		return a.place(tolerations)
	}
	slot, known := a.memo.find(tolerations)
	if known == nil {
		known = &placed{slices.Concat(tolerations...), a.place(tolerations)}
		slot.Store(known)
	}
	return known.placement
}

func (a *Analysis) place(tolerations []toleration.List) Placement {
	var p Placement
	for i := range a.kinds {
		k := &a.kinds[i]
		before, after := k.before.Filter(tolerations...), k.after.Filter(tolerations...)
		was, is := before.Schedulable(), after.Schedulable()
		if was {
			p.Before += k.count
		}
		switch {
		case was && is:
			p.Repelled += k.count * (after.Count(taint.PreferNoSchedule) - before.Count(taint.PreferNoSchedule))
		case was:
			if p.Lost == 0 {
				p.FirstLost = k.first
			}
			p.Lost += k.count
		case is:
			if p.Gained == 0 {
				p.FirstGained = k.first
			}
			p.Gained += k.count
		}
	}
	return p
}

// longest is the number of tolerations up to which a placement is kept, to bound
// the memory of a memo.
const longest = 64

// A memo is a hash table of placements. An entry is replaced when all that it may
// be stored in are taken, so that its size is limited.
type memo struct {
	seed  maphash.Seed
	slots [512]atomic.Pointer[placed]
}

// A placed is the placement of a pod with these tolerations. It does not change.
type placed struct {
	tolerations toleration.List
	placement   Placement
}

// find returns the placement of these tolerations, or nil and where to store it.
func (m *memo) find(tolerations []toleration.List) (*atomic.Pointer[placed], *placed) {
	const window = 8
	h := uint64(0)
	for _, list := range tolerations {
		for i := range list {
			h = h*31 + maphash.Comparable(m.seed, list[i])
		}
	}
	for i := range uint64(window) {
		slot := &m.slots[(h+i)%uint64(len(m.slots))]
		p := slot.Load()
		if p == nil || p.is(tolerations) {
			return slot, p
		}
	}
	return &m.slots[h%uint64(len(m.slots))], nil
}

// is reports whether the placement is that of these tolerations, one list behind
// the other.
func (p *placed) is(tolerations []toleration.List) bool {
	rest := p.tolerations
	for _, list := range tolerations {
		if len(list) > len(rest) || !slices.Equal(list, rest[:len(list)]) {
			return false
		}
		rest = rest[len(list):]
	}
	return len(rest) == 0
}
