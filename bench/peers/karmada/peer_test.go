package karmada

import (
	"testing"
	"time"

	clusterv1alpha1 "github.com/karmada-io/karmada/pkg/apis/cluster/v1alpha1"
	"github.com/karmada-io/karmada/pkg/estimator/server/nodes"
	"github.com/karmada-io/karmada/pkg/util/helper"
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

func TestPeer(t *testing.T) {
	peer.Compare(t, map[string]func(*input) any{
		"IsTolerationMatched": func(in *input) any {
			if in.Object == nil {
				in.Object = &corev1.Node{Spec: corev1.NodeSpec{Taints: in.Taints, Unschedulable: len(in.More) == 3}}
			}
			return nodes.IsTolerationMatched(in.Object.(*corev1.Node), in.Tolerations)
		},
		"TaintExists": func(in *input) any {
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			return helper.TaintExists(in.Taints, &in.More[0])
		},
		"SetCurrentClusterTaints": func(in *input) any {
			if in.Object == nil {
				in.Object = &clusterv1alpha1.Cluster{Spec: clusterv1alpha1.ClusterSpec{Taints: in.Taints}}
			}
			var changes []*corev1.Taint
			for i := range in.More {
				changes = append(changes, &in.More[i])
			}
			half := len(changes) / 2
			in.Found = helper.SetCurrentClusterTaints(changes[half:], changes[:half], in.Object.(*clusterv1alpha1.Cluster))
			for i := range in.Found {
				if t := in.Found[i].TimeAdded; t != nil && time.Since(t.Time) < time.Hour {
					in.Found[i].TimeAdded = nil // now
				}
			}
			return nil
		},
	})
}
