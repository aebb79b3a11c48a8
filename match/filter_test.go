package match_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// One toleration, one taint: each case by its rule, through every function
// that judges.
func TestTolerates(t *testing.T) {
	for _, tt := range []struct {
		name, toleration, taint string
		want                    bool
	}{
		{"M1_same_effect", "k:NoSchedule op=Exists", "k:NoSchedule", true},
		{"M1_NoSchedule_is_not_NoExecute", "k:NoSchedule op=Exists", "k:NoExecute", false},
		{"M1_NoSchedule_is_not_PreferNoSchedule", "k:NoSchedule op=Exists", "k:PreferNoSchedule", false},
		{"M1_NoExecute_is_not_NoSchedule", "k:NoExecute op=Exists", "k:NoSchedule", false},
		{"M1_absent_effect_NoSchedule", "k op=Exists", "k:NoSchedule", true},
		{"M1_absent_effect_PreferNoSchedule", "k op=Exists", "k:PreferNoSchedule", true},
		{"M1_absent_effect_NoExecute", "k op=Exists", "k:NoExecute", true},
		{"M2_same_key", "x.io/k op=Exists", "x.io/k=v:NoSchedule", true},
		{"M2_other_key", "l op=Exists", "k:NoSchedule", false},
		{"M2_no_case_folding", "K op=Exists", "k:NoSchedule", false},
		{"M2_no_prefix", "k op=Exists", "kk:NoSchedule", false},
		{"M2_the_prefix_counts", "k op=Exists", "x.io/k:NoSchedule", false},
		{"M2_absent_key", "op=Exists", "x.io/k=v:NoExecute", true},
		{"M2_absent_key_one_effect", ":NoExecute op=Exists", "k:NoExecute", true},
		{"M2_absent_key_other_effect", ":NoExecute op=Exists", "k:NoSchedule", false},
		{"M3_Exists_any_value", "k op=Exists", "k=v:NoSchedule", true},
		{"M3_Exists_no_value", "k op=Exists", "k:NoSchedule", true},
		{"M4_Equal", "k=v op=Equal", "k=v:NoSchedule", true},
		{"M4_Equal_other", "k=v op=Equal", "k=w:NoSchedule", false},
		{"M4_Equal_no_case_folding", "k=v op=Equal", "k=V:NoSchedule", false},
		{"M4_Equal_is_text", "k=1 op=Equal", "k=01:NoSchedule", false},
		{"M4_absent_operator", "k=v", "k=v:NoSchedule", true},
		{"M4_absent_operator_other", "k=v", "k=w:NoSchedule", false},
		{"M4_absent_value_is_empty", "k", "k:NoSchedule", true},
		{"M4_absent_value_is_not_any", "k", "k=v:NoSchedule", false},
		{"M4_a_value_is_not_the_absent_one", "k=v", "k:NoSchedule", false},
		{"M5_Gt_taint_is_greater", "k=5 op=Gt", "k=6:NoSchedule", true},
		{"M5_Gt_taint_is_smaller", "k=5 op=Gt", "k=4:NoSchedule", false},
		{"M5_Gt_equal", "k=5 op=Gt", "k=5:NoSchedule", false},
		{"M5_Gt_not_as_text", "k=9 op=Gt", "k=10:NoSchedule", true},
		{"M5_Gt_negative", "k=-1 op=Gt", "k=0:NoSchedule", true},
		{"M5_Gt_smallest", "k=-9223372036854775808 op=Gt", "k=0:NoSchedule", true},
		{"M5_Gt_largest", "k=9223372036854775806 op=Gt", "k=9223372036854775807:NoSchedule", true},
		{"M5_Gt_largest_equal", "k=9223372036854775807 op=Gt", "k=9223372036854775807:NoSchedule", false},
		{"M5_Lt_taint_is_smaller", "k=5 op=Lt", "k=4:NoSchedule", true},
		{"M5_Lt_taint_is_greater", "k=5 op=Lt", "k=6:NoSchedule", false},
		{"M5_Lt_equal", "k=5 op=Lt", "k=5:NoSchedule", false},
		{"M5_Lt_zero", "k=0 op=Lt", "k=0:NoSchedule", false},
		{"M5_Lt_negative", "k=-1 op=Lt", "k=0:NoSchedule", false},
		{"M5_Lt_largest", "k=9223372036854775807 op=Lt", "k=9223372036854775806:NoSchedule", true},
		{"M5_other_key", "k=5 op=Gt", "l=6:NoSchedule", false},
		{"M5_other_effect", "k=5:NoExecute op=Gt", "k=6:NoSchedule", false},
		{"M6_leading_zero", "k=100 op=Lt", "k=099:NoSchedule", false},
		{"M6_fraction", "k=100 op=Lt", "k=99.5:NoSchedule", false},
		{"M6_word", "k=0 op=Gt", "k=high:NoSchedule", false},
		{"M6_empty_Lt", "k=1 op=Lt", "k:NoSchedule", false},
		{"M6_empty_Gt", "k=-1 op=Gt", "k:NoSchedule", false},
		{"M6_overflow", "k=1 op=Gt", "k=9223372036854775808:NoSchedule", false},
		{"M6_overflow_by_far", "k=1 op=Gt", "k=99999999999999999999:NoSchedule", false},
		{"M7_seconds", "k:NoExecute op=Exists for 300s", "k:NoExecute", true},
		{"M7_no_seconds_left", "k:NoExecute op=Exists for 0s", "k:NoExecute", true},
		{"M7_negative_seconds", "k:NoExecute op=Exists for -5s", "k:NoExecute", true},
		{"M7_seconds_other_key", "l:NoExecute op=Exists for 300s", "k:NoExecute", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tolerates(t, toleration.MustParse(tt.toleration), taint.MustParse(tt.taint), tt.want)
		})
	}
	t.Run("M7_time_added", func(t *testing.T) {
		added, err := taint.MustParse("k=v:NoExecute").WithTimeAdded(someTime)
		if err != nil {
			t.Fatal(err)
		}
		tolerates(t, toleration.MustParse("k=v:NoExecute"), added, true)
		tolerates(t, toleration.MustParse("k=w:NoExecute"), added, false)
		tolerates(t, toleration.MustParse("k=v:NoSchedule"), added, false)
	})
	t.Run("M8_zero_values", func(t *testing.T) {
		for _, text := range []string{"op=Exists", "k op=Exists", "k", "k=1 op=Lt"} {
			tolerates(t, toleration.MustParse(text), taint.Taint{}, false)
		}
		for _, text := range []string{"k:NoSchedule", "k=v:NoExecute", "k=1:PreferNoSchedule"} {
			tolerates(t, toleration.Toleration{}, taint.MustParse(text), false)
		}
		tolerates(t, toleration.Toleration{}, taint.Taint{}, false)
	})
	t.Run("M9_numeric_off", func(t *testing.T) {
		node := taints("a=5:NoSchedule,b=5:NoExecute")
		pod := tolerations("a=1 op=Gt", "b=9 op=Lt", "b=5")
		for _, u := range pod {
			if got := match.Filter(node, []toleration.Toleration{u}).Count(0); got != 1 {
				t.Errorf("Filter(%v, %v).Count(0) = %d, want 1", node, u, got)
			}
		}
		off := toleration.WithoutNumeric(pod)
		r := match.Filter(node, off)
		if i, ok := r.First(); r.Count(0) != 1 || i != 0 || !ok || r.Evicted() {
			t.Errorf("Filter(%v, WithoutNumeric(%v)) = %+v, want a alone untolerated", node, pod, r)
		}
		if at, ok := match.Serving(toleration.First, node[1], off); at != (match.Position{Index: 2}) || !ok {
			t.Errorf("Serving(First, %v, WithoutNumeric(%v)) = %v, %v, want index 2", node[1], pod, at, ok)
		}
	})
}

func tolerates(t *testing.T, u toleration.Toleration, one taint.Taint, want bool) {
	t.Helper()
	list := []toleration.Toleration{u}
	if got := u.Tolerates(one); got != want {
		t.Errorf("(%v).Tolerates(%v) = %v, want %v", u, one, got, want)
	}
	if got := match.Compile(list).Tolerates(one); got != want {
		t.Errorf("Compile(%v).Tolerates(%v) = %v, want %v", u, one, got, want)
	}
	if _, got := match.Serving(toleration.First, one, list); got != want {
		t.Errorf("Serving(First, %v, %v) = …, %v, want %v", one, u, got, want)
	}
	if got := match.Classify(toleration.First, one, list) != match.NotTolerated; got != want {
		t.Errorf("Classify(First, %v, %v) != NotTolerated = %v, want %v", one, u, got, want)
	}
	if one.IsZero() {
		return // it has no effect that could be applied
	}
	if got := match.Filter([]taint.Taint{one}, list).Count(0) == 0; got != want {
		t.Errorf("Filter(%v, %v).Count(0) == 0 is %v, want %v", one, u, got, want)
	}
	if got := match.Compile(list).Filter([]taint.Taint{one}).Count(0) == 0; got != want {
		t.Errorf("Compile(%v).Filter(%v).Count(0) == 0 is %v, want %v", u, one, got, want)
	}
	if got := len(match.AppendUntolerated(nil, []taint.Taint{one}, list)) == 0; got != want {
		t.Errorf("AppendUntolerated(nil, %v, %v) is empty: %v, want %v", one, u, got, want)
	}
}

// A filterCase is a node, a pod, and what the node's taints do to it.
type filterCase struct {
	name   string
	taints string
	pod    string // tolerations, split by " | "
	want   string // as letters tells it
	first  int    // index of the first untolerated taint
	class  match.Class
}

func TestFilter(t *testing.T) {
	const none = -9
	for _, tt := range []filterCase{
		{"F1_every_taint_needs_one", "a:NoSchedule,b:NoSchedule", "a op=Exists", "---", 1, match.NotTolerated},
		{"F1_one_serves_many", "a:NoSchedule,b=v:NoSchedule,a:NoExecute", "op=Exists", "sp-", none, match.ForGood},
		{"F1_one_key_serves_many", "a:NoSchedule,a=v:NoExecute", "a op=Exists", "sp-", none, match.ForGood},
		{"F2_NoSchedule", "a:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F2_PreferNoSchedule", "a:PreferNoSchedule", "", "s--", 0, match.NotTolerated},
		{"F2_NoExecute", "a:NoExecute", "", "--e", 0, match.NotTolerated},
		{"F3_PreferNoSchedule_never_blocks", "a:PreferNoSchedule,b:PreferNoSchedule", "", "s--", 0, match.NotTolerated},
		{"F3_NoSchedule_is_worse", "a:PreferNoSchedule,b:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F3_tolerated_for_0s_is_tolerated", "a:NoExecute", "a:NoExecute op=Exists for 0s", "sp-", none, match.ForAWhile},
		{"F4_other_effect_stays", "k:NoSchedule,k:NoExecute", "k:NoSchedule op=Exists", "--e", 1, match.NotTolerated},
		{
			"F5_seeds_example", "key1=value1:NoSchedule,key1=value1:NoExecute,key2=value2:NoSchedule",
			"key1=value1:NoSchedule op=Equal | key1=value1:NoExecute op=Equal", "---", 2, match.NotTolerated,
		},
		{"F6_no_taints", "", "", "sp-", none, match.ForGood},
		{"F6_no_taints_whatever_the_tolerations", "", "a op=Exists | b:NoExecute for 3s", "sp-", none, match.ForGood},
		{"F6_first_in_the_nodes_order", "b:NoSchedule,a:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F7_for_a_while", "a:NoSchedule,b:NoExecute", "a | b:NoExecute for 30s", "sp-", none, match.ForAWhile},
		{"F7_first_in_list_order_decides", "b:NoExecute", "b:NoExecute | b:NoExecute for 30s", "sp-", none, match.ForGood},
		{"F7_the_other_order", "b:NoExecute", "b:NoExecute for 30s | b:NoExecute", "sp-", none, match.ForAWhile},
		{"F7_untolerated_is_worst", "a:PreferNoSchedule,b:NoExecute", "b:NoExecute for 30s", "s--", 0, match.NotTolerated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			node := taints(tt.taints)
			var pod []toleration.Toleration
			if tt.pod != "" {
				pod = tolerations(strings.Split(tt.pod, " | ")...)
			}
			r := match.Filter(node, pod)
			if got := letters(r); got != tt.want {
				t.Errorf("Filter(%v, %v) is %s, want %s", node, pod, got, tt.want)
			}
			if run, goOn := r.Daemon(); run != strings.Contains(tt.want, "s") || goOn == strings.Contains(tt.want, "e") {
				t.Errorf("Filter(%v, %v).Daemon() = %v, %v with %s", node, pod, run, goOn, tt.want)
			}
			if i, ok := r.First(); ok != (tt.first != none) || ok && i != tt.first || !ok && i != 0 {
				t.Errorf("Filter(%v, %v).First() = %d, %v, want %d", node, pod, i, ok, tt.first)
			}
			if got := r.Class(); got != tt.class {
				t.Errorf("Filter(%v, %v).Class() = %v, want %v", node, pod, got, tt.class)
			}
			equalsReference(t, match.Node{Taints: node}, pod)
		})
	}
}

// letters tells a result as "spe": schedulable, preferred, evicted, and "-" for
// what it is not.
func letters(r match.Result) string {
	s := []byte("---")
	for i, is := range []bool{r.Schedulable(), r.Preferred(), r.Evicted()} {
		if is {
			s[i] = "spe"[i]
		}
	}
	return string(s)
}

func TestFilterAll(t *testing.T) {
	t.Run("F7_policies", func(t *testing.T) {
		x := taint.MustParse("x:NoExecute")
		pods := tolerations(":NoExecute op=Exists for 300s", "x:NoExecute for 60s", "x:NoExecute", "x:NoExecute for 0s", "x:NoExecute for -5s")
		timed, short, good, now, negative := pods[0], pods[1], pods[2], pods[3], pods[4]
		for _, tt := range []struct {
			p    toleration.Policy
			pod  []toleration.Toleration
			want int // index
		}{
			{toleration.First, []toleration.Toleration{timed, good}, 0},
			{toleration.First, []toleration.Toleration{good, timed}, 0},
			{toleration.Shortest, []toleration.Toleration{good, timed, short}, 2},
			{toleration.Shortest, []toleration.Toleration{timed, short, short}, 1},
			{toleration.Shortest, []toleration.Toleration{timed, now, negative}, 1}, // negative is 0
			{toleration.Shortest, []toleration.Toleration{good, good}, 0},
			{toleration.Longest, []toleration.Toleration{short, timed}, 1},
			{toleration.Longest, []toleration.Toleration{short, timed, timed}, 1},
			{toleration.Longest, []toleration.Toleration{negative, now}, 0},
			{toleration.Longest, []toleration.Toleration{short, timed, good, good}, 2},
			{toleration.ForeverElseShortest, []toleration.Toleration{short, timed, good}, 2},
			{toleration.ForeverElseShortest, []toleration.Toleration{timed, good, short, good}, 1},
			{toleration.ForeverElseShortest, []toleration.Toleration{timed, short}, 1},
			{toleration.ForeverElseShortest, []toleration.Toleration{timed, now, negative}, 1},
			{toleration.Policy(99), []toleration.Toleration{timed, good}, 0}, // as First
		} {
			if at, ok := match.Serving(tt.p, x, nil, tt.pod); at != (match.Position{List: 1, Index: tt.want}) || !ok {
				t.Errorf("Serving(%v, %v, nil, %v) = %v, %v, want list 1, index %d", tt.p, x, tt.pod, at, ok, tt.want)
			}
			want := match.ForAWhile
			if tt.pod[tt.want] == good {
				want = match.ForGood
			}
			if got := match.Classify(tt.p, x, tt.pod); got != want {
				t.Errorf("Classify(%v, %v, %v) = %v, want %v", tt.p, x, tt.pod, got, want)
			}
			all := append(taints("y:NoSchedule"), x, taint.Taint{})
			if got := match.ClassifyAll(tt.p, all, tt.pod, tolerations("y")); got != want {
				t.Errorf("ClassifyAll(%v, %v, %v, y) = %v, want %v", tt.p, all, tt.pod, got, want)
			}
			if got := match.ClassifyAll(tt.p, all, tt.pod[:0]); got != match.NotTolerated {
				t.Errorf("ClassifyAll(%v, %v) = %v, want NotTolerated", tt.p, all, got)
			}
			if got := match.ClassifyAll(tt.p, all[:0], tt.pod); got != match.ForGood {
				t.Errorf("ClassifyAll(%v, no taints) = %v, want ForGood", tt.p, got)
			}
		}
	})
	t.Run("F6_nil", func(t *testing.T) {
		r := match.Filter(nil)
		if r != (match.Result{}) || letters(r) != "sp-" || match.Filter([]taint.Taint{}, nil, nil) != r {
			t.Errorf("Filter(nil) = %+v, want the zero Result, which is preferred", r)
		}
	})
	t.Run("M8_a_zero_taint_is_left_out", func(t *testing.T) {
		node := []taint.Taint{{}, taint.MustParse("a:NoSchedule"), {}}
		r := match.Filter(node)
		if i, ok := r.First(); r.Count(0) != 1 || i != 1 || !ok {
			t.Errorf("Filter(%v) = %+v, want 1 untolerated taint, at 1", node, r)
		}
		if r := match.Filter(node, tolerations("a")); r.Class() != match.ForGood {
			t.Errorf("Filter(%v, a).Class() = %v, want ForGood", node, r.Class())
		}
		equalsReference(t, match.Node{Taints: node, Unschedulable: true}, tolerations("a"))
	})
	t.Run("F9_daemon", func(t *testing.T) {
		for _, tt := range []struct {
			taints, toleration  string
			shouldRun, shouldGo bool
		}{
			{"a:NoSchedule,a:NoExecute", "op=Exists", true, true},
			{"a:NoSchedule,a:NoExecute", ":NoExecute op=Exists", false, true},
			{"a:NoSchedule,a:NoExecute", ":NoSchedule op=Exists", false, false},
			{"a:PreferNoSchedule", "b", true, true},
			{"a:NoExecute", "a:NoExecute for 0s", true, true},
		} {
			run, goOn := match.Filter(taints(tt.taints), tolerations(tt.toleration)).Daemon()
			if run != tt.shouldRun || goOn != tt.shouldGo {
				t.Errorf("Filter(%s, %s).Daemon() = %v, %v, want %v, %v", tt.taints, tt.toleration, run, goOn, tt.shouldRun, tt.shouldGo)
			}
		}
	})
	t.Run("F11_lists_match_as_one", func(t *testing.T) {
		node := taints("a:NoSchedule,b:NoExecute,c:PreferNoSchedule")
		pod, queue, flavour := tolerations("a"), tolerations("b:NoExecute for 3s"), tolerations("c", "b")
		for _, lists := range [][][]toleration.Toleration{
			{pod, queue, flavour}, {flavour, nil, pod, {}, queue}, {queue, flavour, pod}, {pod, flavour},
		} {
			one := slices.Concat(lists...)
			want := match.Filter(node, one)
			if got := match.Filter(node, lists...); got != want || !got.Preferred() {
				t.Errorf("Filter(%v, %v) = %+v, as one list %+v", node, lists, got, want)
			}
			if got := match.Compile(lists...).Filter(node); got != want {
				t.Errorf("Compile(%v).Filter(%v) = %+v, as one list %+v", lists, node, got, want)
			}
			equalsReference(t, match.Node{Taints: node}, lists...)
		}
	})
}

// F8, by its own table and at the ends of the integers.
func TestScores(t *testing.T) {
	for _, tt := range []struct{ counts, want []int64 }{
		{[]int64{0, 1, 2}, []int64{100, 50, 0}},
		{[]int64{1, 1}, []int64{0, 0}},
		{[]int64{0, 0}, []int64{100, 100}},
		{[]int64{0, 1, 3}, []int64{100, 67, 0}},
		{[]int64{7}, []int64{0}},
		{nil, nil},
		{[]int64{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2, 1, 0}, []int64{0, 1, 51, 100, 100}},
		{[]int64{-1, 2, 4}, []int64{100, 50, 0}},
		{[]int64{math.MinInt64, -1}, []int64{100, 100}},
	} {
		t.Run("F8_"+join(tt.counts), func(t *testing.T) {
			if diff := cmp.Diff(tt.want, match.AppendScores(nil, tt.counts)); diff != "" {
				t.Errorf("AppendScores(nil, %v) mismatch (-want +got):\n%s", tt.counts, diff)
			}
			dst := append(make([]int64, 0, 64), 7, 8)
			if diff := cmp.Diff(append([]int64{7, 8}, tt.want...), match.AppendScores(dst, tt.counts)); diff != "" {
				t.Errorf("AppendScores([7 8], %v) mismatch (-want +got):\n%s", tt.counts, diff)
			}
			counts := slices.Clone(tt.counts)
			if diff := cmp.Diff(tt.want, match.AppendScores(counts[:0], counts)); diff != "" {
				t.Errorf("AppendScores(counts[:0], %v) mismatch (-want +got):\n%s", tt.counts, diff)
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
