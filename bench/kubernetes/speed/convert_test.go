package speed

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func fromCoreTolerations(dst toleration.List, list []corev1.Toleration) toleration.List {
	for i := range list {
		t := &list[i]
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
		if err != nil {
			panic(err)
		}
		dst = append(dst, u)
	}
	return dst
}

func fromCoreTaints(dst taint.List, list []corev1.Taint) taint.List {
	for i := range list {
		t, err := taint.From(list[i].Key, list[i].Value, list[i].Effect)
		if err != nil {
			panic(err)
		}
		dst = append(dst, t)
	}
	return dst
}

func TestSameConversion(t *testing.T) {
	pod := workload.Pod()
	if got := fromCoreTolerations(nil, coreTolerations(pod)); !slices.Equal(got, pod) {
		t.Errorf("converted %v, want %v", got, pod)
	}
	for _, taints := range workload.Fleet(1000, 1) {
		if got := fromCoreTaints(nil, coreTaints(taints)); !slices.Equal(got, taints) {
			t.Errorf("converted %v, want %v", got, taints)
		}
	}
}
