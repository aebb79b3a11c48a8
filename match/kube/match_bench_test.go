package kube_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// handwritten is the loop that an adopter has.
func handwritten(taints []corev1.Taint, tolerations []corev1.Toleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.Effect == corev1.TaintEffectPreferNoSchedule {
			continue
		}
		tolerated := false
		for j := range tolerations {
			u := &tolerations[j]
			if (u.Effect == "" || u.Effect == t.Effect) && (u.Key == "" || u.Key == t.Key) &&
				(u.Operator == corev1.TolerationOpExists || (u.Operator == "" || u.Operator == corev1.TolerationOpEqual) && u.Value == t.Value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}

// BenchmarkSchedulable counts the nodes on which a pod can be scheduled, with lists and
// strings of their own, in random order.
func BenchmarkSchedulable(b *testing.B) {
	const nodes = 5000
	r := rand.New(rand.NewPCG(1, 2))
	fleet := func(taints int) [][]corev1.Taint {
		out := make([][]corev1.Taint, nodes)
		for i := range out {
			for _, key := range []string{"dedicated", "nvidia.com/gpu"}[:taints] {
				out[i] = append(out[i], decodedNode(taint.List{taint.MustParse(fmt.Sprintf("%s=v%d:NoSchedule", key, r.IntN(4)))}).Spec.Taints...)
			}
		}
		return out
	}
	usual := make([][]corev1.Taint, nodes)
	for i, list := range workload.Fleet(nodes, 1) {
		usual[i] = decodedNode(list).Spec.Taints
	}
	r.Shuffle(nodes, func(i, j int) { usual[i], usual[j] = usual[j], usual[i] })
	defaults := "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	pods := []struct{ name, list string }{
		{"none", ""}, {"defaults", defaults}, {"three", defaults + ",dedicated=v1"},
		{"tolerated", defaults + ",dedicated op=Exists,nvidia.com/gpu op=Exists"}, {"everything", "op=Exists"},
	}
	for _, f := range []struct {
		name  string
		nodes [][]corev1.Taint
	}{{"usual", usual}, {"one", fleet(1)}, {"two", fleet(2)}} {
		for _, p := range pods {
			list, err := toleration.ParseList(p.list)
			if err != nil {
				b.Fatal(err)
			}
			pod := decodedPod(list).Spec.Tolerations
			name := "fleet=" + f.name + "/pod=" + p.name
			workload.RunNodes(b, name+"/impl=handwritten", nodes, func() (n int) {
				for _, taints := range f.nodes {
					if handwritten(taints, pod) {
						n++
					}
				}
				return n
			})
			workload.RunNodes(b, name+"/impl=tolerate", nodes, func() (n int) {
				for _, taints := range f.nodes {
					if kube.Schedulable(taints, pod) {
						n++
					}
				}
				return n
			})
		}
	}
}
