package kube_test

import (
	"errors"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A cluster has the objects of informers, which must not be modified.
type cluster struct {
	nodes     map[string]*corev1.Node
	pods      []*corev1.Pod // those that run
	evictions eviction.Schedule[string]
}

// schedule returns the node with the fewest untolerated PreferNoSchedule taints, or why
// the pod can be scheduled to none.
func (c *cluster) schedule(pod *corev1.Pod) (*corev1.Node, error) {
	tolerations := kube.WithoutNumeric(pod.Spec.Tolerations) // the cluster has no Lt and Gt
	var best *corev1.Node
	var reasons match.Reasons
	fewest := 0
	for _, n := range c.nodes {
		kube.AddReasons(&reasons, n, tolerations)
		if !kube.SchedulableNode(n, tolerations) {
			continue
		}
		avoided := kube.FilterNode(n, tolerations).Count(taint.PreferNoSchedule)
		if best == nil || avoided < fewest || avoided == fewest && n.Name < best.Name {
			best, fewest = n, avoided
		}
	}
	if best == nil {
		return nil, errors.New(reasons.String())
	}
	return best, nil
}

// explain prints why the pod cannot be scheduled to a node.
func explain(n *corev1.Node, pod *corev1.Pod) {
	if t, ok := kube.Blocking(n, pod.Spec.Tolerations); ok { // stops at this taint
		fmt.Println(pod.Name, "is not on", n.Name, "because of", t.Key)
	}
	tolerations, _ := kube.Pod(pod) // an invalid toleration matches nothing
	for _, t := range kube.UntoleratedNode(n, pod.Spec.Tolerations) {
		v, _ := kube.Taint(&t) // nothing tolerates an invalid taint
		fmt.Println(" ", match.Explain(v, toleration.First, tolerations))
	}
}

// edit changes the taints of a node, and writes nothing if they are as they should be.
func (c *cluster) edit(name string, now time.Time, edit func(taints []corev1.Taint) ([]corev1.Taint, bool)) {
	taints, changed := edit(c.nodes[name].Spec.Taints)
	if !changed {
		return
	}
	n := c.nodes[name].DeepCopy()
	n.Spec.Taints = taints
	c.nodes[name] = n // instead of a request to the API server
	c.watch(n, now)
}

// watch is called when a node has changed. kubectl taint sets no time added: the seconds
// of a pod begin when its taint is first seen.
func (c *cluster) watch(n *corev1.Node, now time.Time) {
	taints, err := kube.Taints(n.Spec.Taints)
	if err != nil {
		log.Printf("%s: %v", n.Name, err) // an invalid taint evicts no pod
	}
	for _, pod := range c.pods {
		if pod.Spec.NodeName == n.Name {
			tolerations, _ := kube.Pod(pod) // an invalid toleration matches nothing
			c.evictions.Update(pod.Name, taints, now, toleration.First, tolerations)
		}
	}
}

// poll prints which pods must be evicted now.
func (c *cluster) poll(now time.Time) {
	for name, deadline := range c.evictions.Due(now) {
		fmt.Println(now.Format("15:04"), name, "is evicted, due", deadline.Format("15:04"))
	}
}

// Schedule pods to the nodes of a cluster, explain why one cannot be scheduled, watch
// taints to evict pods, and edit the taints of nodes.
func Example() {
	node := func(name string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	gpu := corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	starting := corev1.Taint{Key: "example.com/starting", Effect: corev1.TaintEffectNoExecute}
	slow := corev1.Taint{Key: "example.com/slow", Effect: corev1.TaintEffectNoExecute}
	c := cluster{nodes: map[string]*corev1.Node{"a": node("a", gpu), "b": node("b"), "c": node("c", starting)}}
	c.nodes["b"].Spec.Unschedulable = true

	seconds := int64(300)
	train := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "train"}}
	train.Spec.Tolerations = []corev1.Toleration{{Key: slow.Key, Operator: corev1.TolerationOpExists, Effect: slow.Effect, TolerationSeconds: &seconds}}
	_, err := c.schedule(train)
	fmt.Println(err)
	explain(c.nodes["b"], train)

	// The pool of node c has a new template, and the node is ready.
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	pool := []corev1.Taint{{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectPreferNoSchedule}}
	c.edit("c", now, func(t []corev1.Taint) ([]corev1.Taint, bool) { return kube.Propagate(t, nil, pool) })
	c.edit("c", now, func(t []corev1.Taint) ([]corev1.Taint, bool) { return kube.Remove(t, starting) })
	n, err := c.schedule(train)
	fmt.Println(n.Name, err)
	train.Spec.NodeName = n.Name
	c.pods = append(c.pods, train)

	// The node becomes slow. Then it is removed.
	c.edit("c", now, func(t []corev1.Taint) ([]corev1.Taint, bool) { return kube.Put(t, slow) })
	fmt.Println(kube.Seconds(c.nodes["c"].Spec.Taints, train.Spec.Tolerations, toleration.First))
	c.poll(now.Add(time.Minute))
	c.poll(now.Add(6 * time.Minute))
	c.edit("c", now, func(t []corev1.Taint) ([]corev1.Taint, bool) {
		return kube.ReplaceKey(t, corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule})
	})
	explain(c.nodes["c"], train)
	// Output:
	// 1 of 3 nodes: untolerated dedicated=gpu:NoSchedule
	// 1 of 3 nodes: untolerated example.com/starting:NoExecute
	// 1 of 3 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
	// train is not on b because of node.kubernetes.io/unschedulable
	//   node.kubernetes.io/unschedulable:NoSchedule is not tolerated: no toleration has its key; to add: "node.kubernetes.io/unschedulable:NoSchedule op=Equal"
	// c <nil>
	// 300 true
	// 12:06 train is evicted, due 12:05
	// train is not on c because of dedicated
	//   dedicated:NoSchedule is not tolerated: no toleration has its key; to add: "dedicated:NoSchedule op=Equal"
}
