package objects

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Taints returns the library's list, with the same indices and the times added.
// Invalid taints are zero.
func Taints(list []corev1.Taint) taint.List {
	out := make(taint.List, len(list))
	for i := range list {
		out[i] = Taint(&list[i])
		if at := list[i].TimeAdded; at != nil {
			if t, err := out[i].WithTimeAdded(at.Time); err == nil {
				out[i] = t
			}
		}
	}
	return out
}

// Eviction implements processPodOnNode. It returns what is scheduled for the pod now
// (zero times if nothing is), and whether this has changed.
func Eviction(created, fires, now time.Time, taints []corev1.Taint, tolerations []corev1.Toleration, gate bool) (createdNow, firesNow time.Time, changed bool) {
	is, c := eviction.Reevaluate(eviction.State{Deadline: fires, Start: created}, Taints(taints), now, toleration.First, Tolerations(tolerations, gate))
	if c.Decision.Kind() == eviction.Due {
		return now, now, true
	}
	return is.Start, is.Deadline, c.Kind != eviction.Unchanged
}

// Lasting implements getMinTolerationTime. It returns for how long the taints are
// tolerated, each by one of the tolerations. The time is negative if there is no limit.
func Lasting(tolerations []corev1.Toleration) time.Duration {
	if len(tolerations) == 0 {
		return 0 // the controller does not call it in this case
	}
	now := time.Unix(0, 0)
	var observed []eviction.Observed
	var list toleration.List
	for i, t := range tolerations {
		key := fmt.Sprint("k", i)
		observed = append(observed, eviction.Observed{Taint: taint.MustParse(key + ":NoExecute"), Since: now})
		u, _ := toleration.From(key, "Exists", "", "NoExecute", t.TolerationSeconds)
		list = append(list, u)
	}
	at, ok := eviction.Decide(observed, now, eviction.Options{}, list).Deadline()
	if !ok {
		return -1
	}
	return at.Sub(now)
}

func node(n *corev1.Node) condition.NodeStatus {
	out := condition.NodeStatus{Taints: Taints(n.Spec.Taints), Unschedulable: n.Spec.Unschedulable}
	for _, c := range n.Status.Conditions {
		out.Conditions = append(out.Conditions, condition.Condition{Type: string(c.Type), Status: string(c.Status)})
	}
	return out
}

func pick(list iter.Seq2[int, taint.Taint], effect taint.Effect) (out []*corev1.Taint) {
	for _, t := range list {
		if t.Effect() == effect {
			out = append(out, &corev1.Taint{Key: t.Key(), Effect: corev1.TaintEffect(effect.String())})
		}
	}
	return out
}

// NoScheduleChange implements doNoScheduleTaintingPass: the taints to add to the
// node and to remove.
func NoScheduleChange(n *corev1.Node) (add, remove []*corev1.Taint) {
	_, c := condition.Reconcile(node(n), condition.Options{})
	return pick(c.Added(), taint.NoSchedule), pick(c.Removed(), taint.NoSchedule)
}

// NoExecuteChange implements processTaintBaseEviction: the taints to add and to remove.
// waits reports whether a taint waits for the rate of the zone.
func NoExecuteChange(n *corev1.Node, ready corev1.ConditionStatus) (add, remove []*corev1.Taint, waits bool) {
	in := node(n)
	in.Conditions = []condition.Condition{{Type: "Ready", Status: string(ready)}}
	_, c := condition.Reconcile(in, condition.Options{})
	_, waits = c.Waiting()
	return pick(c.Added(), taint.NoExecute), pick(c.Removed(), taint.NoExecute), waits
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
	if err != nil {
		return nil, nil, err
	}
	for _, e := range edits {
		t := e.Taint()
		add = append(add, corev1.Taint{Key: t.Key(), Value: t.Value(), Effect: corev1.TaintEffect(t.Effect().String())})
	}
	return add, remove, nil
}

// Edit implements reorganizeTaints. It returns the node's taints after the edits, in
// kubectl's order, and the outcome that kubectl prints.
func Edit(before []corev1.Taint, overwrite bool, add, remove []corev1.Taint) ([]corev1.Taint, string, error) {
	edits := make([]taint.Edit, 0, len(add)+len(remove))
	for i := range add {
		edits = append(edits, taint.Add(Taint(&add[i])))
	}
	for _, t := range remove {
		edits = append(edits, removal(t.Key, t.Effect))
	}
	list := Taints(before)
	after, err := taint.Apply(list, edits, taint.EditOptions{Overwrite: overwrite})
	if err != nil {
		return before, "untainted", err
	}
	first, rest := []corev1.Taint{}, []corev1.Taint{}
	for _, t := range after {
		if i := slices.Index(list, t); i >= 0 {
			rest = append(rest, before[i])
			continue
		}
		u := corev1.Taint{Key: t.Key(), Value: t.Value(), Effect: corev1.TaintEffect(t.Effect().String())}
		if at := t.TimeAdded(); !at.IsZero() {
			u.TimeAdded = &metav1.Time{Time: at}
		}
		first = append(first, u)
	}
	outcome := "untainted"
	switch {
	case overwrite || len(add) > 0 && len(remove) > 0:
		outcome = "modified"
	case len(add) > 0:
		outcome = "tainted"
	}
	return append(first, rest...), outcome, nil
}

func removal(key string, effect corev1.TaintEffect) taint.Edit {
	e, _ := taint.ParseEdit(key + "-")
	if effect != "" {
		e, _ = taint.ParseEdit(key + ":" + string(effect) + "-")
	}
	return e
}

// Remove implements deleteTaint and, without an effect, deleteTaintsByKey.
func Remove(before []corev1.Taint, key string, effect corev1.TaintEffect) ([]corev1.Taint, bool) {
	after, _, err := Edit(before, false, nil, []corev1.Taint{{Key: key, Effect: effect}})
	if err != nil {
		return append([]corev1.Taint{}, before...), false
	}
	return after, true
}

// Present implements checkIfTaintsAlreadyExists. It returns the keys of the added
// taints that are already present.
func Present(before, add []corev1.Taint) string {
	_, _, err := Edit(before, false, add, nil)
	var ps validate.Problems
	var keys []string
	if errors.As(err, &ps) {
		for _, p := range ps {
			if e, _ := taint.ParseEdit(p.Value); p.Rule == validate.EditConflict {
				keys = append(keys, e.Key())
			}
		}
	}
	return strings.Join(keys, ",")
}
