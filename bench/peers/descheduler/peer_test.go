package descheduler

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/descheduler/pkg/utils"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/match/kube"
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
		"NodeFit, getTargetNodes": func(in *input) any {
			if hook.Original {
				return utils.TolerationsTolerateTaintsWithFilter(ctx, in.Tolerations, in.Taints, repels)
			}
			return kube.Schedulable(in.Taints, in.Tolerations)
		},
		"matchNodeInclusionPolicies": func(in *input) any {
			if hook.Original {
				_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.FromContext(ctx), in.Taints, in.Tolerations, repels, true)
				return !untolerated
			}
			return kube.Schedulable(in.Taints, in.Tolerations)
		},
		"PodToleratesTaints": func(in *input) any {
			if hook.Original {
				return utils.TolerationsTolerateTaintsWithFilter(ctx, in.Tolerations, in.Taints, nil)
			}
			return kube.Tolerated(in.Taints, in.Tolerations)
		},
		"TolerationsEqual": func(in *input) any { return utils.TolerationsEqual(in.Tolerations, in.Others) },
	})
}
