// Package informer keeps an index of a cluster's nodes up to date from a client-go
// informer.
//
//	nodes := informer.New(report)
//	handler, err := factory.Core().V1().Nodes().Informer().AddEventHandler(nodes)
//	…
//	factory.Start(ctx.Done())
//	cache.WaitForCacheSync(ctx.Done(), handler.HasSynced)
//
//	var a fleet.Answer[string] // one for each goroutine, reused
//	nodes.Snapshot().Query(&a, tolerations)
//	for name := range a.Nodes() {
//		… // the pod can be scheduled to the node with this name
//	}
//
// Until the handler, not only the informer, is synced, the index lacks nodes.
//
// There is no release yet. In an empty folder, run these commands with the path of your
// clone, save the program there, and run go mod tidy:
//
//	go mod init example.com/try
//	go mod edit -replace=github.com/go-tolerate/tolerate=/path/to/clone
//	go mod edit -replace=github.com/go-tolerate/tolerate/match/kube=/path/to/clone/match/kube
//	go mod edit -replace=github.com/go-tolerate/tolerate/match/kube/informer=/path/to/clone/match/kube/informer
//	go mod edit -require=github.com/go-tolerate/tolerate/match/kube/informer@v0.1.0
//
// A program that does not import client-go itself gets the oldest that the module accepts,
// v0.30.
package informer

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
)

// Nodes is an index of the nodes of a cluster by name, and the event handler that keeps
// it up to date. The zero Nodes is empty and reports nothing.
//
// A node is converted when it is added, and when its taints or its cordon change. Other
// updates do not allocate. A taint that [kube.Node] cannot convert is the zero Taint in
// the index: no pod is scheduled to the node. The functions of structs in package kube
// differ: there, a taint with an unknown effect can be tolerated.
//
// Nodes starts no goroutine, does not keep objects, and is safe for concurrent use.
type Nodes struct {
	report func(*corev1.Node, error)

	mu    sync.Mutex
	index fleet.Index[string]
}

var _ cache.ResourceEventHandler = (*Nodes)(nil)

// New returns an empty index. If report is not nil, it is called with the error of
// [kube.Node] when a node that cannot be converted is added or its taints change. The
// call is on the goroutine of the event, without a lock. It must not modify the node.
func New(report func(node *corev1.Node, err error)) *Nodes { return &Nodes{report: report} }

// Snapshot returns the nodes as of the last event: the same Snapshot until a node's
// taints or cordon change.
func (x *Nodes) Snapshot() *fleet.Snapshot[string] {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.index.Snapshot()
}

// OnAdd adds or replaces a node. It and the other handlers ignore other objects.
func (x *Nodes) OnAdd(object any, _ bool) {
	if n, _ := object.(*corev1.Node); n != nil {
		x.put(n)
	}
}

// OnUpdate replaces a node if after differs from before in its taints or cordon, or if
// before is not a node.
func (x *Nodes) OnUpdate(before, after any) {
	old, _ := before.(*corev1.Node)
	if n, _ := after.(*corev1.Node); n != nil && (old == nil || !same(old, n)) {
		x.put(n)
	}
}

// OnDelete removes a node, by its name or by the key of a tombstone.
func (x *Nodes) OnDelete(object any) {
	switch object := object.(type) {
	case cache.DeletedFinalStateUnknown:
		x.remove(object.Key) // its Obj is outdated, and may be missing
	case *corev1.Node:
		if object != nil {
			x.remove(object.Name)
		}
	}
}

func (x *Nodes) remove(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.index.Remove(name)
}

func (x *Nodes) put(n *corev1.Node) {
	node, err := kube.Node(n)
	x.mu.Lock()
	x.index.Put(n.Name, node)
	x.mu.Unlock()
	if err != nil && x.report != nil {
		x.report(n, err)
	}
}

// same reports whether both are the same for the index.
func same(a, b *corev1.Node) bool {
	return a.Name == b.Name && a.Spec.Unschedulable == b.Spec.Unschedulable && slices.EqualFunc(a.Spec.Taints, b.Spec.Taints, sameTaint)
}

// sameTaint also compares the times added, which do not matter to the index,
// because one that is out of range is an error.
func sameTaint(s, t corev1.Taint) bool {
	return s.Key == t.Key && s.Value == t.Value && s.Effect == t.Effect && s.TimeAdded.Equal(t.TimeAdded)
}
