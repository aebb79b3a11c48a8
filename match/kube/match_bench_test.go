package kube_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The strings of the structs have memory of their own, like those that a client
// decodes. Strings that share their bytes compare faster.

func ownTaints(list taint.List) (out []corev1.Taint) {
	for _, t := range list {
		out = append(out, corev1.Taint{Key: strings.Clone(t.Key()), Value: strings.Clone(t.Value()), Effect: corev1.TaintEffect(strings.Clone(t.Effect().String()))})
	}
	return out
}

func ownTolerations(list toleration.List) (out []corev1.Toleration) {
	for _, u := range list {
		c := corev1.Toleration{
			Key: strings.Clone(u.Key()), Value: strings.Clone(u.Value()),
			Operator: corev1.TolerationOperator(strings.Clone(u.Operator().String())),
			Effect:   corev1.TaintEffect(strings.Clone(u.Effect().String())),
		}
		if n, ok := u.Seconds(); ok {
			c.TolerationSeconds = &n
		}
		out = append(out, c)
	}
	return out
}

// BenchmarkFilter counts the nodes on which a pod of four tolerations can be scheduled.
// Most of its time is spent on the lengths of keys. Checking the fields of a tolerated
// taint takes longest, so the fleet whose taints are tolerated is the worst case.
func BenchmarkFilter(b *testing.B) {
	const nodes = 5000
	tolerated := make([]taint.List, nodes)
	for i := range tolerated {
		tolerated[i] = taint.List{taint.MustParse([]string{"dedicated=team-7:NoSchedule", "nvidia.com/gpu=present:NoSchedule"}[i%2])}
	}
	list := workload.Pod()
	pod := ownTolerations(list)
	for _, c := range []struct {
		name  string
		fleet []taint.List
	}{{"usual", workload.Fleet(nodes, 1)}, {"tolerated", tolerated}} {
		core := make([][]corev1.Taint, nodes)
		for i := range core {
			core[i] = ownTaints(c.fleet[i])
		}
		workload.RunNodes(b, "fleet="+c.name+"/impl=kube", nodes, func() (n int) {
			for _, taints := range core {
				if kube.Filter(taints, pod).Schedulable() {
					n++
				}
			}
			return n
		})
		workload.RunNodes(b, "fleet="+c.name+"/impl=converted", nodes, func() (n int) {
			for _, taints := range c.fleet {
				if match.Filter(taints, list).Schedulable() {
					n++
				}
			}
			return n
		})
	}
}
