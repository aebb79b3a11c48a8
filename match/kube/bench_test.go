package kube_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// decodedNode and decodedPod return objects whose strings have memory of their own,
// like those that a client decodes. Strings that share their bytes compare faster.

func decodedNode(taints taint.List) *corev1.Node {
	n := &corev1.Node{}
	n.Spec.Taints = kube.CoreTaints(taints)
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		t.Key, t.Value, t.Effect = strings.Clone(t.Key), strings.Clone(t.Value), clone(t.Effect)
	}
	return n
}

func decodedPod(tolerations toleration.List) *corev1.Pod {
	p := &corev1.Pod{}
	p.Spec.Tolerations = kube.CoreTolerations(tolerations)
	for i := range p.Spec.Tolerations {
		u := &p.Spec.Tolerations[i]
		u.Key, u.Value = strings.Clone(u.Key), strings.Clone(u.Value)
		u.Operator, u.Effect = clone(u.Operator), clone(u.Effect)
	}
	return p
}

func clone[S ~string](s S) S { return S(strings.Clone(string(s))) }

// BenchmarkSchedulable counts the nodes on which the pod of each case can be scheduled.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		pod, nodes := decodedPod(c.Pod).Spec.Tolerations, make([]*corev1.Node, len(c.Nodes))
		for i, n := range c.Nodes {
			nodes[i] = decodedNode(n.Taints)
			nodes[i].Spec.Unschedulable = n.Unschedulable
		}
		count := func(impl string, schedulable func(*corev1.Node) bool) {
			workload.RunNodes(b, c.Name+"/impl="+impl, len(nodes), func() (n int) {
				for _, node := range nodes {
					if schedulable(node) {
						n++
					}
				}
				return n
			})
		}
		count("tolerate", func(n *corev1.Node) bool { return kube.SchedulableNode(n, pod) })
		count("tolerate-blocking", func(n *corev1.Node) bool { _, blocked := kube.Blocking(n, pod); return !blocked })
	}
}

// BenchmarkConvert converts a node with two taints, and a pod with four tolerations.
func BenchmarkConvert(b *testing.B) {
	node, pod := decodedNode(workload.Node()), decodedPod(workload.Pod())
	workload.Run(b, "what=node/impl=tolerate", func() match.Node { return must(kube.Node(node)) })
	workload.Run(b, "what=pod/impl=tolerate", func() toleration.List { return must(kube.Pod(pod)) })
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var sinkEdited []corev1.Taint

// BenchmarkEdit edits and searches the taints of a node as controllers do, which write a
// loop for each: k8s.io/api has only MatchTaint for one taint.
func BenchmarkEdit(b *testing.B) {
	list := func(text string) []corev1.Taint { return decodedNode(must(taint.ParseList(text))).Spec.Taints }
	node := list("nvidia.com/gpu=present:NoSchedule,node.kubernetes.io/not-ready:NoExecute,example.com/starting:NoExecute")
	pool := list("nvidia.com/gpu=present:NoSchedule,example.com/starting:NoExecute")
	workload.Run(b, "what=merge/impl=tolerate", func() bool { sinkEdited, _ = kube.AddMissing(node, pool...); return true })
	workload.Run(b, "what=merge/impl=handwritten", func() bool {
		sinkEdited = slices.Clone(node)
		for _, t := range pool {
			if !slices.ContainsFunc(sinkEdited, func(other corev1.Taint) bool { return t.MatchTaint(&other) }) {
				sinkEdited = append(sinkEdited, t)
			}
		}
		return true
	})
	known := list("node.kubernetes.io/unreachable:NoSchedule,node.cloudprovider.kubernetes.io/uninitialized:NoSchedule," +
		"karpenter.sh/unregistered:NoExecute,node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute")
	workload.Run(b, "what=findoneof/impl=tolerate", func() bool { return kube.FindOneOf(node, known...) >= 0 })
	workload.Run(b, "what=findoneof/impl=handwritten", func() bool {
		for i := range node {
			for j := range known {
				if known[j].MatchTaint(&node[i]) {
					return true
				}
			}
		}
		return false
	})
}

// BenchmarkSelector counts the taints that stay on a template node, as Cluster Autoscaler
// does: without its own, those of node conditions, and those that a starting node has.
func BenchmarkSelector(b *testing.B) {
	own := []string{"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"}
	conditions := []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodePIDPressure,
	}
	starting := []string{"node.cloudprovider.kubernetes.io/uninitialized", "example.com/cni"}
	status := []string{"example.com/degraded"}
	prefixes := []string{
		"ignore-taint.cluster-autoscaler.kubernetes.io/", "startup-taint.cluster-autoscaler.kubernetes.io/",
		"status-taint.cluster-autoscaler.kubernetes.io/",
	}
	gone := taint.MustParseSelector(strings.Join(slices.Concat(own, conditions, starting, status), ",") + "," + strings.Join(prefixes, "*,") + "*")
	ofConditions, ofStart, ofStatus := set(conditions), set(starting), set(status)
	byHand := func(t *corev1.Taint) bool {
		switch {
		case t.Key == own[0], t.Key == own[1], ofConditions[t.Key], ofStart[t.Key], ofStatus[t.Key]:
			return true
		}
		for _, p := range prefixes {
			if strings.HasPrefix(t.Key, p) {
				return true
			}
		}
		return false
	}
	for _, nodes := range []struct{ name, taints string }{
		{"pool", "nvidia.com/gpu=present:NoSchedule,dedicated=gpu:NoSchedule"},
		{"starting", "nvidia.com/gpu=present:NoSchedule,node.kubernetes.io/not-ready:NoSchedule,startup-taint.cluster-autoscaler.kubernetes.io/cni:NoSchedule"},
	} {
		taints := decodedNode(must(taint.ParseList(nodes.taints))).Spec.Taints
		count := func(gone func(t *corev1.Taint) bool) bool {
			n := 0
			for i := range taints {
				if !gone(&taints[i]) {
					n++
				}
			}
			return n > 0
		}
		workload.Run(b, "taints="+nodes.name+"/impl=tolerate", func() bool {
			return count(func(t *corev1.Taint) bool { return gone.HasFields(t.Key, t.Value, string(t.Effect)) })
		})
		workload.Run(b, "taints="+nodes.name+"/impl=handwritten", func() bool { return count(byHand) })
	}
}

func set(keys []string) map[string]bool {
	m := make(map[string]bool)
	for _, k := range keys {
		m[k] = true
	}
	return m
}
