package kube_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube"
)

func ExampleFind() {
	taints := []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	fmt.Println(kube.Find(taints, corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}))
	// Output: 0
}

// A node is initialized when the last of these taints is gone.
func ExampleFindOneOf() {
	startup := []corev1.Taint{
		{Key: "node.cloudprovider.kubernetes.io/uninitialized", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
	}
	taints := []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
	}
	fmt.Println(kube.FindOneOf(taints, startup...), kube.FindOneOf(taints[:1], startup...))
	// Output: 1 -1
}

func ExamplePut() {
	t := corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	taints, changed := kube.Put(nil, t)
	fmt.Println(len(taints), changed)
	taints, changed = kube.Put(taints, t)
	fmt.Println(len(taints), changed)
	// Output:
	// 1 true
	// 1 false
}

func ExampleRemove() {
	t := corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}
	taints, changed := kube.Remove([]corev1.Taint{t}, t)
	fmt.Println(len(taints), taints != nil, changed)
	// Output: 0 true true
}

func ExamplePropagate() {
	old, added := corev1.Taint{Key: "old", Effect: corev1.TaintEffectNoSchedule}, corev1.Taint{Key: "new", Effect: corev1.TaintEffectNoSchedule}
	mine := corev1.Taint{Key: "mine", Effect: corev1.TaintEffectNoExecute}
	taints, changed := kube.Propagate([]corev1.Taint{old, mine}, []corev1.Taint{old}, []corev1.Taint{added})
	for _, t := range taints {
		fmt.Println(t.Key)
	}
	fmt.Println(changed)
	// Output:
	// mine
	// new
	// true
}

func ExampleSameTolerations() {
	seconds := int64(300)
	a := []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
	b := []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}}
	fmt.Println(kube.SameTolerations(a, b))
	// Output: true
}

// A node gets the taints of its pool that it does not have yet.
func ExampleAddMissing() {
	node := []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	startup := corev1.Taint{Key: "example.com/starting", Effect: corev1.TaintEffectNoExecute}
	taints, changed := kube.AddMissing(node, node[0], startup)
	fmt.Println(len(taints), taints[1].Key, changed)
	// Output: 2 example.com/starting true
}

// A node that is removed has one taint with this key, whatever it had before.
func ExampleReplaceKey() {
	node := []corev1.Taint{{Key: "example.com/removed", Effect: corev1.TaintEffectPreferNoSchedule}}
	taints, changed := kube.ReplaceKey(node, corev1.Taint{Key: "example.com/removed", Effect: corev1.TaintEffectNoSchedule})
	fmt.Println(len(taints), taints[0].Effect, changed)
	// Output: 1 NoSchedule true
}
