package kueue

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	_ "sigs.k8s.io/kueue/pkg/scheduler"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

// Every node of a topology is checked for each workload.
func TestPeer(t *testing.T) {
	peer.Compare(t, map[string]func(*input) any{"FindMatchingUntoleratedTaint": func(in *input) any {
		found, untolerated := corev1helpers.FindMatchingUntoleratedTaint(in.Taints, in.Tolerations, func(t *corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
		})
		in.Found = append(in.Found[:0], found)
		return untolerated
	}})
}
