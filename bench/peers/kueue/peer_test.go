package kueue

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	_ "sigs.k8s.io/kueue/pkg/scheduler"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/match/kube"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func repels(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

// Every node of a topology is checked for each workload.
func TestPeer(t *testing.T) {
	type objects struct {
		node        corev1.Node
		tolerations []corev1.Toleration
	}
	peer.Compare(t, map[string]func(*input) any{"fillInCounts": func(in *input) (untolerated any) {
		if in.Object == nil {
			in.Object = &objects{corev1.Node{Spec: corev1.NodeSpec{Taints: in.Taints}}, kube.WithoutNumeric(in.Tolerations)}
		}
		o, found := in.Object.(*objects), corev1.Taint{}
		if hook.Original {
			found, untolerated = corev1helpers.FindMatchingUntoleratedTaint(o.node.Spec.Taints, in.Tolerations, repels)
		} else {
			found, untolerated = kube.Blocking(&o.node, o.tolerations)
		}
		in.Found = append(in.Found[:0], found)
		return untolerated
	}})
}
