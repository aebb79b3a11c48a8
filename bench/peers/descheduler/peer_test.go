package descheduler

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/descheduler/pkg/utils"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func repels(t *corev1.Taint) bool {
	return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
}

func TestPeer(t *testing.T) {
	ctx := t.Context()
	peer.Compare(t, map[string]func(*input) any{
		"TolerationsTolerateTaint": func(in *input) any {
			if len(in.Taints) == 0 {
				return peer.NotCalled
			}
			return utils.TolerationsTolerateTaint(ctx, in.Tolerations, &in.Taints[0])
		},
		"TolerationsTolerateTaintsWithFilter": func(in *input) any {
			return utils.TolerationsTolerateTaintsWithFilter(ctx, in.Tolerations, in.Taints, repels)
		},
		"TolerationsEqual": func(in *input) any { return utils.TolerationsEqual(in.Tolerations, in.Others) },
	})
}
