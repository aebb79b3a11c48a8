package condition

import (
	"iter"
	"math"
	"slices"
	"time"
)

// A Cluster follows the zones of a cluster: each one's state and rate, whether
// all are in full disruption, and in each a queue of the nodes that wait for
// their first NoExecute taint, let through at the zone's rate (see [Pacer]).
//
//	counts := make(map[condition.Zone]condition.Count)
//	… // count the nodes, see Count.With
//	if cluster.Update(now, counts).Entered {
//		… // drop NodeEviction from every node
//	}
//	… // reconcile every node; Add those that wait, Remove those that do not
//	for name, zone := range cluster.Due(now) {
//		… // reconcile that node AtOnce
//	}
//	at, ok := cluster.Next(now) // when to look again, if nothing changes
//
// The zero Cluster has zero [Rates], and lets no node through. A Cluster must
// not be copied after its first use, nor be used by several goroutines at a
// time. Nodes are told by whatever identifies them, as in a Pacer. Zones are
// few: what looks for a node is linear in their number.
type Cluster[K comparable] struct {
	rates     Rates
	zones     []*zoneQueue[K] // sorted
	disrupted bool
}

type zoneQueue[K comparable] struct {
	zone  Zone
	count Count
	state ZoneState
	queue Pacer[K]
}

// NewCluster returns a Cluster without zones that goes by those rates.
func NewCluster[K comparable](r Rates) *Cluster[K] { return &Cluster[K]{rates: r} }

// A ZoneStatus is what is known of a zone.
type ZoneStatus struct {
	Zone  Zone
	Count Count
	State ZoneState
	// Rate is how many of its nodes get their first NoExecute taint in a
	// second.
	Rate float64
	// Waiting is how many nodes wait for it.
	Waiting int
}

// A Transition says what an update of a [Cluster] has changed. The zero
// Transition is no change.
type Transition struct {
	// Entered is set when now every zone that has nodes is in full disruption,
	// and before not: all rates are 0 from now on. The taints of
	// [NodeEviction] are to come off every node, this once; whoever reconciles
	// the nodes afterwards finds them waiting.
	Entered bool
	// Left is set when that is over: the rates are those of the zones' states
	// again, and each zone's next node comes a full 1/rate later. Who judges
	// nodes by when they were last heard of should let that time begin anew.
	Left bool
	// Changes are the zones whose state or rate changed, and those that are
	// new or gone, sorted.
	Changes []ZoneChange
}

// A ZoneChange is what has become of one zone. For a zone that is new, all of
// Before but its Zone is zero; for one that is gone, all of After.
type ZoneChange struct {
	Before, After ZoneStatus
}

// Update tells the Cluster how many nodes each zone has now, and returns what
// that changes. Zones that are not in counts have none; one without nodes, or
// with excluded ones alone, is normal and does not count for whether all are in
// full disruption. It is forgotten when nobody waits in it, nor would have to.
// Counts is not kept.
//
// A zone that is new lets its first node through at once. Where a rate changes,
// see [Pacer.SetRate]. Nodes that wait keep waiting, whatever changes.
//
// It allocates only for changes and new zones.
func (c *Cluster[K]) Update(now time.Time, counts map[Zone]Count) Transition {
	was := c.disrupted
	c.disrupted = c.allDisrupted(counts)
	t := Transition{Entered: c.disrupted && !was, Left: was && !c.disrupted}
	for _, q := range c.zones {
		before := q.status()
		q.set(counts[q.zone], c.rates)
		q.queue.SetRate(now, c.rate(q))
		if q.idle(now) {
			t.Changes = append(t.Changes, ZoneChange{before, ZoneStatus{Zone: q.zone}})
		} else if after := q.status(); after.State != before.State || after.Rate != before.Rate {
			t.Changes = append(t.Changes, ZoneChange{before, after})
		}
	}
	c.zones = slices.DeleteFunc(c.zones, func(q *zoneQueue[K]) bool { return q.idle(now) })
	for zone, count := range counts {
		if _, known := c.find(zone); count.Nodes() > 0 && !known {
			t.Changes = append(t.Changes, ZoneChange{ZoneStatus{Zone: zone}, c.open(zone, count).status()})
		}
	}
	slices.SortFunc(t.Changes, func(a, b ZoneChange) int { return a.After.Zone.Compare(b.After.Zone) })
	return t
}

// allDisrupted reports whether there are nodes, and every zone that has some is
// in full disruption.
func (c *Cluster[K]) allDisrupted(counts map[Zone]Count) bool {
	some := false
	for _, count := range counts {
		if count.Nodes() == 0 {
			continue
		}
		if c.rates.State(count) != FullDisruption {
			return false
		}
		some = true
	}
	return some
}

// rate returns the zone's rate as all zones are now.
func (c *Cluster[K]) rate(q *zoneQueue[K]) float64 {
	if c.disrupted {
		return 0
	}
	return c.rates.Rate(q.state, q.count.Nodes())
}

func (q *zoneQueue[K]) set(count Count, r Rates) { q.count, q.state = count, r.State(count) }

// idle reports whether the zone is of no more use, and a new one would do as well.
func (q *zoneQueue[K]) idle(now time.Time) bool {
	return q.count.Nodes() == 0 && q.queue.Len() == 0 && !q.queue.held(now)
}

func (q *zoneQueue[K]) status() ZoneStatus {
	return ZoneStatus{Zone: q.zone, Count: q.count, State: q.state, Rate: q.queue.Rate(), Waiting: q.queue.Len()}
}

// find returns where the zone stands or is to stand, and whether it does.
func (c *Cluster[K]) find(zone Zone) (i int, ok bool) {
	return slices.BinarySearchFunc(c.zones, zone, func(q *zoneQueue[K], z Zone) int { return q.zone.Compare(z) })
}

// open makes a new zone.
func (c *Cluster[K]) open(zone Zone, count Count) *zoneQueue[K] {
	q := &zoneQueue[K]{zone: zone}
	q.set(count, c.rates)
	q.queue.rate = c.rate(q)
	i, _ := c.find(zone)
	c.zones = slices.Insert(c.zones, i, q)
	return q
}

// Disrupted reports whether every zone that has nodes is in full disruption, as
// of the last update.
func (c *Cluster[K]) Disrupted() bool { return c.disrupted }

// Zone returns what is known of the zone, and whether anything is: it has
// nodes, or some wait in it or would have to. It does not allocate.
func (c *Cluster[K]) Zone(zone Zone) (ZoneStatus, bool) {
	i, ok := c.find(zone)
	if !ok {
		return ZoneStatus{Zone: zone}, false
	}
	return c.zones[i].status(), true
}

// Zones returns the zones that are known, sorted. The Cluster must not be
// changed meanwhile.
func (c *Cluster[K]) Zones() iter.Seq[ZoneStatus] {
	return func(yield func(ZoneStatus) bool) {
		for _, q := range c.zones {
			if !yield(q.status()) {
				return
			}
		}
	}
}

// Add puts the node at the end of the zone's queue, and reports whether it did:
// one that waits there already keeps its place, and one that waits in another
// zone moves. A zone that is not known is one without nodes, which is normal.
func (c *Cluster[K]) Add(zone Zone, id K) bool {
	i, known := c.find(zone)
	if known && c.zones[i].queue.Has(id) || id != id {
		return false
	}
	c.Remove(id)
	if !known {
		return c.open(zone, Count{}).queue.Add(id)
	}
	return c.zones[i].queue.Add(id)
}

// Remove takes the node out of the queue that it waits in, and reports whether
// there was one. To be called when it is ready again, is gone, or got its taint
// otherwise.
func (c *Cluster[K]) Remove(id K) bool {
	for _, q := range c.zones {
		if q.queue.Remove(id) {
			return true
		}
	}
	return false
}

// Len returns how many nodes wait in all zones.
func (c *Cluster[K]) Len() int {
	n := 0
	for _, q := range c.zones {
		n += q.queue.Len()
	}
	return n
}

// Take removes a node that may be let through now and returns it with its zone,
// the first zone's first: see [Pacer.Take].
func (c *Cluster[K]) Take(now time.Time) (id K, zone Zone, ok bool) {
	for _, q := range c.zones {
		if id, ok := q.queue.Take(now); ok {
			return id, q.zone, true
		}
	}
	return id, zone, false
}

// Due returns the nodes that may be let through now, as Take does one by one:
// the first of each zone, or all of them where the rate is infinite. Each is
// removed as it comes; those after a break are not. The Cluster may be changed
// meanwhile.
func (c *Cluster[K]) Due(now time.Time) iter.Seq2[K, Zone] {
	return func(yield func(K, Zone) bool) {
		for {
			id, zone, ok := c.Take(now)
			if !ok || !yield(id, zone) {
				return
			}
		}
	}
}

// Next returns when Take will return a node, which is now if it would at once,
// and false if there will be none unless something changes.
func (c *Cluster[K]) Next(now time.Time) (at time.Time, ok bool) {
	for _, q := range c.zones {
		if next, some := q.queue.Next(now); some && (!ok || next.Before(at)) {
			at, ok = next, true
		}
	}
	return at, ok
}

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
	spent bool // the token was used or held back, and is there again at ready
	ready time.Time
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
	p.spent = !p.full(now)
	p.rate = rate
	p.ready = now.Add(p.interval())
}

// full reports whether the token is there.
func (p *Pacer[K]) full(now time.Time) bool {
	return p.rate > 0 && !p.held(now)
}

// held reports whether the token is yet to come back.
func (p *Pacer[K]) held(now time.Time) bool { return p.spent && now.Before(p.ready) }

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
	p.spent, p.ready = true, now.Add(p.interval())
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
