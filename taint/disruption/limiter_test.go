package disruption_test

import (
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
