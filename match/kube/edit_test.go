package kube_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
)

// drawTaints draws structs of taints, valid for a node or with any fields. Their times
// have fractions and time zones.
func drawTaints(t *rapid.T) []corev1.Taint {
	var out []corev1.Taint
	for _, v := range gen.NodeTaints().Draw(t, "taints") {
		out = append(out, corev1.Taint{Key: v.Key(), Value: v.Value(), Effect: corev1.TaintEffect(v.Effect().String())})
	}
	if rapid.Bool().Draw(t, "any") {
		for _, f := range rapid.SliceOfN(gen.AnyTaintFields(), 1, 4).Draw(t, "fields") {
			at := rapid.IntRange(0, len(out)).Draw(t, "at")
			out = slices.Insert(out, at, corev1.Taint{Key: f.Key, Value: f.Value, Effect: corev1.TaintEffect(f.Effect)})
		}
	}
	for i := range out {
		switch rapid.IntRange(0, 9).Draw(t, "added") {
		case 0, 1, 2:
			zone := time.FixedZone("", 3600*rapid.IntRange(-9, 9).Draw(t, "zone"))
			out[i].TimeAdded = &metav1.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 600, zone)}
		case 3:
			out[i].TimeAdded = &metav1.Time{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
		}
	}
	return out
}

// The time for ten thousand invalid taints is linear in their number.
func TestHostile_Propagate(t *testing.T) {
	var node []corev1.Taint
	for i := range 10_000 {
		node = append(node, corev1.Taint{Key: fmt.Sprintf("k%d", i), Effect: "NoRun"})
	}
	start := time.Now()
	if got, changed := kube.Propagate(node, node, node[1:]); len(got) != len(node)-1 || !changed {
		t.Errorf("Propagate: %d taints, changed %v", len(got), changed)
	}
	if got, changed := kube.Merge(node[:9_000], append(node, node...)...); len(got) != len(node) || !changed {
		t.Errorf("Merge: %d taints, changed %v", len(got), changed)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("%v", d)
	}
}

// TestEdits has the functions that replace a list of taints. If nothing changes, they
// return the list itself.
func TestEdits(t *testing.T) {
	type list = []corev1.Taint
	type edit func(taints list) (list, bool)
	put := func(one corev1.Taint) edit { return func(taints list) (list, bool) { return kube.Put(taints, one) } }
	merge := func(more ...corev1.Taint) edit {
		return func(taints list) (list, bool) { return kube.Merge(taints, more...) }
	}
	replaceKey := func(one corev1.Taint) edit {
		return func(taints list) (list, bool) { return kube.ReplaceKey(taints, one) }
	}
	remove := func(taints list) (list, bool) {
		return kube.Remove(taints, &corev1.Taint{Key: "a", Value: "any", Effect: "NoSchedule"})
	}
	propagate := func(taints list) (list, bool) {
		return kube.Propagate(taints, list{{Key: "c"}}, list{{Key: "a", Value: "1", Effect: "NoSchedule"}})
	}

	at, later := metav1.Unix(1e9, 0), metav1.Unix(2e9, 0)
	a, b := corev1.Taint{Key: "a", Value: "1", Effect: "NoSchedule"}, corev1.Taint{Key: "b", Effect: "NoExecute", TimeAdded: &at}
	other, same, dated, second := a, b, b, corev1.Taint{Key: "a", Effect: "NoExecute"}
	other.Value, same.TimeAdded, dated.TimeAdded = "2", at.DeepCopy(), &later
	undated := corev1.Taint{Key: "b", Effect: "NoExecute"}
	for _, tt := range []struct {
		name   string
		taints list
		edit   edit
		want   list
	}{
		{"K2_put/none", nil, put(a), list{a}},
		{"K2_put/appended", list{a}, put(b), list{a, b}},
		{"K2_put/other_effect", list{a}, put(second), list{a, second}},
		{"K2_put/there", list{a, b}, put(same), list{a, b}},
		{"K2_put/other_value", list{a, b}, put(other), list{other, b}},
		{"K2_put/other_time", list{a, b}, put(dated), list{a, dated}},
		{"K2_put/no_time", list{b}, put(undated), list{undated}},
		{"K2_merge/none", list{a}, merge(), list{a}},
		{"K2_merge/several", list{b}, merge(a, b, second), list{b, a, second}},
		{"K2_merge/there_with_another_value_and_time", list{a, b}, merge(other, undated), list{a, b}},
		{"K2_merge/repeated", list{b, b}, merge(a, other), list{b, b, a}},
		{"K2_replace_key/none", nil, replaceKey(b), list{b}},
		{"K2_replace_key/other_effect", list{a, b, other}, replaceKey(second), list{b, second}},
		{"K2_replace_key/there_with_another_value", list{second, a}, replaceKey(other), list{second, a}},
		{"K2_remove/none", nil, remove, nil},
		{"K2_remove/absent", list{b, second}, remove, list{b, second}},
		{"K2_remove/last_one", list{a}, remove, list{}},
		{"K2_remove/repeated", list{a, b, other, second}, remove, list{b, second}},
		{"propagate/there", list{a, b}, propagate, list{a, b}},
		{"propagate/other_value", list{b, other}, propagate, list{b, a}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			taints, unchanged := tt.taints, slices.Equal(tt.taints, tt.want)
			if taints != nil {
				taints = append(make(list, 0, 8), taints...) // with spare capacity
			}
			got, changed := tt.edit(taints)
			if diff := cmp.Diff(tt.want, got); diff != "" || changed == unchanged {
				t.Errorf("changed %v; mismatch (-want +got):\n%s", changed, diff)
			}
			if !slices.Equal(taints, tt.taints) || taints != nil && taints[:len(taints)+1][len(taints)] != (corev1.Taint{}) {
				t.Error("the input changed")
			}
			if !unchanged || taints == nil {
				return
			}
			n := 0
			if allocs := testing.AllocsPerRun(50, func() {
				got, _ := tt.edit(taints)
				n += len(got)
			}); &got[0] != &taints[0] || allocs != 0 || n == 0 {
				t.Errorf("another list, or %v allocations", allocs)
			}
		})
	}
}

func TestPropagate(t *testing.T) {
	at := metav1.Unix(1e9, 0)
	a, b, mine := corev1.Taint{Key: "a", Effect: "NoSchedule"}, corev1.Taint{Key: "b", Effect: "NoExecute"}, corev1.Taint{Key: "-", Effect: "invalid", TimeAdded: &at}
	dated, valued, both := a, a, a
	dated.TimeAdded, valued.Value = &at, "v"
	both.TimeAdded, both.Value = &at, "v"
	for _, tt := range []struct {
		name                      string
		node, before, after, want []corev1.Taint
		changed                   bool
	}{
		{"nothing", nil, nil, nil, nil, false},
		{"new_node", nil, nil, []corev1.Taint{a, b}, []corev1.Taint{a, b}, true},
		{"there", []corev1.Taint{mine, dated}, []corev1.Taint{a}, []corev1.Taint{a}, []corev1.Taint{mine, dated}, false},
		{"removed", []corev1.Taint{a}, []corev1.Taint{a}, nil, []corev1.Taint{}, true},
		{"not_of_the_template", []corev1.Taint{a, mine}, nil, nil, []corev1.Taint{a, mine}, false},
		{"other_value_keeps_time", []corev1.Taint{dated}, []corev1.Taint{a}, []corev1.Taint{valued}, []corev1.Taint{both}, true},
		{"repeated", []corev1.Taint{a, a}, nil, []corev1.Taint{a, b, b}, []corev1.Taint{a, b}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, changed := kube.Propagate(tt.node, tt.before, tt.after)
			if diff := cmp.Diff(tt.want, got); diff != "" || changed != tt.changed {
				t.Errorf("Propagate: changed %v, want %v; mismatch (-want +got):\n%s", changed, tt.changed, diff)
			}
		})
	}
	t.Run("property", rapid.MakeCheck(func(t *rapid.T) {
		var lists [3]taint.List
		var structs [3][]corev1.Taint
		for i := range lists {
			lists[i] = gen.Taints().Draw(t, "list")
			structs[i] = kube.CoreTaints(lists[i])
		}
		node := slices.Clone(structs[0])
		got, changed := kube.Propagate(structs[0], structs[1], structs[2])
		values, err := kube.Taints(got)
		want := taint.Propagate(lists[0], lists[1], lists[2])
		if err != nil || !slices.Equal(values, want) || changed == slices.Equal(want, lists[0]) {
			t.Errorf("Propagate(%v) = %v, %v, %v, want %v", lists, values, changed, err, want)
		}
		if !slices.Equal(node, structs[0]) {
			t.Error("Propagate modifies its input")
		}
	}))
}

func TestEqualSets(t *testing.T) {
	one, two := int64(1), int64(2)
	a, b := corev1.Toleration{Key: "a"}, corev1.Toleration{Key: "b", Operator: "Exists", Effect: "NoExecute"}
	equal, short, long, again := a, b, b, b
	equal.Operator, short.TolerationSeconds, long.TolerationSeconds, again.TolerationSeconds = "Equal", &one, &two, new(int64)
	*again.TolerationSeconds = 1
	for _, tt := range []struct {
		name           string
		a, b           []corev1.Toleration
		equal, untimed bool
	}{
		{"empty", nil, []corev1.Toleration{}, true, true},
		{"order", []corev1.Toleration{a, b}, []corev1.Toleration{b, a}, true, true},
		{"repeated", []corev1.Toleration{a, a, b}, []corev1.Toleration{b, b, a}, true, true},
		{"absent_operator", []corev1.Toleration{a}, []corev1.Toleration{equal}, true, true},
		{"one_more", []corev1.Toleration{a}, []corev1.Toleration{a, b}, false, false},
		{"one_less", []corev1.Toleration{a, b}, []corev1.Toleration{a}, false, false},
		{"invalid_and_none", []corev1.Toleration{{Key: "-"}}, nil, false, false},
		{"seconds", []corev1.Toleration{short}, []corev1.Toleration{long}, false, true},
		{"seconds_and_none", []corev1.Toleration{b}, []corev1.Toleration{short}, false, true},
		{"same_seconds", []corev1.Toleration{short}, []corev1.Toleration{again}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 {
				if got, untimed := kube.EqualSets(tt.a, tt.b), kube.EqualSetsUntimed(tt.a, tt.b); got != tt.equal || untimed != tt.untimed {
					t.Errorf("EqualSets(%v, %v) = %v, %v, want %v, %v", tt.a, tt.b, got, untimed, tt.equal, tt.untimed)
				}
				tt.a, tt.b = tt.b, tt.a
			}
		})
	}
	list, n := []corev1.Toleration{a, short}, 0
	if allocs := testing.AllocsPerRun(50, func() {
		if kube.EqualSets(list, []corev1.Toleration{equal, again}) && kube.EqualSetsUntimed(list, list) {
			n++
		}
	}); allocs != 0 || n == 0 {
		t.Errorf("%v allocations for equal lists, want 0", allocs)
	}
}
