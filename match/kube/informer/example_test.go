package informer_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/informer"
)

// These are the nodes on which a pod can be scheduled, in a cluster that an informer
// watches.
func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	gpu := corev1.NodeSpec{Taints: []corev1.Taint{{Key: "gpu", Value: "a100", Effect: corev1.TaintEffectNoSchedule}}}
	client := fake.NewSimpleClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}, Spec: gpu},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-2"}, Spec: corev1.NodeSpec{Unschedulable: true}},
	)

	nodes := informer.New(func(n *corev1.Node, err error) { fmt.Println(n.Name, err) })
	factory := informers.NewSharedInformerFactory(client, 0)
	handler, err := factory.Core().V1().Nodes().Informer().AddEventHandler(nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), handler.HasSynced)

	pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}}}
	tolerations, err := kube.Pod(pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	var a fleet.Answer[string]
	s := nodes.Snapshot()
	s.Query(&a, tolerations)
	fmt.Println(a.Counts())
	for name := range a.Nodes() {
		fmt.Println(name)
	}
	for _, reason := range a.TopReasons(5) {
		fmt.Println(reason)
	}
	// Output:
	// 1 of 2 nodes schedulable, 1 preferred, 0 evicted
	// node-1
	// 1 of 2 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
}

// A node that cannot be converted is reported, and no pod is scheduled to it.
func ExampleNew() {
	nodes := informer.New(func(n *corev1.Node, err error) { fmt.Printf("node %s: %v\n", n.Name, err) })
	nodes.OnAdd(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node-1"},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "gpu", Effect: "NoRun"}}},
	}, true)

	var a fleet.Answer[string]
	s := nodes.Snapshot()
	s.Query(&a, nil)
	fmt.Println(a.Counts())
	// Output:
	// node node-1: spec.taints[0].effect: unknown effect "NoRun" (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// 0 of 1 node schedulable, 0 preferred, 0 evicted
}
