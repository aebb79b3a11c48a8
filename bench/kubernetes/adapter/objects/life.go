package objects

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
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

// Lasting implements getMinTolerationTime. It returns for how long the taints are
// tolerated, each by one of the tolerations. The time is negative if there is no limit.
func Lasting(tolerations []corev1.Toleration) time.Duration {
	var taints []corev1.Taint
	var list []corev1.Toleration
	for i, t := range tolerations {
		key := fmt.Sprint("k", i)
		taints = append(taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		list = append(list, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, TolerationSeconds: t.TolerationSeconds, Effect: corev1.TaintEffectNoExecute})
	}
	seconds, class := kube.Seconds(taints, toleration.First, list)
	if class == match.Forever && len(tolerations) > 0 { // the controller does not call it without tolerations
		return -1
	}
	return time.Duration(seconds) * time.Second
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

// ParseEdits implements the parsing of kubectl's arguments. kubectl checks later
// whether one edit adds what another removes.
func ParseEdits(texts []string) (add, remove []corev1.Taint, err error) {
	var adding []string
	for _, text := range texts {
		e, err := taint.ParseEdit(text)
		switch {
		case err != nil:
			return nil, nil, err
		case e.IsRemoval():
			remove = append(remove, corev1.Taint{Key: e.Key(), Effect: corev1.TaintEffect(e.Effect().String())})
		default:
			adding = append(adding, text)
		}
	}
	edits, err := taint.ParseEdits(adding...)
	for _, e := range edits {
		add = append(add, kube.CoreTaints(taint.List{e.Taint()})...)
	}
	return add, remove, err
}

// Edit implements reorganizeTaints. It returns the node's taints after the edits, in
// kubectl's order, and the outcome that kubectl prints.
func Edit(before []corev1.Taint, overwrite bool, add, remove []corev1.Taint) ([]corev1.Taint, string, error) {
	var edits []taint.Edit
	adding, _ := kube.Taints(add)
	for _, t := range adding {
		edits = append(edits, taint.Add(t))
	}
	for _, t := range remove {
		e, _ := taint.ParseEdit(strings.TrimSuffix(t.Key+":"+string(t.Effect), ":") + "-")
		edits = append(edits, e)
	}
	list, _ := kube.Taints(before)
	after, err := taint.Apply(list, edits, taint.EditOptions{Overwrite: overwrite})
	if err != nil {
		return before, "untainted", err
	}
	kept := func(t taint.Taint) bool { return slices.Contains(list, t) }
	changed := slices.DeleteFunc(slices.Clone(after), kept)
	rest := slices.DeleteFunc(after, func(t taint.Taint) bool { return !kept(t) })
	outcome := "untainted"
	switch {
	case overwrite || len(add) > 0 && len(remove) > 0:
		outcome = "modified"
	case len(add) > 0:
		outcome = "tainted"
	}
	return append([]corev1.Taint{}, kube.CoreTaints(append(changed, rest...))...), outcome, nil
}

// Remove implements deleteTaint and, without an effect, deleteTaintsByKey.
func Remove(before []corev1.Taint, key string, effect corev1.TaintEffect) ([]corev1.Taint, bool) {
	after, _, err := Edit(before, false, nil, []corev1.Taint{{Key: key, Effect: effect}})
	return append([]corev1.Taint{}, after...), err == nil
}

// Present implements checkIfTaintsAlreadyExists. It returns the keys of the added
// taints that are already present.
func Present(before, add []corev1.Taint) string {
	_, _, err := Edit(before, false, add, nil)
	var ps validate.Problems
	var keys []string
	errors.As(err, &ps)
	for _, p := range ps {
		if e, _ := taint.ParseEdit(p.Value); p.Rule == validate.EditConflict {
			keys = append(keys, e.Key())
		}
	}
	return strings.Join(keys, ",")
}
