package kube_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var (
	exampleSeconds = int64(300)
	exampleTaints  = []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: "node.kubernetes.io/unreachable", Effect: corev1.TaintEffectNoExecute},
	}
	exampleTolerations = []corev1.Toleration{
		{Key: "dedicated", Value: "cpu"},
		{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, TolerationSeconds: &exampleSeconds, Effect: corev1.TaintEffectNoExecute},
	}
)

func ExampleTolerates() {
	u := corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists}
	fmt.Println(kube.Tolerates(&u, &exampleTaints[0]), kube.Tolerates(&u, &exampleTaints[1]))
	var zero corev1.Toleration // invalid
	fmt.Println(kube.Tolerates(&zero, &exampleTaints[1]))
	// Output:
	// true false
	// false
}

func ExampleMatch() {
	fmt.Println(kube.Match(&exampleTaints[0], exampleTolerations), kube.Match(&exampleTaints[1], exampleTolerations))
	// Output: -1 1
}

func ExampleSchedulable() {
	fmt.Println(kube.Schedulable(exampleTaints, exampleTolerations))
	fmt.Println(kube.Schedulable(exampleTaints[1:], exampleTolerations))
	// Output:
	// false
	// true
}

func ExampleSchedulableNode() {
	n := &corev1.Node{Spec: corev1.NodeSpec{Taints: exampleTaints[1:], Unschedulable: true}}
	fmt.Println(kube.SchedulableNode(n, exampleTolerations))
	// Output: false
}

func ExampleFilter() {
	r := kube.Filter(exampleTaints, exampleTolerations)
	i, _ := r.First(taint.NoSchedule, taint.NoExecute)
	fmt.Println(r.Schedulable(), r.Evicted(), exampleTaints[i].ToString())
	// Output: false false dedicated=gpu:NoSchedule
}

// The taint that prevents scheduling is the first with one of two effects. Blocking
// returns it, and does not look at the others.
func ExampleFilterNode() {
	n := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule},
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
	}}}
	r := kube.FilterNode(n, exampleTolerations)
	i, _ := r.First(taint.NoSchedule, taint.NoExecute) // never -1: no cordon
	fmt.Println(r.Count(taint.PreferNoSchedule), n.Spec.Taints[i].ToString())
	// Output: 1 dedicated=gpu:NoSchedule
}

func ExampleUntolerated() {
	for i, t := range kube.Untolerated(exampleTaints, exampleTolerations) {
		fmt.Println(i, t.ToString())
	}
	// Output: 0 dedicated=gpu:NoSchedule
}

func ExampleUntoleratedNode() {
	n := &corev1.Node{Spec: corev1.NodeSpec{Taints: exampleTaints, Unschedulable: true}}
	for i, t := range kube.UntoleratedNode(n, exampleTolerations) {
		fmt.Println(i, t.ToString())
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule
	// 0 dedicated=gpu:NoSchedule
}

// A pod that is not scheduled needs a reason, for example in an event.
func ExampleBlocking() {
	n := &corev1.Node{Spec: corev1.NodeSpec{Taints: exampleTaints}}
	if t, ok := kube.Blocking(n, exampleTolerations); ok {
		fmt.Println("untolerated taint", t.ToString())
	}
	// Output: untolerated taint dedicated=gpu:NoSchedule
}

func ExampleTolerated() {
	preferred := []corev1.Taint{{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule}}
	fmt.Println(kube.Tolerated(preferred, nil), kube.Schedulable(preferred, nil))
	// Output: false true
}

func ExampleSeconds() {
	fmt.Println(kube.Seconds(exampleTaints, exampleTolerations, toleration.First))
	// Output: 300 true
}

func ExampleWithoutNumeric() {
	pod := []corev1.Toleration{{Key: "memory-gb", Operator: "Gt", Value: "64"}}
	taints := []corev1.Taint{{Key: "memory-gb", Value: "128", Effect: corev1.TaintEffectNoSchedule}}
	fmt.Println(kube.Filter(taints, pod))
	fmt.Println(kube.Filter(taints, kube.WithoutNumeric(pod)))
	// Output:
	// tolerated
	// untolerated: 1 NoSchedule
}
