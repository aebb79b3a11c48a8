//go:build !race

package kube_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the rows, so that the compiler must allocate
// them.
var (
	sinkTaint           taint.Taint
	sinkTaints          taint.List
	sinkNode            match.Node
	sinkToleration      toleration.Toleration
	sinkTolerations     toleration.List
	sinkCoreTaint       corev1.Taint
	sinkCoreTaints      []corev1.Taint
	sinkCoreToleration  corev1.Toleration
	sinkCoreTolerations []corev1.Toleration
	sinkErr             error
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	taints, tolerations := workload.Node(), workload.Pod()
	node, pod := decodedNode(taints), decodedPod(tolerations)
	node.Spec.Taints[1].TimeAdded = &metav1.Time{Time: time.Unix(1e9, 5)}
	long := decodedPod(slices.Repeat(tolerations, 16))
	longer := decodedPod(append(slices.Repeat(tolerations, 16), tolerations[0]))
	c := kube.NewConverter(64)
	forgetful := &kube.Converter{}
	dated := must(taints[0].WithTimeAdded(time.Unix(1e9, 0)))
	timed := tolerations[3]
	rows := []struct {
		name string
		want float64
		f    func()
	}{
		{"Converter.Taints", 0, func() { sinkTaints, sinkErr = c.Taints(node.Spec.Taints) }},
		{"Converter.Node", 0, func() { sinkNode, sinkErr = c.Node(node) }},
		{"Converter.Tolerations", 0, func() { sinkTolerations, sinkErr = c.Tolerations(pod.Spec.Tolerations) }},
		{"Converter.Pod", 0, func() { sinkTolerations, sinkErr = c.Pod(pod) }},
		{"Converter.Pod_64", 0, func() { sinkTolerations, sinkErr = c.Pod(long) }},
		{"Converter.Pod_65", 1, func() { sinkTolerations, sinkErr = c.Pod(longer) }},
		{"Converter.Pod_zero", 1, func() { sinkTolerations, sinkErr = forgetful.Pod(pod) }},
		{"Converter.ParseTaint", 0, func() { sinkTaint, sinkErr = c.ParseTaint(workload.Taint) }},
		{"Converter.ParseTaint_zero", 0, func() { sinkTaint, sinkErr = forgetful.ParseTaint(workload.Taint) }},
		{"Taint", 0, func() { sinkTaint, sinkErr = kube.Taint(&node.Spec.Taints[1]) }},
		{"Taints", 1, func() { sinkTaints, sinkErr = kube.Taints(node.Spec.Taints) }},
		{"Node", 1, func() { sinkNode, sinkErr = kube.Node(node) }},
		{"Toleration", 0, func() { sinkToleration, sinkErr = kube.Toleration(&pod.Spec.Tolerations[3]) }},
		{"Tolerations", 1, func() { sinkTolerations, sinkErr = kube.Tolerations(pod.Spec.Tolerations) }},
		{"Pod", 1, func() { sinkTolerations, sinkErr = kube.Pod(pod) }},
		{"CoreTaint", 0, func() { sinkCoreTaint = kube.CoreTaint(taints[0]) }},
		{"CoreTaint_time", 1, func() { sinkCoreTaint = kube.CoreTaint(dated) }},
		{"CoreTaints", 1, func() { sinkCoreTaints = kube.CoreTaints(taints) }},
		{"CoreToleration", 0, func() { sinkCoreToleration = kube.CoreToleration(tolerations[0]) }},
		{"CoreToleration_seconds", 1, func() { sinkCoreToleration = kube.CoreToleration(timed) }},
		{"CoreTolerations", 3, func() { sinkCoreTolerations = kube.CoreTolerations(tolerations) }},
	}
	for _, row := range rows {
		if got := testing.AllocsPerRun(100, row.f); got != row.want || sinkErr != nil {
			t.Errorf("%s: %v allocations, %v, want %v", row.name, got, sinkErr, row.want)
		}
	}
}
