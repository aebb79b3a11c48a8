package adapt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/examples/kubernetes/adapt"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func Example() {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}}}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}}}

	n, err := adapt.Node(node)
	if err != nil {
		fmt.Println(err)
		return
	}
	tolerations, err := adapt.Pod(pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.Filter(tolerations).Schedulable())
	// Output: true
}

// Nothing is lost from ours to the API's and back, and the JSON of both is the same.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taints := gen.Taints().Draw(t, "taints")
		for i := range taints {
			if rapid.Bool().Draw(t, "dated") {
				dated, err := taints[i].WithTimeAdded(gen.Time().Draw(t, "time"))
				if err != nil {
					t.Fatal(err)
				}
				taints[i] = dated
			}
		}
		tolerations := gen.Tolerations().Draw(t, "tolerations")
		node := &corev1.Node{Spec: corev1.NodeSpec{Taints: adapt.CoreTaints(taints), Unschedulable: rapid.Bool().Draw(t, "cordon")}}
		n, err := adapt.Node(node)
		if err != nil || len(n.Taints) != len(taints) || len(taints) > 0 && !reflect.DeepEqual(n.Taints, taints) || n.Unschedulable != node.Spec.Unschedulable {
			t.Errorf("taints %v come back as %v, %v", taints, n, err)
		}
		pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: adapt.CoreTolerations(tolerations)}}
		back, err := adapt.Pod(pod)
		if err != nil || len(back) != len(tolerations) || len(back) > 0 && !reflect.DeepEqual(back, tolerations) {
			t.Errorf("tolerations %v come back as %v, %v", tolerations, back, err)
		}
		same(t, taints, node.Spec.Taints)
		same(t, tolerations, pod.Spec.Tolerations)
	})
}

func same[A, B any](t *rapid.T, ours []A, theirs []B) {
	for i := range ours {
		a, err := json.Marshal(ours[i])
		b, wrong := json.Marshal(theirs[i])
		if err := errors.Join(err, wrong); err != nil || string(a) != string(b) {
			t.Errorf("ours %s, the API's %s, %v", a, b, err)
		}
	}
}

// What a cluster would refuse is told, all of it, with the field to change.
func TestProblems(t *testing.T) {
	seconds := int64(5)
	_, err := adapt.Tolerations([]corev1.Toleration{
		{Key: "a", Operator: "exists"},
		{Operator: corev1.TolerationOpExists},
		{Key: "b", Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds},
	})
	paths(t, err, "spec.tolerations[0].operator", "spec.tolerations[2].tolerationSeconds")
	_, err = adapt.Node(&corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "a", Effect: "NoRun"},
		{Key: "b", Value: "-", Effect: corev1.TaintEffectNoExecute},
		{Key: "c", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}},
	}}})
	paths(t, err, "spec.taints[0].effect", "spec.taints[1].value", "spec.taints[2].timeAdded")
}

func paths(t *testing.T, err error, want ...string) {
	t.Helper()
	var ps validate.Problems
	if !errors.As(err, &ps) {
		t.Fatalf("%v: no problems", err)
	}
	var got []string
	for _, p := range ps {
		got = append(got, p.Path)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("problems of %v, want %v", got, want)
	}
}

func TestEmpty(t *testing.T) {
	if taints, err := adapt.Taints(nil); taints != nil || err != nil {
		t.Error(taints, err)
	}
	if tolerations, err := adapt.Tolerations([]corev1.Toleration{}); tolerations != nil || err != nil {
		t.Error(tolerations, err)
	}
	if adapt.CoreTaints(nil) != nil || adapt.CoreTolerations([]toleration.Toleration{}) != nil {
		t.Error("an empty list is not nil")
	}
	if got := adapt.CoreTaint(taint.Taint{}); got != (corev1.Taint{}) {
		t.Error(got)
	}
	if got := adapt.CoreToleration(toleration.Toleration{}); got != (corev1.Toleration{}) {
		t.Error(got)
	}
}
