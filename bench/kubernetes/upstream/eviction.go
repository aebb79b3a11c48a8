package upstream

import (
	"context"
	"sync/atomic"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

//go:linkname getMinTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func getMinTolerationTime(tolerations []corev1.Toleration) time.Duration

//go:linkname getNoExecuteTaints k8s.io/kubernetes/pkg/controller/tainteviction.getNoExecuteTaints
func getNoExecuteTaints(taints []corev1.Taint) []corev1.Taint

type nodeUpdateItem struct{ nodeName string }

type podUpdateItem struct{ podName, podNamespace, nodeName string }

//go:linkname handleNodeUpdate k8s.io/kubernetes/pkg/controller/tainteviction.(*Controller).handleNodeUpdate
func handleNodeUpdate(c *tainteviction.Controller, ctx context.Context, item nodeUpdateItem)

//go:linkname handlePodUpdate k8s.io/kubernetes/pkg/controller/tainteviction.(*Controller).handlePodUpdate
func handlePodUpdate(c *tainteviction.Controller, ctx context.Context, item podUpdateItem)

// TolerationTime returns what the taint eviction controller computes for a pod: whether
// all NoExecute taints of the node are tolerated, and for how long. A negative time has
// no limit.
func TolerationTime(taints []corev1.Taint, tolerations []corev1.Toleration) (d time.Duration, tolerated bool) {
	taints = getNoExecuteTaints(taints)
	if len(taints) == 0 {
		return -1, true // without a taint, the controller does not call this
	}
	return MatchingTime(taints, tolerations)
}

// MatchingTime is TolerationTime for NoExecute taints only, as the controller
// calls it for each pod of a node.
func MatchingTime(taints []corev1.Taint, tolerations []corev1.Toleration) (d time.Duration, tolerated bool) {
	tolerated, used := Serving(taints, tolerations)
	if !tolerated {
		return 0, false
	}
	return getMinTolerationTime(used), true
}

// An Evictor is the taint eviction controller of one node with one pod.
// Instead of deleting the pod it records the time. It uses the clock of
// package time; tests run it in a bubble of testing/synctest.
type Evictor struct {
	controller  *tainteviction.Controller
	pods, nodes cache.Indexer
	evicted     *atomic.Pointer[time.Time] // the first time
}

// NewEvictor returns a controller without objects. It stops when the context
// is cancelled.
func NewEvictor(ctx context.Context) *Evictor {
	factory := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
	c, err := tainteviction.New(klog.NewContext(ctx, discard), &fake.Clientset{}, pods, nodes, "tolerate")
	must(err)
	e := &Evictor{controller: c, pods: pods.Informer().GetIndexer(), nodes: nodes.Informer().GetIndexer()}
	*field[record.EventRecorder](c, "recorder") = nil // no recipient
	*field[tainteviction.GetPodsByNodeNameFunc](c, "getPodsAssignedToNode") = func(string) (out []*corev1.Pod, err error) {
		for _, p := range e.pods.List() {
			out = append(out, p.(*corev1.Pod))
		}
		return out, nil
	}
	e.Reset()
	return e
}

// Reset removes all state. What was scheduled before is ignored.
func (e *Evictor) Reset() {
	evicted := new(atomic.Pointer[time.Time])
	e.evicted = evicted
	*field[*tainteviction.TimedWorkerQueue](e.controller, "taintEvictionQueue") = tainteviction.CreateWorkerQueue(func(context.Context, time.Time, *tainteviction.WorkArgs) error {
		evicted.CompareAndSwap(nil, new(time.Now()))
		return nil
	})
	clear(*field[map[string][]corev1.Taint](e.controller, "taintedNodes"))
	must(e.pods.Replace(nil, ""))
	must(e.nodes.Replace(nil, ""))
}

// SetNode passes the node's taints to the controller, for the first time and after each
// change.
func (e *Evictor) SetNode(taints []corev1.Taint) {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: taints}}
	node.Name = nodeName
	must(e.nodes.Update(node))
	handleNodeUpdate(e.controller, quiet, nodeUpdateItem{nodeName})
}

// SetPod passes the pod's tolerations to the controller, for the first time and after
// each change.
func (e *Evictor) SetPod(tolerations []corev1.Toleration) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: nodeName, Tolerations: tolerations}}
	pod.Name, pod.Namespace = podName, podNamespace
	must(e.pods.Update(pod))
	handlePodUpdate(e.controller, quiet, podUpdateItem{podName, podNamespace, nodeName})
}

// Evicted returns when the controller deleted the pod, if it did.
func (e *Evictor) Evicted() (at time.Time, ok bool) {
	if first := e.evicted.Load(); first != nil {
		return *first, true
	}
	return time.Time{}, false
}
