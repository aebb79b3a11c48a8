package helper_test

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/kube/helper"
)

func TestToleratesTaint(t *testing.T) {
	ecc := resourcev1.DeviceTaint{Key: "gpu.example.com/unhealthy", Value: "ecc", Effect: "NoExecute"}
	future := resourcev1.DeviceTaint{Key: "a", Effect: "Future"}
	for _, tt := range []struct {
		name       string
		toleration resourcev1.DeviceToleration
		taint      resourcev1.DeviceTaint
		want       bool
	}{
		{"G3_equal", resourcev1.DeviceToleration{Key: ecc.Key, Value: "ecc"}, ecc, true},
		{"G3_other_value", resourcev1.DeviceToleration{Key: ecc.Key, Operator: "Equal", Value: "hot"}, ecc, false},
		{"G3_exists", resourcev1.DeviceToleration{Operator: "Exists"}, ecc, true},
		{"G3_other_effect", resourcev1.DeviceToleration{Operator: "Exists", Effect: "NoSchedule"}, ecc, false},
		{"G3_empty", resourcev1.DeviceToleration{}, future, true},
		{"G3_keyless_equal", resourcev1.DeviceToleration{Value: "ecc"}, ecc, true},
		{"G4_unknown_effect", resourcev1.DeviceToleration{Operator: "Exists", Effect: "Future"}, future, false},
		{"G2_operator", resourcev1.DeviceToleration{Key: "a", Operator: "Gt"}, future, false},
		{"G2_exists_with_value", resourcev1.DeviceToleration{Operator: "Exists", Value: "ecc"}, ecc, false},
		{"G13_no_effect", resourcev1.DeviceToleration{Operator: "Exists"}, resourcev1.DeviceTaint{Key: "a"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := helper.ToleratesTaint(tt.toleration, tt.taint); got != tt.want {
				t.Errorf("ToleratesTaint(%+v, %+v) = %v, want %v", tt.toleration, tt.taint, got, tt.want)
			}
			if n := testing.AllocsPerRun(20, func() { sink.ok = helper.ToleratesTaint(tt.toleration, tt.taint) }); tt.want && n != 0 {
				t.Errorf("%v allocations, want 0", n)
			}
		})
	}
}
