package karpenter

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/lifecycle"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func TestPeer(t *testing.T) {
	peer.Compare(t, map[string]func(*input) any{
		"IsKnownEphemeralTaint": func(in *input) any {
			if len(in.Taints) == 0 {
				return peer.NotCalled
			}
			return scheduling.IsKnownEphemeralTaint(&in.Taints[0])
		},
		"Taints.Tolerates": func(in *input) any { return scheduling.Taints(in.Taints).Tolerates(in.Tolerations) },
		"Taints.Merge": func(in *input) any {
			in.Found = scheduling.Taints(in.Taints).Merge(in.More)
			return nil
		},
		"ToleratesDisruptedNoScheduleTaint": func(in *input) any {
			if in.Object == nil {
				in.Object = &corev1.Pod{Spec: corev1.PodSpec{Tolerations: in.Tolerations}}
			}
			return pod.ToleratesDisruptedNoScheduleTaint(in.Object.(*corev1.Pod))
		},
		"StartupTaintsRemoved": func(in *input) any {
			type objects struct {
				node  corev1.Node
				claim v1.NodeClaim
			}
			if in.Object == nil {
				in.Object = &objects{corev1.Node{Spec: corev1.NodeSpec{Taints: in.Taints}}, v1.NodeClaim{Spec: v1.NodeClaimSpec{StartupTaints: in.More}}}
			}
			o := in.Object.(*objects)
			found, removed := lifecycle.StartupTaintsRemoved(&o.node, &o.claim)
			if in.Found = in.Found[:0]; found != nil {
				in.Found = append(in.Found, *found)
			}
			return removed
		},
	})
}
