package kube_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
)

// A cluster has the objects that an informer's listers return, which are not modified, and
// the pods that must be evicted later.
type cluster struct {
	nodes     []*corev1.Node
	pods      []*corev1.Pod
	evictions eviction.Schedule[string]
}

// schedule binds a pod to the first node that its tolerations allow, or returns why there is
// none. Resources and affinity are for the caller to check.
func (c *cluster) schedule(pod *corev1.Pod) string {
	var reasons match.Reasons
	for _, n := range c.nodes {
		if t, blocked := kube.Blocking(n, pod.Spec.Tolerations); blocked {
			fmt.Printf("%s: not %s, because of %s\n", pod.Name, n.Name, t.ToString())
			kube.AddReasons(&reasons, n, pod.Spec.Tolerations)
			continue
		}
		bound := pod.DeepCopy()
		bound.Spec.NodeName = n.Name
		c.pods = append(c.pods, bound)
		return pod.Name + ": scheduled to " + n.Name
	}
	return reasons.String()
}

// repel adds a taint to a node, or changes its value. It calls observe for the new node, as
// an informer does.
func (c *cluster) repel(name string, t corev1.Taint, now time.Time) {
	for i, n := range c.nodes {
		if n.Name != name {
			continue
		}
		if taints, changed := kube.Put(n.Spec.Taints, t); changed { // and else nothing is written
			c.nodes[i] = n.DeepCopy()
			c.nodes[i].Spec.Taints = taints
			c.observe(c.nodes[i], now)
		}
	}
}

// observe computes when the pods of a new or changed node must be evicted. Their seconds
// begin when a taint is seen first, so a taint needs no time added.
func (c *cluster) observe(n *corev1.Node, now time.Time) {
	taints, err := kube.Taints(n.Spec.Taints)
	if err != nil {
		fmt.Println(n.Name+":", err) // an invalid taint never evicts
	}
	for _, pod := range c.pods {
		if pod.Spec.NodeName != n.Name {
			continue
		}
		tolerations, err := kube.Pod(pod)
		if err != nil {
			fmt.Println(pod.Name+":", err) // an invalid toleration matches nothing
		}
		c.evictions.Update(pod.Name, taints, now, toleration.First, tolerations)
	}
}

// evict evicts the pods that are due. Call it now and then, or at the time that Next of the
// schedule returns.
func (c *cluster) evict(now time.Time) {
	for name := range c.evictions.Due(now) {
		fmt.Println(now.Format(time.TimeOnly), name, "is evicted")
	}
}

// Schedule pods, explain why one cannot be scheduled, taint a node, and evict pods in time.
func Example() {
	node := func(name string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	pod := func(name string, tolerations ...corev1.Toleration) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Tolerations: tolerations}}
	}
	gpu := corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	repair := corev1.Taint{Key: "repair", Effect: corev1.TaintEffectNoExecute}
	minute := int64(60)
	tolerateGPU := corev1.Toleration{Key: "dedicated", Value: "gpu"}
	tolerateRepair := corev1.Toleration{Key: "repair", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &minute}

	c := &cluster{nodes: []*corev1.Node{node("cpu-1"), node("gpu-1", gpu)}}
	c.nodes[0].Spec.Unschedulable = true // kubectl cordon cpu-1
	fmt.Println(c.schedule(pod("train", tolerateGPU, tolerateRepair)))
	fmt.Println(c.schedule(pod("infer", tolerateGPU)))
	fmt.Println(c.schedule(pod("web")))

	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	c.repel("gpu-1", repair, now)
	for _, after := range []time.Duration{0, 30 * time.Second, time.Minute} {
		c.evict(now.Add(after))
	}

	// Output:
	// train: not cpu-1, because of node.kubernetes.io/unschedulable:NoSchedule
	// train: scheduled to gpu-1
	// infer: not cpu-1, because of node.kubernetes.io/unschedulable:NoSchedule
	// infer: scheduled to gpu-1
	// web: not cpu-1, because of node.kubernetes.io/unschedulable:NoSchedule
	// web: not gpu-1, because of dedicated=gpu:NoSchedule
	// 1 of 2 nodes: untolerated dedicated=gpu:NoSchedule
	// 1 of 2 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
	// 12:00:00 infer is evicted
	// 12:01:00 train is evicted
}
