//go:build !race

package kube_test

import (
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
	sinkCoreTaints      []corev1.Taint
	sinkCoreTolerations []corev1.Toleration
	sinkErr             error
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	taints, tolerations := workload.Node(), workload.Pod()
	node, pod := decodedNode(taints), decodedPod(tolerations)
	node.Spec.Taints[1].TimeAdded = &metav1.Time{Time: time.Unix(1e9, 5)}
	rows := []struct {
		name string
		want float64
		f    func()
	}{
		{"Taint", 0, func() { sinkTaint, sinkErr = kube.Taint(&node.Spec.Taints[1]) }},
		{"Taints", 1, func() { sinkTaints, sinkErr = kube.Taints(node.Spec.Taints) }},
		{"Node", 1, func() { sinkNode, sinkErr = kube.Node(node) }},
		{"Toleration", 0, func() { sinkToleration, sinkErr = kube.Toleration(&pod.Spec.Tolerations[3]) }},
		{"Tolerations", 1, func() { sinkTolerations, sinkErr = kube.Tolerations(pod.Spec.Tolerations) }},
		{"Pod", 1, func() { sinkTolerations, sinkErr = kube.Pod(pod) }},
		{"CoreTaints", 1, func() { sinkCoreTaints = kube.CoreTaints(taints) }},
		{"CoreTolerations", 3, func() { sinkCoreTolerations = kube.CoreTolerations(tolerations) }},
	}
	for _, row := range rows {
		if got := testing.AllocsPerRun(100, row.f); got != row.want || sinkErr != nil {
			t.Errorf("%s: %v allocations, %v, want %v", row.name, got, sinkErr, row.want)
		}
	}
}
