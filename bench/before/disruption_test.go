package before_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	olddisruption "github.com/go-tolerate/before/taint/disruption"

	"github.com/go-tolerate/tolerate/taint/disruption"
)

func TestDisruptionState(t *testing.T) {
	labels := []string{
		disruption.LabelRegion, disruption.LabelZone, "failure-domain.beta.kubernetes.io/region",
		"failure-domain.beta.kubernetes.io/zone", "node.kubernetes.io/exclude-disruption",
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.OneOf(rapid.IntRange(-1, 60), rapid.SampledFrom([]int{math.MaxInt / 2, math.MinInt})) // more nodes than an int holds are now a large zone
		c := disruption.Count{Ready: count.Draw(t, "ready"), NotReady: count.Draw(t, "not ready")}
		r := disruption.DefaultRates()
		if rapid.Bool().Draw(t, "other rates") {
			rate := rapid.SampledFrom([]float64{0, -1, 0.5, 100, math.NaN(), math.Inf(1), math.Inf(-1)})
			r = disruption.Rates{Usual: rate.Draw(t, "usual"), Reduced: rate.Draw(t, "reduced"), LargeZone: count.Draw(t, "large"), Unhealthy: rate.Draw(t, "share")}
		}
		state, rate := r.State(c)
		oldState, oldRate := olddisruption.Rates(r).State(olddisruption.Count(c))
		same(t, fmt.Sprintf("%+v.State(%+v)", r, c), fmt.Sprint(state, rate), fmt.Sprint(oldState, oldRate))
		of := rapid.MapOf(rapid.SampledFrom(labels), rapid.SampledFrom([]string{"", "a", "b"})).Draw(t, "labels")
		same(t, "ZoneOf", disruption.ZoneOf(of), olddisruption.ZoneOf(of))
		same(t, "Excluded", disruption.Excluded(of), olddisruption.Excluded(of))
	})
}

func TestDisruptionLimiter(t *testing.T) {
	zones := []disruption.Zone{{}, {Name: "a"}, {Region: "r", Name: "a"}, {Region: "r"}}
	rapid.Check(t, func(t *rapid.T) {
		r := disruption.DefaultRates()
		r.LargeZone = 4
		if rapid.IntRange(0, 4).Draw(t, "infinite") == 0 {
			r.Usual = math.Inf(1)
		}
		c, old := disruption.NewLimiter[int](r), olddisruption.NewLimiter[int](olddisruption.Rates(r))
		now := noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id, z := rapid.IntRange(0, 9).Draw(t, "id"), rapid.SampledFrom(zones).Draw(t, "zone")
			switch rapid.IntRange(0, 4).Draw(t, "do") {
			case 0, 1:
				same(t, "Add", c.Add(z, id), old.Add(olddisruption.Zone(z), id))
			case 2:
				same(t, "Remove", c.Remove(id), old.Remove(id))
			case 3:
				counts, oldCounts := map[disruption.Zone]disruption.Count{}, map[olddisruption.Zone]olddisruption.Count{}
				for _, z := range zones {
					if rapid.Bool().Draw(t, "has nodes") {
						n := disruption.Count{Ready: rapid.IntRange(0, 3).Draw(t, "ready"), NotReady: rapid.IntRange(0, 5).Draw(t, "not ready")}
						counts[z], oldCounts[olddisruption.Zone(z)] = n, olddisruption.Count(n)
					}
				}
				entered, left := c.Update(now, counts)
				was := old.Update(now, oldCounts)
				same(t, "Update", fmt.Sprint(entered, left), fmt.Sprint(was.Entered, was.Left))
			case 4:
				now = now.Add(time.Duration(rapid.IntRange(-2, 30).Draw(t, "seconds")) * time.Second)
				var due, oldDue []string
				for id, z := range c.Take(now) {
					due = append(due, fmt.Sprint(id, z))
				}
				for id, z := range old.Due(now) {
					oldDue = append(oldDue, fmt.Sprint(id, z))
				}
				same(t, "Due", due, oldDue)
			}
			at, ok := c.Next(now)
			oldAt, oldOK := old.Next(now)
			same(t, "Next", fmt.Sprint(at, ok, c.Len()), fmt.Sprint(oldAt, oldOK, old.Len()))
			for _, z := range zones {
				state, rate, known := c.State(z)
				oldS, oldKnown := old.Zone(olddisruption.Zone(z))
				same(t, "Zone", fmt.Sprint(state, rate, known), fmt.Sprint(oldS.State, oldS.Rate, oldKnown))
			}
		}
	})
	many := disruption.NewLimiter[int](disruption.Rates{Usual: math.Inf(1)})
	counts := map[disruption.Zone]disruption.Count{}
	for i := range 20_000 {
		counts[disruption.Zone{Name: strconv.Itoa(i)}] = disruption.Count{Ready: 1}
	}
	bounded(t, "Update of 20,000 zones", 32<<20, func() { many.Update(noon, counts) })
	bounded(t, "100,000 nodes that wait", 64<<20, func() {
		for i := range 100_000 {
			many.Add(disruption.Zone{Name: "0"}, i)
		}
		for range many.Take(noon) {
		}
	})
}
