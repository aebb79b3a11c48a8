package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
)

var matchSink struct {
	result   match.Result
	class    match.Class
	position match.Position
	taint    *corev1.Taint
	list     []corev1.Toleration
	n        int64
	ok       bool
}

// The test must not run in parallel with another test.
func TestMatchAllocs(t *testing.T) {
	added := metav1.Now()
	n := &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"},
		{Key: "n", Value: "9223372036854775808", Effect: "NoSchedule"},
		{Key: "n", Value: "05", Effect: "PreferNoSchedule"},
		{Key: "node.kubernetes.io/unreachable", Effect: "NoExecute", TimeAdded: &added},
		{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"},
	}}}
	taints, seconds := n.Spec.Taints, int64(300)
	pod := []corev1.Toleration{
		{Key: "dedicated", Operator: "Equal", Value: "cpu"},
		{Key: "n", Operator: "Gt", Value: "-1"},
		{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
	}
	queue := []corev1.Toleration{{Operator: "Exists", Effect: "NoExecute"}, {Key: "dedicated", Value: "gpu"}}
	s := &matchSink
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Tolerates", 0, func() { s.ok = kube.Tolerates(&pod[2], &taints[3]) }},
		{"Match", 0, func() { s.n = int64(kube.Match(&taints[3], pod)) }},
		{"Filter", 0, func() { s.result = kube.Filter(taints, pod, queue) }},
		{"FilterNode", 0, func() { s.result = kube.FilterNode(n, pod, queue) }},
		{"Schedulable", 0, func() { s.ok = kube.Schedulable(taints, pod) }},
		{"SchedulableNode", 0, func() { s.ok = kube.SchedulableNode(n, queue) }},
		{"Untolerated", 0, func() {
			for i, one := range kube.Untolerated(taints, pod, queue) {
				s.n, s.taint = int64(i), one
			}
		}},
		{"Deciding", 0, func() { s.position, s.class = kube.Deciding(&taints[3], toleration.Longest, pod, queue) }},
		{"Seconds", 0, func() { s.n, s.class = kube.Seconds(taints, toleration.First, pod, queue) }},
		{"WithoutNumeric/none", 0, func() { s.list = kube.WithoutNumeric(queue) }},
		{"WithoutNumeric", 1, func() { s.list = kube.WithoutNumeric(pod) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want {
				t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.want)
			}
		})
	}
}
