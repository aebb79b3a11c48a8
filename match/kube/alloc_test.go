//go:build !race

package kube_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// sink keeps the results of the rows, so that the compiler must allocate them.
var sink struct {
	taint           taint.Taint
	taints          taint.List
	node            match.Node
	toleration      toleration.Toleration
	tolerations     toleration.List
	coreTaints      []corev1.Taint
	coreTolerations []corev1.Toleration
	err             error
	result          match.Result
	class           match.Class
	coreTaint       corev1.Taint
	n               int64
	ok              bool
}

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	n := &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"},
		{Key: "n", Value: "9223372036854775808", Effect: "NoSchedule"},
		{Key: "n", Value: "05", Effect: "PreferNoSchedule"},
		{Key: "node.kubernetes.io/unreachable", Effect: "NoExecute", TimeAdded: &metav1.Time{Time: time.Unix(1e9, 5)}},
		{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"},
	}}}
	taints, seconds := n.Spec.Taints, int64(300)
	other := []corev1.Taint{{Key: "other", Effect: "NoSchedule"}}
	pod := []corev1.Toleration{
		{Key: "dedicated", Operator: "Equal", Value: "cpu"},
		{Key: "n", Operator: "Gt", Value: "-1"},
		{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
	}
	queue := []corev1.Toleration{{Operator: "Exists", Effect: "NoExecute"}, {Key: "dedicated", Value: "gpu"}}
	p := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: pod}}
	values, tolerations := must(kube.Taints(taints)), must(kube.Tolerations(pod))
	s := &sink
	var reasons match.Reasons
	kube.AddReasons(&reasons, n, queue) // later, it has all taints
	for _, tt := range []struct {
		name string
		want float64
		do   func()
	}{
		{"Taint", 0, func() { s.taint, s.err = kube.Taint(&taints[3]) }},
		{"Taints", 1, func() { s.taints, s.err = kube.Taints(taints) }},
		{"Node", 1, func() { s.node, s.err = kube.Node(n) }},
		{"Toleration", 0, func() { s.toleration, s.err = kube.Toleration(&pod[2]) }},
		{"Tolerations", 1, func() { s.tolerations, s.err = kube.Tolerations(pod) }},
		{"Pod", 1, func() { s.tolerations, s.err = kube.Pod(p) }},
		{"CoreTaints", 2, func() { s.coreTaints = kube.CoreTaints(values) }},
		{"CoreTolerations", 2, func() { s.coreTolerations = kube.CoreTolerations(tolerations) }},
		{"Tolerates", 0, func() { s.ok = kube.Tolerates(&pod[2], &taints[3]) }},
		{"Match", 0, func() { s.n = int64(kube.Match(&taints[3], pod)) }},
		{"Filter", 0, func() { s.result = kube.Filter(taints, pod, queue) }},
		{"FilterNode", 0, func() { s.result = kube.FilterNode(n, pod, queue) }},
		{"Schedulable", 0, func() { s.ok = kube.Schedulable(taints, pod) }},
		{"SchedulableNode", 0, func() { s.ok = kube.SchedulableNode(n, queue) }},
		{"Untolerated", 0, func() {
			for i, one := range kube.Untolerated(taints, pod, queue) {
				s.n, s.coreTaint = int64(i), one
			}
		}},
		{"UntoleratedNode", 0, func() {
			for i, one := range kube.UntoleratedNode(n, pod, queue) {
				s.n, s.coreTaint = int64(i), one
			}
		}},
		{"AddReasons", 0, func() { kube.AddReasons(&reasons, n, queue) }},
		{"Blocking", 0, func() { s.coreTaint, s.ok = kube.Blocking(n, pod) }},
		{"Tolerated", 0, func() { s.ok = kube.Tolerated(taints, pod) }},
		{"Seconds", 0, func() { s.n, s.class = kube.Seconds(taints, pod, toleration.Longest) }},
		{"Put/there", 0, func() { s.coreTaints, s.ok = kube.Put(taints, taints[3]) }},
		{"Merge/there", 0, func() { s.coreTaints, s.ok = kube.Merge(taints, taints[3:]...) }},
		{"ReplaceKey/there", 0, func() { s.coreTaints, s.ok = kube.ReplaceKey(taints, taints[0]) }},
		{"Remove/absent", 0, func() { s.coreTaints, s.ok = kube.Remove(taints, other[0]) }},
		{"Propagate/there", 0, func() { s.coreTaints, s.ok = kube.Propagate(taints, other, taints[1:2]) }},
		{"WithoutNumeric/none", 0, func() { s.coreTolerations = kube.WithoutNumeric(queue) }},
		{"WithoutNumeric", 1, func() { s.coreTolerations = kube.WithoutNumeric(pod) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(50, tt.do); got != tt.want || s.err != nil {
				t.Errorf("%s: %v allocations, %v, want %v", tt.name, got, s.err, tt.want)
			}
		})
	}
}
