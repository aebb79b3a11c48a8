package taint_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/armadaproject/armada/internal/scheduler/kubernetesobjects/taint"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/kube"
)

// A job is compared with every node of a fleet.
func BenchmarkFindMatchingUntoleratedTaint(b *testing.B) {
	var fleet [][]v1.Taint
	for _, taints := range workload.Fleet(100, 1) {
		fleet = append(fleet, kube.CoreTaints(taints))
	}
	benchmark(b, fleet)
}

// A job is compared with a node with two taints. It tolerates both, so each needs a
// full check.
func BenchmarkTolerated(b *testing.B) {
	benchmark(b, [][]v1.Taint{{
		{Key: "nvidia.com/gpu", Value: "present", Effect: v1.TaintEffectNoSchedule},
		{Key: "dedicated", Value: "team-7", Effect: v1.TaintEffectNoSchedule},
	}})
}

func benchmark(b *testing.B, fleet [][]v1.Taint) {
	additional := []v1.Toleration{{Key: "example.com/reservation", Operator: v1.TolerationOpEqual, Value: "a", Effect: v1.TaintEffectNoSchedule}}
	tolerations := kube.CoreTolerations(workload.Pod())
	peer.Compare(b, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, taints := range fleet {
				taint.FindMatchingUntoleratedTaint(taints, additional, tolerations)
			}
		}
	})
}
