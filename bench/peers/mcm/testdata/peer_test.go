package controller

import (
	"cmp"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machineutils"
	taintutils "github.com/gardener/machine-controller-manager/pkg/util/taints"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/match/kube"
)

type input = peer.Input[v1.Taint, v1.Toleration]

// objects are what the calls make of an input.
type objects struct {
	node    *v1.Node
	machine *v1alpha1.Machine
}

// objectsOf also drops the times added of what a template and its record have, and of the node's
// taints with their keys and effects, since the calls differ in that.
func objectsOf(in *input) *objects {
	if in.Object == nil {
		o := &objects{new(v1.Node), new(v1alpha1.Machine)}
		template := in.More
		if len(in.Tolerations) == 0 { // which no call uses: the template repeats taints
			template = slices.Concat(in.More, in.Last)
		}
		for i := range template {
			template[i].TimeAdded = nil
			if j := kube.Find(in.Taints, template[i]); j >= 0 {
				in.Taints[j].TimeAdded = nil
			}
		}
		o.machine.Spec.NodeTemplateSpec.Spec.Taints = template
		in.Object = o
	}
	o := in.Object.(*objects)
	o.node.Spec.Taints = in.Taints
	return o
}

func TestPeer(t *testing.T) {
	edit := func(edit func(*v1.Node, *v1.Taint) (*v1.Node, bool, error)) func(*input) any {
		return func(in *input) any {
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			o := objectsOf(in)
			node, changed, err := edit(o.node, &o.machine.Spec.NodeTemplateSpec.Spec.Taints[0])
			in.Found = node.Spec.Taints
			return changed && err == nil
		}
	}
	peer.Compare(t, map[string]func(*input) any{
		"SyncMachineTaints": func(in *input) any {
			o := objectsOf(in)
			changed := SyncMachineTaints(o.machine, o.node, in.Last)
			in.Found = append(in.Found[:0], o.node.Spec.Taints...)
			o.node.Spec.Taints = nil
			slices.SortFunc(in.Found, func(a, b v1.Taint) int { // their order is that of a map
				return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect))
			})
			return changed
		},
		"criticalComponentsNotReadyTaintPresent": func(in *input) any {
			o := objectsOf(in)
			if len(in.Taints) > 0 && in.Taints[0].Key == "a" {
				in.Taints[0].Key = machineutils.TaintNodeCriticalComponentsNotReady
			}
			return criticalComponentsNotReadyTaintPresent(o.node)
		},
		"AddOrUpdateTaint": edit(taintutils.AddOrUpdateTaint),
		"RemoveTaint":      edit(taintutils.RemoveTaint),
		"TaintExists": func(in *input) any {
			if len(in.More) == 0 {
				return peer.NotCalled
			}
			return taintutils.TaintExists(in.Taints, &in.More[0])
		},
	})
}
