package disruption_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

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
				entered, left := cluster.Update(second(i), s.counts)
				if entered != s.entered || left != s.left {
					t.Errorf("step %d: entered %v, left %v", i, entered, left)
				}
				for _, z := range []zone{a, b, c} {
					want, known := s.rates[z]
					if _, got, ok := cluster.State(z); ok != known || got != want {
						t.Errorf("step %d: the rate of %q is %v, %v, want %v, %v", i, z, got, ok, want, known)
					}
				}
			}
		})
	}
}

func TestLimiter_Take(t *testing.T) {
	t.Run("T6_cluster_changes", testDueChanges)
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

// takeAll calls Take in each second, and returns the second in which each node was taken.
func takeAll(c *disruption.Limiter[int], from, to int) map[int]int {
	got := make(map[int]int)
	for s := from; s <= to; s++ {
		for id := range c.Take(second(s)) {
			got[id] = s
		}
	}
	return got
}

// The cases are when the nodes of one zone are taken, whose rates are 0.1, 0.01 and 0.
func TestLimiter_Take_rates(t *testing.T) {
	usual, reduced, none := disruption.Count{Ready: 1}, disruption.Count{Ready: 1, NotReady: 50}, disruption.Count{Ready: 1, NotReady: 3}
	type limiter = disruption.Limiter[int]
	add := func(c *limiter, ids ...int) {
		for _, id := range ids {
			c.Add(zone{}, id)
		}
	}
	set := func(c *limiter, at int, n disruption.Count) { c.Update(second(at), counts{zone{}: n}) }
	first := func(c *limiter, at int) {
		for range c.Take(second(at)) {
		}
	}
	for _, tt := range []struct {
		name string
		do   func(c *limiter) map[int]int
		want map[int]int
	}{
		{"T6_idle_time_is_not_saved_up", func(c *limiter) map[int]int {
			takeAll(c, 0, 1000)
			add(c, 1, 2, 3)
			return takeAll(c, 1000, 1030)
		}, map[int]int{1: 1000, 2: 1010, 3: 1020}},
		{"T6_removed_node_is_not_taken", func(c *limiter) map[int]int {
			add(c, 1, 2, 3)
			c.Remove(2)
			return takeAll(c, 0, 30)
		}, map[int]int{1: 0, 3: 10}},
		{"T6_added_again_is_last", func(c *limiter) map[int]int {
			add(c, 1, 2, 3)
			c.Remove(1)
			add(c, 1)
			return takeAll(c, 0, 30)
		}, map[int]int{2: 0, 3: 10, 1: 20}},
		{"T6_slower_rate_during_an_interval", func(c *limiter) map[int]int {
			add(c, 1, 2, 3)
			first(c, 0)
			set(c, 4, reduced)
			return takeAll(c, 4, 300)
		}, map[int]int{2: 104, 3: 204}},
		{"T6_other_rate_when_one_is_due", func(c *limiter) map[int]int {
			add(c, 1, 2)
			set(c, 4, reduced)
			return takeAll(c, 4, 300)
		}, map[int]int{1: 4, 2: 104}},
		{"T6_same_rate_changes_nothing", func(c *limiter) map[int]int {
			add(c, 1, 2)
			first(c, 0)
			set(c, 9, usual)
			return takeAll(c, 9, 30)
		}, map[int]int{2: 10}},
		{"T6_rate_0_stops", func(c *limiter) map[int]int {
			add(c, 1, 2)
			set(c, 0, none)
			return takeAll(c, 0, 1000)
		}, map[int]int{}},
		{"T6_after_rate_0_a_full_interval", func(c *limiter) map[int]int {
			add(c, 1, 2)
			set(c, 0, none)
			set(c, 1000, usual)
			return takeAll(c, 1000, 1030)
		}, map[int]int{1: 1010, 2: 1020}},
		{"T6_clock_set_back_takes_nothing_early", func(c *limiter) map[int]int {
			add(c, 1, 2)
			first(c, 100)
			return takeAll(c, 50, 120)
		}, map[int]int{2: 110}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := disruption.NewLimiter[int](disruption.DefaultRates())
			set(c, 0, usual)
			if got := tt.do(c); !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
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
