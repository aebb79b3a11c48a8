package eviction_test

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// TestDecide contains the examples of the rules. Times are seconds after noon.
func TestDecide(t *testing.T) {
	const never, now = math.MinInt, math.MaxInt
	for _, tt := range []struct {
		name    string
		taints  []string
		pod     string
		options eviction.Options
		at      int // the time of the decision
		want    int // the deadline, or never or now
		taint   int
	}{
		{name: "E1_other_effects", taints: []string{"x:NoSchedule @0", "x:PreferNoSchedule @0"}, want: never, taint: -1},
		{name: "E1_untolerated", taints: []string{"x:NoExecute @0"}, want: now},
		{name: "E1_earliest_untolerated", taints: []string{"y:NoExecute @50", "x:NoExecute @0"}, at: 60, want: now, taint: 1},
		{name: "E2_seconds", taints: []string{"x:NoExecute @10"}, pod: "x:NoExecute for 300s", at: 20, want: 310},
		{name: "E2_zero_of_the_future", taints: []string{"x:NoExecute @10"}, pod: "x:NoExecute for 0s", want: now},
		{name: "E3_first", taints: []string{"x:NoExecute @0"}, pod: ":NoExecute op=Exists for 300s,x:NoExecute", want: 300},
		{name: "E3_shortest", taints: []string{"x:NoExecute @0"}, options: eviction.Options{Choice: toleration.Shortest},
			pod: "x:NoExecute,x:NoExecute for 300s,x:NoExecute for 30s", want: 30},
		{name: "E3_devices_else_shortest", taints: []string{"x:NoExecute @0"}, options: eviction.Options{Choice: toleration.ForeverElseShortest},
			pod: "x:NoExecute for 300s,x:NoExecute for 30s", want: 30},
		{name: "E4_as_kubernetes_of_several_the_shortest", taints: []string{"x:NoExecute @0", "y:NoExecute @0", "z:NoExecute @1"},
			pod: "x:NoExecute for 300s,y:NoExecute for 30s,z:NoExecute for 0s", at: 1, want: 30, taint: 1},
		{name: "E5_own_start_is_not_kept", taints: []string{"y:NoExecute @10", "x:NoExecute @0"}, options: eviction.Options{PerTaint: true},
			pod: "x:NoExecute for 300s,y:NoExecute for 30s", at: 20, want: 40, taint: 0},
		{name: "E6_tie", taints: []string{"w:NoExecute @0", "x:NoExecute @0", "y:NoExecute @270"},
			pod: "w:NoExecute,x:NoExecute for 300s,y:NoExecute for 30s", want: 300, taint: 1},
		{name: "E7_a_second_before", taints: []string{"x:NoExecute @0"}, pod: "x:NoExecute for 30s", at: 29, want: 30},
		{name: "E7_unknown_start", taints: []string{"x:NoExecute"}, pod: "x:NoExecute for 300s", want: now},
		{name: "E7_unknown_start_no_end", taints: []string{"x:NoExecute"}, pod: "x:NoExecute for 9223372036854775807s", want: never, taint: nobody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := check(t, after(tt.at), observe(t, tt.taints...), tt.options, toleration.MustParseList(tt.pod))
			want := verdict{kind: eviction.At, taint: tt.taint}
			switch tt.want {
			case never:
				want.kind = eviction.Never
			case now:
				want.kind = eviction.Due
			default:
				want.deadline = after(tt.want)
			}
			got := spell(d)
			if got.kind != want.kind || got.taint != want.taint || want.kind == eviction.At && got.deadline != want.deadline {
				t.Errorf("%+v, want %+v", got, want)
			}
			if d.Kind() == eviction.Never && d != (eviction.Decision{}) {
				t.Error("a Never is not the zero Decision")
			}
		})
	}
}

func TestDecide_far(t *testing.T) {
	// A time before the year 1 counts as a time, however early: Unix seconds overflow
	// there.
	first := time.Unix(math.MaxInt64-62135596800+1, 0)
	for _, at := range []time.Time{first, first.Add(time.Nanosecond), first.Add(time.Hour), time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0)} {
		if !at.Before(noon) {
			t.Fatalf("%d is after noon", at.Unix())
		}
		observed := []eviction.Observed{{Taint: taint.MustParse("x:NoExecute"), Since: at}}
		d := eviction.Decide(observed, noon, eviction.Options{}, toleration.MustParseList("x:NoExecute for 1s"))
		if got, _ := d.Deadline(); d.Kind() != eviction.Due || !got.Equal(at.Add(time.Second)) {
			t.Errorf("%d: %v at %d", at.Unix(), d.Kind(), got.Unix())
		}
		if d := eviction.Decide(observed, at, eviction.Options{}, toleration.MustParseList("x:NoExecute for 1s")); d.Kind() != eviction.At {
			t.Errorf("%d: %v", at.Unix(), d.Kind())
		}
	}
}

func TestNewDecision(t *testing.T) {
	last := time.Unix(math.MaxInt64, 0)
	for _, tt := range []struct {
		name          string
		deadline, now time.Time
		want          string
		at            time.Time
	}{
		{"E2_due", noon, noon, "due", noon},
		{"E2_past", noon.Add(-1), noon, "due", noon.Add(-1)},
		{"E2_later", noon.Add(1), noon, "at 2026-01-02T12:00:00.000000001Z", noon.Add(1)},
		{"E7_zero_time", time.Time{}, noon, "due", noon}, // as a State has it
		{"E7_latest_time", last, last.Add(-1), "at @9223372036854775807", last},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := eviction.NewDecision(tt.deadline, tt.now)
			at, ok := d.Deadline()
			_, byTaint := d.Taint()
			if d.String() != tt.want || !ok || !at.Equal(tt.at) || byTaint {
				t.Errorf("NewDecision = %v with the deadline %v, taint %v; want %s", d, at, byTaint, tt.want)
			}
		})
	}
}

func TestDecision_size(t *testing.T) {
	if got := unsafe.Sizeof(eviction.Decision{}); unsafe.Sizeof(uintptr(0)) == 8 && got != 32 {
		t.Errorf("a Decision has %d bytes; its documentation says up to 32", got)
	}
}

// A monotonic reading or a location changes nothing.
func testDecideWallClock(t *testing.T) {
	now := time.Now()
	observed := []eviction.Observed{{Taint: taint.MustParse("x:NoExecute"), Since: now}}
	d := eviction.Decide(observed, now, eviction.Options{}, toleration.MustParseList("x:NoExecute for 5s"))
	if at, _ := d.Deadline(); at != now.Round(0).Add(5*time.Second).UTC() {
		t.Errorf("%v, want 5 s after %v", at, now)
	}
	there := now.Round(0).In(time.FixedZone("", 3600))
	observed[0].Since = there
	if other := eviction.Decide(observed, there, eviction.Options{}, toleration.MustParseList("x:NoExecute for 5s")); other != d {
		t.Errorf("%v, want %v", other, d)
	}
}

func TestObserve(t *testing.T) {
	t.Run("E4_not_known_stays_unknown", func(t *testing.T) {
		x := taint.MustParseList("x:NoExecute")
		if got := eviction.Observe([]eviction.Observed{{Taint: x[0]}}, x, noon); !got[0].Since.IsZero() {
			t.Error(got)
		}
	})
	t.Run("E4_first_of_several", func(t *testing.T) {
		x := taint.MustParseList("x=1:NoExecute")
		previous := observe(t, "x=2:NoExecute @5", "x=1:NoExecute @0")
		if got := eviction.Observe(previous, x, after(9)); !got[0].Since.Equal(after(5)) {
			t.Error(got)
		}
	})
}

// A Choice that does not exist panics for every input, even if no taint needs one.
func TestOptions(t *testing.T) {
	unknown := toleration.ForeverElseShortest + 1
	var s eviction.Schedule[int]
	for name, do := range map[string]func(){
		"Decide":          func() { eviction.Decide(nil, noon, eviction.Options{Choice: unknown}, nil) },
		"Reevaluate":      func() { eviction.Reevaluate(eviction.State{}, nil, noon, unknown, nil) },
		"Schedule.Update": func() { s.Update(1, nil, noon, unknown, nil) },
	} {
		t.Run("E3_"+name, func(t *testing.T) {
			if got := contract.Panic(do); got != "eviction: unknown toleration.Choice(4)" {
				t.Errorf("panic %v", got)
			}
		})
	}
}
