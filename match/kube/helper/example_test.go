package helper_test

import (
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"

	v1helper "github.com/go-tolerate/tolerate/match/kube/helper"
)

var (
	exampleTaints      = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}, {Key: "spot", Effect: "PreferNoSchedule"}}
	exampleTolerations = []corev1.Toleration{{Key: "dedicated", Operator: "Exists"}}
)

func ExampleTolerationsTolerateTaint() {
	fmt.Println(v1helper.TolerationsTolerateTaint(slog.Default(), exampleTolerations, &exampleTaints[0], true))
	// Output: true
}

func ExampleFindMatchingUntoleratedTaint() {
	t, found := v1helper.FindMatchingUntoleratedTaint(slog.Default(), exampleTaints, exampleTolerations, nil, true)
	fmt.Println(t.ToString(), found)
	// Output: spot:PreferNoSchedule true
}

func ExampleGetMatchingTolerations() {
	all, matching := v1helper.GetMatchingTolerations(slog.Default(), exampleTaints[:1], exampleTolerations)
	fmt.Println(all, len(matching))
	// Output: true 1
}

// A pod that requires a size stays on its node if the gate is on.
func ExampleGetMatchingTolerationsWithComparisonOperators() {
	large := []corev1.Taint{{Key: "memory-gb", Value: "128", Effect: "NoExecute"}}
	pod := []corev1.Toleration{{Key: "memory-gb", Operator: "Gt", Value: "64", Effect: "NoExecute"}}
	fmt.Println(v1helper.GetMatchingTolerations(slog.Default(), large, pod))
	all, matching := v1helper.GetMatchingTolerationsWithComparisonOperators(slog.Default(), large, pod)
	fmt.Println(all, len(matching))
	// Output:
	// false []
	// true 1
}
