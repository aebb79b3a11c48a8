package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/descheduler/pkg/utils"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
)

// A pod is compared with every node to which it could move.
func BenchmarkFleet(b *testing.B) { benchmark(b, workload.Fleet(100, 1)) }

// A pod is compared with a node with two taints. It tolerates both, so each needs a
// full check.
func BenchmarkTolerated(b *testing.B) {
	benchmark(b, []taint.List{{
		taint.MustParse("nvidia.com/gpu=present:NoSchedule"), taint.MustParse("dedicated=team-7:NoSchedule"),
	}})
}

func benchmark(b *testing.B, nodes []taint.List) {
	pod := kube.CoreTolerations(workload.Pod())
	var fleet [][]corev1.Taint
	for _, taints := range nodes {
		fleet = append(fleet, kube.CoreTaints(taints))
	}
	schedules := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	ctx := b.Context()
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, taints := range fleet {
				utils.TolerationsTolerateTaintsWithFilter(ctx, pod, taints, schedules)
			}
		}
	})
}

// These two pods can be duplicates.
func BenchmarkTolerationsEqual(b *testing.B) {
	x, y := kube.CoreTolerations(workload.Pod()), kube.CoreTolerations(workload.Pod())
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			utils.TolerationsEqual(x, y)
		}
	})
}
