package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// Every node of a topology is checked for each workload.
func BenchmarkFindMatchingUntoleratedTaint(b *testing.B) {
	taints := []corev1.Taint{
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/team", Value: "vision", Effect: corev1.TaintEffectNoSchedule},
	}
	seconds := int64(300)
	tolerations := []corev1.Toleration{
		{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/team", Operator: corev1.TolerationOpEqual, Value: "vision", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
	}
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if t, found := corev1helpers.FindMatchingUntoleratedTaint(taints, tolerations, func(t *corev1.Taint) bool {
				return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
			}); found {
				b.Fatal(t)
			}
		}
	})
}
