package dra_test

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

func TestTolerates(t *testing.T) {
	for _, tt := range []struct {
		name, toleration, taint string
		want                    bool
	}{
		{"G3_equal", "a=x:NoExecute", "a=x:NoExecute", true},
		{"G3_other_key", "b=x:NoExecute", "a=x:NoExecute", false},
		{"G3_other_value", "a=y:NoExecute", "a=x:NoExecute", false},
		{"G3_other_effect", "a=x:NoSchedule", "a=x:NoExecute", false},
		{"G3_exists", "a op=Exists", "a=x:NoExecute", true},
		{"G3_any_key", "=x op=Equal", "a=x:NoSchedule", true},
		{"G3_empty_value", "=", "a:None", true},
		{"G3_empty_value_of_x", "=", "a=x:None", false},
		{"G4_any_effect", "a=x", "a=x:Future", true},
		{"G4_its_name", "a=x:Future", "a=x:Future", false},
		{"G4_none", "a=x:None", "a=x:Future", false},
		{"G13_operator", "a=x op=Lt", "a=x:NoExecute", false},
		{"G13_exists_with_value", "a=x op=Exists", "a=x:NoExecute", false},
		{"G13_no_effect", "op=Exists", "a", false},
		{"G13_no_key", "op=Exists", ":NoExecute", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, one := tolerations(tt.toleration)[0], taints(tt.taint)[0]
			if got, byValue := dra.Tolerates(&u, &one), dra.ToleratesTaint(u, one); got != tt.want || byValue != tt.want {
				t.Errorf("Tolerates = %v, ToleratesTaint = %v, want %v", got, byValue, tt.want)
			}
		})
	}
}

func TestAllocatable(t *testing.T) {
	for _, tt := range []struct {
		name, taints, tolerations string
		want                      bool
	}{
		{"G6_no_taint", "", "", true},
		{"G6_untolerated", "a:NoSchedule", "b", false},
		{"G6_second", "a:NoSchedule,b:NoExecute", "a", false},
		{"G6_seconds", "a:NoExecute", "a:NoExecute for 0s", true},
		{"G4_none", "a:None,a:Future", "", true},
		{"G13_no_effect", "a", "op=Exists", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := dra.Allocatable(taints(tt.taints), tolerations(tt.tolerations)); got != tt.want {
				t.Errorf("Allocatable = %v", got)
			}
		})
	}
	t.Run("G6_property", func(t *testing.T) { rapid.Check(t, allocatableProperty) })
}

func refAllocatable(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	for _, t := range taints {
		if (t.Effect == "" || t.Effect == "NoSchedule" || t.Effect == "NoExecute") &&
			!slices.ContainsFunc(tolerations, func(u resourcev1.DeviceToleration) bool { return refMatches(u, t) }) {
			return false
		}
	}
	return true
}

func allocatableProperty(t *rapid.T) {
	taints, tolerations := listOf(t, drawTaint), listOf(t, drawToleration)
	for i := range tolerations {
		for j := range taints {
			if got, want := dra.Tolerates(&tolerations[i], &taints[j]), refMatches(tolerations[i], taints[j]); got != want {
				t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tolerations[i], taints[j], got, want)
			}
		}
	}
	if got, want := dra.Allocatable(taints, tolerations), refAllocatable(taints, tolerations); got != want {
		t.Errorf("Allocatable(%+v, %+v) = %v, want %v", taints, tolerations, got, want)
	}
}

func FuzzAllocatable(f *testing.F) { gen.Fuzz(f, allocatableProperty) }
