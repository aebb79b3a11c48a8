package kube_test

import (
	"encoding/binary"
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

// BenchmarkConvert converts a node with two taints, a pod with four tolerations, and
// 5,000 nodes.
func BenchmarkConvert(b *testing.B) {
	const nodes = 5000
	node, pod := decodedNode(workload.Node()), decodedPod(workload.Pod())
	var fleet []*corev1.Node
	for _, taints := range workload.Fleet(nodes, 1) {
		fleet = append(fleet, decodedNode(taints))
	}
	c := kube.NewConverter(1024)
	workload.RunNodes(b, "what=fleet/impl=floor", nodes, func() int {
		var h uint64
		for _, n := range fleet {
			h = floor(h, n.Spec.Taints)
		}
		return int(h)
	})
	for _, impl := range []struct {
		name string
		node func(*corev1.Node) (match.Node, error)
		pod  func(*corev1.Pod) (toleration.List, error)
	}{
		{"impl=converter", c.Node, c.Pod},
		{"impl=plain", kube.Node, kube.Pod},
	} {
		workload.Run(b, "what=node/"+impl.name, func() match.Node { return must(impl.node(node)) })
		workload.Run(b, "what=pod/"+impl.name, func() toleration.List { return must(impl.pod(pod)) })
		workload.RunNodes(b, "what=fleet/"+impl.name, nodes, func() (taints int) {
			for _, n := range fleet {
				taints += len(must(impl.node(n)).Taints)
			}
			return taints
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// floor reads what every conversion must read: all bytes of keys and values, eight at a
// time, and the lengths of effects.
func floor(h uint64, taints []corev1.Taint) uint64 {
	for i := range taints {
		t := &taints[i]
		for _, s := range [...]string{t.Key, t.Value} {
			for ; len(s) >= 8; s = s[8:] {
				h ^= binary.LittleEndian.Uint64([]byte(s))
			}
			if s != "" {
				h ^= uint64(s[0]) ^ uint64(s[len(s)-1])
			}
		}
		h ^= uint64(len(t.Effect))
	}
	return h
}

// BenchmarkParseTaint parses a text that it parsed before.
func BenchmarkParseTaint(b *testing.B) {
	c := kube.NewConverter(1024)
	workload.Run(b, "impl=converter", func() taint.Taint { return must(c.ParseTaint(workload.Taint)) })
	workload.Run(b, "impl=plain", func() taint.Taint { return must(taint.Parse(workload.Taint)) })
}
