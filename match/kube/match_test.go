package kube_test

import (
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// refMatches has the rules of the package, literally.
func refMatches(u corev1.Toleration, t corev1.Taint) bool {
	if t.Key == "" || u.Effect != "" && u.Effect != t.Effect || u.Key != "" && u.Key != t.Key {
		return false
	}
	if u.Operator == "Exists" {
		return u.Value == ""
	}
	if u.Key == "" {
		return false
	}
	if u.Operator == "" || u.Operator == "Equal" {
		return u.Value == t.Value
	}
	n, err := validate.Integer(t.Value)
	bound, numeric := validate.Integer(u.Value)
	if err != nil || numeric != nil {
		return false
	}
	return u.Operator == "Lt" && n < bound || u.Operator == "Gt" && n > bound
}

// equalsReference compares every function that matches with those rules.
func equalsReference(t reporter, n corev1.Node, pod []corev1.Toleration) {
	t.Helper()
	taints := n.Spec.Taints
	var filter, node match.Result
	type row struct {
		index int
		taint corev1.Taint
	}
	var untolerated, untoleratedNode []row
	one := func(i int, c corev1.Taint, cordoned bool) {
		if slices.ContainsFunc(pod, func(u corev1.Toleration) bool { return refMatches(u, c) }) {
			return
		}
		effect, known := map[corev1.TaintEffect]taint.Effect{"PreferNoSchedule": taint.PreferNoSchedule, "NoExecute": taint.NoExecute}[c.Effect]
		if !known {
			effect = taint.NoSchedule
		}
		if i >= 0 {
			filter = filter.With(i, effect)
			untolerated = append(untolerated, row{i, c})
		}
		if !cordoned {
			node = node.With(i, effect)
			untoleratedNode = append(untoleratedNode, row{i, c})
		}
	}
	cordon := corev1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}
	if n.Spec.Unschedulable {
		one(-1, cordon, false)
	}
	for i, c := range taints {
		one(i, c, n.Spec.Unschedulable && c.Key == cordon.Key && c.Value == "" && c.Effect == cordon.Effect)
	}
	same(t, "Filter", kube.Filter(taints, pod), filter, n, pod)
	same(t, "FilterNode", kube.FilterNode(&n, pod), node, n, pod)
	same(t, "Schedulable", kube.Schedulable(taints, pod), filter.Schedulable(), n, pod)
	same(t, "SchedulableNode", kube.SchedulableNode(&n, pod), node.Schedulable(), n, pod)
	same(t, "Tolerated", kube.Tolerated(taints, pod), filter.Preferred(), n, pod)
	var want row
	first, blocked := node.First(taint.NoSchedule, taint.NoExecute)
	for _, r := range untoleratedNode {
		if blocked && r.index == first {
			want = r
		}
	}
	got, ok := kube.Blocking(&n, pod)
	same(t, "Blocking", got, want.taint, n, pod)
	same(t, "Blocking", ok, blocked, n, pod)
	var reasons, wantReasons match.Reasons
	kube.AddReasons(&reasons, &n, pod)
	wantReasons.Add(1, func(yield func(int, taint.Taint) bool) {
		for _, r := range untoleratedNode {
			if r.taint.Effect != "PreferNoSchedule" {
				v, _ := taint.From(r.taint.Key, r.taint.Value, r.taint.Effect)
				yield(r.index, v)
			}
		}
	})
	same(t, "AddReasons", reasons.String(), wantReasons.String(), n, pod)
	rows := func(untolerated iter.Seq2[int, corev1.Taint]) (rows []row) {
		for i, c := range untolerated {
			rows = append(rows, row{i, c})
		}
		return rows
	}
	if got := rows(kube.Untolerated(taints, pod)); !slices.Equal(got, untolerated) {
		t.Errorf("Untolerated yields %v, want %v, for %v and %v", got, untolerated, taints, pod)
	}
	if got := rows(kube.UntoleratedNode(&n, pod)); !slices.Equal(got, untoleratedNode) {
		t.Errorf("UntoleratedNode yields %v, want %v, for %+v and %v", got, untoleratedNode, n.Spec, pod)
	}
	for _, c := range taints {
		want := slices.IndexFunc(pod, func(u corev1.Toleration) bool { return refMatches(u, c) })
		same(t, "Match", kube.Match(&c, pod), want, n, pod)
		for _, u := range pod {
			same(t, "Tolerates", kube.Tolerates(&u, &c), refMatches(u, c), n, pod)
		}
	}
}

// equalsLibrary compares Seconds with the answers about the values, for
// structs that can be converted.
func equalsLibrary(t reporter, n corev1.Node, pod []corev1.Toleration) {
	t.Helper()
	taints, err := kube.Taints(n.Spec.Taints)
	if err != nil {
		return
	}
	values, err := kube.Tolerations(pod)
	if err != nil {
		return
	}
	for choice := toleration.First; choice.IsValid(); choice++ {
		var seconds int64
		var limited bool
		for _, one := range taints {
			n, ends := match.Explain(one, choice, values).Seconds()
			if one.Effect() == taint.NoExecute && ends && (!limited || n < seconds) {
				seconds, limited = n, true
			}
		}
		gotSeconds, gotLimited := kube.Seconds(n.Spec.Taints, pod, choice)
		same(t, "Seconds", gotSeconds, seconds, n, pod)
		same(t, "Seconds", gotLimited, limited, n, pod)
	}
}

func same[V comparable](t reporter, name string, got, want V, n corev1.Node, pod []corev1.Toleration) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v, for %+v and %+v", name, got, want, n.Spec, pod)
	}
}

// A reporter is a test, or a rapid draw of one.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// matchProperty draws a node and tolerations. Any field can be invalid, also
// the same invalid field in both.
func matchProperty(t *rapid.T) {
	var n corev1.Node
	n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordoned")
	for range rapid.IntRange(0, 4).Draw(t, "taints") {
		n.Spec.Taints = append(n.Spec.Taints, drawTaint(t))
	}
	var pod []corev1.Toleration
	for range rapid.IntRange(0, 8).Draw(t, "tolerations") {
		pod = append(pod, drawNear(t, n.Spec.Taints))
	}
	equalsReference(t, n, pod)
	equalsLibrary(t, n, pod)
	values, _ := kube.Tolerations(pod)
	want := values.WithoutNumeric()
	if got, _ := kube.Tolerations(kube.WithoutNumeric(pod)); !slices.Equal(got, want) {
		t.Errorf("WithoutNumeric(%+v) = %v, want %v", pod, got, want)
	}
}

var addedTimes = []time.Time{
	{}, time.Unix(1, 2), time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", -7*3600)),
	time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-1), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)),
}

func drawTaint(t *rapid.T) corev1.Taint {
	f := gen.AnyTaintFields().Draw(t, "taint")
	if rapid.Bool().Draw(t, "valid") {
		f = gen.RecordTaint(gen.Taint().Draw(t, "value"))
	}
	if rapid.IntRange(0, 5).Draw(t, "cordon") == 0 {
		f = gen.RecordTaint(match.CordonTaint())
	}
	c := corev1.Taint{Key: f.Key, Value: f.Value, Effect: corev1.TaintEffect(f.Effect)}
	if rapid.IntRange(0, 3).Draw(t, "timed") == 0 {
		c.TimeAdded = &metav1.Time{Time: rapid.SampledFrom(addedTimes).Draw(t, "added")}
	}
	return c
}

// drawNear draws a toleration that often has the key, the value or the effect of one of
// the taints.
func drawNear(t *rapid.T, taints []corev1.Taint) corev1.Toleration {
	u := coreToleration(t)
	if len(taints) == 0 || rapid.IntRange(0, 3).Draw(t, "far") == 0 {
		return u
	}
	near := rapid.SampledFrom(taints).Draw(t, "near")
	u.Key = near.Key
	if rapid.Bool().Draw(t, "value") {
		u.Value = near.Value
	}
	if rapid.Bool().Draw(t, "effect") {
		u.Effect = near.Effect
	}
	return u
}

func TestFilter(t *testing.T) {
	for range 20 {
		rapid.Check(t, matchProperty)
	}
}

func FuzzFilter(f *testing.F) { gen.Fuzz(f, matchProperty) }

// The rows are the rules of the package; a reader can check them by eye.
func TestTolerates(t *testing.T) {
	seconds := int64(300)
	for _, tt := range []struct {
		name       string
		toleration corev1.Toleration
		taint      corev1.Taint
		want       bool
	}{
		{"M1_effect_absent", corev1.Toleration{Key: "k", Value: "v"}, corev1.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, true},
		{"M1_other_effect", corev1.Toleration{Key: "k", Effect: "NoExecute"}, corev1.Taint{Key: "k", Effect: "NoSchedule"}, false},
		{"M2_no_key", corev1.Toleration{Operator: "Exists"}, corev1.Taint{Key: "k", Effect: "NoSchedule"}, true},
		{"M2_effect_alone", corev1.Toleration{Effect: "NoSchedule"}, corev1.Taint{Key: "k", Effect: "NoSchedule"}, false},
		{"M2_Equal_alone", corev1.Toleration{Operator: "Equal"}, corev1.Taint{Key: "k", Effect: "NoSchedule"}, false},
		{"M3_Exists_with_value", corev1.Toleration{Key: "k", Operator: "Exists", Value: "v"}, corev1.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, false},
		{"M3_wildcard_with_value", corev1.Toleration{Operator: "Exists", Value: "v"}, corev1.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, false},
		{"M4_value_with_slash", corev1.Toleration{Key: "k", Value: "a/b"}, corev1.Taint{Key: "k", Value: "a/b", Effect: "NoSchedule"}, true},
		{"M5_negative", corev1.Toleration{Key: "k", Operator: "Lt", Value: "1"}, corev1.Taint{Key: "k", Value: "-1", Effect: "NoSchedule"}, true},
		{"M5_no_key", corev1.Toleration{Operator: "Lt", Value: "1"}, corev1.Taint{Key: "k", Value: "0", Effect: "NoSchedule"}, false},
		{"M5_least", corev1.Toleration{Key: "k", Operator: "Lt", Value: "0"}, corev1.Taint{Key: "k", Value: "-9223372036854775808"}, true},
		{"M6_too_small", corev1.Toleration{Key: "k", Operator: "Lt", Value: "0"}, corev1.Taint{Key: "k", Value: "-9223372036854775809"}, false},
		{"M5_greatest", corev1.Toleration{Key: "k", Operator: "Gt", Value: "0"}, corev1.Taint{Key: "k", Value: "9223372036854775807"}, true},
		{"M6_too_large", corev1.Toleration{Key: "k", Operator: "Gt", Value: "0"}, corev1.Taint{Key: "k", Value: "9223372036854775808"}, false},
		{"M6_leading_zero", corev1.Toleration{Key: "k", Operator: "Lt", Value: "9"}, corev1.Taint{Key: "k", Value: "01", Effect: "NoSchedule"}, false},
		{"M7_seconds_without_effect", corev1.Toleration{Key: "k", TolerationSeconds: &seconds}, corev1.Taint{Key: "k", Effect: "NoExecute"}, true},
		{"M8_unknown_operator", corev1.Toleration{Key: "k", Operator: "exists"}, corev1.Taint{Key: "k", Effect: "NoSchedule"}, false},
		{"M8_unknown_effect", corev1.Toleration{Operator: "Exists"}, corev1.Taint{Key: "k", Effect: "NoAdmit"}, true},
		{"M8_same_unknown_effect", corev1.Toleration{Operator: "Exists", Effect: "NoAdmit"}, corev1.Taint{Key: "k", Effect: "NoAdmit"}, true},
		{"M8_no_effect", corev1.Toleration{Key: "k", Operator: "Exists", Effect: "NoSchedule"}, corev1.Taint{Key: "k"}, false},
		{"M8_no_key", corev1.Toleration{Operator: "Exists"}, corev1.Taint{Value: "v", Effect: "NoExecute"}, false},
		{"M8_zero", corev1.Toleration{Operator: "Exists"}, kube.CoreTaints(taint.List{{}})[0], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := kube.Tolerates(&tt.toleration, &tt.taint); got != tt.want {
				t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tt.toleration, tt.taint, got, tt.want)
			}
			if got := kube.Match(&tt.taint, []corev1.Toleration{tt.toleration}) == 0; got != tt.want {
				t.Errorf("Match(%+v, %+v) is %v, want %v", tt.taint, tt.toleration, got, tt.want)
			}
		})
	}
}

// The structs have all fields of a few values, valid or not.
func TestTolerates_enumerated(t *testing.T) {
	var taints []corev1.Taint
	for _, key := range []string{"", "k"} {
		for _, value := range []string{"", "1", "2"} {
			for _, effect := range []corev1.TaintEffect{"", "NoSchedule", "NoAdmit"} {
				taints = append(taints, corev1.Taint{Key: key, Value: value, Effect: effect})
			}
		}
	}
	for _, x := range taints {
		for _, y := range taints {
			for _, op := range []corev1.TolerationOperator{"", "Equal", "Exists", "Lt", "Gt", "exists"} {
				u := corev1.Toleration{Key: x.Key, Operator: op, Value: x.Value, Effect: x.Effect}
				equalsReference(t, corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{y}}}, []corev1.Toleration{u})
			}
		}
	}
}

func TestWithoutNumeric(t *testing.T) {
	plain := []corev1.Toleration{{Key: "a"}, {Key: "b", Operator: "lt"}}
	if got := kube.WithoutNumeric(plain); &got[0] != &plain[0] {
		t.Error("M9: a list without numeric operators is copied")
	}
	list := []corev1.Toleration{{Key: "a"}, {Key: "n", Operator: "Gt", Value: "1"}, {Key: "n", Operator: "Lt", Value: "x"}}
	before := slices.Clone(list)
	none := kube.CoreTolerations(toleration.List{{}})[0]
	if diff := cmp.Diff([]corev1.Toleration{{Key: "a"}, none, none}, kube.WithoutNumeric(list)); diff != "" {
		t.Errorf("M9: WithoutNumeric mismatch (-want +got):\n%s", diff)
	}
	one := corev1.Taint{Key: "n", Effect: "NoSchedule"}
	placeholder := corev1.Taint{Key: none.Key, Effect: "NoSchedule"}
	for i, u := range kube.WithoutNumeric(list) {
		if i > 0 && (kube.Tolerates(&u, &placeholder) || u.ToleratesTaint(&placeholder)) {
			t.Errorf("M9: toleration %d, %+v, matches a taint with its key", i, u)
		}
		if u.ToleratesTaint(&one) {
			t.Errorf("M9: Kubernetes matches toleration %d, %+v, with %v", i, u, one)
		}
	}
	if diff := cmp.Diff(before, list); diff != "" {
		t.Errorf("WithoutNumeric changes its argument (-want +got):\n%s", diff)
	}
	if got := kube.WithoutNumeric(nil); got != nil {
		t.Errorf("WithoutNumeric(nil) = %v", got)
	}
}

// The property rarely draws several taints or tolerations with seconds.
func TestSeconds(t *testing.T) {
	u := func(key string, seconds ...int64) corev1.Toleration {
		toleration := corev1.Toleration{Key: key, Effect: "NoExecute"}
		if len(seconds) > 0 {
			toleration.TolerationSeconds = &seconds[0]
		}
		return toleration
	}
	pod := []corev1.Toleration{u("k", 300), u("k", 60), u("k", 900), u("l", 500), u("f"),
		u("n", -5), u("m", 60), u("m"), u("m", 5)}
	for _, tt := range []struct {
		name, keys string
		choice     toleration.Choice
		want       int64
		limited    bool
	}{
		{"F6_no_taints", "", toleration.First, 0, false},
		{"F7_forever", "f", toleration.First, 0, false},
		{"E3_First", "k", toleration.First, 300, true},
		{"E3_Shortest", "k", toleration.Shortest, 60, true},
		{"E3_Longest", "k", toleration.Longest, 900, true},
		{"E3_ForeverElseShortest", "k", toleration.ForeverElseShortest, 60, true},
		{"E3_First_of_forever", "m", toleration.First, 60, true},
		{"E3_Shortest_of_forever", "m", toleration.Shortest, 5, true},
		{"E3_Longest_of_forever", "m", toleration.Longest, 0, false},
		{"E3_ForeverElseShortest_of_forever", "m", toleration.ForeverElseShortest, 0, false},
		{"E6_fewest_first", "kl", toleration.First, 300, true},
		{"E6_fewest_last", "lk", toleration.First, 300, true},
		{"E6_beside_forever", "fkf", toleration.First, 300, true},
		{"V7_negative_first", "nk", toleration.First, 0, true},
		{"V7_negative_last", "kn", toleration.First, 0, true},
		{"E1_untolerated", "x", toleration.First, 0, true},
		{"E1_untolerated_first", "xk", toleration.First, 0, true},
		{"E1_untolerated_last", "kx", toleration.First, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			taints := []corev1.Taint{{Key: "x", Effect: "NoSchedule"}}
			for _, key := range tt.keys {
				taints = append(taints, corev1.Taint{Key: string(key), Effect: "NoExecute"})
			}
			if got, limited := kube.Seconds(taints, pod, tt.choice); got != tt.want || limited != tt.limited {
				t.Errorf("Seconds = %d, %v, want %d, %v", got, limited, tt.want, tt.limited)
			}
		})
	}
}

func TestSeconds_unknown_choice(t *testing.T) {
	got := contract.Panic(func() { kube.Seconds(nil, nil, toleration.ForeverElseShortest+1) })
	if want := "kube: unknown toleration.Choice(4)"; got != want {
		t.Errorf("Seconds panics with %v, want %q", got, want)
	}
}
