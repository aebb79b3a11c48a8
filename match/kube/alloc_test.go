//go:build !race

package kube_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
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
	tolerations     toleration.List
	coreTaints      []corev1.Taint
	coreTolerations []corev1.Toleration
	err             error
	result          match.Result
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
	measure.Allocs(t, "Taint", 0, func() { s.taint, s.err = kube.Taint(&taints[3]) })
	measure.Allocs(t, "Taints", 1, func() { s.taints, s.err = kube.Taints(taints) })
	measure.Allocs(t, "Node", 1, func() { s.node, s.err = kube.Node(n) })
	measure.Allocs(t, "Tolerations", 1, func() { s.tolerations, s.err = kube.Tolerations(pod) })
	measure.Allocs(t, "Pod", 1, func() { s.tolerations, s.err = kube.Pod(p) })
	measure.Allocs(t, "CoreTaints", 2, func() { s.coreTaints = kube.CoreTaints(values) })
	measure.Allocs(t, "CoreTolerations", 2, func() { s.coreTolerations = kube.CoreTolerations(tolerations) })
	measure.Allocs(t, "Tolerates", 0, func() { s.ok = kube.Tolerates(&pod[2], &taints[3]) })
	measure.Allocs(t, "Match", 0, func() { s.n = int64(kube.Match(&taints[3], pod)) })
	measure.Allocs(t, "Filter", 0, func() { s.result = kube.Filter(taints, pod) })
	measure.Allocs(t, "FilterNode", 0, func() { s.result = kube.FilterNode(n, pod) })
	measure.Allocs(t, "Schedulable", 0, func() { s.ok = kube.Schedulable(taints, pod) })
	measure.Allocs(t, "SchedulableNode", 0, func() { s.ok = kube.SchedulableNode(n, queue) })
	measure.Allocs(t, "Untolerated", 0, func() {
		for i, one := range kube.Untolerated(taints, pod) {
			s.n, s.coreTaint = int64(i), one
		}
	})
	measure.Allocs(t, "UntoleratedNode", 0, func() {
		for i, one := range kube.UntoleratedNode(n, pod) {
			s.n, s.coreTaint = int64(i), one
		}
	})
	measure.Allocs(t, "AddReasons", 0, func() { kube.AddReasons(&reasons, n, queue) })
	measure.Allocs(t, "Blocking", 0, func() { s.coreTaint, s.ok = kube.Blocking(n, pod) })
	measure.Allocs(t, "Tolerated", 0, func() { s.ok = kube.Tolerated(taints, pod) })
	measure.Allocs(t, "Seconds", 0, func() { s.n, s.ok = kube.Seconds(taints, pod, toleration.Longest) })
	measure.Allocs(t, "Put/there", 0, func() { s.coreTaints, s.ok = kube.Put(taints, taints[3]) })
	measure.Allocs(t, "AddMissing/there", 0, func() { s.coreTaints, s.ok = kube.AddMissing(taints, taints[3:]...) })
	measure.Allocs(t, "ReplaceKey/there", 0, func() { s.coreTaints, s.ok = kube.ReplaceKey(taints, taints[0]) })
	measure.Allocs(t, "Remove/absent", 0, func() { s.coreTaints, s.ok = kube.Remove(taints, other[0]) })
	measure.Allocs(t, "Propagate/there", 0, func() { s.coreTaints, s.ok = kube.Propagate(taints, other, taints[1:2]) })
	measure.Allocs(t, "WithoutNumeric/none", 0, func() { s.coreTolerations = kube.WithoutNumeric(queue) })
	measure.Allocs(t, "WithoutNumeric", 1, func() { s.coreTolerations = kube.WithoutNumeric(pod) })
	measure.Allocs(t, "SameTolerations", 0, func() { s.ok = kube.SameTolerations(pod, []corev1.Toleration{pod[2], pod[1], pod[0]}) })
	if s.err != nil || !s.ok { // of the last rows
		t.Errorf("%v, %v", s.err, s.ok)
	}
}
