package disruption_test

import (
	"math"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

func TestZoneOf(t *testing.T) {
	const (
		region, zone         = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"
		regionBeta, zoneBeta = "failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"
	)
	type labels = map[string]string
	for _, tt := range []struct {
		name   string
		labels labels
		want   disruption.Zone
	}{
		{"T6_empty_is_absent", labels{region: "", zone: ""}, disruption.Zone{}},
		{"T6_old_labels", labels{regionBeta: "r", zoneBeta: "z"}, disruption.Zone{Region: "r", Name: "z"}},
		{"T6_old_ones_come_first", labels{region: "r", zone: "z", regionBeta: "R", zoneBeta: "Z"}, disruption.Zone{Region: "R", Name: "Z"}},
		{"T6_even_empty", labels{region: "r", zone: "z", zoneBeta: ""}, disruption.Zone{Region: "r"}},
		{"T6_each_for_itself", labels{region: "r", zoneBeta: "Z"}, disruption.Zone{Region: "r", Name: "Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := disruption.ZoneOf(tt.labels); got != tt.want {
				t.Errorf("ZoneOf(%v) = %+v, want %+v", tt.labels, got, tt.want)
			}
		})
	}
}

// state is the reference for Rates.State, with the share as the fraction num/den.
func state(ready, notReady, num, den int64) disruption.ZoneState {
	switch {
	case ready == 0 && notReady >= 1:
		return disruption.FullDisruption
	case notReady > 2 && notReady*den >= num*(ready+notReady):
		return disruption.PartialDisruption
	}
	return disruption.Normal
}

// This compares all small counts as integers: no float is rounded to the wrong side.
func testSmallCounts(t *testing.T) {
	r := disruption.DefaultRates()
	for ready := range int64(400) {
		for notReady := range int64(500) {
			want := state(ready, notReady, 55, 100)
			if got, _ := r.State(disruption.Count{Ready: int(ready), NotReady: int(notReady)}); got != want {
				t.Fatalf("T6: %d ready, %d not: %v, want %v", ready, notReady, got, want)
			}
		}
	}
	// This tests every threshold of a whole percentage.
	for percent := range int64(101) {
		r.Unhealthy = float64(percent) / 100
		for all := range int64(201) {
			for notReady := range all + 1 {
				want := state(all-notReady, notReady, percent, 100)
				if got, _ := r.State(disruption.Count{Ready: int(all - notReady), NotReady: int(notReady)}); got != want {
					t.Fatalf("T6: threshold %v, %d of %d not ready: %v, want %v", r.Unhealthy, notReady, all, got, want)
				}
			}
		}
	}
}

// This tests 0.55 with one node more or less, in ever larger zones, up to those in
// which float32 rounds the smaller share to 0.55, as in Kubernetes.
func testThreshold(t *testing.T) {
	r := disruption.DefaultRates()
	for n := int64(1); n < 30_000_000; n += 1 + n/50 {
		for d := int64(-1); d <= 1; d++ {
			notReady := 11*n + d
			ready := 20*n - notReady
			if int64(int(20*n)) != 20*n {
				continue // 32 bits
			}
			got, _ := r.State(disruption.Count{Ready: int(ready), NotReady: int(notReady)})
			kubernetes := float32(notReady)/float32(notReady+ready) >= float32(0.55)
			if (got == disruption.PartialDisruption) != kubernetes {
				t.Fatalf("T6: %d of %d not ready: %v, by float32 %v", notReady, 20*n, got, kubernetes)
			}
			if want := state(ready, notReady, 55, 100); n < 50_000 && got != want {
				t.Fatalf("T6: %d of %d not ready: %v, want %v", notReady, 20*n, got, want)
			}
		}
	}
}

func TestRates_State(t *testing.T) {
	t.Run("T6_small_counts", testSmallCounts)
	t.Run("T6_threshold", testThreshold)
	up, down := disruption.Count{Ready: 10}, disruption.Count{NotReady: 10}
	for _, tt := range []struct {
		name  string
		rates disruption.Rates
		count disruption.Count
		state disruption.ZoneState
		want  float64
	}{
		{"T6_settable_usual", disruption.Rates{Usual: 5, Reduced: 2, LargeZone: 3}, up, disruption.Normal, 5},
		{"T6_negative_is_none", disruption.Rates{Usual: -1, Reduced: -1}, up, disruption.Normal, 0},
		{"T6_NaN_is_none", disruption.Rates{Usual: math.NaN()}, down, disruption.FullDisruption, 0},
		{"T6_threshold_above_1", disruption.Rates{Unhealthy: 1.5}, disruption.Count{Ready: 1, NotReady: 1000}, disruption.Normal, 0},
		{"T6_threshold_NaN", disruption.Rates{Unhealthy: math.NaN()}, disruption.Count{Ready: 1, NotReady: 1000}, disruption.Normal, 0},
		{"T6_negative_counts_are_none", disruption.Rates{Unhealthy: 0.55}, disruption.Count{Ready: -5, NotReady: 1}, disruption.FullDisruption, 0},
		{"T6_huge_counts", disruption.Rates{Unhealthy: 0.55}, disruption.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, disruption.Normal, 0},
		{"T6_huge_counts_partial", disruption.Rates{Unhealthy: 0.5}, disruption.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, disruption.PartialDisruption, 0},
		{"T6_all_zones_are_large", disruption.Rates{Reduced: 2, LargeZone: -1}, disruption.Count{Ready: 1, NotReady: 3}, disruption.PartialDisruption, 2},
		{"T6_huge_zone", disruption.Rates{Reduced: 1, LargeZone: math.MaxInt - 1}, disruption.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, disruption.PartialDisruption, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if state, got := tt.rates.State(tt.count); state != tt.state || got != tt.want {
				t.Errorf("%+v.State(%v) = %v, %v, want %v, %v", tt.rates, tt.count, state, got, tt.state, tt.want)
			}
		})
	}
}

func TestZoneState(t *testing.T) {
	contract.Enum[disruption.ZoneState]{Names: map[disruption.ZoneState]string{
		disruption.Normal: "Normal", disruption.PartialDisruption: "PartialDisruption", disruption.FullDisruption: "FullDisruption",
	}}.Test(t)
}
