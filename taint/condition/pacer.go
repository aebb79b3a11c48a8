package condition

import (
	"iter"
	"math"
	"time"
)

// A Pacer is a queue of nodes that are let through at a rate: first come, first
// served, one at a time. It is a token bucket that holds a single token, full
// at the start, so the first node is let through at once, the next one 1/rate
// later, and time in which nobody waited is not saved up.
//
// The zero Pacer has the rate 0, which lets nobody through. A Pacer must not be
// copied after its first use, nor be used by several goroutines at a time.
// Nodes are told by whatever identifies them; as with a map, an id that cannot
// be hashed panics. Adding, removing and taking are O(1), and allocate only
// while more nodes wait than ever before.
//
// Time is what the caller says. A clock that is set back lets nobody through
// early: it has to come back to where it was.
type Pacer[K comparable] struct {
	rate  float64
	ready time.Time // when the token is there; the zero time for always
	slots []slot[K] // the queue, linked; slot 0 stands before the first and behind the last
	free  int       // the first slot that is not in use, 0 for none
	at    map[K]int
}

type slot[K comparable] struct {
	id         K
	prev, next int
}

// NewPacer returns an empty Pacer that lets that many nodes through in a second.
// A rate that is not above 0 is 0, and an infinite one lets all through at once.
func NewPacer[K comparable](rate float64) *Pacer[K] {
	return &Pacer[K]{rate: normal(rate)}
}

// normal returns the rate, 0 for one that is negative or no number.
func normal(rate float64) float64 {
	if rate > 0 {
		return rate
	}
	return 0
}

// Rate returns how many nodes are let through in a second.
func (p *Pacer[K]) Rate() float64 { return p.rate }

// SetRate changes the rate. If a node could be let through now, that stays so;
// else, as after a rate of 0, the next one is let through a full 1/rate after
// now. To set the rate that is set changes nothing.
func (p *Pacer[K]) SetRate(now time.Time, rate float64) {
	rate = normal(rate)
	if rate == p.rate {
		return
	}
	full := p.full(now)
	p.rate, p.ready = rate, time.Time{}
	if !full && rate > 0 {
		p.ready = now.Add(p.interval())
	}
}

// full reports whether the token is there.
func (p *Pacer[K]) full(now time.Time) bool {
	return p.rate > 0 && (p.ready.IsZero() || !now.Before(p.ready))
}

// interval returns 1/rate, or the longest Duration when that is longer.
func (p *Pacer[K]) interval() time.Duration {
	d := math.Round(float64(time.Second) / p.rate)
	if d >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(d)
}

// Add puts the node at the end of the queue, and reports whether it did: a node
// that waits already keeps its place. An id that is not equal to itself, such
// as a NaN, is never added.
func (p *Pacer[K]) Add(id K) bool {
	if p.Has(id) || id != id {
		return false
	}
	if p.at == nil {
		p.at = make(map[K]int)
		p.slots = make([]slot[K], 1, 8)
	}
	i := p.free
	if i == 0 {
		i = len(p.slots)
		p.slots = append(p.slots, slot[K]{})
	} else {
		p.free = p.slots[i].next
	}
	last := p.slots[0].prev
	p.slots[i] = slot[K]{id: id, prev: last}
	p.slots[last].next = i
	p.slots[0].prev = i
	p.at[id] = i
	return true
}

// Remove takes the node out of the queue, and reports whether it was there.
func (p *Pacer[K]) Remove(id K) bool {
	i, ok := p.at[id]
	if !ok {
		return false
	}
	delete(p.at, id)
	s := p.slots[i]
	p.slots[s.prev].next = s.next
	p.slots[s.next].prev = s.prev
	p.slots[i] = slot[K]{next: p.free}
	p.free = i
	return true
}

// Has reports whether the node waits.
func (p *Pacer[K]) Has(id K) bool {
	_, ok := p.at[id]
	return ok
}

// Len returns how many nodes wait.
func (p *Pacer[K]) Len() int { return len(p.at) }

// All returns the nodes that wait, in order. The Pacer must not be changed
// meanwhile.
func (p *Pacer[K]) All() iter.Seq[K] {
	return func(yield func(K) bool) {
		if p.Len() == 0 {
			return
		}
		for i := p.slots[0].next; i != 0; i = p.slots[i].next {
			if !yield(p.slots[i].id) {
				return
			}
		}
	}
}

// Take removes the node that has waited longest and returns it, if one may be
// let through now; that uses up the token. Who cannot let it through after all
// may add it again: it goes to the end.
func (p *Pacer[K]) Take(now time.Time) (id K, ok bool) {
	if p.Len() == 0 || !p.full(now) {
		return id, false
	}
	id = p.slots[p.slots[0].next].id
	p.Remove(id)
	p.ready = now.Add(p.interval())
	return id, true
}

// Next returns when Take will return a node, which is now if it would at once,
// and false if nobody waits or the rate is 0.
func (p *Pacer[K]) Next(now time.Time) (at time.Time, ok bool) {
	switch {
	case p.Len() == 0 || p.rate == 0:
		return time.Time{}, false
	case p.full(now):
		return now, true
	}
	return p.ready, true
}
