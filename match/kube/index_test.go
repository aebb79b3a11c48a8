package kube

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// An edit calls index.of a few times for each taint. A call scans at most 32 taints, or
// there are at most 32 calls; so an edit is linear in the number of taints.
func TestIndex(t *testing.T) {
	taints := make([]corev1.Taint, 33)
	for i := range taints {
		taints[i] = corev1.Taint{Key: fmt.Sprint("k", i%20), Effect: "NoSchedule"}
	}
	for _, tt := range []struct {
		taints, calls int
		keys          int // in the map; 0 if a call scans the list
	}{{32, 1000, 0}, {33, 32, 0}, {33, 33, 20}} {
		x := indexOf(taints[:tt.taints], tt.calls)
		if len(x.first) != tt.keys {
			t.Errorf("indexOf(%d taints, %d calls): %d keys, want %d", tt.taints, tt.calls, len(x.first), tt.keys)
		}
		for i := range taints[:tt.taints] {
			if got := x.of(&taints[i]); got != i%20 {
				t.Errorf("of(%d) = %d, want %d", i, got, i%20)
			}
		}
	}
}
