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

// This matches one toleration and one taint by every function. Each case names its
// rule.
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
			if got := match.Filter(node, toleration.List{u}).Count(0); got != 1 {
				t.Errorf("Filter(%v, %v).Count(0) = %d, want 1", node, u, got)
			}
		}
		off := pod.WithoutNumeric()
		r := match.Filter(node, off)
		if i, ok := r.First(); r.Count(0) != 1 || i != 0 || !ok || r.Evicted() {
			t.Errorf("Filter(%v, WithoutNumeric(%v)) = %+v, want a alone untolerated", node, pod, r)
		}
		if at, ok := deciding(node[1], toleration.First, off); at != (match.Position{Index: 2}) || !ok {
			t.Errorf("Explain(%v, First, WithoutNumeric(%v)) names %v, %v, want index 2", node[1], pod, at, ok)
		}
	})
}

func tolerates(t *testing.T, u toleration.Toleration, one taint.Taint, want bool) {
	t.Helper()
	list := toleration.List{u}
	if got := u.Tolerates(one); got != want {
		t.Errorf("(%v).Tolerates(%v) = %v, want %v", u, one, got, want)
	}
	if got := ref.Tolerates(u, one); got != want {
		t.Errorf("the reference's Tolerates(%v, %v) = %v, want %v", u, one, got, want)
	}
	if got := match.Compile(list).Tolerates(one); got != want {
		t.Errorf("Compile(%v).Tolerates(%v) = %v, want %v", u, one, got, want)
	}
	if _, got := deciding(one, toleration.First, list); got != want {
		t.Errorf("Explain(%v, First, %v) names a toleration: %v, want %v", one, u, got, want)
	}
	if got := classify(taint.List{one}, toleration.First, list) != match.NotTolerated; got != want {
		t.Errorf("Classify(%v, First, %v) != NotTolerated = %v, want %v", one, u, got, want)
	}
	if got := match.Filter(taint.List{one}, list).Count(0) == 0; got != want {
		t.Errorf("Filter(%v, %v).Count(0) == 0 is %v, want %v", one, u, got, want)
	}
	if got := match.Compile(list).Filter(match.Node{Taints: taint.List{one}}).Count(0) == 0; got != want {
		t.Errorf("Compile(%v).Filter(%v).Count(0) == 0 is %v, want %v", u, one, got, want)
	}
	if got := len(taintsOf(match.Untolerated(taint.List{one}, list))) == 0; got != want {
		t.Errorf("Untolerated(%v, %v) is empty: %v, want %v", one, u, got, want)
	}
}

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
	t.Run("M8_zero_taints", filterZero)
	t.Run("F1_F2_F3_F4_F6_F7_E3_M9_recorded", filterRecorded)
	t.Run("M8_invalid_recorded", filterRecordedInvalid)
	const none = -9
	for _, tt := range []filterCase{
		{"F1_every_taint_needs_one", "a:NoSchedule,b:NoSchedule", "a op=Exists", "---", 1, match.NotTolerated},
		{"F1_one_serves_many", "a:NoSchedule,b=v:NoSchedule,a:NoExecute", "op=Exists", "sp-", none, match.Forever},
		{"F1_one_key_serves_many", "a:NoSchedule,a=v:NoExecute", "a op=Exists", "sp-", none, match.Forever},
		{"F2_NoSchedule", "a:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F2_PreferNoSchedule", "a:PreferNoSchedule", "", "s--", 0, match.NotTolerated},
		{"F2_NoExecute", "a:NoExecute", "", "--e", 0, match.NotTolerated},
		{"F3_PreferNoSchedule_never_blocks", "a:PreferNoSchedule,b:PreferNoSchedule", "", "s--", 0, match.NotTolerated},
		{"F3_NoSchedule_is_worse", "a:PreferNoSchedule,b:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F3_tolerated_for_0s_is_tolerated", "a:NoExecute", "a:NoExecute op=Exists for 0s", "sp-", none, match.ForSeconds},
		{"F4_other_effect_stays", "k:NoSchedule,k:NoExecute", "k:NoSchedule op=Exists", "--e", 1, match.NotTolerated},
		{
			"F2_documented_example", "key1=value1:NoSchedule,key1=value1:NoExecute,key2=value2:NoSchedule",
			"key1=value1:NoSchedule op=Equal | key1=value1:NoExecute op=Equal", "---", 2, match.NotTolerated,
		},
		{"F6_no_taints", "", "", "sp-", none, match.Forever},
		{"F6_no_taints_whatever_the_tolerations", "", "a op=Exists | b:NoExecute for 3s", "sp-", none, match.Forever},
		{"F6_first_in_the_nodes_order", "b:NoSchedule,a:NoSchedule", "", "---", 0, match.NotTolerated},
		{"F7_for_a_while", "a:NoSchedule,b:NoExecute", "a | b:NoExecute for 30s", "sp-", none, match.ForSeconds},
		{"F7_first_in_list_order_decides", "b:NoExecute", "b:NoExecute | b:NoExecute for 30s", "sp-", none, match.Forever},
		{"F7_the_other_order", "b:NoExecute", "b:NoExecute for 30s | b:NoExecute", "sp-", none, match.ForSeconds},
		{"F7_untolerated_is_worst", "a:PreferNoSchedule,b:NoExecute", "b:NoExecute for 30s", "s--", 0, match.NotTolerated},
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

func TestClassify(t *testing.T) {
	t.Run("E3_unknown", classifyUnknown)
	t.Run("F7_choices", func(t *testing.T) {
		x := taint.MustParse("x:NoExecute")
		pods := tolerations(":NoExecute op=Exists for 300s", "x:NoExecute for 60s", "x:NoExecute", "x:NoExecute for 0s", "x:NoExecute for -5s")
		timed, short, forever, now, negative := pods[0], pods[1], pods[2], pods[3], pods[4]
		for _, tt := range []struct {
			p    toleration.Choice
			pod  toleration.List
			want int // index
		}{
			{toleration.First, toleration.List{timed, forever}, 0},
			{toleration.First, toleration.List{forever, timed}, 0},
			{toleration.Shortest, toleration.List{forever, timed, short}, 2},
			{toleration.Shortest, toleration.List{timed, short, short}, 1},
			{toleration.Shortest, toleration.List{timed, now, negative}, 1}, // negative is 0
			{toleration.Shortest, toleration.List{forever, forever}, 0},
			{toleration.Longest, toleration.List{short, timed}, 1},
			{toleration.Longest, toleration.List{short, timed, timed}, 1},
			{toleration.Longest, toleration.List{negative, now}, 0},
			{toleration.Longest, toleration.List{short, timed, forever, forever}, 2},
			{toleration.ForeverElseShortest, toleration.List{short, timed, forever}, 2},
			{toleration.ForeverElseShortest, toleration.List{timed, forever, short, forever}, 1},
			{toleration.ForeverElseShortest, toleration.List{timed, short}, 1},
			{toleration.ForeverElseShortest, toleration.List{timed, now, negative}, 1},
		} {
			if at, ok := deciding(x, tt.p, nil, tt.pod); at != (match.Position{List: 1, Index: tt.want}) || !ok {
				t.Errorf("Explain(%v, %v, nil, %v) names %v, %v, want list 1, index %d", x, tt.p, tt.pod, at, ok, tt.want)
			}
			equalsReferenceOne(t, x, nil, tt.pod)
			want := match.ForSeconds
			if tt.pod[tt.want] == forever {
				want = match.Forever
			}
			if got := classify(taint.List{x}, tt.p, tt.pod); got != want {
				t.Errorf("Classify(%v, %v, %v) = %v, want %v", x, tt.p, tt.pod, got, want)
			}
		}
	})
}

// An unknown choice panics, whatever the taints are.
func classifyUnknown(t *testing.T) {
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

// A zero taint repels pods.
func filterZero(t *testing.T) {
	bad, err := taint.From("gpu", "a/b", "NoSchedule")
	if err == nil {
		t.Fatal("a/b is a value")
	}
	all := tolerations("op=Exists", ":NoExecute op=Exists for 300s")
	for _, node := range []taint.List{{bad}, {{}, {}}, {taint.MustParse("a:NoExecute"), {}}, {{}, taint.MustParse("a:NoSchedule")}} {
		at, zeros := slices.Index(node, taint.Taint{}), 0
		for _, one := range node {
			zeros += map[bool]int{true: 1}[one.IsZero()]
		}
		for _, r := range []match.Result{
			match.Filter(node, all), match.Filter(node, all[:1], all[1:]), match.Compile(all).Filter(match.Node{Taints: node}),
			match.Node{Taints: node}.Filter(all), match.Compile(all).Filter(match.Node{Taints: node, Unschedulable: true}),
		} {
			i, ok := r.First(taint.NoSchedule)
			if letters(r) != "---" || r.Count(0) != zeros || r.Count(taint.NoSchedule) != zeros || i != at || !ok {
				t.Errorf("Filter(%v) = %+v, want %d untolerated NoSchedule, the first at %d", node, r, zeros, at)
			}
		}
		if c := classify(node, toleration.Longest, all); c != match.NotTolerated {
			t.Errorf("Classify(%v) = %v", node, c)
		}
		equalsReference(t, match.Node{Taints: node, Unschedulable: true}, all)
	}
	if r := match.Filter(taint.List{bad}); r.Schedulable() || r.Evicted() || r.Count(taint.PreferNoSchedule) != 0 {
		t.Errorf("Filter of a zero taint = %+v", r)
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
	t.Run("F11_lists_match_as_one", func(t *testing.T) {
		node := taints("a:NoSchedule,b:NoExecute,c:PreferNoSchedule")
		pod, queue, flavour := tolerations("a"), tolerations("b:NoExecute for 3s"), tolerations("c", "b")
		for _, lists := range [][]toleration.List{
			{pod, queue, flavour}, {flavour, nil, pod, {}, queue}, {queue, flavour, pod}, {pod, flavour},
		} {
			one := slices.Concat(lists...)
			want := match.Filter(node, one)
			if got := match.Filter(node, lists...); got != want || !got.Preferred() {
				t.Errorf("Filter(%v, %v) = %+v, as one list %+v", node, lists, got, want)
			}
			if got := match.Compile(lists...).Filter(match.Node{Taints: node}); got != want {
				t.Errorf("Compile(%v).Filter(%v) = %+v, as one list %+v", lists, node, got, want)
			}
			equalsReference(t, match.Node{Taints: node}, lists...)
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
