package speed

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/helper"
)

// schedulableHandwritten is the loop that an adopter has: it stops at the first taint that
// decides, knows cordons, and is inlined for nodes without taints.
func schedulableHandwritten(n *corev1.Node, pod []corev1.Toleration) bool {
	return len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable || taintedHandwritten(n, pod)
}

func taintedHandwritten(n *corev1.Node, pod []corev1.Toleration) bool {
	if n.Spec.Unschedulable && tolerationHandwritten(&cordonHandwritten, pod) < 0 {
		return false
	}
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		if t.Effect != corev1.TaintEffectPreferNoSchedule && tolerationHandwritten(t, pod) < 0 {
			return false
		}
	}
	return true
}

var cordonHandwritten = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// blockingHandwritten returns the taint that decides, as the same loop would.
func blockingHandwritten(n *corev1.Node, pod []corev1.Toleration) (corev1.Taint, bool) {
	if len(n.Spec.Taints) == 0 && !n.Spec.Unschedulable {
		return corev1.Taint{}, false
	}
	return taintHandwritten(n, pod)
}

func taintHandwritten(n *corev1.Node, pod []corev1.Toleration) (corev1.Taint, bool) {
	if n.Spec.Unschedulable && tolerationHandwritten(&cordonHandwritten, pod) < 0 {
		return cordonHandwritten, true
	}
	for i := range n.Spec.Taints {
		t := &n.Spec.Taints[i]
		if t.Effect != corev1.TaintEffectPreferNoSchedule && tolerationHandwritten(t, pod) < 0 {
			return *t, true
		}
	}
	return corev1.Taint{}, false
}

// tolerationHandwritten returns the first toleration that matches the taint, or -1.
func tolerationHandwritten(t *corev1.Taint, pod []corev1.Toleration) int {
	for i := range pod {
		u := &pod[i]
		if (u.Effect == "" || u.Effect == t.Effect) && (u.Key == "" || u.Key == t.Key) &&
			(u.Operator == corev1.TolerationOpExists || (u.Operator == corev1.TolerationOpEqual || u.Operator == "") && u.Value == t.Value) {
			return i
		}
	}
	return -1
}

// An impl counts the nodes on which the pod of a case can be scheduled.
type impl struct {
	name  string
	count func() int
}

func impls(c workload.Case) []impl {
	pod, compiled, doNotSchedule := coreTolerations(c.Pod), match.Compile(c.Pod), plugins.DoNotScheduleTaintsFilterFunc()
	fleet := make([]*corev1.Node, len(c.Nodes))
	for i, n := range c.Nodes {
		fleet[i] = &corev1.Node{Spec: corev1.NodeSpec{Taints: coreTaints(n.Taints), Unschedulable: n.Unschedulable}}
	}
	count := func(schedulable func(i int) bool) func() int {
		return func() (n int) {
			for i := range fleet {
				if schedulable(i) {
					n++
				}
			}
			return n
		}
	}
	var sink corev1.Taint
	all := []impl{
		{"kubernetes", count(func(i int) bool { // the plugins NodeUnschedulable and TaintToleration
			if fleet[i].Spec.Unschedulable && !v1helper.TolerationsTolerateTaint(quiet, pod, &cordonHandwritten, comparisonOperators) {
				return false
			}
			_, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, fleet[i].Spec.Taints, pod, doNotSchedule, comparisonOperators)
			return !untolerated
		})},
		{"handwritten", count(func(i int) bool { return schedulableHandwritten(fleet[i], pod) })},
		{"handwritten-taint", count(func(i int) bool {
			t, blocked := blockingHandwritten(fleet[i], pod)
			if blocked {
				sink = t
			}
			return !blocked
		})},
		{"tolerate-kube", count(func(i int) bool { return kube.SchedulableNode(fleet[i], pod) })},
		{"tolerate-blocking", count(func(i int) bool {
			t, blocked := kube.Blocking(fleet[i], pod)
			if blocked {
				sink = t
			}
			return !blocked
		})},
		{"tolerate-helper", count(func(i int) bool {
			if fleet[i].Spec.Unschedulable && !helper.TolerationsTolerateTaint(quiet, pod, &cordonHandwritten, comparisonOperators) {
				return false
			}
			_, untolerated := helper.FindMatchingUntoleratedTaint(quiet, fleet[i].Spec.Taints, pod, doNotSchedule, comparisonOperators)
			return !untolerated
		})},
		{"tolerate", count(func(i int) bool { return c.Nodes[i].Schedulable(c.Pod) })},
		{"tolerate-compiled", count(func(i int) bool { return compiled.Schedulable(c.Nodes[i]) })},
	}
	_ = sink
	return all
}

func TestSameSchedulable(t *testing.T) {
	for _, c := range workload.Cases() {
		all := impls(c)
		for _, im := range all[1:] {
			if got, want := im.count(), all[0].count(); got != want {
				t.Errorf("%s: %s finds %d nodes, Kubernetes %d", c.Name, im.name, got, want)
			}
		}
	}
}

// BenchmarkSchedulable counts the nodes on which a pod can be scheduled.
func BenchmarkSchedulable(b *testing.B) {
	for _, c := range workload.Cases() {
		for _, im := range impls(c) {
			workload.RunNodes(b, c.Name+"/impl="+im.name, len(c.Nodes), im.count)
		}
	}
}
