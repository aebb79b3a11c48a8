package adapt

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/go-tolerate/tolerate/match/fleet"
)

// Nodes keeps an index of a cluster's nodes up to date: add it to a node
// informer as its handler, and ask the snapshots.
//
//	nodes := adapt.NewNodes(report)
//	informer.AddEventHandler(nodes)
//	…
//	nodes.Snapshot().Query(&answer, pod)
//
// A node is converted when it comes, and again when its taints or its cordon
// change; heartbeats and labels cost a comparison. A node that cannot be
// converted is not in the index, so that no pod is sent to it, and is reported.
// (An API server accepts none such; a newer one may, with an effect of which
// this program knows nothing.)
//
// Nodes is safe for concurrent use.
type Nodes struct {
	report func(*corev1.Node, error)

	mu    sync.Mutex
	index fleet.Index[string]
}

var _ cache.ResourceEventHandler = (*Nodes)(nil)

// NewNodes returns an empty index that tells report of each node that cannot be
// converted. The report must not call the index.
func NewNodes(report func(node *corev1.Node, err error)) *Nodes { return &Nodes{report: report} }

// Snapshot returns the cluster as the informer knows it now. While nothing
// changes it is the same one.
func (x *Nodes) Snapshot() *fleet.Snapshot[string] {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.index.Snapshot()
}

// OnAdd is called by the informer.
func (x *Nodes) OnAdd(object any, _ bool) {
	if n, ok := object.(*corev1.Node); ok {
		x.put(n)
	}
}

// OnUpdate is called by the informer.
func (x *Nodes) OnUpdate(before, after any) {
	old, _ := before.(*corev1.Node)
	if n, ok := after.(*corev1.Node); ok && (old == nil || !sameTaints(old, n)) {
		x.put(n)
	}
}

// OnDelete is called by the informer, with a tombstone where it missed the end.
func (x *Nodes) OnDelete(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if n, ok := object.(*corev1.Node); ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.index.Remove(n.Name)
	}
}

func (x *Nodes) put(n *corev1.Node) {
	converted, err := Node(n)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.index.Remove(n.Name)
		x.report(n, err)
		return
	}
	x.index.Put(n.Name, converted)
}

func sameTaints(a, b *corev1.Node) bool {
	return a.Spec.Unschedulable == b.Spec.Unschedulable && slices.EqualFunc(a.Spec.Taints, b.Spec.Taints, func(s, t corev1.Taint) bool {
		return s.MatchTaint(&t) && s.Value == t.Value
	})
}
