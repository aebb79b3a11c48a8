package kube_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The informer's listers return these objects.
var (
	listed = []*corev1.Node{
		{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: corev1.NodeSpec{
			Taints: []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}},
		}},
		{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Spec: corev1.NodeSpec{
			Taints: []corev1.Taint{{Key: "dedicated", Value: "db", Effect: "NoSchedule"}, {Key: "spot", Effect: "NoExecute"}},
		}},
		{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: corev1.NodeSpec{Unschedulable: true}},
		{ObjectMeta: metav1.ObjectMeta{Name: "e"}, Spec: corev1.NodeSpec{
			Taints: []corev1.Taint{{Key: "spot", Effect: "NoAdmit"}},
		}},
	}
	pendingPod = &corev1.Pod{Spec: corev1.PodSpec{
		Tolerations: []corev1.Toleration{{Key: "dedicated", Operator: "Equal", Value: "gpu"}},
	}}
)

// Find the nodes to which a pending pod can be scheduled, and the reasons for the others.
func ExampleAddReasons() {
	var reasons match.Reasons
	for _, n := range listed {
		if kube.SchedulableNode(n, pendingPod.Spec.Tolerations) {
			fmt.Println(n.Name + ": can be used")
		}
		kube.AddReasons(&reasons, n, pendingPod.Spec.Tolerations)
	}
	fmt.Println(&reasons)
	// Output:
	// a: can be used
	// b: can be used
	// 1 of 5 nodes: untolerated (invalid taint)
	// 1 of 5 nodes: untolerated dedicated=db:NoSchedule
	// 1 of 5 nodes: untolerated node.kubernetes.io/unschedulable:NoSchedule
	// 1 of 5 nodes: untolerated spot:NoExecute
}

func ExampleTaint() {
	t, err := kube.Taint(&corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
	fmt.Println(t, err)
	// Output: dedicated=gpu:NoSchedule <nil>
}

func ExampleTaints() {
	taints, err := kube.Taints([]corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: "spot", Effect: "noexecute"},
	})
	fmt.Println(taints)
	fmt.Println(err)
	// Output:
	// dedicated=gpu:NoSchedule,(invalid taint)
	// spec.taints[1].effect: unknown effect "noexecute", did you mean NoExecute? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleNode() {
	node, err := kube.Node(&corev1.Node{Spec: corev1.NodeSpec{
		Unschedulable: true,
		Taints:        []corev1.Taint{{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule}},
	}})
	fmt.Println(node.Taints, node.Unschedulable, err)
	// Output: spot:PreferNoSchedule true <nil>
}

func ExampleTolerations() {
	tolerations, err := kube.Tolerations([]corev1.Toleration{{Key: "dedicated", Value: "gpu"}, {Key: "spot", Operator: "exists"}})
	fmt.Println(tolerations)
	fmt.Println(err)
	// Output:
	// dedicated=gpu,(invalid toleration)
	// spec.tolerations[1].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
}

func ExamplePod() {
	tolerations, err := kube.Pod(&corev1.Pod{Spec: corev1.PodSpec{
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
	}})
	fmt.Println(tolerations, err)
	// Output: op=Exists <nil>
}

func ExampleCoreTaints() {
	taints := taint.List{taint.MustParse("dedicated=gpu:NoSchedule")}
	fmt.Println(kube.CoreTaints(taints)[0].Value, kube.CoreTaints(nil) == nil)
	// Output: gpu true
}

func ExampleCoreTolerations() {
	tolerations := toleration.List{toleration.MustParse("dedicated=gpu")}
	fmt.Println(kube.CoreTolerations(tolerations)[0].Value, kube.CoreTolerations(nil) == nil)
	// Output: gpu true
}
