package nfdmaster

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	k8sclient "k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"

	"github.com/go-tolerate/tolerate/bench/peers/peer"
	"github.com/go-tolerate/tolerate/match/kube"
	nfdv1alpha1 "sigs.k8s.io/node-feature-discovery/api/nfd/v1alpha1"
)

type input = peer.Input[corev1.Taint, corev1.Toleration]

// A client keeps the patches that it gets, and does nothing else.
type client struct {
	k8sclient.Interface
	corev1client.CoreV1Interface
	corev1client.NodeInterface
	node    corev1.Node
	taints  []corev1.Taint
	patches []string
}

func (c *client) CoreV1() corev1client.CoreV1Interface { return c }
func (c *client) Nodes() corev1client.NodeInterface    { return c }

func (c *client) Patch(_ context.Context, _ string, _ types.PatchType, patch []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Node, error) {
	if string(patch) != "{}" { // sent if rules repeat a taint and the node has what the last one says
		c.patches = append(c.patches, string(patch))
	}
	return &c.node, nil
}

// clientOf also drops the times added of what the rules have, and of the node's taints with their keys
// and effects, since the bodies differ in that.
func clientOf(in *input) *client {
	if in.Object != nil {
		return in.Object.(*client)
	}
	c := &client{taints: in.More}
	if len(in.Tolerations) == 0 { // which setTaints does not use: the rules repeat taints
		c.taints = slices.Concat(in.More, in.Last)
	}
	for i := range c.taints {
		c.taints[i].TimeAdded = nil
		if j := kube.Find(in.Taints, c.taints[i]); j >= 0 {
			in.Taints[j].TimeAdded = nil
		}
	}
	c.node.Spec.Taints = in.Taints
	if len(in.Last) > 0 {
		var last []string
		for _, t := range in.Last {
			last = append(last, t.ToString())
		}
		c.node.Annotations = map[string]string{nfdv1alpha1.NodeTaintsAnnotation: strings.Join(last, ",")}
	}
	in.Object = c
	return c
}

func TestPeer(t *testing.T) {
	klog.SetLogger(logr.Discard())
	m := &nfdMaster{config: newDefaultConfig()}
	peer.Compare(t, map[string]func(*input) any{"setTaints": func(in *input) any {
		c := clientOf(in)
		c.patches = c.patches[:0]
		return m.setTaints(c, c.taints, &c.node) == nil
	}})
}
