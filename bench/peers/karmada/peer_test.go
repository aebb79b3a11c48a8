package main

import (
	"testing"

	"github.com/karmada-io/karmada/pkg/estimator/server/nodes"
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// Every node of a cluster is checked for each estimate.
func BenchmarkIsTolerationMatched(b *testing.B) {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/team", Value: "vision", Effect: corev1.TaintEffectNoSchedule},
	}}}
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
			if !nodes.IsTolerationMatched(node, tolerations) {
				b.Fatal("not matched")
			}
		}
	})
}
