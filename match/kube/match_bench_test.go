package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/kube"
)

// handwritten is the loop that an adopter has.
func handwritten(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		tolerated := false
		for j := range tolerations {
			u := &tolerations[j]
			if (u.Effect == "" || u.Effect == t.Effect) && (u.Key == "" || u.Key == t.Key) &&
				(u.Operator == corev1.TolerationOpExists || (u.Operator == "" || u.Operator == corev1.TolerationOpEqual) && u.Value == t.Value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}

// BenchmarkSchedulable counts the nodes on which a pod can be scheduled, with lists and
// strings of their own, in random order.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		nodes := make([][]corev1.Taint, len(c.Nodes))
		for i, list := range c.Nodes {
			nodes[i] = decodedNode(list).Spec.Taints
		}
		pod := decodedPod(c.Pod).Spec.Tolerations
		workload.RunNodes(b, c.Name+"/impl=handwritten", len(nodes), func() (n int) {
			for _, taints := range nodes {
				if handwritten(taints, pod) {
					n++
				}
			}
			return n
		})
		workload.RunNodes(b, c.Name+"/impl=tolerate-kube", len(nodes), func() (n int) {
			for _, taints := range nodes {
				if kube.Schedulable(taints, pod) {
					n++
				}
			}
			return n
		})
	}
}
