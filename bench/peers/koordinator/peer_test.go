package main

import (
	"testing"

	"github.com/koordinator-sh/koordinator/apis/extension"
	"github.com/koordinator-sh/koordinator/pkg/util/reservation"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// Every pod with a reservation affinity is checked against every reservation.
func BenchmarkFindMatchingUntoleratedTaint(b *testing.B) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		extension.AnnotationReservationAffinity: `{"reservationSelector": {"pool": "vision"}, "tolerations": [
			{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
			{"key": "example.com/team", "operator": "Equal", "value": "vision", "effect": "NoSchedule"},
			{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
			{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]}`,
	}}}
	affinity, err := reservation.GetRequiredReservationAffinity(pod)
	if err != nil || affinity == nil {
		b.Fatal("no affinity:", err)
	}
	taints := []corev1.Taint{
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/team", Value: "vision", Effect: corev1.TaintEffectNoSchedule},
	}
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if t, found := affinity.FindMatchingUntoleratedTaint(taints, reservation.DoNotScheduleTaintsFilter); found {
				b.Fatal(t)
			}
		}
	})
}
