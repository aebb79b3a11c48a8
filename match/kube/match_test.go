package kube_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The library's values for the API's structs are the reference: what cannot be
// converted is the zero value.

func libraryTaint(t corev1.Taint) taint.Taint {
	v, err := taint.From(t.Key, t.Value, t.Effect)
	if err == nil && t.TimeAdded != nil {
		v, _ = v.WithTimeAdded(t.TimeAdded.Time)
	}
	return v
}

func libraryTaints(list []corev1.Taint) (out taint.List) {
	for _, t := range list {
		out = append(out, libraryTaint(t))
	}
	return out
}

func libraryTolerations(list []corev1.Toleration) (out toleration.List) {
	for _, u := range list {
		v, _ := toleration.From(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
		out = append(out, v)
	}
	return out
}

// equalsLibrary compares every function that matches with the library.
func equalsLibrary(t reporter, n corev1.Node, lists ...[]corev1.Toleration) {
	t.Helper()
	taints := n.Spec.Taints
	node := match.Node{Taints: libraryTaints(taints), Unschedulable: n.Spec.Unschedulable}
	var pod []toleration.List
	for _, list := range lists {
		pod = append(pod, libraryTolerations(list))
	}
	same(t, "Filter", kube.Filter(taints, lists...), match.Filter(node.Taints, pod...), n, lists)
	same(t, "FilterNode", kube.FilterNode(&n, lists...), node.Filter(pod...), n, lists)
	var got, want []int
	for i, one := range kube.Untolerated(taints, lists...) {
		if one != &taints[i] {
			t.Errorf("Untolerated yields another taint than %d", i)
		}
		got = append(got, i)
	}
	for i := range match.Untolerated(node.Taints, pod...) {
		want = append(want, i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Untolerated yields %v, want %v, for %v and %v", got, want, taints, lists)
	}
	for i := range taints {
		for l, list := range lists {
			same(t, "Match", kube.Match(&taints[i], list), pod[l].Match(node.Taints[i]), n, lists)
			for j := range list {
				same(t, "Tolerates", kube.Tolerates(&list[j], &taints[i]), pod[l][j].Tolerates(node.Taints[i]), n, lists)
			}
		}
	}
	for choice := toleration.First; choice <= toleration.ForeverElseShortest; choice++ {
		sameTimes(t, choice, n, lists, node.Taints, pod)
	}
}

// sameTimes compares Deciding and Seconds.
func sameTimes(t reporter, choice toleration.Choice, n corev1.Node, lists [][]corev1.Toleration, taints taint.List, pod []toleration.List) {
	t.Helper()
	type decision struct {
		At    match.Position
		Class match.Class
	}
	for i := range taints {
		var got, want decision
		got.At, got.Class = kube.Deciding(&n.Spec.Taints[i], choice, lists...)
		if e := match.Explain(taints[i], choice, pod...); e.Class != match.NotTolerated {
			want = decision{e.At, e.Class}
		}
		same(t, "Deciding", got, want, n, lists)
	}

	seconds, class := int64(0), match.Forever
	for _, one := range taints {
		e := match.Explain(one, choice, pod...)
		if one.Effect() != taint.NoExecute || e.Class == match.Forever {
			continue
		}
		if n, _ := e.Seconds(); class == match.Forever || n < seconds {
			seconds = n
		}
		class = min(class, e.Class)
	}
	if class == match.NotTolerated {
		seconds = 0
	}
	gotSeconds, gotClass := kube.Seconds(n.Spec.Taints, choice, lists...)
	same(t, "Seconds", gotSeconds, seconds, n, lists)
	same(t, "Seconds", gotClass, class, n, lists)
}

func same[V comparable](t reporter, name string, got, want V, n corev1.Node, lists [][]corev1.Toleration) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v, for %+v and %+v", name, got, want, n.Spec, lists)
	}
}

// A reporter is a test, or a rapid draw of one.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// matchProperty draws a node and lists of tolerations. Any field can be invalid, also
// the same invalid field in both.
func matchProperty(t *rapid.T) {
	var n corev1.Node
	n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordoned")
	for range rapid.IntRange(0, 4).Draw(t, "taints") {
		n.Spec.Taints = append(n.Spec.Taints, drawTaint(t))
	}
	lists := make([][]corev1.Toleration, rapid.IntRange(0, 3).Draw(t, "lists"))
	for i := range lists {
		for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
			lists[i] = append(lists[i], drawNear(t, n.Spec.Taints))
		}
	}
	equalsLibrary(t, n, lists...)
	for _, list := range lists {
		pod := libraryTolerations(list).WithoutNumeric()
		if got := libraryTolerations(kube.WithoutNumeric(list)); !slices.Equal(got, pod) {
			t.Errorf("WithoutNumeric(%+v) = %v, want %v", list, got, pod)
		}
	}
}

var addedTimes = []time.Time{
	{}, time.Unix(1, 2), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Add(-1), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
	time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)),
}

func drawTaint(t *rapid.T) corev1.Taint {
	f := gen.AnyTaintFields().Draw(t, "taint")
	if rapid.IntRange(0, 5).Draw(t, "cordon") == 0 {
		f = gen.FieldsOfTaint(match.CordonTaint())
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
	f := gen.AnyTolerationFields().Draw(t, "toleration")
	u := corev1.Toleration{
		Key: f.Key, Operator: corev1.TolerationOperator(f.Operator), Value: f.Value, Effect: corev1.TaintEffect(f.Effect), TolerationSeconds: f.Seconds,
	}
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

// This matches every pair of a taint and a toleration over small sets of fields.
func TestTolerates_exhaustive(t *testing.T) {
	var tolerations []corev1.Toleration
	for _, key := range []string{"", "a", "b", "-"} {
		for _, op := range []corev1.TolerationOperator{"", "Equal", "Exists", "Lt", "Gt", "equal", "Exist", "G"} {
			for _, value := range []string{"", "x", "1", "2", "-1", "02", "-0", "a b", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "12345678901234567890"} {
				for _, effect := range []corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute", "noexecute"} {
					for _, seconds := range []*int64{nil, new(int64)} {
						tolerations = append(tolerations, corev1.Toleration{Key: key, Operator: op, Value: value, Effect: effect, TolerationSeconds: seconds})
					}
				}
			}
		}
	}
	pod := libraryTolerations(tolerations)
	matched := 0
	for _, key := range []string{"", "a", "b", "-"} {
		for _, value := range []string{"", "x", "0", "1", "3", "02", "-1", "a b", "9223372036854775806", "9223372036854775807", "9223372036854775808"} {
			for _, effect := range []corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute", "noexecute", "NoScheduld"} {
				c := corev1.Taint{Key: key, Value: value, Effect: effect}
				v := libraryTaint(c)
				for i := range tolerations {
					want := pod[i].Tolerates(v)
					if got := kube.Tolerates(&tolerations[i], &c); got != want {
						t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tolerations[i], c, got, want)
					}
					if got := kube.Match(&c, tolerations[i:i+1]) == 0; got != want {
						t.Errorf("Match(%+v, %+v) matches: %v, want %v", c, tolerations[i], got, want)
					}
					if want {
						matched++
					}
				}
			}
		}
	}
	if matched < 500 {
		t.Errorf("only %d pairs match", matched)
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
	for i, u := range kube.WithoutNumeric(list) {
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

func TestDeciding_unknown_choice(t *testing.T) {
	const unknown = toleration.ForeverElseShortest + 1
	for name, do := range map[string]func(){
		"Deciding": func() { kube.Deciding(&corev1.Taint{}, unknown) },
		"Seconds":  func() { kube.Seconds(nil, unknown) },
	} {
		func() {
			defer func() {
				if got, want := recover(), "kube: unknown toleration.Choice(4)"; got != want {
					t.Errorf("%s panics with %v, want %q", name, got, want)
				}
			}()
			do()
		}()
	}
}

// An invalid taint is not read again for each toleration with its key and effect.
func TestHostile_Match(t *testing.T) {
	const most = 1000
	long := corev1.Taint{Key: strings.Repeat("k", 1<<20), Effect: corev1.TaintEffectNoExecute}
	wildcards := slices.Repeat([]corev1.Toleration{{Operator: corev1.TolerationOpExists}}, most)
	start := time.Now()
	for choice := toleration.First; choice <= toleration.ForeverElseShortest; choice++ {
		if _, class := kube.Deciding(&long, choice, wildcards); class != match.NotTolerated {
			t.Errorf("Deciding: an invalid taint is %v", class)
		}
	}
	if got := kube.Filter([]corev1.Taint{long}, wildcards); got.Count(taint.NoSchedule) != 1 {
		t.Errorf("Filter = %v, want an untolerated NoSchedule taint", got)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("matching one invalid taint with %d wildcards took %v", most, took)
	}
}
