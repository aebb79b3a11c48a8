package speed

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// filterIndex queries the index for the number of nodes, and visits their lists.
func filterIndex(s *fleet.Snapshot[uint64], a *fleet.Answer[uint64], pod toleration.List) (schedulable int) {
	s.Query(a, pod)
	for l := range a.Groups() {
		schedulable += l.Len()
	}
	if schedulable != a.Schedulable() {
		panic("the lists and the count differ")
	}
	return schedulable
}

// indexed returns the nodes in an index, under ids of 8 bytes.
func indexed(nodes []taint.List) *fleet.Index[uint64] {
	x := new(fleet.Index[uint64])
	for i, taints := range nodes {
		x.Put(uint64(i), match.Node{Taints: taints})
	}
	return x
}

// ownLists returns n nodes. No two have the same list. The workload's pod can be
// scheduled on one in ten thousand.
func ownLists(n int) []taint.List {
	nodes := make([]taint.List, n)
	for i := range nodes {
		pool := taint.MustParse("dedicated=team-8:NoSchedule")
		if i%10_000 == 0 {
			pool = taint.MustParse("dedicated=team-7:NoSchedule")
		}
		nodes[i] = taint.List{pool, taint.MustParse(fmt.Sprintf("example.com/node=n%d:PreferNoSchedule", i))}
	}
	return nodes
}

// BenchmarkOwnLists is BenchmarkFilter where no two nodes have the same list.
func BenchmarkOwnLists(b *testing.B) {
	n := atMost(1_000_000)
	b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
		nodes, pod := ownLists(n), workload.Pod()
		theirs, theirPod := coreFleet(nodes), coreTolerations(pod)
		s, a := indexed(nodes).Snapshot(), new(fleet.Answer[uint64])
		counts{
			"kubernetes": filterKubernetes(theirs, theirPod),
			"index":      filterIndex(s, a, pod),
		}.same(b, n)
		workload.RunNodes(b, "impl=kubernetes", n, func() int { return filterKubernetes(theirs, theirPod) })
		workload.RunNodes(b, "impl=tolerate-index", n, func() int { return filterIndex(s, a, pod) })
	})
}

// indexCases are pods that match many taints of a fleet, by the ways in which the index
// finds them.
var indexCases = []struct {
	name  string
	nodes func(n int) []taint.List
	pod   func() toleration.List
}{
	{"pools30", pooled, func() (pod toleration.List) {
		for i := range 30 {
			pod = append(pod, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i)))
		}
		return pod
	}},
	{"numeric", numbered, func() toleration.List {
		return toleration.List{
			toleration.MustParse("example.com/level=50:NoSchedule op=Lt"),
			toleration.MustParse("example.com/level=900:NoSchedule op=Gt"),
		}
	}},
	{"keyless", pooled, func() toleration.List {
		return toleration.List{toleration.MustParse(":NoSchedule op=Exists")}
	}},
}

func pooled(n int) []taint.List { return workload.Fleet(n, 1) }

// numbered returns n nodes; three quarters of them have one of a thousand levels.
func numbered(n int) []taint.List {
	nodes := make([]taint.List, n)
	for i := range nodes {
		if i%4 != 0 {
			nodes[i] = taint.List{taint.MustParse(fmt.Sprintf("example.com/level=%d:NoSchedule", i%1000))}
		}
	}
	return nodes
}

// BenchmarkFilterIndex is BenchmarkFilter for these pods.
func BenchmarkFilterIndex(b *testing.B) {
	n := atMost(100_000)
	for _, c := range indexCases {
		b.Run("case="+c.name, func(b *testing.B) {
			nodes, pod := c.nodes(n), c.pod()
			theirs, theirPod := coreFleet(nodes), coreTolerations(pod)
			s, a := indexed(nodes).Snapshot(), new(fleet.Answer[uint64])
			counts{
				"kubernetes": filterComparing(theirs, theirPod),
				"index":      filterIndex(s, a, pod),
			}.same(b, n)
			workload.RunNodes(b, "impl=kubernetes", n, func() int { return filterComparing(theirs, theirPod) })
			workload.RunNodes(b, "impl=tolerate-index", n, func() int { return filterIndex(s, a, pod) })
		})
	}
}

// filterComparing is filterKubernetes with the operators Lt and Gt on.
func filterComparing(fleet [][]corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, taints := range fleet {
		_, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, taints, pod, helper.DoNotScheduleTaintsFilterFunc(), true)
		if !untolerated {
			schedulable++
		}
	}
	return schedulable
}

// changeTaints replaces the list of one node after the other by a known list.
func changeTaints(x *fleet.Index[uint64], lists []taint.List, i int) bool {
	return x.Put(uint64(i%x.Len()), match.Node{Taints: lists[i%len(lists)]})
}

// BenchmarkChange changes one node's taints in an index. Kubernetes has nothing
// comparable.
func BenchmarkChange(b *testing.B) {
	for _, n := range []int{5000, atMost(1_000_000)} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes := workload.Fleet(n, 1)
			x, i, lists := indexed(nodes), 0, nodes[:997]
			workload.Run(b, "impl=tolerate-index", func() bool { i++; return changeTaints(x, lists, i) })
		})
	}
}

// BenchmarkMemory reports the memory that an index uses for each node, in addition to
// the caller's lists.
func BenchmarkMemory(b *testing.B) {
	n := atMost(1_000_000)
	b.Run(fmt.Sprintf("nodes=%d/impl=tolerate-index", n), func(b *testing.B) {
		nodes := workload.Fleet(n, 1)
		for b.Loop() {
			before := measure.InUse()
			x := indexed(nodes)
			b.ReportMetric(float64(measure.InUse()-before)/float64(n), "heap-B/node")
			runtime.KeepAlive(x)
		}
		runtime.KeepAlive(nodes)
	})
}
