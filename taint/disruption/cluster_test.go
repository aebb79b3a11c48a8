package disruption_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

type (
	zone   = disruption.Zone
	counts = map[disruption.Zone]disruption.Count
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func second(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// The cases are the transitions and rates after each of several updates.
func TestLimiter_Update(t *testing.T) {
	t.Run("T6_many_zones", testUpdateManyZones)
	type step struct {
		counts        counts
		entered, left bool
		rates         map[zone]float64
	}
	a, b, c := zone{Name: "a"}, zone{Name: "b"}, zone{}
	up, down, partial, large := disruption.Count{Ready: 3}, disruption.Count{NotReady: 3}, disruption.Count{Ready: 1, NotReady: 3}, disruption.Count{Ready: 20, NotReady: 31}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"T6_no_zones", []step{{nil, false, false, nil}, {counts{}, false, false, nil}}},
		{"T6_rate_of_each", []step{
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
		{"T6_zone_without_nodes_does_not_count", []step{
			{counts{a: down, b: {}}, true, false, map[zone]float64{a: 0}},
			{counts{a: down, b: {Ready: -1}}, false, false, map[zone]float64{a: 0}},
		}},
		{"T6_another_lost_zone_is_no_transition", []step{
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
			{counts{a: down, b: down}, false, false, map[zone]float64{a: 0, b: 0}},
			{counts{b: down}, false, false, map[zone]float64{b: 0}},
			{counts{b: down, c: up}, false, true, map[zone]float64{b: 0.1, c: 0.1}},
		}},
		{"T6_last_zone_is_removed", []step{
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
			{nil, false, true, map[zone]float64{a: 0.1}}, // a node would have to wait
			{counts{a: down}, true, false, map[zone]float64{a: 0}},
		}},
		{"T6_rate_follows_the_size", []step{
			{counts{a: {Ready: 20, NotReady: 30}}, false, false, map[zone]float64{a: 0}},
			{counts{a: large}, false, false, map[zone]float64{a: 0.01}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cluster := disruption.NewLimiter[int](disruption.DefaultRates())
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

func TestTransition_Changes(t *testing.T) {
	a, b := zone{Name: "a"}, zone{Name: "b"}
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	c.Update(noon, counts{b: {Ready: 2}, a: {Ready: 2}})
	c.Add(a, 1)
	got := c.Update(noon, counts{a: {NotReady: 2}, zone{}: {Ready: 1, NotReady: 3}})
	want := disruption.Transition{Changes: []disruption.ZoneChange{
		{After: disruption.ZoneStatus{Count: disruption.Count{Ready: 1, NotReady: 3}, State: disruption.PartialDisruption}},
		{
			Before: disruption.ZoneStatus{Zone: a, Count: disruption.Count{Ready: 2}, Rate: 0.1, Waiting: 1},
			After:  disruption.ZoneStatus{Zone: a, Count: disruption.Count{NotReady: 2}, State: disruption.FullDisruption, Rate: 0.1, Waiting: 1},
		},
		{Before: disruption.ZoneStatus{Zone: b, Count: disruption.Count{Ready: 2}, Rate: 0.1}, After: disruption.ZoneStatus{Zone: b}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("T6: Update mismatch (-want +got):\n%s", diff)
	}
	if got := c.Update(noon, counts{a: {NotReady: 3}, zone{}: {Ready: 1, NotReady: 4}}); len(got.Changes) != 0 || got.Entered || got.Left {
		t.Errorf("T6: counts alone are no change: %+v", got)
	}
	// A zone without nodes remains while nodes are queued in it.
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if z, ok := c.Zone(a); !ok || z.Waiting != 1 || z.State != disruption.Normal || z.Rate != 0.1 {
		t.Errorf("T6: zone without nodes, of which one waits: %+v, %v", z, ok)
	}
	c.Remove(1)
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if z, ok := c.Zone(a); ok || z != (disruption.ZoneStatus{Zone: a}) {
		t.Errorf("T6: zone without nodes: %+v, %v", z, ok)
	}
}

func TestLimiter_Due(t *testing.T) {
	t.Run("T6_any_epoch", testDueAnyEpoch)
	t.Run("T6_break", testDueBreak)
	t.Run("T6_cluster_changes", testDueChanges)
	t.Run("T6_excluded_zone", testDueExcludedZone)
	t.Run("T6_one_of_each_queue", testDueOne)
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
		{2e9, noon, 2},
		{3e9, noon, 2},
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
		for range c.Due(tt.now) {
			got++
		}
		if got != tt.want {
			t.Errorf("T6: with the rate %g at %d s, %d nodes are due, want %d", tt.rate, tt.now.Unix(), got, tt.want)
		}
	}
}

// A new zone releases its first node at once, at any time.
func testDueAnyEpoch(t *testing.T) {
	for _, start := range []time.Time{{}, time.Time{}.Add(-time.Hour), noon} {
		c := disruption.NewLimiter[int](disruption.DefaultRates())
		c.Update(start, counts{zone{}: {Ready: 1}})
		c.Add(zone{}, 1)
		c.Add(zone{Name: "a"}, 2)
		var got []zone
		for _, z := range c.Due(start) {
			got = append(got, z)
		}
		if want := []zone{{}, {Name: "a"}}; !slices.Equal(got, want) {
			t.Errorf("T6: %v: the first nodes of %v are released, want %v", start, got, want)
		}
	}
}

func TestLimiter_zero(t *testing.T) {
	var c disruption.Limiter[int]
	c.Update(noon, counts{zone{}: {Ready: 1}})
	if !c.Add(zone{}, 1) || c.Len() != 1 || c.Disrupted() {
		t.Error("the zero Cluster does not queue")
	}
	if _, ok := c.Next(noon); ok {
		t.Error("the zero Cluster will release a node")
	}
	for range c.Due(noon) {
		t.Error("the zero Cluster releases a node")
	}
	for range c.Zones() {
		break
	}
}

func TestLimiter_Add(t *testing.T) {
	t.Run("T6_NaN", testAddNaN)
}

func testAddNaN(t *testing.T) {
	c := disruption.NewLimiter[float64](disruption.DefaultRates())
	if c.Add(zone{}, math.NaN()) || c.Len() != 0 {
		t.Error("a NaN waits")
	}
	if _, ok := c.Zone(zone{}); ok {
		t.Error("a NaN has added a zone")
	}
}

func testDueBreak(t *testing.T) {
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	c.Add(zone{Name: "a"}, 1)
	c.Add(zone{Name: "b"}, 2)
	for range c.Due(noon) {
		break
	}
	if c.Len() != 1 {
		t.Errorf("%d wait after a break, want 1", c.Len())
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
	for id := range cluster.Due(noon) {
		got = append(got, id)
		if id == 1 {
			cluster.Add(a, 4)                             // before the current zone: due next time
			cluster.Add(d, 5)                             // after it
			cluster.Remove(2)                             // so 3 is the first of its zone
			cluster.Update(noon, counts{b: {Ready: 100}}) // removes no zone in which a node waits
		}
	}
	for id := range cluster.Due(noon) {
		got = append(got, id)
	}
	if want := []int{1, 3, 5, 4}; !slices.Equal(got, want) {
		t.Errorf("T6: nodes are released in the order %v, want %v", got, want)
	}
}

// Zones and changes are sorted, even if many are added or removed at once.
func testUpdateManyZones(t *testing.T) {
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	var all []zone
	update := func(from, to int) {
		t.Helper()
		n := make(counts)
		old := all
		all = nil
		for i := from; i < to; i++ {
			z := zone{Name: strconv.Itoa(1000 + i)}
			n[z] = disruption.Count{Ready: 1}
			all = append(all, z)
		}
		want := 0 // zones of only one of the lists
		for _, z := range slices.Concat(old, all) {
			if slices.Contains(old, z) != slices.Contains(all, z) {
				want++
			}
		}
		change := c.Update(noon, n)
		var got []zone
		for s := range c.Zones() {
			got = append(got, s.Zone)
		}
		if !slices.Equal(got, all) {
			t.Errorf("T6: zones %v, want %v", got, all)
		}
		sorted := slices.IsSortedFunc(change.Changes, func(a, b disruption.ZoneChange) int { return a.After.Zone.Compare(b.After.Zone) })
		if len(change.Changes) != want || !sorted {
			t.Errorf("T6: %d changes, sorted: %v; want %d", len(change.Changes), sorted, want)
		}
	}
	update(0, 500)
	update(250, 1000)
	update(900, 901)
}

// A zone whose nodes are all excluded has a Count of 0. It keeps its rate between
// two nodes, also while its queue is empty.
func testDueExcludedZone(t *testing.T) {
	c := disruption.NewLimiter[int](disruption.DefaultRates())
	elsewhere := counts{zone{Name: "other"}: {Ready: 1}}
	var got []int
	for s := range 45 {
		c.Update(second(s), elsewhere)
		switch s { // each when the queue is empty
		case 1, 2, 40:
			c.Add(zone{}, s)
		}
		for range c.Due(second(s)) {
			got = append(got, s)
		}
		c.Update(second(s), elsewhere)
	}
	if want := []int{1, 11, 40}; !slices.Equal(got, want) {
		t.Errorf("T6: nodes are released at %v s, want %v", got, want)
	}
	c.Update(second(50), elsewhere)
	if z, ok := c.Zone(zone{}); ok {
		t.Errorf("T6: %+v is not removed", z)
	}
}

func TestLimiter_copies(t *testing.T) {
	copies.Check(t, "disruption.Limiter", func(c *disruption.Limiter[int]) { c.Add(zone{}, c.Len()) })
}
