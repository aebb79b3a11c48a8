package karpenter

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/node/termination/terminator"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/lifecycle"
	provisioning "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

// objects are what the calls make of an input, and a client for its node, which keeps the
// node's taints when it is written.
type objects struct {
	client.Client
	node    corev1.Node
	claim   v1.NodeClaim
	pod     corev1.Pod
	written []corev1.Taint
}

func (o *objects) Get(_ context.Context, _ client.ObjectKey, to client.Object, _ ...client.GetOption) error {
	*to.(*corev1.Node) = o.node
	return nil
}

func (o *objects) Patch(_ context.Context, from client.Object, _ client.Patch, _ ...client.PatchOption) error {
	o.written = from.(*corev1.Node).Spec.Taints
	return nil
}

func objectsOf(in *input) *objects {
	if in.Object == nil {
		o := new(objects)
		o.node.Labels = map[string]string{v1.NodeRegisteredLabelKey: "true", corev1.LabelNodeExcludeBalancers: "karpenter"}
		o.node.Spec.Taints = in.Taints
		o.claim.Spec.StartupTaints = in.More
		o.pod.Spec.Tolerations = in.Tolerations
		in.Object = o
	}
	return in.Object.(*objects)
}

func TestPeer(t *testing.T) {
	ctx := log.IntoContext(t.Context(), logr.Discard())
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
			return pod.ToleratesDisruptedNoScheduleTaint(&objectsOf(in).pod)
		},
		"TopologyNodeFilter.Matches": func(in *input) any {
			return provisioning.TopologyNodeFilter{TaintPolicy: corev1.NodeInclusionPolicyHonor, Tolerations: in.Tolerations}.Matches(in.Taints, nil)
		},
		"StartupTaintsRemoved": func(in *input) any {
			o := objectsOf(in)
			found, removed := lifecycle.StartupTaintsRemoved(&o.node, &o.claim)
			if in.Found = in.Found[:0]; found != nil {
				in.Found = append(in.Found, *found)
			}
			return removed
		},
		"StateNode.Taints": func(in *input) any {
			o := objectsOf(in)
			in.Found = (&state.StateNode{Node: &o.node, NodeClaim: &o.claim}).Taints()
			return nil
		},
		"Terminator.Taint": func(in *input) any {
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			o := objectsOf(in)
			o.node.Spec.Taints = in.Taints
			return terminator.NewTerminator(nil, o, nil, nil).Taint(ctx, &o.node, in.More[0])
		},
		"RequireNoScheduleTaint": func(in *input) any {
			o := objectsOf(in)
			if o.node.Spec.Taints = in.Taints; len(in.More) > 1 {
				o.node.Spec.Taints = append(in.Taints[:len(in.Taints):len(in.Taints)], v1.DisruptedNoScheduleTaint)
			}
			return state.RequireNoScheduleTaint(ctx, o, len(in.Others)%2 == 0, &state.StateNode{Node: &o.node, NodeClaim: &o.claim})
		},
	})
}
