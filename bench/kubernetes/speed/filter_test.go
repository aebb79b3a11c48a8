package speed

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	fleetindex "github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// filterKubernetes filters as the scheduler's plugin does, node by node.
func filterKubernetes(fleet [][]corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, taints := range fleet {
		_, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, taints, pod,
			helper.DoNotScheduleTaintsFilterFunc(), comparisonOperators)
		if !untolerated {
			schedulable++
		}
	}
	return schedulable
}

// filterHandwritten is the loop that a careful user writes for the API's structs.
func filterHandwritten(fleet [][]corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, taints := range fleet {
		if schedulableHandwritten(taints, pod) {
			schedulable++
		}
	}
	return schedulable
}

func schedulableHandwritten(taints []corev1.Taint, pod []corev1.Toleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !toleratedHandwritten(t, pod) {
			return false
		}
	}
	return true
}

func toleratedHandwritten(t *corev1.Taint, pod []corev1.Toleration) bool {
	for i := range pod {
		u := &pod[i]
		if (u.Effect == "" || u.Effect == t.Effect) && (u.Key == "" || u.Key == t.Key) &&
			(u.Operator == corev1.TolerationOpExists || (u.Operator == corev1.TolerationOpEqual || u.Operator == "") && u.Value == t.Value) {
			return true
		}
	}
	return false
}

// A group is the nodes that have the same taints.
type group struct {
	taints []corev1.Taint
	nodes  int
}

// groups prepares the nodes of a fleet once, as Armada keeps its node types.
func groups(fleet [][]corev1.Taint) []group {
	at := make(map[string]int)
	var out []group
	for _, taints := range fleet {
		key := fmt.Sprintf("%q", taints)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, group{taints: taints})
		}
		out[i].nodes++
	}
	return out
}

// filterArmada decides once for each distinct list, as Armada does, with the
// careful user's code.
func filterArmada(groups []group, pod []corev1.Toleration) (schedulable int) {
	for i := range groups {
		if g := &groups[i]; schedulableHandwritten(g.taints, pod) {
			schedulable += g.nodes
		}
	}
	return schedulable
}

func filterPlain(fleet []taint.List, pod toleration.List) (schedulable int) {
	for _, taints := range fleet {
		if match.Filter(taints, pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterCompiled(fleet []taint.List, m *match.Matcher) (schedulable int) {
	for _, taints := range fleet {
		if m.Filter(match.Node{Taints: taints}).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterNodes(fleet []match.Node, pod toleration.List) (schedulable int) {
	for _, n := range fleet {
		if n.Filter(pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterNodesCompiled(fleet []match.Node, m *match.Matcher) (schedulable int) {
	for _, n := range fleet {
		if m.Filter(n).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

// filterFloor only reads what every implementation must read: how many taints a node
// has, and their effects.
func filterFloor(fleet []taint.List) (sum int) {
	for _, taints := range fleet {
		for i := range taints {
			sum += int(taints[i].Effect())
		}
	}
	return sum
}

func filterKube(fleet [][]corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, taints := range fleet {
		if kube.Filter(taints, pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

// BenchmarkFilter counts the nodes on which a pod of four tolerations can be scheduled.
func BenchmarkFilter(b *testing.B) {
	for nodes := 10; nodes <= atMost(1_000_000); nodes *= 10 {
		benchmarkFilter(b, nodes)
		if nodes == 1000 {
			benchmarkFilter(b, 5000)
		}
	}
}

func benchmarkFilter(b *testing.B, nodes int) {
	b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
		fleet, pod := workload.Fleet(nodes, 1), workload.Pod()
		theirs, theirPod := coreFleet(fleet), coreTolerations(pod)
		m, distinct := match.Compile(pod), groups(theirs)
		snapshot, answer := indexed(fleet).Snapshot(), new(fleetindex.Answer[uint64])
		counts{
			"kubernetes":  filterKubernetes(theirs, theirPod),
			"handwritten": filterHandwritten(theirs, theirPod),
			"armada":      filterArmada(distinct, theirPod),
			"kube":        filterKube(theirs, theirPod),
			"tolerate":    filterPlain(fleet, pod),
			"compiled":    filterCompiled(fleet, m),
			"index":       filterIndex(snapshot, answer, pod),
		}.same(b, nodes)
		workload.RunNodes(b, "impl=kubernetes", nodes, func() int { return filterKubernetes(theirs, theirPod) })
		workload.RunNodes(b, "impl=handwritten", nodes, func() int { return filterHandwritten(theirs, theirPod) })
		workload.RunNodes(b, "impl=armada", nodes, func() int { return filterArmada(distinct, theirPod) })
		workload.RunNodes(b, "impl=kube", nodes, func() int { return filterKube(theirs, theirPod) })
		workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterPlain(fleet, pod) })
		workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterCompiled(fleet, m) })
		workload.RunNodes(b, "impl=floor", nodes, func() int { return filterFloor(fleet) })
		workload.RunNodes(b, "impl=tolerate-index", nodes, func() int { return filterIndex(snapshot, answer, pod) })
	})
}

// BenchmarkFilterCordoned is BenchmarkFilter where every fiftieth node is
// cordoned. Kubernetes' loop does what its plugin NodeUnschedulable does: a pod
// must tolerate the taint of a cordon.
func BenchmarkFilterCordoned(b *testing.B) {
	const nodes = 5000
	b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
		pod := workload.Pod()
		theirPod, m := coreTolerations(pod), match.Compile(pod)
		fleet := make([]match.Node, nodes)
		theirs := make([]cordonable, nodes)
		for i, taints := range workload.Fleet(nodes, 1) {
			fleet[i] = match.Node{Taints: taints, Unschedulable: i%50 == 0}
			theirs[i] = cordonable{coreTaints(taints), i%50 == 0}
		}
		cordon := coreTaints(taint.List{match.CordonTaint()})[0]
		counts{
			"kubernetes":  cordonedKubernetes(theirs, cordon, theirPod),
			"handwritten": cordonedHandwritten(theirs, cordon, theirPod),
			"tolerate":    filterNodes(fleet, pod),
			"compiled":    filterNodesCompiled(fleet, m),
		}.same(b, nodes)
		workload.RunNodes(b, "impl=kubernetes", nodes, func() int { return cordonedKubernetes(theirs, cordon, theirPod) })
		workload.RunNodes(b, "impl=handwritten", nodes, func() int { return cordonedHandwritten(theirs, cordon, theirPod) })
		workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterNodes(fleet, pod) })
		workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterNodesCompiled(fleet, m) })
	})
}

// A cordonable has the fields of a node's spec that matching depends on.
type cordonable struct {
	taints        []corev1.Taint
	unschedulable bool
}

func cordonedKubernetes(fleet []cordonable, cordon corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, n := range fleet {
		if n.unschedulable && !v1helper.TolerationsTolerateTaint(quiet, pod, &cordon, comparisonOperators) {
			continue
		}
		_, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, n.taints, pod,
			helper.DoNotScheduleTaintsFilterFunc(), comparisonOperators)
		if !untolerated {
			schedulable++
		}
	}
	return schedulable
}

func cordonedHandwritten(fleet []cordonable, cordon corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for i := range fleet {
		n := &fleet[i]
		if n.unschedulable && !toleratedHandwritten(&cordon, pod) {
			continue
		}
		if schedulableHandwritten(n.taints, pod) {
			schedulable++
		}
	}
	return schedulable
}

// BenchmarkTolerations is BenchmarkFilter for 5,000 nodes, by the number of the
// pod's tolerations: half of them for pools of the fleet, and half for keys that
// no node has.
func BenchmarkTolerations(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	theirs := coreFleet(fleet)
	var pod toleration.List
	for n := 1; n <= 128; n *= 2 {
		for i := len(pod); i < n; i++ {
			text := fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", i/2)
			if i%2 == 1 {
				text = fmt.Sprintf("example.com/key-%d:NoSchedule op=Exists", i/2)
			}
			pod = append(pod, toleration.MustParse(text))
		}
		b.Run(fmt.Sprintf("tolerations=%d", n), func(b *testing.B) {
			theirPod, m := coreTolerations(pod), match.Compile(pod)
			counts{
				"kubernetes":  filterKubernetes(theirs, theirPod),
				"handwritten": filterHandwritten(theirs, theirPod),
				"tolerate":    filterPlain(fleet, pod),
				"compiled":    filterCompiled(fleet, m),
			}.same(b, nodes)
			workload.RunNodes(b, "impl=kubernetes", nodes, func() int { return filterKubernetes(theirs, theirPod) })
			workload.RunNodes(b, "impl=handwritten", nodes, func() int { return filterHandwritten(theirs, theirPod) })
			workload.RunNodes(b, "impl=tolerate", nodes, func() int { return filterPlain(fleet, pod) })
			workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return filterCompiled(fleet, m) })
		})
	}
}
