package kube_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match/kube"
)

// Times are equal if the API stores the same second. Without one, that of the node stays.
func TestPut(t *testing.T) {
	times := []*metav1.Time{nil, {}, {Time: time.Unix(1, 0)}, {Time: time.Unix(1, 5)}, {Time: time.Unix(2, 0)}}
	seconds := []int{0, 0, 1, 1, 2}
	for i, before := range times {
		for j, added := range times {
			node := []corev1.Taint{{Key: "k", Effect: "NoSchedule", TimeAdded: before}}
			_, changed := kube.Put(node, corev1.Taint{Key: "k", Effect: "NoSchedule", TimeAdded: added})
			if want := seconds[j] > 0 && seconds[i] != seconds[j]; changed != want {
				t.Errorf("K2: %v over %v changes: %v, want %v", added, before, changed, want)
			}
		}
	}
}

// These are slow edits of structs, with Kubernetes' comparison of keys and effects.

func refFind(taints []corev1.Taint, t corev1.Taint) int {
	return slices.IndexFunc(taints, func(other corev1.Taint) bool { return other.MatchTaint(&t) })
}

// stored returns what the API stores.
func stored(t *rapid.T, c corev1.Taint) string {
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(data), `,"timeAdded":null`, "", 1)
}

func refPut(t *rapid.T, taints []corev1.Taint, one corev1.Taint) []corev1.Taint {
	i := refFind(taints, one)
	if i < 0 {
		return append(taints, one)
	}
	if one.TimeAdded.IsZero() {
		one.TimeAdded = taints[i].TimeAdded
	}
	if stored(t, one) != stored(t, taints[i]) {
		taints[i] = one
	}
	return taints
}

func refAddMissing(taints, more []corev1.Taint) []corev1.Taint {
	for _, one := range more {
		if refFind(taints, one) < 0 {
			taints = append(taints, one)
		}
	}
	return taints
}

func refReplaceKey(taints []corev1.Taint, one corev1.Taint) []corev1.Taint {
	if refFind(taints, one) >= 0 {
		return taints
	}
	return append(slices.DeleteFunc(taints, func(other corev1.Taint) bool { return other.Key == one.Key }), one)
}

func refRemove(taints []corev1.Taint, one corev1.Taint) []corev1.Taint {
	return slices.DeleteFunc(taints, func(other corev1.Taint) bool { return other.MatchTaint(&one) })
}

func refPropagate(node, before, after []corev1.Taint) []corev1.Taint {
	var template []corev1.Taint
	for _, one := range after { // of repeated ones, the last counts, in the place of the first
		if i := refFind(template, one); i >= 0 {
			template[i] = one
		} else {
			template = append(template, one)
		}
	}
	after = template
	var out []corev1.Taint
	for _, one := range node {
		switch i := refFind(after, one); {
		case i >= 0 && refFind(out, one) < 0: // of repeated ones, the first stays
			one.Value = after[i].Value
			out = append(out, one)
		case i < 0 && refFind(before, one) < 0:
			out = append(out, one)
		}
	}
	return refAddMissing(out, after)
}

// drawMany draws few taints or more than 32, of which most are repeated.
func drawMany(t *rapid.T) []corev1.Taint {
	out := drawn(t, drawTaint)
	if rapid.Bool().Draw(t, "few") {
		return out
	}
	for range rapid.IntRange(33, 60).Draw(t, "n") {
		n := rapid.IntRange(0, 1<<16).Draw(t, "taint")
		one := corev1.Taint{Key: fmt.Sprint("k", n%20), Value: fmt.Sprint(n % 3), Effect: []corev1.TaintEffect{"NoSchedule", "NoExecute", "x"}[n%5%3]}
		if n%7 == 0 {
			one.TimeAdded = &metav1.Time{Time: time.Unix(int64(n), 5)}
		}
		out = append(out, one)
	}
	return out
}

func copied(taints []corev1.Taint) []corev1.Taint {
	return (&corev1.NodeSpec{Taints: taints}).DeepCopy().Taints
}

// equalTaints compares the structs, and the times to the nanosecond.
func equalTaints(a, b []corev1.Taint) bool {
	return slices.EqualFunc(a, b, func(a, b corev1.Taint) bool {
		times := a.TimeAdded == nil && b.TimeAdded == nil || a.TimeAdded != nil && b.TimeAdded != nil && a.TimeAdded.Time.Equal(b.TimeAdded.Time)
		return a.MatchTaint(&b) && a.Value == b.Value && times
	})
}

// editProperty compares each edit with its reference, and tests that the result has no
// memory of an input that could be written through it.
func editProperty(t *rapid.T) {
	node, before, after := drawMany(t), drawMany(t), drawMany(t)
	node = slices.Grow(node, 3)
	one := corev1.Taint{Key: "a", Effect: "NoSchedule"}
	if all := slices.Concat(node, before); len(all) > 0 && rapid.IntRange(0, 9).Draw(t, "new") > 0 {
		one = rapid.SampledFrom(all).Draw(t, "one")
		if rapid.Bool().Draw(t, "other time") {
			one.TimeAdded = rapid.SampledFrom([]*metav1.Time{nil, {}, {Time: time.Unix(1e9, 3)}}).Draw(t, "time")
		} else if !one.TimeAdded.IsZero() && rapid.Bool().Draw(t, "fraction") {
			one.TimeAdded = &metav1.Time{Time: one.TimeAdded.Truncate(time.Second).In(time.UTC)}
		}
	}
	if got, want := kube.Find(node, one), refFind(node, one); got != want {
		t.Errorf("Find = %d, want %d", got, want)
	}
	want := slices.IndexFunc(node, func(c corev1.Taint) bool { return refFind(after, c) >= 0 })
	if got := kube.FindOneOf(node, after...); got != want {
		t.Errorf("FindOneOf(%v, %v) = %d, want %d", node, after, got, want)
	}
	inputs := [][]corev1.Taint{node[:cap(node)], before, after, {one}}
	var unchanged [][]corev1.Taint
	for _, in := range inputs {
		unchanged = append(unchanged, copied(in))
	}
	for _, tt := range []struct {
		name string
		edit func() ([]corev1.Taint, bool)
		want []corev1.Taint
	}{
		{"Put", func() ([]corev1.Taint, bool) { return kube.Put(node, one) }, refPut(t, copied(node), one)},
		{"AddMissing", func() ([]corev1.Taint, bool) { return kube.AddMissing(node, after...) }, refAddMissing(copied(node), after)},
		{"ReplaceKey", func() ([]corev1.Taint, bool) { return kube.ReplaceKey(node, one) }, refReplaceKey(copied(node), one)},
		{"Remove", func() ([]corev1.Taint, bool) { return kube.Remove(node, one) }, refRemove(copied(node), one)},
		{"Propagate", func() ([]corev1.Taint, bool) { return kube.Propagate(node, before, after) }, refPropagate(copied(node), before, after)},
	} {
		got, changed := tt.edit()
		if !equalTaints(got, tt.want) {
			t.Errorf("%s mismatch (-want +got):\n%s", tt.name, cmp.Diff(tt.want, got))
		}
		if same := equalTaints(node, tt.want); changed == same || changed && got == nil || !changed && (got == nil) != (node == nil) {
			t.Errorf("%s: changed %v, want %v, for %v: %v", tt.name, changed, !same, node, got)
		}
		if changed { // whoever owns the new list can write to it
			for i := range got {
				if got[i].TimeAdded != nil {
					got[i].TimeAdded.Time = time.Unix(7, 7)
				}
				got[i].Key = "written"
			}
		} else if len(got) > 0 && &got[0] != &node[0] {
			t.Errorf("%s copies a list that it does not change", tt.name)
		}
		_ = append(got, corev1.Taint{Key: "appended"})
		if !slices.EqualFunc(unchanged, inputs, equalTaints) {
			t.Fatalf("%s: the result has memory of an input (-before +after):\n%s", tt.name, cmp.Diff(unchanged, inputs))
		}
	}
}

// If an edit changes nothing, it returns the list itself; TestAllocs has these cases.
func TestEdits(t *testing.T) { t.Run("K2_property", rapid.MakeCheck(editProperty)) }

func TestSameTolerations(t *testing.T) {
	one := int64(1)
	t.Run("property", rapid.MakeCheck(func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Custom(coreToleration), 0, 4).Draw(t, "x")
		y := slices.Clone(x)
		switch change := rapid.IntRange(0, 5).Draw(t, "change"); {
		case change == 0:
			y = append(y, coreToleration(t))
		case len(x) > 0 && change == 1:
			y = y[1:]
		case len(x) > 0 && change == 2:
			y = append(y, y[0])
		case len(x) > 0 && change == 3 && y[0].Operator == "":
			y[0].Operator = corev1.TolerationOpEqual
		case len(x) > 0 && change == 4:
			y[0] = coreToleration(t)
		}
		if len(y) > 0 && rapid.Bool().Draw(t, "seconds") {
			y[0].TolerationSeconds = &one
		}
		y = rapid.Permutation(y).Draw(t, "y")
		every := func(some, all []corev1.Toleration) bool {
			for _, u := range some {
				if !slices.ContainsFunc(all, func(v corev1.Toleration) bool {
					sameOperator := u.Operator == v.Operator || u.Operator+v.Operator == "Equal"
					return u.Key == v.Key && u.Value == v.Value && u.Effect == v.Effect && sameOperator
				}) {
					return false
				}
			}
			return true
		}
		if got, want := kube.SameTolerations(x, y), every(x, y) && every(y, x); got != want {
			t.Errorf("SameTolerations(%v, %v) = %v, want %v", x, y, got, want)
		}
	}))
}
