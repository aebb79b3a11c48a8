package disruption_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// plainCluster is the reference for Limiter, made of plain pacers.
type plainCluster struct {
	counts counts
	queues map[zone]*plain.Pacer
	full   bool
}

func (c *plainCluster) state(z zone) disruption.ZoneState {
	n := c.counts[z]
	return state(int64(n.Ready), int64(n.NotReady), 55, 100)
}

func (c *plainCluster) interval(z zone) int {
	switch n := c.counts[z]; {
	case c.full:
		return 0
	case c.state(z) != disruption.PartialDisruption:
		return 10
	case n.Ready+n.NotReady > 50:
		return 100
	}
	return 0
}

func (c *plainCluster) update(now int, n counts) (entered, left bool) {
	was := c.full
	c.counts = n
	c.full = len(n) > 0
	for z := range n {
		c.full = c.full && c.state(z) == disruption.FullDisruption
	}
	for z, q := range c.queues {
		q.SetInterval(now, c.interval(z))
		if len(q.IDs) == 0 && n[z] == (disruption.Count{}) && (!q.Empty || q.Token(now)) {
			delete(c.queues, z)
		}
	}
	for z := range n {
		c.open(z)
	}
	return c.full && !was, was && !c.full
}

func (c *plainCluster) open(z zone) *plain.Pacer {
	if c.queues[z] == nil {
		c.queues[z] = &plain.Pacer{Interval: c.interval(z)}
	}
	return c.queues[z]
}

func (c *plainCluster) zones() []zone {
	var all []zone
	for z := range c.queues {
		all = append(all, z)
	}
	slices.SortFunc(all, zone.Compare)
	return all
}

type due struct {
	id   int
	zone zone
}

func clusterProperty(t *rapid.T) {
	base := gen.Epoch().Draw(t, "base")
	second := func(n int) time.Time { return base.Add(time.Duration(n) * time.Second) }
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	p := plainCluster{queues: make(map[zone]*plain.Pacer)}
	now := 0
	id := rapid.IntRange(0, 9)
	zones := []zone{{}, {Name: "a"}, {Region: "r", Name: "a"}}
	z := rapid.SampledFrom(zones)
	count := rapid.SampledFrom([]disruption.Count{{NotReady: 1}, {NotReady: 3}, {NotReady: 60}, {Ready: 1}, {Ready: 1, NotReady: 3}, {Ready: 22, NotReady: 28}, {Ready: 22, NotReady: 29}})
	nothing := func(*rapid.T) {} // checked after every step
	t.Repeat(gen.Actions[disruption.Limiter[int]](t, map[string]func(*rapid.T){
		"Disrupted": nothing, "Len": nothing, "Next": nothing, "Zone": nothing, "Zones": nothing,
		"dueFirst": func(t *rapid.T) { // and no more
			var got, want []due
			for id, z := range c.Due(second(now)) {
				got = append(got, due{id, z})
				break
			}
			for _, z := range p.zones() {
				if id, ok := p.queues[z].Take(now); ok {
					want = append(want, due{id, z})
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("the first of Due(%d s) = %v, want %v", now, got, want)
			}
		},
		"Update": func(t *rapid.T) {
			n := rapid.MapOfN(z, count, 0, 3).Draw(t, "counts")
			before := make(map[zone]disruption.ZoneStatus)
			for s := range c.Zones() {
				before[s.Zone] = s
			}
			got := c.Update(second(now), n)
			entered, left := p.update(now, n)
			if got.Entered != entered || got.Left != left {
				t.Fatalf("Update(%v): entered %v, left %v, want %v, %v", n, got.Entered, got.Left, entered, left)
			}
			var want []disruption.ZoneChange
			for _, z := range zones {
				old, had := before[z]
				after, has := c.Zone(z)
				if !had {
					old.Zone = z
				}
				if had != has || old.State != after.State || old.Rate != after.Rate {
					want = append(want, disruption.ZoneChange{Before: old, After: after})
				}
			}
			if diff := cmp.Diff(want, got.Changes); diff != "" {
				t.Fatalf("Update(%v) mismatch (-want +got):\n%s", n, diff)
			}
		},
		"Add": func(t *rapid.T) {
			z, id := z.Draw(t, "zone"), id.Draw(t, "id")
			got := c.Add(z, id)
			want := !slices.Contains(p.open(z).IDs, id)
			if want {
				for _, q := range p.queues {
					q.Remove(id)
				}
				p.queues[z].Add(id)
			}
			if got != want {
				t.Fatalf("Add(%v, %d) = %v, want %v", z, id, got, want)
			}
		},
		"Remove": func(t *rapid.T) {
			id := id.Draw(t, "id")
			want := false
			for _, q := range p.queues {
				want = q.Remove(id) || want
			}
			if got := c.Remove(id); got != want {
				t.Fatalf("Remove(%d) = %v, want %v", id, got, want)
			}
		},
		"clock": func(t *rapid.T) {
			now += gen.Tick().Draw(t, "seconds")
		},
		"Due": func(t *rapid.T) {
			var got, want []due
			for id, z := range c.Due(second(now)) {
				got = append(got, due{id, z})
			}
			for _, z := range p.zones() {
				if id, ok := p.queues[z].Take(now); ok {
					want = append(want, due{id, z})
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("Due(%d s) = %v, want %v", now, got, want)
			}
		},
		"": func(t *rapid.T) {
			var known []zone
			waiting := 0
			var next int
			some := false
			for s := range c.Zones() {
				known = append(known, s.Zone)
				q := p.queues[s.Zone]
				if q == nil {
					t.Fatalf("zone %v is known", s.Zone)
				}
				want := disruption.ZoneStatus{Zone: s.Zone, Count: p.counts[s.Zone], State: p.state(s.Zone), Rate: plain.Rate(q.Interval), Waiting: len(q.IDs)}
				if one, ok := c.Zone(s.Zone); s != want || one != s || !ok {
					t.Fatalf("zone %+v, want %+v", s, want)
				}
				waiting += s.Waiting
				if len(q.IDs) == 0 || q.Interval == 0 {
					continue
				}
				s := now
				if !q.Token(now) {
					s = q.Mark + q.Interval
				}
				if !some || s < next {
					next, some = s, true
				}
			}
			if want := p.zones(); !slices.Equal(known, want) || c.Len() != waiting || c.Disrupted() != p.full {
				t.Fatalf("zones %v, want %v; %d wait, want %d; disrupted %v, want %v", known, want, c.Len(), waiting, c.Disrupted(), p.full)
			}
			if at, ok := c.Next(second(now)); ok != some || ok && at != second(next) {
				t.Fatalf("Next = %v, %v, want %d s, %v", at, ok, next, some)
			}
		},
	}))
}

func TestLimiter_machine(t *testing.T) { rapid.Check(t, clusterProperty) }

// FuzzCluster searches for a sequence of operations after which the Limiter and
// its reference differ.
func FuzzLimiter(f *testing.F) {
	gen.Fuzz(f, clusterProperty)
}
