// Package objects extends package adapter by functions with parameters of the API's
// structs. Where they are generic, these are the structs of any version of the API.
package objects

import (
	"errors"
	"iter"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// values returns the library's list. Invalid tolerations are zero.
func values[T any](list []T) toleration.List {
	ours, _ := kube.Tolerations(fields.As[corev1.Toleration](list))
	return ours
}

// Gated returns the tolerations as a scheduler matches them whose numeric operators are
// on or off.
func Gated(tolerations []corev1.Toleration, gate bool) []corev1.Toleration {
	if gate {
		return tolerations
	}
	return kube.WithoutNumeric(tolerations)
}

// CordonTolerated implements the plugin that repels pods from cordoned nodes.
// Another plugin evaluates the node's own taints.
func CordonTolerated(node *corev1.Node, tolerations []corev1.Toleration, gate bool) bool {
	cordoned := &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: node.Spec.Unschedulable}}
	return kube.SchedulableNode(cordoned, Gated(tolerations, gate))
}

// Covers implements isSuperset. An invalid toleration tolerates nothing, so every
// toleration covers it. Here only an equal one does, so that no whitelist accepts an
// invalid toleration.
func Covers[T any](a, b T) bool {
	ours := values([]T{a, b})
	if ours[1].IsZero() {
		return reflect.DeepEqual(a, b)
	}
	return cover.Covers(ours[0], ours[1])
}

// Allowed implements VerifyAgainstWhitelist: each toleration must be covered by one of
// the whitelist. An empty whitelist allows all.
func Allowed[T any](tolerations, whitelist []T) bool {
	return len(whitelist) == 0 || !slices.ContainsFunc(tolerations, func(t T) bool {
		return !slices.ContainsFunc(whitelist, func(w T) bool { return Covers(w, t) })
	})
}

// Merged implements MergeTolerations. Invalid tolerations are kept, so that validation
// reports them.
func Merged[T any](first, second []T) []T {
	a, b := values(first), values(second)
	merged, added := slices.Clone(first), cover.Merge(a, b)[len(a):]
	for i, u := range b {
		switch {
		case u.IsZero():
			merged = append(merged, second[i])
		case len(added) > 0 && u == added[0]:
			merged, added = append(merged, second[i]), added[1:]
		}
	}
	return merged
}

// TolerationErrors implements ValidateTolerations.
func TolerationErrors[T any](list []T, gate bool, path *field.Path) field.ErrorList {
	errs := field.ErrorList{}
	for i, t := range fields.As[corev1.Toleration](list) {
		u, err := toleration.From(t.Key, string(t.Operator), t.Value, string(t.Effect), t.TolerationSeconds)
		if err == nil && !gate {
			err = toleration.List{u}.Validate(nil, true)
		}
		errs = append(errs, problems(err, path.Index(i), "operator")...)
	}
	return errs
}

// TaintErrors implements validateNodeTaints.
func TaintErrors[T any](list []T, path *field.Path) field.ErrorList {
	errs := field.ErrorList{}
	ours, _ := kube.Taints(fields.As[corev1.Taint](list))
	for i, t := range fields.As[corev1.Taint](list) {
		_, err := taint.From(t.Key, t.Value, t.Effect)
		errs = append(errs, problems(err, path.Index(i), "value")...)
		if err == nil && slices.ContainsFunc(ours[:i], ours[i].SameKeyEffect) {
			errs = append(errs, field.Duplicate(path.Index(i), ours[i].String()))
		}
	}
	return errs
}

// problems returns the library's problems of one element, at the fields where Kubernetes
// reports them. Invalid characters of a value are reported at the field named value.
func problems(err error, path *field.Path, value string) (errs field.ErrorList) {
	var ps validate.Problems
	errors.As(err, &ps)
	for _, p := range ps {
		name := p.Path
		switch p.Rule {
		case validate.KeyMissing, validate.ExistsValue, validate.NumericOff:
			name = "operator"
		case validate.InvalidValue:
			name = value
		case validate.SecondsEffect:
			name = "effect"
		}
		detail := (&validate.Problem{Input: p.Value, Value: p.Value, Rule: p.Rule}).Error() // without the value
		errs = append(errs, &field.Error{Type: Cause(p.Rule), Field: path.Child(name).String(), BadValue: p.Value, Detail: detail})
	}
	return errs
}

// Cause returns the type of Kubernetes' error.
func Cause(r validate.Rule) field.ErrorType {
	switch r {
	case validate.EffectMissing, validate.ZeroValue:
		return field.ErrorTypeRequired
	case validate.WrongType:
		return field.ErrorTypeTypeInvalid
	case validate.NameUnknown, validate.NumericOff:
		return field.ErrorTypeNotSupported
	case validate.Duplicate:
		return field.ErrorTypeDuplicate
	case validate.NotAllowed:
		return field.ErrorTypeForbidden
	case validate.TooManyTaints:
		return field.ErrorTypeTooMany
	}
	return field.ErrorTypeInvalid
}

// Eviction implements processPodOnNode. It returns what is scheduled for the pod now
// (zero times if nothing is), and whether this has changed.
func Eviction(created, fires, now time.Time, taints []corev1.Taint, tolerations []corev1.Toleration) (createdNow, firesNow time.Time, changed bool) {
	list, _ := kube.Taints(taints)
	is, c := eviction.Reevaluate(eviction.State{Deadline: fires, Start: created}, list, now, toleration.First, values(tolerations))
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
