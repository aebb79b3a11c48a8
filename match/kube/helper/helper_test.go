package helper_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match/kube/helper"
)

// The original functions are tested in bench/kubernetes; these are their rules, one by
// one.

var (
	gpu         = corev1.Taint{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}
	large       = corev1.Taint{Key: "memory-gb", Value: "128", Effect: "NoSchedule"}
	unreachable = corev1.Taint{Key: "node.kubernetes.io/unreachable", Effect: "NoExecute"}
	unknown     = corev1.Taint{Key: "a", Effect: "NoScheduleNoAdmit"}
	keyless     = corev1.Taint{Effect: "NoExecute"}

	forGPU   = corev1.Toleration{Key: "dedicated", Value: "gpu"}
	forLarge = corev1.Toleration{Key: "memory-gb", Operator: "Gt", Value: "64"}
	wildcard = corev1.Toleration{Operator: "Exists"}
)

func TestTolerationsTolerateTaint(t *testing.T) {
	for _, tt := range []struct {
		name        string
		tolerations []corev1.Toleration
		taint       corev1.Taint
		gate        bool
		want        bool
	}{
		{"F1_second", []corev1.Toleration{forLarge, forGPU}, gpu, true, true},
		{"M5_on", []corev1.Toleration{forLarge}, large, true, true},
		{"M9_off_and_another", []corev1.Toleration{forLarge, forGPU, forLarge, wildcard}, large, false, true},
		{"M8_zero", []corev1.Toleration{{}}, unreachable, true, false},
		{"M8_unknown_effect", []corev1.Toleration{wildcard}, unknown, true, true},
		{"M8_no_key", []corev1.Toleration{wildcard}, keyless, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := helper.TolerationsTolerateTaint("any logger", tt.tolerations, &tt.taint, tt.gate); got != tt.want {
				t.Errorf("TolerationsTolerateTaint = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFindMatchingUntoleratedTaint(t *testing.T) {
	noExecute := func(t *corev1.Taint) bool { return t.Effect == "NoExecute" }
	for _, tt := range []struct {
		name        string
		taints      []corev1.Taint
		tolerations []corev1.Toleration
		filter      func(*corev1.Taint) bool
		gate        bool
		want        corev1.Taint
		found       bool
	}{
		{"F6_first", []corev1.Taint{gpu, large, unreachable}, []corev1.Toleration{forGPU}, nil, true, large, true},
		{"F2_filter", []corev1.Taint{gpu, unreachable}, nil, noExecute, true, unreachable, true},
		{"M9_on", []corev1.Taint{large}, []corev1.Toleration{forLarge}, nil, true, corev1.Taint{}, false},
		{"M8_unknown_effect", []corev1.Taint{unknown}, nil, nil, true, unknown, true},
		{"M8_no_key", []corev1.Taint{unknown, keyless}, []corev1.Toleration{wildcard}, noExecute, true, keyless, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, found := helper.FindMatchingUntoleratedTaint(0, tt.taints, tt.tolerations, tt.filter, tt.gate)
			if got != tt.want || found != tt.found {
				t.Errorf("FindMatchingUntoleratedTaint = %v, %v, want %v, %v", got, found, tt.want, tt.found)
			}
		})
	}
}

func TestGetMatchingTolerations(t *testing.T) {
	for _, tt := range []struct {
		name        string
		taints      []corev1.Taint
		tolerations []corev1.Toleration
		gate        bool
		all         bool
		want        []corev1.Toleration
	}{
		{"F1_some", []corev1.Taint{gpu, large}, []corev1.Toleration{forGPU}, false, false, []corev1.Toleration{}},
		{"F1_one_serves_two", []corev1.Taint{gpu, unreachable}, []corev1.Toleration{wildcard, forGPU}, false, true, []corev1.Toleration{wildcard, wildcard}},
		{"M9_on", []corev1.Taint{large}, []corev1.Toleration{forGPU, forLarge}, true, true, []corev1.Toleration{forLarge}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.tolerations)
			get := helper.GetMatchingTolerations[any]
			if tt.gate {
				get = helper.GetMatchingTolerationsWithComparisonOperators[any]
			}
			all, got := get(t.Context(), tt.taints, tt.tolerations)
			if diff := cmp.Diff(tt.want, got); all != tt.all || diff != "" {
				t.Errorf("GetMatchingTolerations = %v, want %v; mismatch (-want +got):\n%s", all, tt.all, diff)
			}
			if !slices.Equal(before, tt.tolerations) {
				t.Error("GetMatchingTolerations changes its argument")
			}
		})
	}
}

var sink struct {
	taint corev1.Taint
	ok    bool
}

// The test must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	taints, pod := []corev1.Taint{gpu, large, unreachable}, []corev1.Toleration{forLarge, forGPU}
	include := func(t *corev1.Taint) bool { return t.Effect != "PreferNoSchedule" }
	for name, do := range map[string]func(){
		"TolerationsTolerateTaint":            func() { sink.ok = helper.TolerationsTolerateTaint(t, pod, &taints[0], true) },
		"TolerationsTolerateTaint/off":        func() { sink.ok = helper.TolerationsTolerateTaint(t, pod, &taints[1], false) },
		"FindMatchingUntoleratedTaint":        func() { sink.taint, sink.ok = helper.FindMatchingUntoleratedTaint(t, taints, pod, nil, true) },
		"FindMatchingUntoleratedTaint/filter": func() { sink.taint, sink.ok = helper.FindMatchingUntoleratedTaint(t, taints, pod, include, false) },
	} {
		measure.Allocs(t, name, 0, do)
	}
}
