package machine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"sigs.k8s.io/cluster-api/internal/util/taints"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func TestPeer(t *testing.T) {
	edit := func(edit func(*corev1.Node, corev1.Taint) bool) func(*input) any {
		return func(in *input) any {
			if in.Object == nil {
				in.Object = new(corev1.Node)
			}
			node := in.Object.(*corev1.Node)
			node.Spec.Taints = in.Taints
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			in.More[0].TimeAdded = nil // a Machine's taint has none
			return edit(node, in.More[0])
		}
	}
	peer.Compare(t, map[string]func(*input) any{
		"RemoveNodeTaint": edit(taints.RemoveNodeTaint),
		"HasTaint": func(in *input) any {
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			return taints.HasTaint(in.Taints, in.More[0])
		},
		"ensureNodeTaintWithValue": edit(ensureNodeTaintWithValue),
	})
}
