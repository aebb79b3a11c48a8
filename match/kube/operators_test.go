package kube_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/helper"
)

// These are the places of this module that distinguish operators: see TestOperators in
// package match.
func TestOperators(t *testing.T) {
	for _, c := range gen.Operators(t) {
		u := corev1.Toleration{Key: "k", Operator: corev1.TolerationOperator(c.Operator.String()), Value: c.Value}
		list, err := kube.Tolerations([]corev1.Toleration{u})
		if back := kube.CoreTolerations(list); err != nil || list[0].Operator() != c.Operator || back[0] != u {
			t.Errorf("V5_values: %v is converted to %v, %v, and back to %v", u, list, err, back)
		}
		for i, value := range slices.Concat(c.Matches, c.Differs) {
			want := i < len(c.Matches)
			x := corev1.Taint{Key: "k", Value: value, Effect: corev1.TaintEffectNoSchedule}
			if got := kube.Tolerates(&u, &x); got != want {
				t.Errorf("V5_match: %v tolerates %v: %v", u, x, got)
			}
			for name, got := range map[string]bool{
				"Match":  kube.Match(&x, []corev1.Toleration{u}) == 0,
				"Filter": kube.Filter([]corev1.Taint{x}, []corev1.Toleration{u}).Schedulable(),
				"helper": helper.TolerationsTolerateTaint(0, []corev1.Toleration{u}, &x, true),
			} {
				if got != want {
					t.Errorf("V5_match: %s: %v tolerates %v: %v", name, u, x, got)
				}
			}
		}
	}
}
