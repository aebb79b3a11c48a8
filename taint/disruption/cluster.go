package disruption

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/internal/pacer"
)

// A Limiter has the state of each zone, and a queue of its nodes that wait for
// their first NoExecute taint. They are due in order: the first at once, the next
// one 1/rate later. Idle time is not saved up, and if the clock is set back, no
// node is due early.
//
// To make a Limiter, use [NewLimiter]. The zero Limiter has zero [Rates]. A
// Limiter must not be copied after first use: a method of a copy panics. It is
// not safe for concurrent use.
//
// A ID identifies a node. As with a map, a ID that cannot be hashed panics. Except
// where stated, methods are linear in the number of zones and do not allocate.
type Limiter[ID comparable] struct {
	guard     nocopy.Guard
	rates     Rates
	zones     []*zone[ID] // sorted
	disrupted bool
}

type zone[ID comparable] struct {
	name  Zone
	count Count
	state ZoneState
	queue *pacer.Pacer[ID]
}

// NewLimiter returns an empty Limiter.
func NewLimiter[ID comparable](r Rates) *Limiter[ID] { return &Limiter[ID]{rates: r} }

// A ZoneStatus describes a zone of a [Limiter].
type ZoneStatus struct {
	Zone    Zone
	Count   Count
	State   ZoneState
	Rate    float64 // nodes per second
	Waiting int     // nodes in the queue
}

// A Transition is what [Limiter.Update] changed.
type Transition struct {
	// Entered is set when rule 3 begins to apply. The caller then removes the
	// taints of condition.NodeEviction from every node.
	Entered bool `json:"entered"`
	// Left is set when it no longer applies. The caller then allows every node
	// the full time for its next heartbeat.
	Left bool `json:"left"`
	// Changes are the zones that were added or removed, or whose state or rate
	// changed, sorted.
	Changes []ZoneChange `json:"changes,omitempty"`
}

// A ZoneChange is a zone before and after an update. Before has only its Zone if
// the zone was added, After if it was removed.
type ZoneChange struct {
	Before ZoneStatus `json:"before"`
	After  ZoneStatus `json:"after"`
}

// Update sets the nodes of each zone and returns the changes. A zone without
// nodes is normal, and removed once its queue is empty and its last interval is
// over. If a rate changes while no node is due, the next one is due 1/rate after
// now. It allocates only for changes, and is O(n log n) in the number of zones.
func (c *Limiter[ID]) Update(now time.Time, counts map[Zone]Count) Transition {
	c.guard.Check("disruption.Limiter")
	was := c.disrupted
	c.disrupted = c.allDisrupted(counts)
	t := Transition{Entered: c.disrupted && !was, Left: was && !c.disrupted}
	t.Changes = c.updateKnown(now, counts, t.Changes)
	t.Changes = c.addNew(counts, t.Changes)
	slices.SortFunc(t.Changes, func(a, b ZoneChange) int { return a.After.Zone.Compare(b.After.Zone) })
	return t
}

// updateKnown updates the zones that the Limiter has, and removes those that are
// of no more use.
func (c *Limiter[ID]) updateKnown(now time.Time, counts map[Zone]Count, changes []ZoneChange) []ZoneChange {
	kept := c.zones[:0]
	for _, z := range c.zones {
		before := z.status()
		rate := c.set(z, counts[z.name])
		z.queue.SetRate(now, rate)
		if z.count.nodes() == 0 && z.queue.Idle(now) {
			changes = append(changes, ZoneChange{before, ZoneStatus{Zone: z.name}})
			continue
		}
		kept = append(kept, z)
		if after := z.status(); after.State != before.State || after.Rate != before.Rate {
			changes = append(changes, ZoneChange{before, after})
		}
	}
	clear(c.zones[len(kept):])
	c.zones = kept
	return changes
}

// addNew adds the zones with nodes that the Limiter does not have.
func (c *Limiter[ID]) addNew(counts map[Zone]Count, changes []ZoneChange) []ZoneChange {
	known := c.zones
	for name, count := range counts {
		if _, found := find(known, name); found || count.nodes() == 0 {
			continue
		}
		z := c.newZone(name, count)
		c.zones = append(c.zones, z)
		changes = append(changes, ZoneChange{ZoneStatus{Zone: name}, z.status()})
	}
	if len(c.zones) > len(known) {
		slices.SortFunc(c.zones, func(a, b *zone[ID]) int { return a.name.Compare(b.name) })
	}
	return changes
}

// allDisrupted reports whether there are nodes, and every zone that has some is
// in full disruption.
func (c *Limiter[ID]) allDisrupted(counts map[Zone]Count) bool {
	some := false
	for _, count := range counts {
		if count.nodes() == 0 {
			continue
		}
		if state, _ := c.rates.State(count); state != FullDisruption {
			return false
		}
		some = true
	}
	return some
}

// set sets the zone's count and state, and returns its rate.
func (c *Limiter[ID]) set(z *zone[ID], count Count) (rate float64) {
	z.count = count
	z.state, rate = c.rates.State(count)
	if c.disrupted {
		return 0
	}
	return rate
}

func (c *Limiter[ID]) newZone(name Zone, count Count) *zone[ID] {
	z := &zone[ID]{name: name}
	z.queue = pacer.New[ID](c.set(z, count))
	return z
}

func (z *zone[ID]) status() ZoneStatus {
	return ZoneStatus{Zone: z.name, Count: z.count, State: z.state, Rate: z.queue.Rate(), Waiting: z.queue.Len()}
}

// find returns the index of the zone, or where to insert it.
func find[ID comparable](zones []*zone[ID], name Zone) (i int, ok bool) {
	return slices.BinarySearchFunc(zones, name, func(z *zone[ID], name Zone) int { return z.name.Compare(name) })
}

// Disrupted reports whether every zone with nodes is in full disruption.
func (c *Limiter[ID]) Disrupted() bool {
	c.guard.Check("disruption.Limiter")
	return c.disrupted
}

// Zone returns the status of the zone, and whether the Limiter has the zone.
func (c *Limiter[ID]) Zone(zone Zone) (ZoneStatus, bool) {
	c.guard.Check("disruption.Limiter")
	i, ok := find(c.zones, zone)
	if !ok {
		return ZoneStatus{Zone: zone}, false
	}
	return c.zones[i].status(), true
}

// Zones returns the status of every zone, sorted. The Limiter must not change
// during the iteration.
func (c *Limiter[ID]) Zones() iter.Seq[ZoneStatus] {
	c.guard.Check("disruption.Limiter")
	return func(yield func(ZoneStatus) bool) {
		for _, z := range c.zones {
			if !yield(z.status()) {
				return
			}
		}
	}
}

// Add appends the node to the queue of the zone, and reports whether it did. A
// node in that queue keeps its place; a node in another one moves. An unknown
// zone is added. A ID that differs from itself, such as a NaN, is not added. Add
// may allocate.
func (c *Limiter[ID]) Add(zone Zone, id ID) bool {
	c.guard.Check("disruption.Limiter")
	i, known := find(c.zones, zone)
	if known && c.zones[i].queue.Has(id) || id != id {
		return false
	}
	c.Remove(id)
	if !known {
		c.zones = slices.Insert(c.zones, i, c.newZone(zone, Count{}))
	}
	return c.zones[i].queue.Add(id)
}

// Remove removes the node from its queue, and reports whether it was in one.
func (c *Limiter[ID]) Remove(id ID) bool {
	c.guard.Check("disruption.Limiter")
	for _, z := range c.zones {
		if z.queue.Remove(id) {
			return true
		}
	}
	return false
}

// Len returns how many nodes wait.
func (c *Limiter[ID]) Len() int {
	c.guard.Check("disruption.Limiter")
	n := 0
	for _, z := range c.zones {
		n += z.queue.Len()
	}
	return n
}

// Due returns the nodes that are due, sorted by zone: at most one of each queue,
// or all if its rate is infinite. It removes each from its queue just before
// yielding it. The Limiter may change during the iteration.
func (c *Limiter[ID]) Due(now time.Time) iter.Seq2[ID, Zone] {
	c.guard.Check("disruption.Limiter")
	return func(yield func(ID, Zone) bool) {
		for i := 0; i < len(c.zones); {
			z := c.zones[i]
			id, ok := z.queue.Take(now)
			if !ok {
				i++
				continue
			}
			if !yield(id, z.name) {
				return
			}
			// yield may have added or removed zones, and changed rates.
			if i, ok = find(c.zones, z.name); ok && !math.IsInf(c.zones[i].queue.Rate(), 1) {
				i++
			}
		}
	}
}

// Next returns the earliest time, from now on, at which Due yields a node, and
// false if there is none.
func (c *Limiter[ID]) Next(now time.Time) (at time.Time, ok bool) {
	c.guard.Check("disruption.Limiter")
	for _, z := range c.zones {
		if next, some := z.queue.Next(now); some && (!ok || next.Before(at)) {
			at, ok = next, true
		}
	}
	return at, ok
}
