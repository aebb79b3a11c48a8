package objects

import (
	"iter"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// Eviction implements processPodOnNode. It returns what is scheduled for the pod now
// (zero times if nothing is), and whether this has changed.
func Eviction(created, fires, now time.Time, taints []corev1.Taint, tolerations []corev1.Toleration) (createdNow, firesNow time.Time, changed bool) {
	list, _ := kube.Taints(taints)
	_, ours := Tolerations(tolerations)
	is, c := eviction.Reevaluate(eviction.State{Deadline: fires, Start: created}, list, now, toleration.First, ours)
	if c.Decision.Kind() == eviction.Due {
		return now, now, true
	}
	return is.Start, is.Deadline, c.Kind != eviction.Unchanged
}

func pick(list iter.Seq2[int, taint.Taint], effect taint.Effect) (out []*corev1.Taint) {
	for _, t := range list {
		if t.Effect() == effect {
			out = append(out, &corev1.Taint{Key: t.Key(), Effect: corev1.TaintEffect(effect.String())})
		}
	}
	return out
}

// TaintChange implements doNoScheduleTaintingPass and processTaintBaseEviction: the taints
// of the effect to add to the node and to remove. waits reports whether a taint waits for
// the rate of the zone.
func TaintChange(n *corev1.Node, effect taint.Effect, conditions ...corev1.NodeCondition) (add, remove []*corev1.Taint, waits bool) {
	in := condition.NodeStatus{Unschedulable: n.Spec.Unschedulable}
	in.Taints, _ = kube.Taints(n.Spec.Taints)
	for _, c := range conditions {
		in.Conditions = append(in.Conditions, condition.Condition{Type: string(c.Type), Status: string(c.Status)})
	}
	_, c := condition.Reconcile(in, condition.Options{})
	_, waits = c.Waiting()
	return pick(c.Added(), effect), pick(c.Removed(), effect), waits
}
