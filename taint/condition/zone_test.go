package condition_test

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
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
		want   condition.Zone
	}{
		{"T6_no_labels", nil, condition.Zone{}},
		{"T6_other_labels", labels{"zone": "a", "kubernetes.io/hostname": "n"}, condition.Zone{}},
		{"T6_both", labels{region: "r", zone: "z"}, condition.Zone{Region: "r", Name: "z"}},
		{"T6_region_alone", labels{region: "r"}, condition.Zone{Region: "r"}},
		{"T6_zone_alone", labels{zone: "z"}, condition.Zone{Name: "z"}},
		{"T6_empty_is_absent", labels{region: "", zone: ""}, condition.Zone{}},
		{"T6_old_labels", labels{regionBeta: "r", zoneBeta: "z"}, condition.Zone{Region: "r", Name: "z"}},
		{"T6_old_ones_come_first", labels{region: "r", zone: "z", regionBeta: "R", zoneBeta: "Z"}, condition.Zone{Region: "R", Name: "Z"}},
		{"T6_even_empty", labels{region: "r", zone: "z", zoneBeta: ""}, condition.Zone{Region: "r"}},
		{"T6_each_for_itself", labels{region: "r", zoneBeta: "Z"}, condition.Zone{Region: "r", Name: "Z"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := condition.ZoneOf(tt.labels); got != tt.want {
				t.Errorf("ZoneOf(%v) = %+v, want %+v", tt.labels, got, tt.want)
			}
		})
	}
	for text, want := range map[string]bool{"node.kubernetes.io/exclude-disruption": true, "node.kubernetes.io/exclude-disruptions": false} {
		for _, value := range []string{"", "false", "true"} {
			if got := condition.Excluded(labels{text: value}); got != want {
				t.Errorf("T6: Excluded(%q=%q) = %v", text, value, got)
			}
		}
	}
	if condition.Excluded(nil) {
		t.Error("T6: a node without labels is excluded")
	}
}

func TestZoneCompare(t *testing.T) {
	order := []condition.Zone{{}, {Name: "a"}, {Name: "b"}, {Region: "a"}, {Region: "a", Name: "a"}, {Region: "b", Name: ""}, {Region: "b", Name: "a"}}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := a.Compare(b); got != want {
				t.Errorf("%+v.Compare(%+v) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		count condition.Count
		want  int
	}{
		{condition.Count{}, 0},
		{condition.Count{Ready: 2, NotReady: 3}, 5},
		{condition.Count{Ready: -2, NotReady: 3}, 3},
		{condition.Count{Ready: 2, NotReady: math.MinInt}, 2},
		{condition.Count{Ready: math.MaxInt, NotReady: 0}, math.MaxInt},
		{condition.Count{Ready: math.MaxInt, NotReady: 1}, math.MaxInt},
		{condition.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, math.MaxInt},
	} {
		if got := tt.count.Nodes(); got != tt.want {
			t.Errorf("%+v.Nodes() = %d, want %d", tt.count, got, tt.want)
		}
	}
}

// state is the zone's state by the rule, with the share as the fraction num/den.
func state(ready, notReady, num, den int64) condition.ZoneState {
	switch {
	case ready == 0 && notReady >= 1:
		return condition.FullDisruption
	case notReady > 2 && notReady*den >= num*(ready+notReady):
		return condition.PartialDisruption
	}
	return condition.Normal
}

// All small counts, by whole numbers: no float is rounded the wrong way.
func TestT6_states(t *testing.T) {
	r := condition.DefaultRates()
	for ready := range int64(400) {
		for notReady := range int64(500) {
			want := state(ready, notReady, 55, 100)
			if got := r.State(condition.Count{Ready: int(ready), NotReady: int(notReady)}); got != want {
				t.Fatalf("T6: %d ready, %d not: %v, want %v", ready, notReady, got, want)
			}
		}
	}
	// Every threshold of full per cents.
	for percent := range int64(101) {
		r.Unhealthy = float64(percent) / 100
		for all := range int64(201) {
			for notReady := range all + 1 {
				want := state(all-notReady, notReady, percent, 100)
				if got := r.State(condition.Count{Ready: int(all - notReady), NotReady: int(notReady)}); got != want {
					t.Fatalf("T6: threshold %v, %d of %d not ready: %v, want %v", r.Unhealthy, notReady, all, got, want)
				}
			}
		}
	}
}

// Right at 0.55 and one node off, in ever larger zones, up to where float32
// takes the share of one node less for 0.55: there Kubernetes says partial, too.
func TestT6_threshold(t *testing.T) {
	r := condition.DefaultRates()
	for n := int64(1); n < 30_000_000; n += 1 + n/50 {
		for d := int64(-1); d <= 1; d++ {
			notReady := 11*n + d
			ready := 20*n - notReady
			if int64(int(20*n)) != 20*n {
				continue // 32 bits
			}
			got := r.State(condition.Count{Ready: int(ready), NotReady: int(notReady)})
			kubernetes := float32(notReady)/float32(notReady+ready) >= float32(0.55)
			if (got == condition.PartialDisruption) != kubernetes {
				t.Fatalf("T6: %d of %d not ready: %v, by float32 %v", notReady, 20*n, got, kubernetes)
			}
			if want := state(ready, notReady, 55, 100); n < 50_000 && got != want {
				t.Fatalf("T6: %d of %d not ready: %v, want %v", notReady, 20*n, got, want)
			}
		}
	}
}

func TestRates(t *testing.T) {
	r := condition.DefaultRates()
	for _, tt := range []struct {
		name  string
		rates condition.Rates
		state condition.ZoneState
		nodes int
		want  float64
	}{
		{"T6_normal", r, condition.Normal, 10, 0.1},
		{"T6_full_with_others_up", r, condition.FullDisruption, 10, 0.1},
		{"T6_partial_small", r, condition.PartialDisruption, 50, 0},
		{"T6_partial_large", r, condition.PartialDisruption, 51, 0.01},
		{"T6_settable", condition.Rates{Usual: 5, Reduced: 2, LargeZone: 3}, condition.PartialDisruption, 4, 2},
		{"T6_settable_small", condition.Rates{Usual: 5, Reduced: 2, LargeZone: 3}, condition.PartialDisruption, 3, 0},
		{"T6_settable_usual", condition.Rates{Usual: 5, Reduced: 2, LargeZone: 3}, condition.Normal, 4, 5},
		{"T6_zero_rates", condition.Rates{}, condition.Normal, 4, 0},
		{"T6_negative_is_none", condition.Rates{Usual: -1, Reduced: -1}, condition.Normal, 4, 0},
		{"T6_negative_reduced_is_none", condition.Rates{Usual: -1, Reduced: -1}, condition.PartialDisruption, 4, 0},
		{"T6_no_number_is_none", condition.Rates{Usual: math.NaN()}, condition.FullDisruption, 4, 0},
		{"T6_infinite", condition.Rates{Usual: math.Inf(1)}, condition.FullDisruption, 4, math.Inf(1)},
		{"T6_no_such_state_is_normal", r, 9, 4, 0.1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rates.Rate(tt.state, tt.nodes); got != tt.want {
				t.Errorf("%+v.Rate(%v, %d) = %v, want %v", tt.rates, tt.state, tt.nodes, got, tt.want)
			}
		})
	}
	for _, tt := range []struct {
		name  string
		share float64
		count condition.Count
		want  condition.ZoneState
	}{
		{"T6_threshold_0_needs_three", 0, condition.Count{Ready: 1000, NotReady: 3}, condition.PartialDisruption},
		{"T6_threshold_0_two_are_not_enough", 0, condition.Count{Ready: 1000, NotReady: 2}, condition.Normal},
		{"T6_threshold_above_1", 1.5, condition.Count{Ready: 1, NotReady: 1000}, condition.Normal},
		{"T6_threshold_NaN", math.NaN(), condition.Count{Ready: 1, NotReady: 1000}, condition.Normal},
		{"T6_negative_counts_are_none", 0.55, condition.Count{Ready: -5, NotReady: 1}, condition.FullDisruption},
		{"T6_negative_not_ready", 0.55, condition.Count{Ready: 0, NotReady: -1}, condition.Normal},
		{"T6_huge_counts", 0.55, condition.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, condition.Normal},
		{"T6_huge_counts_partial", 0.5, condition.Count{Ready: math.MaxInt, NotReady: math.MaxInt}, condition.PartialDisruption},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (condition.Rates{Unhealthy: tt.share}).State(tt.count); got != tt.want {
				t.Errorf("threshold %v, State(%+v) = %v, want %v", tt.share, tt.count, got, tt.want)
			}
		})
	}
}

func TestZoneStateText(t *testing.T) {
	for i, name := range []string{"Normal", "PartialDisruption", "FullDisruption"} {
		s := condition.ZoneState(i)
		data, err := json.Marshal(s)
		if string(data) != strconv.Quote(name) || err != nil || s.String() != name {
			t.Errorf("Marshal(%v) = %s, %v", s, data, err)
		}
		var back condition.ZoneState = 7
		if err := json.Unmarshal(data, &back); back != s || err != nil {
			t.Errorf("Unmarshal(%s) = %v, %v", data, back, err)
		}
	}
	for _, text := range []string{"", "normal", "Initial", "FullDisruption "} {
		s := condition.PartialDisruption
		var ps validate.Problems
		if err := s.UnmarshalText([]byte(text)); !errors.As(err, &ps) || s != condition.PartialDisruption {
			t.Errorf("UnmarshalText(%q) = %v, %v", text, s, err)
		}
	}
	var s condition.ZoneState
	if got, want := s.UnmarshalText([]byte("partial")).Error(), `condition.ZoneState.UnmarshalText("partial"): must have the form Normal or PartialDisruption or FullDisruption`; got != want {
		t.Errorf("UnmarshalText: %s, want %s", got, want)
	}
	if b, err := condition.ZoneState(3).AppendText([]byte("x")); string(b) != "x" || err == nil || condition.ZoneState(3).String() != "ZoneState(3)" {
		t.Errorf("AppendText of no state: %s, %v", b, err)
	}
	if b, err := condition.ZoneState(3).MarshalText(); b != nil || err == nil {
		t.Errorf("MarshalText of no state: %s, %v", b, err)
	}
}
