package disruption

import (
	"container/list"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/nocopy"
)

// A Limiter has the state of each zone, and a queue of its nodes that wait for their
// first NoExecute taint. They are due in order: the first at once, the next one 1/rate
// later. Idle time is not saved up, and if the clock is set back, no node is due early.
//
// The zero Limiter has zero [Rates]. It must not be copied, and is not safe for
// concurrent use. Node ids are like keys of a map. Methods are linear in the number of
// zones and do not allocate, except where stated.
type Limiter[ID comparable] struct {
	_ nocopy.NoCopy
	s *limiter[ID]
}

type limiter[ID comparable] struct {
	rates     Rates
	zones     []*zone // sorted
	waiting   map[ID]place
	disrupted bool
}

// A place is where a node waits.
type place struct {
	zone *zone
	at   *list.Element
}

// A zone releases its nodes by a token bucket that holds one token and starts full.
type zone struct {
	name  Zone
	state ZoneState
	rate  float64
	spent bool // the token was taken or withheld; it returns at ready
	ready time.Time
	queue list.List // of ids
}

// NewLimiter returns an empty Limiter.
func NewLimiter[ID comparable](r Rates) *Limiter[ID] {
	return &Limiter[ID]{s: &limiter[ID]{rates: r, waiting: map[ID]place{}}}
}

func (c *Limiter[ID]) get() *limiter[ID] {
	if c.s == nil {
		c.s = NewLimiter[ID](Rates{}).s
	}
	return c.s
}

// Update sets the nodes of each zone. A zone without nodes is normal, and removed later.
// If a rate changes while no node is due, the next one is due 1/rate after now. It
// allocates only for new zones, and is O(n log n) for n zones.
//
// It returns entered when rule 3 begins to apply: then remove the taints of
// condition.NodeEviction from every node. It returns left when that ends: then allow
// every node the full time for its next heartbeat.
func (c *Limiter[ID]) Update(now time.Time, counts map[Zone]Count) (entered, left bool) {
	s := c.get()
	was := s.disrupted
	some, all := false, true // zones with nodes, and those in full disruption
	for _, count := range counts {
		if count.nodes() > 0 {
			state, _ := s.rates.State(count)
			some, all = true, all && state == FullDisruption
		}
	}
	s.disrupted = some && all
	kept := s.zones[:0]
	for _, z := range s.zones {
		count := counts[z.name]
		var rate float64
		z.state, rate = s.evaluate(count)
		z.setRate(now, rate)
		if count.nodes() > 0 || z.queue.Len() > 0 || z.held(now) {
			kept = append(kept, z)
		}
	}
	clear(s.zones[len(kept):])
	s.zones = kept
	for name, count := range counts {
		if _, known := find(kept, name); !known && count.nodes() > 0 {
			s.zones = append(s.zones, s.newZone(name, count))
		}
	}
	if len(s.zones) > len(kept) {
		slices.SortFunc(s.zones, func(a, b *zone) int { return a.name.compare(b.name) })
	}
	return s.disrupted && !was, was && !s.disrupted
}

// evaluate returns the state and the rate of a zone, by rule 3 too.
func (s *limiter[ID]) evaluate(count Count) (state ZoneState, rate float64) {
	state, rate = s.rates.State(count)
	if s.disrupted {
		rate = 0
	}
	return state, rate
}

func (s *limiter[ID]) newZone(name Zone, count Count) *zone {
	z := &zone{name: name}
	z.state, z.rate = s.evaluate(count)
	return z
}

// find returns the index of the zone, or where to insert it.
func find(zones []*zone, name Zone) (i int, ok bool) {
	return slices.BinarySearchFunc(zones, name, func(z *zone, name Zone) int { return z.name.compare(name) })
}

// State returns the state of the zone, its rate in nodes per second, and false without
// it.
func (c *Limiter[ID]) State(name Zone) (state ZoneState, rate float64, ok bool) {
	zones := c.get().zones
	i, ok := find(zones, name)
	if !ok {
		return Normal, 0, false
	}
	return zones[i].state, zones[i].rate, true
}

// Add appends the node to the queue of the zone, and reports whether it did. It does
// nothing if the node is in that queue, and removes it from the queue of another zone. Add
// allocates.
func (c *Limiter[ID]) Add(name Zone, id ID) bool {
	s := c.get()
	if at, waits := s.waiting[id]; waits && at.zone.name == name || id != id {
		return false
	}
	c.Remove(id)
	i, known := find(s.zones, name)
	if !known {
		s.zones = slices.Insert(s.zones, i, s.newZone(name, Count{}))
	}
	z := s.zones[i]
	s.waiting[id] = place{z, z.queue.PushBack(id)}
	return true
}

// Remove removes the node from its queue, and reports whether it was in one.
func (c *Limiter[ID]) Remove(id ID) bool {
	s := c.get()
	p, ok := s.waiting[id]
	if ok {
		p.zone.queue.Remove(p.at)
		delete(s.waiting, id)
	}
	return ok
}

func (c *Limiter[ID]) Len() int { return len(c.get().waiting) }

// Take returns the nodes that are due, sorted by zone: at most one of each queue, or all
// if its rate is infinite. It removes each before it yields it. The Limiter may change
// meanwhile. When a pass reaches a zone, it yields at most as many nodes as wait there.
func (c *Limiter[ID]) Take(now time.Time) iter.Seq2[ID, Zone] {
	return func(yield func(ID, Zone) bool) {
		s := c.get()
		left := -1 // in the zone; -1 before it is counted
		for i := 0; i < len(s.zones); {
			z := s.zones[i]
			if left < 0 {
				left = z.queue.Len()
			}
			if left = min(left, z.queue.Len()); left == 0 || !z.full(now) {
				i, left = i+1, -1
				continue
			}
			left--
			id, _ := z.queue.Front().Value.(ID) // not ok for the nil of an interface
			c.Remove(id)
			z.spent, z.ready = true, now.Add(z.interval())
			if !yield(id, z.name) {
				return
			}
			// yield may have added or removed zones, and changed rates.
			next, same := find(s.zones, z.name)
			if same && !math.IsInf(s.zones[next].rate, 1) {
				next, same = next+1, false
			}
			if i = next; !same {
				left = -1
			}
		}
	}
}

// Next returns the earliest time, from now on, at which Take yields a node.
func (c *Limiter[ID]) Next(now time.Time) (at time.Time, ok bool) {
	for _, z := range c.get().zones {
		if z.queue.Len() == 0 || z.rate == 0 {
			continue
		}
		if next := z.next(now); !ok || next.Before(at) {
			at, ok = next, true
		}
	}
	return at, ok
}

// All returns an iterator over the nodes that wait when the loop begins, zone by zone in
// the order of Take. The second value is when Take yields the node if rates stay as they
// are and Take is called at each Next; it is the zero time for a zone whose rate is 0. All
// allocates, and is O(n) for n nodes and zones.
func (c *Limiter[ID]) All(now time.Time) iter.Seq2[ID, time.Time] {
	return func(yield func(ID, time.Time) bool) {
		for _, z := range c.Clone().s.zones {
			var at time.Time
			if z.rate > 0 {
				at = z.next(now)
			}
			for e := z.queue.Front(); e != nil; e = e.Next() {
				id, _ := e.Value.(ID)
				if !yield(id, at) {
					return
				}
				if z.rate > 0 {
					at = at.Add(z.interval())
				}
			}
		}
	}
}

// Clone returns a copy, for example to simulate what will happen. It is O(n).
func (c *Limiter[ID]) Clone() *Limiter[ID] {
	s := c.get()
	to := NewLimiter[ID](s.rates)
	to.s.disrupted = s.disrupted
	for _, z := range s.zones {
		copied := *z
		copied.queue = list.List{}
		to.s.zones = append(to.s.zones, &copied)
		for e := z.queue.Front(); e != nil; e = e.Next() {
			id, _ := e.Value.(ID)
			to.s.waiting[id] = place{&copied, copied.queue.PushBack(e.Value)}
		}
	}
	return to
}

// next returns when the zone releases its first node, if its rate is not 0.
func (z *zone) next(now time.Time) time.Time {
	if z.held(now) {
		return z.ready
	}
	return now
}

// held reports whether the token has not returned yet.
func (z *zone) held(now time.Time) bool { return z.spent && now.Before(z.ready) }

// full reports whether the bucket has its token.
func (z *zone) full(now time.Time) bool { return z.rate > 0 && !z.held(now) }

// setRate changes the rate. If a node could be released now, that remains so; otherwise,
// also after a rate of 0, the next one is released 1/rate after now.
func (z *zone) setRate(now time.Time, rate float64) {
	if rate != z.rate {
		z.spent = !z.full(now)
		z.rate = rate
		z.ready = now.Add(z.interval())
	}
}

// interval returns 1/rate to the nanosecond, or the longest Duration if that is longer.
func (z *zone) interval() time.Duration {
	d := math.Round(float64(time.Second) / z.rate)
	if d >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(d)
}
