package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/scheduling"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// These are the taints of a node with accelerators, and the tolerations of a pod that
// requires them.
func BenchmarkTolerates(b *testing.B) {
	taints := scheduling.Taints{
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
			if err := taints.Tolerates(tolerations); err != nil {
				b.Fatal(err)
			}
		}
	})
}
