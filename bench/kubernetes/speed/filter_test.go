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
// decides.
func schedulableHandwritten(taints []corev1.Taint, pod []corev1.Toleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectPreferNoSchedule && tolerationHandwritten(t, pod) < 0 {
			return false
		}
	}
	return true
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
	fleet, pod, compiled, doNotSchedule := coreFleet(c.Nodes), coreTolerations(c.Pod), match.Compile(c.Pod), plugins.DoNotScheduleTaintsFilterFunc()
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
	return []impl{
		{"kubernetes", count(func(i int) bool {
			_, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, fleet[i], pod, doNotSchedule, comparisonOperators)
			return !untolerated
		})},
		{"handwritten", count(func(i int) bool { return schedulableHandwritten(fleet[i], pod) })},
		{"tolerate-kube", count(func(i int) bool { return kube.Schedulable(fleet[i], pod) })},
		{"tolerate-helper", count(func(i int) bool {
			_, untolerated := helper.FindMatchingUntoleratedTaint(quiet, fleet[i], pod, doNotSchedule, comparisonOperators)
			return !untolerated
		})},
		{"tolerate", count(func(i int) bool { return match.Schedulable(c.Nodes[i], c.Pod) })},
		{"tolerate-compiled", count(func(i int) bool { return compiled.Schedulable(match.Node{Taints: c.Nodes[i]}) })},
		{"tolerate-filter", count(func(i int) bool { return match.Filter(c.Nodes[i], c.Pod).Schedulable() })},
	}
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
