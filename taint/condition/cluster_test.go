package condition_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint/condition"
)

type (
	zone   = condition.Zone
	counts = map[condition.Zone]condition.Count
)

// What a cluster says at each step of a story.
func TestCluster(t *testing.T) {
	type step struct {
		counts        counts
		entered, left bool
		rates         map[zone]float64
	}
	a, b, c := zone{Name: "a"}, zone{Name: "b"}, zone{}
	up, down, partial, large := condition.Count{Ready: 3}, condition.Count{NotReady: 3}, condition.Count{Ready: 1, NotReady: 3}, condition.Count{Ready: 20, NotReady: 31}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"T6_no_zones", []step{{nil, false, false, nil}, {counts{}, false, false, nil}}},
		{"T6_the_rate_of_each", []step{
			{counts{a: up, b: partial, c: large}, false, false, map[zone]float64{a: 0.1, b: 0, c: 0.01}},
			{counts{a: down, b: up, c: up}, false, false, map[zone]float64{a: 0.1, b: 0.1, c: 0.1}},
		}},
		{"T6_all_lost_and_back", []step{
			{counts{a: up, b: up}, false, false, map[zone]float64{a: 0.1, b: 0.1}},
			{counts{a: down, b: partial}, false, false, map[zone]float64{a: 0.1, b: 0}},
			{counts{a: down, b: down}, true, false, map[zone]float64{a: 0, b: 0}},
			{counts{a: down, b: down}, false, false, map[zone]float64{a: 0, b: 0}},
			{counts{a: down, b: {Ready: 1, NotReady: 1}}, false, true, map[zone]float64{a: 0.1, b: 0.1}},
			{counts{a: down, b: down}, true, false, map[zone]float64{a: 0, b: 0}},
		}},
		{"T6_lost_from_the_start", []step{{counts{a: {NotReady: 1}}, true, false, map[zone]float64{a: 0}}}},
		{"T6_a_zone_without_nodes_does_not_count", []step{
			{counts{a: down, b: {}}, true, false, map[zone]float64{a: 0}},
			{counts{a: down, b: {Ready: -1}}, false, false, map[zone]float64{a: 0}},
		}},
		{"T6_another_lost_zone_is_no_news", []step{
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
			{counts{a: down, b: down}, false, false, map[zone]float64{a: 0, b: 0}},
			{counts{b: down}, false, false, map[zone]float64{b: 0}},
			{counts{b: down, c: up}, false, true, map[zone]float64{b: 0.1, c: 0.1}},
		}},
		{"T6_the_last_zone_goes", []step{
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
			{nil, false, true, map[zone]float64{a: 0.1}}, // a node would have to wait
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
		}},
		{"T6_the_rate_follows_the_size", []step{
			{counts{a: {Ready: 20, NotReady: 30}}, false, false, map[zone]float64{a: 0}},
			{counts{a: large}, false, false, map[zone]float64{a: 0.01}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cluster := condition.NewCluster[int](condition.DefaultRates())
			for i, s := range tt.steps {
				got := cluster.Update(second(i), s.counts)
				if got.Entered != s.entered || got.Left != s.left {
					t.Errorf("step %d: entered %v, left %v", i, got.Entered, got.Left)
				}
				rates := make(map[zone]float64)
				for z := range cluster.Zones() {
					rates[z.Zone] = z.Rate
				}
				if len(rates) != len(s.rates) {
					t.Errorf("step %d: rates %v, want %v", i, rates, s.rates)
				}
				for z, want := range s.rates {
					if got, ok := rates[z]; !ok || got != want {
						t.Errorf("step %d: rates %v, want %v", i, rates, s.rates)
					}
				}
			}
		})
	}
}

func TestClusterChanges(t *testing.T) {
	a, b := zone{Name: "a"}, zone{Name: "b"}
	c := condition.NewCluster[int](condition.DefaultRates())
	c.Update(noon, counts{b: {Ready: 2}, a: {Ready: 2}})
	c.Add(a, 1)
	got := c.Update(noon, counts{a: {NotReady: 2}, zone{}: {Ready: 1, NotReady: 3}})
	want := condition.Transition{Changes: []condition.ZoneChange{
		{After: condition.ZoneStatus{Count: condition.Count{Ready: 1, NotReady: 3}, State: condition.PartialDisruption}},
		{
			Before: condition.ZoneStatus{Zone: a, Count: condition.Count{Ready: 2}, Rate: 0.1, Waiting: 1},
			After:  condition.ZoneStatus{Zone: a, Count: condition.Count{NotReady: 2}, State: condition.FullDisruption, Rate: 0.1, Waiting: 1},
		},
		{Before: condition.ZoneStatus{Zone: b, Count: condition.Count{Ready: 2}, Rate: 0.1}, After: condition.ZoneStatus{Zone: b}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("T6: Update mismatch (-want +got):\n%s", diff)
	}
	if got := c.Update(noon, counts{a: {NotReady: 3}, zone{}: {Ready: 1, NotReady: 4}}); len(got.Changes) != 0 || got.Entered || got.Left {
		t.Errorf("T6: counts alone are no change: %+v", got)
	}
	// Nodes wait in a zone that has none left, until they are taken.
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if z, ok := c.Zone(a); !ok || z.Waiting != 1 || z.State != condition.Normal || z.Rate != 0.1 {
		t.Errorf("T6: zone with nobody but one that waits: %+v, %v", z, ok)
	}
	c.Remove(1)
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if z, ok := c.Zone(a); ok || z != (condition.ZoneStatus{Zone: a}) {
		t.Errorf("T6: zone with nobody: %+v, %v", z, ok)
	}
}

// A zone that is new lets its first node through at once, wherever the caller's
// clock begins.
func TestClusterAnyEpoch(t *testing.T) {
	for _, start := range []time.Time{{}, time.Time{}.Add(-time.Hour), noon} {
		c := condition.NewCluster[int](condition.DefaultRates())
		c.Update(start, counts{zone{}: {Ready: 1}})
		c.Add(zone{}, 1)
		c.Add(zone{Name: "a"}, 2)
		for _, want := range []zone{{}, {Name: "a"}} {
			if _, z, ok := c.Take(start); !ok || z != want {
				t.Errorf("T6: %v: the first node of %v has to wait", start, want)
			}
		}
	}
}

func TestClusterZero(t *testing.T) {
	var c condition.Cluster[int]
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if !c.Add(zone{}, 1) || c.Len() != 1 || c.Disrupted() {
		t.Error("the zero Cluster does not queue")
	}
	if _, _, ok := c.Take(noon); ok {
		t.Error("the zero Cluster lets a node through")
	}
	if _, ok := c.Next(noon); ok {
		t.Error("the zero Cluster will let a node through")
	}
	for range c.Due(noon) {
		t.Error("the zero Cluster lets a node through")
	}
	for range c.Zones() {
		break
	}
}

func TestClusterNaN(t *testing.T) {
	c := condition.NewCluster[float64](condition.DefaultRates())
	if c.Add(zone{}, math.NaN()) || c.Len() != 0 {
		t.Error("a NaN waits")
	}
	if _, ok := c.Zone(zone{}); ok {
		t.Error("a NaN has made a zone")
	}
}

func TestClusterDueStops(t *testing.T) {
	c := condition.NewCluster[int](condition.DefaultRates())
	c.Add(zone{Name: "a"}, 1)
	c.Add(zone{Name: "b"}, 2)
	for range c.Due(noon) {
		break
	}
	if c.Len() != 1 {
		t.Errorf("%d wait after a break, want 1", c.Len())
	}
}

// A zone of nodes that are all excluded has none that count, and keeps its rate,
// whether or not somebody waits in it when it is looked at.
func TestClusterExcludedZone(t *testing.T) {
	c := condition.NewCluster[int](condition.DefaultRates())
	elsewhere := counts{zone{Name: "other"}: {Ready: 1}}
	var got []int
	for s := range 45 {
		c.Update(second(s), elsewhere)
		switch s { // each as soon as nobody waits
		case 1, 2, 40:
			c.Add(zone{}, s)
		}
		for range c.Due(second(s)) {
			got = append(got, s)
		}
		c.Update(second(s), elsewhere)
	}
	if want := []int{1, 11, 40}; !slices.Equal(got, want) {
		t.Errorf("T6: nodes are let through at %v s, want %v", got, want)
	}
	c.Update(second(50), elsewhere)
	if z, ok := c.Zone(zone{}); ok {
		t.Errorf("T6: %+v is still known", z)
	}
}

// plainCluster is a Cluster as the rule tells it, out of plain pacers.
type plainCluster struct {
	counts counts
	queues map[zone]*plainPacer
	full   bool
}

func (c *plainCluster) state(z zone) condition.ZoneState {
	n := c.counts[z]
	return state(int64(n.Ready), int64(n.NotReady), 55, 100)
}

func (c *plainCluster) interval(z zone) int {
	switch n := c.counts[z]; {
	case c.full:
		return 0
	case c.state(z) != condition.PartialDisruption:
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
		c.full = c.full && c.state(z) == condition.FullDisruption
	}
	for z, q := range c.queues {
		q.setInterval(now, c.interval(z))
		if len(q.ids) == 0 && n[z] == (condition.Count{}) && (q.full || q.token(now)) {
			delete(c.queues, z)
		}
	}
	for z := range n {
		c.open(z)
	}
	return c.full && !was, was && !c.full
}

func (c *plainCluster) open(z zone) *plainPacer {
	if c.queues[z] == nil {
		c.queues[z] = &plainPacer{interval: c.interval(z), full: true}
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

func clusterProperty(t *rapid.T) {
	c := condition.NewCluster[int](condition.DefaultRates())
	p := plainCluster{queues: make(map[zone]*plainPacer)}
	now := 0
	id := rapid.IntRange(0, 9)
	zones := []zone{{}, {Name: "a"}, {Region: "r", Name: "a"}}
	z := rapid.SampledFrom(zones)
	count := rapid.SampledFrom([]condition.Count{{NotReady: 1}, {NotReady: 3}, {NotReady: 60}, {Ready: 1}, {Ready: 1, NotReady: 3}, {Ready: 22, NotReady: 28}, {Ready: 22, NotReady: 29}})
	t.Repeat(map[string]func(*rapid.T){
		"update": func(t *rapid.T) {
			n := rapid.MapOfN(z, count, 0, 3).Draw(t, "counts")
			before := make(map[zone]condition.ZoneStatus)
			for s := range c.Zones() {
				before[s.Zone] = s
			}
			got := c.Update(second(now), n)
			entered, left := p.update(now, n)
			if got.Entered != entered || got.Left != left {
				t.Fatalf("Update(%v): entered %v, left %v, want %v, %v", n, got.Entered, got.Left, entered, left)
			}
			var want []condition.ZoneChange
			for _, z := range zones {
				old, had := before[z]
				after, has := c.Zone(z)
				if !had {
					old.Zone = z
				}
				if had != has || old.State != after.State || old.Rate != after.Rate {
					want = append(want, condition.ZoneChange{Before: old, After: after})
				}
			}
			if diff := cmp.Diff(want, got.Changes); diff != "" {
				t.Fatalf("Update(%v) mismatch (-want +got):\n%s", n, diff)
			}
		},
		"add": func(t *rapid.T) {
			z, id := z.Draw(t, "zone"), id.Draw(t, "id")
			got := c.Add(z, id)
			want := !slices.Contains(p.open(z).ids, id)
			if want {
				for _, q := range p.queues {
					q.remove(id)
				}
				p.queues[z].add(id)
			}
			if got != want {
				t.Fatalf("Add(%v, %d) = %v, want %v", z, id, got, want)
			}
		},
		"remove": func(t *rapid.T) {
			id := id.Draw(t, "id")
			want := false
			for _, q := range p.queues {
				want = q.remove(id) || want
			}
			if got := c.Remove(id); got != want {
				t.Fatalf("Remove(%d) = %v, want %v", id, got, want)
			}
		},
		"clock": func(t *rapid.T) {
			now += rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(-20, 120)).Draw(t, "seconds")
		},
		"due": func(t *rapid.T) {
			type due struct {
				id   int
				zone zone
			}
			var got, want []due
			for id, z := range c.Due(second(now)) {
				got = append(got, due{id, z})
			}
			for _, z := range p.zones() {
				if id, ok := p.queues[z].take(now); ok {
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
			var next time.Time
			for s := range c.Zones() {
				known = append(known, s.Zone)
				q := p.queues[s.Zone]
				if q == nil {
					t.Fatalf("zone %v is known", s.Zone)
				}
				want := condition.ZoneStatus{Zone: s.Zone, Count: p.counts[s.Zone], State: p.state(s.Zone), Rate: rate(q.interval), Waiting: len(q.ids)}
				if one, ok := c.Zone(s.Zone); s != want || one != s || !ok {
					t.Fatalf("zone %+v, want %+v", s, want)
				}
				waiting += s.Waiting
				if len(q.ids) == 0 || q.interval == 0 {
					continue
				}
				s := now
				for !q.token(s) {
					s++
				}
				if at := second(s); next.IsZero() || at.Before(next) {
					next = at
				}
			}
			if want := p.zones(); !slices.Equal(known, want) || c.Len() != waiting || c.Disrupted() != p.full {
				t.Fatalf("zones %v, want %v; %d wait, want %d; disrupted %v, want %v", known, want, c.Len(), waiting, c.Disrupted(), p.full)
			}
			if at, ok := c.Next(second(now)); at != next || ok != !next.IsZero() {
				t.Fatalf("Next = %v, %v, want %v", at, ok, next)
			}
		},
	})
}

func TestT6_cluster(t *testing.T) { rapid.Check(t, clusterProperty) }
