package reference_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	ref "github.com/go-tolerate/tolerate/match/internal/reference"
)

const (
	ns  = ref.NoSchedule
	pns = ref.PreferNoSchedule
	nx  = ref.NoExecute
)

// tol is a toleration as the rules write it: tol(key op value effect [secs]).
func tol(key, op, value, effect string, seconds ...int64) ref.Toleration {
	u := ref.Toleration{Key: key, Operator: op, Value: value, Effect: effect}
	if len(seconds) > 0 {
		u.Seconds = &seconds[0]
	}
	return u
}

func TestTolerates(t *testing.T) {
	for _, tt := range []struct {
		rule  string
		u     ref.Toleration
		taint ref.Taint
		want  bool
	}{
		{"M1_same_effect", tol("k", "Exists", "", ns), ref.Taint{"k", "", ns}, true},
		{"M1_other_effect", tol("k", "Exists", "", ns), ref.Taint{"k", "", nx}, false},
		{"M1_other_effect", tol("k", "Exists", "", ns), ref.Taint{"k", "", pns}, false},
		{"M1_absent_effect", tol("k", "Exists", "", ""), ref.Taint{"k", "", ns}, true},
		{"M1_absent_effect", tol("k", "Exists", "", ""), ref.Taint{"k", "", pns}, true},
		{"M1_absent_effect", tol("k", "Exists", "", ""), ref.Taint{"k", "", nx}, true},
		{"M2_same_key", tol("example.com/k", "Exists", "", ns), ref.Taint{"example.com/k", "v", ns}, true},
		{"M2_case", tol("K", "Exists", "", ns), ref.Taint{"k", "", ns}, false},
		{"M2_no_prefix_of_a_key", tol("k", "Exists", "", ns), ref.Taint{"k2", "", ns}, false},
		{"M2_no_name_without_its_prefix", tol("k", "Exists", "", ns), ref.Taint{"example.com/k", "", ns}, false},
		{"M2_absent_key", tol("", "Exists", "", ""), ref.Taint{"any", "v", nx}, true},
		{"M2_absent_key_other_effect", tol("", "Exists", "", ns), ref.Taint{"any", "v", nx}, false},
		{"M3_Exists_any_value", tol("k", "Exists", "", ns), ref.Taint{"k", "v", ns}, true},
		{"M4_Equal", tol("k", "Equal", "v", ns), ref.Taint{"k", "v", ns}, true},
		{"M4_Equal_other", tol("k", "Equal", "v", ns), ref.Taint{"k", "w", ns}, false},
		{"M4_Equal_case", tol("k", "Equal", "v", ns), ref.Taint{"k", "V", ns}, false},
		{"M4_absent_operator", tol("k", "", "v", ns), ref.Taint{"k", "v", ns}, true},
		{"M4_absent_operator_other", tol("k", "", "v", ns), ref.Taint{"k", "", ns}, false},
		{"M4_absent_value", tol("k", "", "", ns), ref.Taint{"k", "", ns}, true},
		{"M4_absent_value_other", tol("k", "Equal", "", ns), ref.Taint{"k", "v", ns}, false},
		{"M4_integers_are_text_here", tol("k", "Equal", "1", ns), ref.Taint{"k", "01", ns}, false},
		{"M5_Gt_the_taints_is_greater", tol("k", "Gt", "5", ns), ref.Taint{"k", "6", ns}, true},
		{"M5_Gt_smaller", tol("k", "Gt", "5", ns), ref.Taint{"k", "4", ns}, false},
		{"M5_Gt_equal", tol("k", "Gt", "5", ns), ref.Taint{"k", "5", ns}, false},
		{"M5_Gt_not_as_text", tol("k", "Gt", "9", ns), ref.Taint{"k", "10", ns}, true},
		{"M5_Gt_negative", tol("k", "Gt", "-1", ns), ref.Taint{"k", "0", ns}, true},
		{"M5_Lt_the_taints_is_smaller", tol("k", "Lt", "5", ns), ref.Taint{"k", "4", ns}, true},
		{"M5_Lt_greater", tol("k", "Lt", "5", ns), ref.Taint{"k", "6", ns}, false},
		{"M5_Lt_equal", tol("k", "Lt", "5", ns), ref.Taint{"k", "5", ns}, false},
		{"M5_Lt_negative", tol("k", "Lt", "-1", ns), ref.Taint{"k", "0", ns}, false},
		{"M5_at_the_end", tol("k", "Gt", "9223372036854775806", ns), ref.Taint{"k", "9223372036854775807", ns}, true},
		{"M5_other_key", tol("k", "Gt", "5", ns), ref.Taint{"l", "6", ns}, false},
		{"M6_leading_zero", tol("k", "Lt", "100", ns), ref.Taint{"k", "099", ns}, false},
		{"M6_fraction", tol("k", "Lt", "100", ns), ref.Taint{"k", "99.5", ns}, false},
		{"M6_word", tol("k", "Gt", "1", ns), ref.Taint{"k", "high", ns}, false},
		{"M6_empty", tol("k", "Lt", "1", ns), ref.Taint{"k", "", ns}, false},
		{"M6_overflow", tol("k", "Gt", "1", ns), ref.Taint{"k", "9223372036854775808", ns}, false},
		{"M7_seconds", tol("k", "Exists", "", nx, 0), ref.Taint{"k", "", nx}, true},
		{"M7_negative_seconds", tol("k", "Exists", "", nx, -5), ref.Taint{"k", "", nx}, true},
		{"M8_zero_toleration", ref.Toleration{}, ref.Taint{"k", "", ns}, false},
		{"M8_zero_taint", tol("", "Exists", "", ""), ref.Taint{}, false},
		{"M8_both", ref.Toleration{}, ref.Taint{}, false},
	} {
		if got := ref.Tolerates(tt.u, tt.taint); got != tt.want {
			t.Errorf("%s: Tolerates(%v, %v) = %v, want %v", tt.rule, tt.u, tt.taint, got, tt.want)
		}
	}
}

func TestServing(t *testing.T) {
	x := ref.Taint{"x", "", nx}
	forever, wildcard := tol("x", "", "", nx), tol("", "Exists", "", nx, 300)
	for _, tt := range []struct {
		rule  string
		p     ref.Choice
		lists [][]ref.Toleration
		want  ref.Position
		ok    bool
		class ref.Class
	}{
		{"none", ref.First, nil, ref.Position{}, false, ref.NotTolerated},
		{"none matches", ref.Longest, [][]ref.Toleration{{tol("y", "", "", nx)}}, ref.Position{}, false, ref.NotTolerated},
		{"E3_first", ref.First, [][]ref.Toleration{{wildcard, forever}}, ref.Position{0, 0}, true, ref.ForSeconds},
		{"E3_first_other_order", ref.First, [][]ref.Toleration{{forever, wildcard}}, ref.Position{0, 0}, true, ref.Forever},
		{"E3_first_two_lists", ref.First, [][]ref.Toleration{{tol("y", "", "", "")}, {forever}}, ref.Position{1, 0}, true, ref.Forever},
		{"E3_shortest", ref.Shortest, [][]ref.Toleration{{forever}, {wildcard, tol("x", "", "", nx, 60)}}, ref.Position{1, 1}, true, ref.ForSeconds},
		{"E3_shortest_forever_alone", ref.Shortest, [][]ref.Toleration{{forever}}, ref.Position{0, 0}, true, ref.Forever},
		{"E3_longest", ref.Longest, [][]ref.Toleration{{wildcard, tol("x", "", "", nx, 60), forever, forever}}, ref.Position{0, 2}, true, ref.Forever},
		{"E3_longest_of_numbers", ref.Longest, [][]ref.Toleration{{tol("x", "", "", nx, 60), wildcard}}, ref.Position{0, 1}, true, ref.ForSeconds},
		{"E3_forever", ref.ForeverElseShortest, [][]ref.Toleration{{wildcard}, {forever}}, ref.Position{1, 0}, true, ref.Forever},
		{"E3_else_shortest", ref.ForeverElseShortest, [][]ref.Toleration{{wildcard, tol("x", "", "", nx, 60)}}, ref.Position{0, 1}, true, ref.ForSeconds},
		{"negative is 0", ref.Shortest, [][]ref.Toleration{{tol("x", "", "", nx, 0), tol("x", "", "", nx, -5)}}, ref.Position{0, 0}, true, ref.ForSeconds},
		{"negative is 0", ref.Longest, [][]ref.Toleration{{tol("x", "", "", nx, -5), tol("x", "", "", nx, 0)}}, ref.Position{0, 0}, true, ref.ForSeconds},
	} {
		at, ok := ref.Serving(tt.p, x, tt.lists...)
		if at != tt.want || ok != tt.ok {
			t.Errorf("%s: Serving = %v, %v, want %v, %v", tt.rule, at, ok, tt.want, tt.ok)
		}
		if got := ref.Classify(tt.p, x, tt.lists...); got != tt.class {
			t.Errorf("%s: Classify = %v, want %v", tt.rule, got, tt.class)
		}
	}
}

func TestFilter(t *testing.T) {
	seeds := []ref.Taint{{"key1", "value1", ns}, {"key1", "value1", nx}, {"key2", "value2", ns}}
	all := tol("", "Exists", "", "")
	for _, tt := range []struct {
		rule                            string
		node                            ref.Node
		tolerations                     []ref.Toleration
		schedulable, preferred, evicted bool
		count, first                    map[string]int
	}{
		{
			"F1_one_toleration_for_all", ref.Node{Taints: seeds}, []ref.Toleration{all},
			true, true, false, map[string]int{}, map[string]int{},
		},
		{
			"F2_NS", ref.Node{Taints: []ref.Taint{{"k", "", ns}}}, nil,
			false, false, false, map[string]int{"": 1, ns: 1}, map[string]int{"": 0, ns: 0},
		},
		{
			"F2_PNS", ref.Node{Taints: []ref.Taint{{"k", "", pns}}}, nil,
			true, false, false, map[string]int{"": 1, pns: 1}, map[string]int{"": 0, pns: 0},
		},
		{
			"F2_NX", ref.Node{Taints: []ref.Taint{{"k", "", nx}}}, nil,
			false, false, true, map[string]int{"": 1, nx: 1}, map[string]int{"": 0, nx: 0},
		},
		{
			"F3_0_s", ref.Node{Taints: []ref.Taint{{"k", "", nx}}}, []ref.Toleration{tol("k", "", "", nx, 0)},
			true, true, false, map[string]int{}, map[string]int{},
		},
		{
			"F4", ref.Node{Taints: []ref.Taint{{"k", "", ns}, {"k", "", nx}}}, []ref.Toleration{tol("k", "Exists", "", ns)},
			false, false, true, map[string]int{"": 1, nx: 1}, map[string]int{"": 1, nx: 1},
		},
		{
			"F5", ref.Node{Taints: seeds}, []ref.Toleration{tol("key1", "Equal", "value1", ns), tol("key1", "Equal", "value1", nx)},
			false, false, false, map[string]int{"": 1, ns: 1}, map[string]int{"": 2, ns: 2},
		},
		{
			"F6_no_taints", ref.Node{}, nil,
			true, true, false, map[string]int{}, map[string]int{},
		},
		{
			"F6_first_in_the_nodes_order", ref.Node{Taints: seeds}, nil,
			false, false, true, map[string]int{"": 3, ns: 2, nx: 1}, map[string]int{"": 0, ns: 0, nx: 1},
		},
		{
			"F10_without_the_taint", ref.Node{Cordoned: true}, nil,
			false, false, false, map[string]int{"": 1, ns: 1}, map[string]int{"": -1, ns: -1},
		},
		{
			"F10_with_the_taint", ref.Node{Taints: []ref.Taint{{"k", "", ns}, ref.Cordon}, Cordoned: true}, nil,
			false, false, false, map[string]int{"": 2, ns: 2}, map[string]int{"": -1, ns: -1},
		},
		{
			"F10_the_taint_alone", ref.Node{Taints: []ref.Taint{{"k", "", ns}, ref.Cordon}}, nil,
			false, false, false, map[string]int{"": 2, ns: 2}, map[string]int{"": 0, ns: 0},
		},
		{
			"F10_tolerated", ref.Node{Cordoned: true}, []ref.Toleration{tol(ref.Cordon.Key, "", "", ns)},
			true, true, false, map[string]int{}, map[string]int{},
		},
		{
			"M8_a_zero_taint", ref.Node{Taints: []ref.Taint{{"k", "", ns}, {}}}, []ref.Toleration{tol("", "Exists", "", "")},
			false, false, false, map[string]int{"": 1, ns: 1}, map[string]int{"": 1, ns: 1},
		},
	} {
		got := ref.Filter(tt.node, tt.tolerations)
		untolerated := got.Untolerated
		got.Untolerated = nil
		want := ref.Answer{
			Schedulable: tt.schedulable, Preferred: tt.preferred, Evicted: tt.evicted,
			Count: tt.count, First: tt.first,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: Filter mismatch (-want +got):\n%s", tt.rule, diff)
		}
		if len(untolerated) != tt.count[""] || len(untolerated) > 0 && untolerated[0].Index != tt.first[""] {
			t.Errorf("%s: Filter(…).Untolerated = %v, want %d, the first at %d", tt.rule, untolerated, tt.count[""], tt.first[""])
		}
	}
}

func TestFilter_lists(t *testing.T) { // F11
	node := ref.Node{Taints: []ref.Taint{{"a", "", ns}, {"b", "", nx}}}
	got := ref.Filter(node, []ref.Toleration{tol("b", "Exists", "", nx, 30)}, nil, []ref.Toleration{tol("a", "Exists", "", ""), tol("b", "", "", "")})
	if !got.Preferred {
		t.Errorf("Filter(…).Preferred = %v, want true", got.Preferred)
	}
}

func TestScores(t *testing.T) {
	for _, tt := range []struct{ counts, want []int64 }{ // F8
		{[]int64{0, 1, 2}, []int64{100, 50, 0}},
		{[]int64{1, 1}, []int64{0, 0}},
		{[]int64{0, 0}, []int64{100, 100}},
		{[]int64{0, 1, 3}, []int64{100, 67, 0}},
		{[]int64{}, []int64{}},
		{[]int64{-4, 2}, []int64{100, 0}},
		{[]int64{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 / 2, 1}, []int64{0, 1, 51, 100}},
	} {
		if diff := cmp.Diff(tt.want, ref.Scores(tt.counts)); diff != "" {
			t.Errorf("Scores(%v) mismatch (-want +got):\n%s", tt.counts, diff)
		}
	}
}
