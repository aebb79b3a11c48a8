// Package adapt takes taints and tolerations out of Kubernetes' API types and
// puts them back. Nothing is lost either way, and what is wrong is told with the
// path of the field to change, such as spec.taints[2].key.
//
// It is small enough to copy. [Nodes] shows the steady state of a program that
// watches a cluster: convert what changes, never what is asked about.
package adapt

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Taint returns the taint, and its time added without the fraction of a second
// that the API's JSON does not hold either.
func Taint(t *corev1.Taint) (taint.Taint, error) {
	v, err := taint.From(t.Key, t.Value, t.Effect)
	if err != nil || t.TimeAdded == nil {
		return v, err
	}
	return v.WithTimeAdded(t.TimeAdded.Time)
}

// Taints returns a node's taints, or all that is wrong with them.
func Taints(list []corev1.Taint) ([]taint.Taint, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var ps validate.Problems
	taints := make([]taint.Taint, len(list))
	for i := range list {
		var err error
		taints[i], err = Taint(&list[i])
		ps = validate.Append(ps, validate.Index("spec.taints", i), err)
	}
	if ps != nil {
		return nil, ps
	}
	return taints, nil
}

// Toleration returns the toleration.
func Toleration(u *corev1.Toleration) (toleration.Toleration, error) {
	return toleration.From(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
}

// Tolerations returns a pod's tolerations, or all that is wrong with them.
func Tolerations(list []corev1.Toleration) ([]toleration.Toleration, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var ps validate.Problems
	tolerations := make([]toleration.Toleration, len(list))
	for i := range list {
		var err error
		tolerations[i], err = Toleration(&list[i])
		ps = validate.Append(ps, validate.Index("spec.tolerations", i), err)
	}
	if ps != nil {
		return nil, ps
	}
	return tolerations, nil
}

// Node returns what the node says about the pods it takes.
func Node(n *corev1.Node) (match.Node, error) {
	taints, err := Taints(n.Spec.Taints)
	if err != nil {
		return match.Node{}, err
	}
	return match.Node{Taints: taints, Unschedulable: n.Spec.Unschedulable}, nil
}

// Pod returns the pod's tolerations.
func Pod(p *corev1.Pod) ([]toleration.Toleration, error) { return Tolerations(p.Spec.Tolerations) }

// CoreTaint returns t as the API has it.
func CoreTaint(t taint.Taint) corev1.Taint {
	c := corev1.Taint{Key: t.Key(), Value: t.Value(), Effect: corev1.TaintEffect(t.Effect().String())}
	if added := t.TimeAdded(); !added.IsZero() {
		c.TimeAdded = &metav1.Time{Time: added}
	}
	return c
}

// CoreToleration returns u as the API has it.
func CoreToleration(u toleration.Toleration) corev1.Toleration {
	c := corev1.Toleration{
		Key:      u.Key(),
		Operator: corev1.TolerationOperator(u.Operator().String()),
		Value:    u.Value(),
		Effect:   corev1.TaintEffect(u.Effect().String()),
	}
	if seconds, ok := u.Seconds(); ok {
		c.TolerationSeconds = &seconds
	}
	return c
}

// CoreTaints returns the list as the API has it; nil for an empty one.
func CoreTaints(taints []taint.Taint) []corev1.Taint {
	var list []corev1.Taint
	for _, t := range taints {
		list = append(list, CoreTaint(t))
	}
	return list
}

// CoreTolerations returns the list as the API has it; nil for an empty one.
func CoreTolerations(tolerations []toleration.Toleration) []corev1.Toleration {
	var list []corev1.Toleration
	for _, u := range tolerations {
		list = append(list, CoreToleration(u))
	}
	return list
}
