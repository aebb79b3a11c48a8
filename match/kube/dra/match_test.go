package dra_test

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// refMatches is G3 with what G2 and G4 say of invalid structs, literally.
func refMatches(u resourcev1.DeviceToleration, t resourcev1.DeviceTaint) bool {
	known := u.Effect == "" || u.Effect == "None" || u.Effect == "NoSchedule" || u.Effect == "NoExecute"
	if t.Effect == "" || !known || u.Effect != "" && u.Effect != t.Effect || u.Key != "" && u.Key != t.Key {
		return false
	}
	if u.Operator == "Exists" {
		return u.Value == ""
	}
	return (u.Operator == "" || u.Operator == "Equal") && u.Value == t.Value
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

// matchProperty compares Allocatable with the rules, and with package device if the
// structs can be converted.
func matchProperty(t *rapid.T) {
	taints, tolerations := drawn(t, drawTaint), drawn(t, drawToleration)
	for i := range tolerations {
		if len(taints) > 0 && rapid.Bool().Draw(t, "near") {
			near := rapid.SampledFrom(taints).Draw(t, "of")
			tolerations[i].Key, tolerations[i].Value = near.Key, near.Value
		}
	}
	for i := range taints {
		for j := range tolerations {
			if got, want := dra.Tolerates(&tolerations[j], &taints[i]), refMatches(tolerations[j], taints[i]); got != want {
				t.Errorf("Tolerates(%+v, %+v) = %v, want %v", tolerations[j], taints[i], got, want)
			}
		}
	}
	got := dra.Allocatable(taints, tolerations)
	if want := refAllocatable(taints, tolerations); got != want {
		t.Errorf("Allocatable(%+v, %+v) = %v, want %v", taints, tolerations, got, want)
	}
	values, err := dra.Taints(taints)
	request, other := dra.Tolerations(tolerations)
	if err == nil && other == nil && got != (device.Device{Taints: values}).Allocatable(nil, request) {
		t.Errorf("Allocatable(%+v, %+v) = %v, and not for values", taints, tolerations, got)
	}
}

func TestAllocatable(t *testing.T) {
	t.Run("G6", func(t *testing.T) {
		for range 20 {
			rapid.Check(t, matchProperty)
		}
	})
}

func FuzzAllocatable(f *testing.F) { gen.Fuzz(f, matchProperty) }
