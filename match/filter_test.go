package match_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestFilter(t *testing.T) {
	t.Run("F1_F2_F3_F4_F6_F7_E3_M9_recorded", filterRecorded)
	t.Run("M8_invalid_recorded", filterRecordedInvalid)
}

// An unknown choice panics, whatever the taints are.
func TestExplain_E3_unknown(t *testing.T) {
	p, x, pod := toleration.Choice(99), taint.MustParse("x:NoExecute"), tolerations("x")
	for name, call := range map[string]func(){
		"Explain":            func() { match.Explain(x, p, pod) },
		"Explain/zero taint": func() { match.Explain(taint.Taint{}, p, nil) },
		"Node.Explanations":  func() { match.Node{}.Explanations(p, pod)(nil) },
	} {
		if got := contract.Panic(call); got != "match: unknown toleration.Choice(99)" {
			t.Errorf("%s of %v panics with %v", name, p, got)
		}
	}
}

func TestFilter_daemon(t *testing.T) {
	t.Run("F9_daemon", func(t *testing.T) {
		for _, tt := range []struct {
			taints, toleration        string
			shouldRun, shouldContinue bool
		}{
			{"a:NoSchedule,a:NoExecute", "op=Exists", true, true},
			{"a:NoSchedule,a:NoExecute", ":NoExecute op=Exists", false, true},
			{"a:NoSchedule,a:NoExecute", ":NoSchedule op=Exists", false, false},
			{"a:PreferNoSchedule", "b", true, true},
			{"a:NoExecute", "a:NoExecute for 0s", true, true},
		} {
			r := match.Node{Taints: taint.MustParseList(tt.taints)}.Filter(tolerations(tt.toleration))
			if r.Schedulable() != tt.shouldRun || r.Evicted() == tt.shouldContinue {
				t.Errorf("Filter(%s, %s): a daemon's pod should run: %v, continue: %v, want %v, %v",
					tt.taints, tt.toleration, r.Schedulable(), !r.Evicted(), tt.shouldRun, tt.shouldContinue)
			}
		}
	})
}

// F8 is tested by its own table and at the limits of the integers.
func TestScores(t *testing.T) {
	for _, tt := range []struct{ counts, want []int64 }{
		{[]int64{0, 1, 2}, []int64{100, 50, 0}},
		{[]int64{1, 1}, []int64{0, 0}},
		{[]int64{0, 0}, []int64{100, 100}},
		{[]int64{0, 1, 3}, []int64{100, 67, 0}},
		{[]int64{7}, []int64{0}},
		{nil, []int64{}},
		{[]int64{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2, 1, 0}, []int64{0, 1, 51, 100, 100}},
		{[]int64{-1, 2, 4}, []int64{100, 50, 0}},
		{[]int64{math.MinInt64, -1}, []int64{100, 100}},
	} {
		t.Run("F8_"+join(tt.counts), func(t *testing.T) {
			counts := slices.Clone(tt.counts)
			if diff := cmp.Diff(tt.want, match.Scores(counts)); diff != "" {
				t.Errorf("Scores(%v) mismatch (-want +got):\n%s", tt.counts, diff)
			}
			if diff := cmp.Diff(tt.want, ref.Scores(counts)); diff != "" {
				t.Errorf("the reference's Scores(%v) mismatch (-want +got):\n%s", tt.counts, diff)
			}
			if !slices.Equal(counts, tt.counts) {
				t.Errorf("Scores changed %v to %v", tt.counts, counts)
			}
		})
	}
}

func join(counts []int64) string {
	if len(counts) == 0 {
		return "none"
	}
	return strings.Join(collect(counts, func(n int64) string { return strconv.FormatInt(n, 10) }), "_")
}
