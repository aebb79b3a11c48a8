package match_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A filterCase is a node, a pod, and the result.
type filterCase struct {
	name   string
	taints string
	pod    string // tolerations, split by " | "
	want   string // see letters
	first  int    // index of the first untolerated taint
	class  match.Class
}

func TestFilter(t *testing.T) {
	t.Run("F1_F2_F3_F4_F6_F7_E3_M9_recorded", filterRecorded)
	t.Run("M8_invalid_recorded", filterRecordedInvalid)
	const none = -9
	for _, tt := range []filterCase{
		{"F1_every_taint_needs_one", "a:NoSchedule,b:NoSchedule", "a op=Exists", "---", 1, match.NotTolerated},
		{"F1_one_serves_many", "a:NoSchedule,b=v:NoSchedule,a:NoExecute", "op=Exists", "sp-", none, match.Forever},
		{"F2_PreferNoSchedule", "a:PreferNoSchedule", "", "s--", 0, match.NotTolerated},
		{"F2_NoExecute", "a:NoExecute", "", "--e", 0, match.NotTolerated},
		{"F3_tolerated_for_0s_is_tolerated", "a:NoExecute", "a:NoExecute op=Exists for 0s", "sp-", none, match.ForSeconds},
		{"F4_other_effect_stays", "k:NoSchedule,k:NoExecute", "k:NoSchedule op=Exists", "--e", 1, match.NotTolerated},
		{
			"F2_documented_example", "key1=value1:NoSchedule,key1=value1:NoExecute,key2=value2:NoSchedule",
			"key1=value1:NoSchedule op=Equal | key1=value1:NoExecute op=Equal", "---", 2, match.NotTolerated,
		},
		{"F6_no_taints", "", "", "sp-", none, match.Forever},
		{"F7_for_a_while", "a:NoSchedule,b:NoExecute", "a | b:NoExecute for 30s", "sp-", none, match.ForSeconds},
		{"F7_first_in_list_order_decides", "b:NoExecute", "b:NoExecute | b:NoExecute for 30s", "sp-", none, match.Forever},
	} {
		t.Run(tt.name, func(t *testing.T) {
			node := taints(tt.taints)
			var pod toleration.List
			if tt.pod != "" {
				pod = tolerations(strings.Split(tt.pod, " | ")...)
			}
			r := match.Filter(node, pod)
			if got := letters(r); got != tt.want {
				t.Errorf("Filter(%v, %v) is %s, want %s", node, pod, got, tt.want)
			}
			if i, ok := r.First(); ok != (tt.first != none) || ok && i != tt.first || !ok && i != 0 {
				t.Errorf("Filter(%v, %v).First() = %d, %v, want %d", node, pod, i, ok, tt.first)
			}
			if got := classify(node, toleration.First, pod); got != tt.class {
				t.Errorf("Classify(%v, First, %v) = %v, want %v", node, pod, got, tt.class)
			}
			equalsReference(t, match.Node{Taints: node}, pod)
		})
	}
}

// letters returns a result as "spe" for schedulable, preferred and evicted, with "-"
// instead of what is false.
func letters(r match.Result) string {
	s := []byte("---")
	for i, is := range []bool{r.Schedulable(), r.Preferred(), r.Evicted()} {
		if is {
			s[i] = "spe"[i]
		}
	}
	return string(s)
}

// An unknown choice panics, whatever the taints are.
func TestExplain_E3_unknown(t *testing.T) {
	p, x, pod := toleration.Choice(99), taint.MustParse("x:NoExecute"), tolerations("x")
	for name, call := range map[string]func(){
		"Explain":            func() { match.Explain(x, p, pod) },
		"Explain/zero taint": func() { match.Explain(taint.Taint{}, p) },
		"Node.Explanations":  func() { match.Node{}.Explanations(p, pod)(nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != "match: unknown toleration.Choice(99)" {
					t.Errorf("%s of %v panics with %v", name, p, got)
				}
			}()
			call()
		}()
	}
}

func TestFilter_lists(t *testing.T) {
	t.Run("F6_nil", func(t *testing.T) {
		r := match.Filter(nil)
		if r != (match.Result{}) || letters(r) != "sp-" || match.Filter(taint.List{}, nil, nil) != r {
			t.Errorf("Filter(nil) = %+v, want the zero Result, which is preferred", r)
		}
	})
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
			r := match.Filter(taints(tt.taints), tolerations(tt.toleration))
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
