package disruption_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

type (
	zone   = disruption.Zone
	counts = map[disruption.Zone]disruption.Count
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestLimiter_Take(t *testing.T) {
	t.Run("T6_cluster_changes", testDueChanges)
	t.Run("T6_one_of_each_queue", testDueOne)
	t.Run("T6_zone_removed_meanwhile", func(t *testing.T) {
		c := disruption.NewLimiter[int](disruption.Rates{Usual: math.Inf(1)})
		c.Add(zone{}, 1)
		for range c.Take(noon) {
			c.Update(noon, nil)
		}
		if _, _, ok := c.State(zone{}); ok || c.Len() != 0 {
			t.Errorf("%d wait, and the zone is there: %t", c.Len(), ok)
		}
	})
}

// A finite rate, however high, releases one node at most, also at the end of time.
func testDueOne(t *testing.T) {
	end := time.Unix(math.MaxInt64-62135596800, 999_999_999)
	for _, tt := range []struct {
		rate float64
		now  time.Time
		want int
	}{
		{0, noon, 0},
		{1e9, noon, 2},
		{math.MaxFloat64, noon, 2},
		{0.1, end, 2},
		{0.1, end.Add(-time.Second), 2},
		{math.Inf(1), noon, 6},
		{math.Inf(1), end, 6},
	} {
		c := disruption.NewLimiter[int](disruption.Rates{Usual: tt.rate})
		for i := range 6 {
			c.Add(zone{Name: strconv.Itoa(i % 2)}, i)
		}
		got := 0
		for range c.Take(tt.now) {
			got++
		}
		if got != tt.want {
			t.Errorf("T6: with the rate %g at %d s, %d nodes are due, want %d", tt.rate, tt.now.Unix(), got, tt.want)
		}
	}
}

func TestLimiter_zero(t *testing.T) {
	var c disruption.Limiter[int]
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if !c.Add(zone{}, 1) || c.Len() != 1 {
		t.Error("the zero Cluster does not queue")
	}
	if _, ok := c.Next(noon); ok {
		t.Error("the zero Cluster will release a node")
	}
	for range c.Take(noon) {
		t.Error("the zero Cluster releases a node")
	}
}

func TestLimiter_Add_NaN(t *testing.T) {
	c := disruption.NewLimiter[float64](disruption.DefaultRates())
	if c.Add(zone{}, math.NaN()) || c.Len() != 0 {
		t.Error("a NaN waits")
	}
	if _, _, ok := c.State(zone{}); ok {
		t.Error("a NaN has added a zone")
	}
}

// The caller can change the Limiter while it ranges over Due.
func testDueChanges(t *testing.T) {
	a, b, c, d := zone{Name: "a"}, zone{Name: "b"}, zone{Name: "c"}, zone{Name: "d"}
	cluster := disruption.NewLimiter[int](disruption.DefaultRates())
	cluster.Add(b, 1)
	cluster.Add(c, 2)
	cluster.Add(c, 3)
	var got []int
	for id := range cluster.Take(noon) {
		got = append(got, id)
		if id == 1 {
			cluster.Add(a, 4)                             // before the current zone: due next time
			cluster.Add(d, 5)                             // after it
			cluster.Remove(2)                             // so 3 is the first of its zone
			cluster.Update(noon, counts{b: {Ready: 100}}) // removes no zone in which a node waits
		}
	}
	for id := range cluster.Take(noon) {
		got = append(got, id)
	}
	if want := []int{1, 3, 5, 4}; !slices.Equal(got, want) {
		t.Errorf("T6: nodes are released in the order %v, want %v", got, want)
	}
}

// A node that is added again while its zone is emptied is left to the next call.
func TestLimiter_Take_added_again(t *testing.T) {
	c := disruption.NewLimiter[int](disruption.Rates{Usual: math.Inf(1)})
	for _, z := range []zone{{Region: "a"}, {Region: "b"}} {
		c.Add(z, len(z.Region)+c.Len())
		c.Add(z, len(z.Region)+c.Len())
	}
	var taken []int
	for id, z := range c.Take(noon) {
		if taken = append(taken, id); len(taken) > 4 {
			break
		}
		c.Add(z, id)
	}
	if want := []int{1, 2, 3, 4}; !slices.Equal(taken, want) || c.Len() != 4 {
		t.Errorf("took %v of 4 nodes, %d wait; want %v", taken, c.Len(), want)
	}
}

// 1/rate is rounded to the nearest nanosecond, so whole seconds are exact. An interval
// that is longer than a Duration is the longest one.
func TestLimiter_Next(t *testing.T) {
	after := func(rate float64) time.Duration {
		c := disruption.NewLimiter[int](disruption.Rates{Usual: rate})
		c.Add(zone{}, 1)
		c.Add(zone{}, 2)
		for range c.Take(noon) {
		}
		at, _ := c.Next(noon)
		return at.Sub(noon)
	}
	for n := 1; n <= 1000; n++ {
		if got, want := after(1/float64(n)), time.Duration(n)*time.Second; got != want {
			t.Errorf("T6: one in %d s: the next is due after %v", n, got)
		}
	}
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e9 / (1 << 63)} {
		if got := after(rate); got != math.MaxInt64 {
			t.Errorf("T6: at the rate %v the next is due after %v", rate, got)
		}
	}
}

// A pacer is a queue that releases its first id at most once in each interval (T6). It
// is a list, and the time at which its bucket was emptied. Times are in seconds.
type pacer struct {
	Interval int // 0 releases nothing
	IDs      []int
	Empty    bool // the bucket was emptied, at Mark
	Mark     int
}

// Token reports whether the bucket is full.
func (p *pacer) Token(now int) bool {
	return p.Interval > 0 && (!p.Empty || now-p.Mark >= p.Interval)
}

// SetInterval sets another interval.
func (p *pacer) SetInterval(now, interval int) {
	if interval != p.Interval {
		p.Empty, p.Mark, p.Interval = !p.Token(now), now, interval
	}
}

// Remove removes the id.
func (p *pacer) Remove(id int) bool {
	i := slices.Index(p.IDs, id)
	if i >= 0 {
		p.IDs = slices.Delete(p.IDs, i, i+1)
	}
	return i >= 0
}

// Take removes the first id if the bucket is full, and empties the bucket.
func (p *pacer) Take(now int) (int, bool) {
	if len(p.IDs) == 0 || !p.Token(now) {
		return 0, false
	}
	id := p.IDs[0]
	p.IDs, p.Empty, p.Mark = p.IDs[1:], true, now
	return id, true
}

// rateOf returns the rate that has the interval.
func rateOf(interval int) float64 {
	if interval == 0 {
		return 0
	}
	return 1 / float64(interval)
}

// plainCluster is the reference for Limiter, made of plain pacers.
type plainCluster struct {
	counts counts
	queues map[zone]*pacer
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
	n = maps.Clone(n)
	maps.DeleteFunc(n, func(_ zone, c disruption.Count) bool { return c.Ready <= 0 && c.NotReady <= 0 })
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

func (c *plainCluster) open(z zone) *pacer {
	if c.queues[z] == nil {
		c.queues[z] = &pacer{Interval: c.interval(z)}
	}
	return c.queues[z]
}

func (c *plainCluster) zones() []zone {
	var all []zone
	for z := range c.queues {
		all = append(all, z)
	}
	slices.SortFunc(all, func(y, z zone) int { return cmp.Or(cmp.Compare(y.Region, z.Region), cmp.Compare(y.Name, z.Name)) })
	return all
}

type due struct {
	id   int
	zone zone
}

func clusterProperty(t *rapid.T) {
	base := rapid.SampledFrom([]time.Time{
		time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), {},
		time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 30, 0, time.UTC),
	}).Draw(t, "base")
	second := func(n int) time.Time { return base.Add(time.Duration(n) * time.Second) }
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	p := plainCluster{queues: make(map[zone]*pacer)}
	now := 0
	id := rapid.IntRange(0, 9)
	zones := []zone{{}, {Name: "a"}, {Region: "r", Name: "a"}}
	z := rapid.SampledFrom(zones)
	count := rapid.SampledFrom([]disruption.Count{{}, {Ready: -1}, {NotReady: 1}, {NotReady: 3}, {NotReady: 60}, {Ready: 1}, {Ready: 1, NotReady: 3}, {Ready: 22, NotReady: 28}, {Ready: 22, NotReady: 29}})
	nothing := func(*rapid.T) {} // checked after every step
	t.Repeat(gen.Actions[disruption.Limiter[int]](t, map[string]func(*rapid.T){
		"Len": nothing, "Next": nothing, "State": nothing,
		"Update": func(t *rapid.T) {
			n := rapid.MapOfN(z, count, 0, 3).Draw(t, "counts")
			gotEntered, gotLeft := c.Update(second(now), n)
			entered, left := p.update(now, n)
			if gotEntered != entered || gotLeft != left {
				t.Fatalf("Update(%v): entered %v, left %v, want %v, %v", n, gotEntered, gotLeft, entered, left)
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
				p.queues[z].IDs = append(p.queues[z].IDs, id)
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
			now += rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(-20, 120), rapid.SampledFrom([]int{-1e7, 1e7})).Draw(t, "seconds")
		},
		"Take": func(t *rapid.T) {
			first := rapid.Bool().Draw(t, "first") // and no more
			var got, want []due
			for id, z := range c.Take(second(now)) {
				if got = append(got, due{id, z}); first {
					break
				}
			}
			for _, z := range p.zones() {
				if id, ok := p.queues[z].Take(now); ok {
					if want = append(want, due{id, z}); first {
						break
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("Take(%d s), first %t: %v, want %v", now, first, got, want)
			}
		},
		"All": func(t *rapid.T) {
			var got, want []time.Time
			var gotIDs, wantIDs []int
			for id, at := range c.All(second(now)) {
				got, gotIDs = append(got, at), append(gotIDs, id)
			}
			for _, z := range p.zones() {
				q := p.queues[z]
				next := now
				if !q.Token(now) {
					next = q.Mark + q.Interval
				}
				for _, id := range q.IDs {
					at := second(next)
					if q.Interval == 0 {
						at = time.Time{}
					}
					next += q.Interval
					want, wantIDs = append(want, at), append(wantIDs, id)
				}
			}
			if !slices.Equal(got, want) || !slices.Equal(gotIDs, wantIDs) {
				t.Fatalf("All(%d s) yields %v at %v, want %v at %v", now, gotIDs, got, wantIDs, want)
			}
		},
		"Clone": func(t *rapid.T) { // what happens to the one does not affect the other
			other := c.Clone()
			if rapid.Bool().Draw(t, "swap") {
				c, other = other, c
			}
			for range other.Take(second(now)) {
			}
			other.Update(second(now), counts{zones[1]: {NotReady: 1}})
			other.Add(zones[2], id.Draw(t, "id"))
		},
		"": func(t *rapid.T) {
			waiting := 0
			var next int
			some := false
			for _, z := range zones {
				state, rate, ok := c.State(z)
				q := p.queues[z]
				if ok != (q != nil) || ok && (state != p.state(z) || rate != rateOf(q.Interval)) {
					t.Fatalf("State(%v) = %v, %v, %v, want %+v", z, state, rate, ok, q)
				}
				if q == nil {
					continue
				}
				waiting += len(q.IDs)
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
			if c.Len() != waiting {
				t.Fatalf("%d wait, want %d", c.Len(), waiting)
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
