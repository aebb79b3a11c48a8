package main

import (
	"testing"
	"time"

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
		taints      []taint.Taint
		tolerations []string
		when        departure
		taint       taint.Taint
		seconds     int64
		at          int // seconds after all began; 0 when that is not told
	}{
		"E1 no taints":                        {},
		"E1 no NoExecute":                     {taints: []taint.Taint{taint.MustParse("x:NoSchedule"), taint.MustParse("x:PreferNoSchedule")}},
		"E1 untolerated":                      {[]taint.Taint{x, y}, []string{"x op=Exists"}, now, y, 0, 0},
		"E1 whatever the others say":          {[]taint.Taint{x, y}, []string{"x:NoExecute op=Exists for 9s"}, now, y, 0, 0},
		"E2 no seconds":                       {taints: []taint.Taint{x}, tolerations: []string{"x op=Exists"}},
		"E2 zero":                             {[]taint.Taint{x}, []string{"x:NoExecute op=Exists for 0s"}, now, x, 0, 0},
		"E2 negative":                         {[]taint.Taint{x}, []string{"x:NoExecute op=Exists for -7s"}, now, x, 0, 0},
		"E2 seconds, no time added":           {[]taint.Taint{x}, []string{"x:NoExecute op=Exists for 60s"}, later, x, 60, 0},
		"E2 seconds and a time added":         {[]taint.Taint{x0}, []string{"x:NoExecute op=Exists for 60s"}, later, x0, 60, 60},
		"E3 the first that matches":           {[]taint.Taint{x}, []string{":NoExecute op=Exists for 300s", "x:NoExecute op=Exists"}, later, x, 300, 0},
		"E3 in the other order":               {taints: []taint.Taint{x}, tolerations: []string{"x:NoExecute op=Exists", ":NoExecute op=Exists for 300s"}},
		"E5 each its own start":               {[]taint.Taint{x0, y100}, []string{"x:NoExecute op=Exists for 120s", "y:NoExecute op=Exists for 30s"}, later, x0, 120, 120},
		"E5 the later taint first":            {[]taint.Taint{x0, y100}, []string{"x:NoExecute op=Exists for 140s", "y:NoExecute op=Exists for 30s"}, later, y100, 30, 130},
		"E5 one time added is not told":       {[]taint.Taint{x, y100}, []string{"x:NoExecute op=Exists for 20s", "y:NoExecute op=Exists for 30s"}, later, x, 20, 0},
		"E6 two seconds":                      {[]taint.Taint{x, y}, []string{"x:NoExecute op=Exists for 300s", "y:NoExecute op=Exists for 30s"}, later, y, 30, 0},
		"E6 none and seconds":                 {[]taint.Taint{x, y}, []string{"x op=Exists", "y:NoExecute op=Exists for 30s"}, later, y, 30, 0},
		"E7 beyond any time":                  {[]taint.Taint{x0}, []string{"x:NoExecute op=Exists for 9223372036854775807s"}, later, x0, most, 0},
		"E7 beyond any clock":                 {[]taint.Taint{x0}, []string{"x:NoExecute op=Exists for 300000000000s"}, later, x0, 300_000_000_000, 0},
		"E7 beyond any time is after another": {[]taint.Taint{x0, y100}, []string{"x:NoExecute op=Exists for 9223372036854775807s", "y:NoExecute op=Exists for 30s"}, later, y100, 30, 130},
	} {
		var tolerations []toleration.Toleration
		for _, text := range test.tolerations {
			tolerations = append(tolerations, toleration.MustParse(text))
		}
		got := evict(test.taints, tolerations)
		var want time.Time
		if test.at != 0 {
			want = added.Add(time.Duration(test.at) * time.Second)
		}
		if got.when != test.when || got.taint != test.taint || got.seconds != test.seconds || !got.at.Equal(want) {
			t.Errorf("%s: evict = %v, by %v (%v) after %d s at %v", name, got.when, got.taint, got.taint.TimeAdded(), got.seconds, got.at)
		}
	}
}
