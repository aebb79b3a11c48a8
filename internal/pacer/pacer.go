// Package pacer limits the rate at which queued items are released.
package pacer

import (
	"iter"
	"math"
	"time"

	"github.com/go-tolerate/tolerate/internal/nocopy"
)

// A Pacer is a queue whose items are released in order, one at a time, at most
// rate a second. It is a token bucket that holds one token and starts full: the
// first item is released at once, the next one 1/rate later, and idle time is
// not saved up. To make one, use [New]. The zero Pacer has the rate 0, which
// releases nothing.
//
// A Pacer must not be copied after first use: a method of a copy panics. It is
// not safe for concurrent use. As with a map, an id that cannot be hashed
// panics. Add, Remove and Take are O(1), and allocate only when more items wait
// than ever before.
//
// The caller passes the time. If its clock is set back, nothing is released
// early: the next item waits until the clock reaches the time that was due, or,
// after [Pacer.SetRate] with another rate, for 1/rate from then on.
type Pacer[K comparable] struct {
	guard nocopy.Guard
	rate  float64
	spent bool // the token was taken or withheld; it returns at ready
	ready time.Time
	slots []slot[K] // the queue as a ring of links; slots[0] is both ends
	free  int       // the first unused slot, 0 for none
	at    map[K]int // the slot of each id
}

type slot[K comparable] struct {
	id         K
	prev, next int
}

// New returns an empty Pacer that releases rate items a second. A negative rate
// and a NaN are 0; an infinite rate releases everything at once.
func New[K comparable](rate float64) *Pacer[K] {
	return &Pacer[K]{rate: Rate(rate)}
}

// Rate returns the rate, or 0 if it is negative or a NaN.
func Rate(rate float64) float64 {
	if rate > 0 {
		return rate
	}
	return 0
}

// Rate returns how many items are released in a second.
func (p *Pacer[K]) Rate() float64 {
	p.guard.Check("pacer.Pacer")
	return p.rate
}

// SetRate changes the rate. If an item could be released now, that remains so;
// otherwise, also after a rate of 0, the next one is released 1/rate after now.
// Setting the present rate changes nothing.
func (p *Pacer[K]) SetRate(now time.Time, rate float64) {
	p.guard.Check("pacer.Pacer")
	rate = Rate(rate)
	if rate == p.rate {
		return
	}
	p.spent = !p.full(now)
	p.rate = rate
	p.ready = now.Add(p.interval())
}

// full reports whether the bucket has its token.
func (p *Pacer[K]) full(now time.Time) bool {
	return p.rate > 0 && !p.held(now)
}

// held reports whether the token has not returned yet.
func (p *Pacer[K]) held(now time.Time) bool { return p.spent && now.Before(p.ready) }

// Idle reports whether the Pacer is empty and a new one with the same rate would
// behave alike from now on.
func (p *Pacer[K]) Idle(now time.Time) bool {
	p.guard.Check("pacer.Pacer")
	return len(p.at) == 0 && !p.held(now)
}

// interval returns 1/rate, or the longest Duration if that is longer.
func (p *Pacer[K]) interval() time.Duration {
	d := math.Round(float64(time.Second) / p.rate)
	if d >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(d)
}

// Add appends the item to the queue and reports whether it did. An item that is already
// queued keeps its position. An id that is not equal to itself, such as a NaN, is never
// added.
func (p *Pacer[K]) Add(id K) bool {
	p.guard.Check("pacer.Pacer")
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

// Remove removes the item from the queue and reports whether it was there.
func (p *Pacer[K]) Remove(id K) bool {
	p.guard.Check("pacer.Pacer")
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

// Has reports whether the item waits.
func (p *Pacer[K]) Has(id K) bool {
	p.guard.Check("pacer.Pacer")
	_, ok := p.at[id]
	return ok
}

// Len returns how many items wait.
func (p *Pacer[K]) Len() int {
	p.guard.Check("pacer.Pacer")
	return len(p.at)
}

// All returns the items that wait, in order. The Pacer must not be changed
// during the iteration.
func (p *Pacer[K]) All() iter.Seq[K] {
	p.guard.Check("pacer.Pacer")
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

// Take removes and returns the first item if it can be released now, which
// takes the token.
func (p *Pacer[K]) Take(now time.Time) (id K, ok bool) {
	p.guard.Check("pacer.Pacer")
	if p.Len() == 0 || !p.full(now) {
		return id, false
	}
	id = p.slots[p.slots[0].next].id
	p.Remove(id)
	p.spent, p.ready = true, now.Add(p.interval())
	return id, true
}

// Next returns the earliest time at which Take returns an item, which is now if
// it would at once, and false if nothing waits or the rate is 0.
func (p *Pacer[K]) Next(now time.Time) (at time.Time, ok bool) {
	p.guard.Check("pacer.Pacer")
	switch {
	case p.Len() == 0 || p.rate == 0:
		return time.Time{}, false
	case p.full(now):
		return now, true
	}
	return p.ready, true
}
