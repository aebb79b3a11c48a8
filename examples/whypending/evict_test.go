package main

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var added = time.Date(2026, 10, 14, 9, 0, 0, 0, time.UTC)

// at is a taint that was added so many seconds after all began.
func at(text string, seconds int) taint.Taint {
	t, err := taint.MustParse(text).WithTimeAdded(added.Add(time.Duration(seconds) * time.Second))
	if err != nil {
		panic(err)
	}
	return t
}

func TestEvict(t *testing.T) {
	x, y := taint.MustParse("x:NoExecute"), taint.MustParse("y:NoExecute")
	x0, y100 := at("x:NoExecute", 0), at("y:NoExecute", 100)
	const most = 1<<63 - 1
	for name, test := range map[string]struct {
		taints      taint.List
		tolerations []string
		when        departure
		taint       taint.Taint
		seconds     int64
		at          int // seconds after all began; 0 when that is unknown
	}{
		"E1_no_taints":                        {},
		"E1_no_NoExecute":                     {taints: taint.List{taint.MustParse("x:NoSchedule"), taint.MustParse("x:PreferNoSchedule")}},
		"E1_untolerated":                      {taint.List{x, y}, []string{"x op=Exists"}, now, y, 0, 0},
		"E1_whatever_the_others_say":          {taint.List{x, y}, []string{"x:NoExecute op=Exists for 9s"}, now, y, 0, 0},
		"E2_no_seconds":                       {taints: taint.List{x}, tolerations: []string{"x op=Exists"}},
		"E2_zero":                             {taint.List{x}, []string{"x:NoExecute op=Exists for 0s"}, now, x, 0, 0},
		"E2_negative":                         {taint.List{x}, []string{"x:NoExecute op=Exists for -7s"}, now, x, 0, 0},
		"E2_seconds_no_time_added":            {taint.List{x}, []string{"x:NoExecute op=Exists for 60s"}, later, x, 60, 0},
		"E2_seconds_and_a_time_added":         {taint.List{x0}, []string{"x:NoExecute op=Exists for 60s"}, later, x0, 60, 60},
		"E3_the_first_that_matches":           {taint.List{x}, []string{":NoExecute op=Exists for 300s", "x:NoExecute op=Exists"}, later, x, 300, 0},
		"E3_in_the_other_order":               {taints: taint.List{x}, tolerations: []string{"x:NoExecute op=Exists", ":NoExecute op=Exists for 300s"}},
		"E5_each_its_own_start":               {taint.List{x0, y100}, []string{"x:NoExecute op=Exists for 120s", "y:NoExecute op=Exists for 30s"}, later, x0, 120, 120},
		"E5_the_later_taint_first":            {taint.List{x0, y100}, []string{"x:NoExecute op=Exists for 140s", "y:NoExecute op=Exists for 30s"}, later, y100, 30, 130},
		"E5_one_time_added_is_unknown":        {taint.List{x, y100}, []string{"x:NoExecute op=Exists for 20s", "y:NoExecute op=Exists for 30s"}, later, x, 20, 0},
		"E6_two_seconds":                      {taint.List{x, y}, []string{"x:NoExecute op=Exists for 300s", "y:NoExecute op=Exists for 30s"}, later, y, 30, 0},
		"E6_none_and_seconds":                 {taint.List{x, y}, []string{"x op=Exists", "y:NoExecute op=Exists for 30s"}, later, y, 30, 0},
		"E7_beyond_any_time":                  {taint.List{x0}, []string{"x:NoExecute op=Exists for 9223372036854775807s"}, later, x0, most, 0},
		"E7_beyond_any_clock":                 {taint.List{x0}, []string{"x:NoExecute op=Exists for 300000000000s"}, later, x0, 300_000_000_000, 0},
		"E7_beyond_any_time_is_after_another": {taint.List{x0, y100}, []string{"x:NoExecute op=Exists for 9223372036854775807s", "y:NoExecute op=Exists for 30s"}, later, y100, 30, 130},
	} {
		var tolerations toleration.List
		for _, text := range test.tolerations {
			tolerations = append(tolerations, toleration.MustParse(text))
		}
		got := newDeciders(tolerations).evict(test.taints)
		var want time.Time
		if test.at != 0 {
			want = added.Add(time.Duration(test.at) * time.Second)
		}
		if got.when != test.when || got.taint != test.taint || got.seconds != test.seconds || !got.at.Equal(want) {
			t.Errorf("%s: evict = %v, by %v (%v) after %d s at %v", name, got.when, got.taint, got.taint.TimeAdded(), got.seconds, got.at)
		}
	}
}

// The tolerations that may decide are those that do, of any number.
func TestDeciders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tolerations, taints := gen.Tolerations().Draw(t, "tolerations"), gen.Taints().Draw(t, "taints")
		d := newDeciders(tolerations)
		for _, one := range taints {
			if one.Effect() != taint.NoExecute {
				continue
			}
			got := match.Explain(one, toleration.First, d.byKey[one.Key()], d.any)
			want := match.Explain(one, toleration.First, tolerations)
			if got.Class != want.Class || got.Toleration != want.Toleration && want.Class != match.NotTolerated {
				t.Errorf("%v: %v, want %v", one, got, want)
			}
		}
	})
}
