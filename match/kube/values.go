package kube

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube/internal/convert"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Taint returns the value of t. The time added loses its fraction of a second and
// its zone, as in the API's JSON; the zero time is an absent one. The error is
// [validate.Problems] with the paths key, value, effect and timeAdded, and the
// result is then the zero Taint.
func Taint(t *corev1.Taint) (taint.Taint, error) {
	v, ps := newTaint(t)
	return v, convert.In("kube.Taint", ps)
}

// Taints returns the values of a node's taints. It returns nil for nil, and an
// empty list for an empty one.
//
// The error is [validate.Problems] with every problem of every taint, and paths
// such as spec.taints[2].key. The zero Taint, which repels all pods, then
// takes the place of each invalid taint. A repeated key and effect is not an error
// here: see [taint.List.Validate].
func Taints(taints []corev1.Taint) (taint.List, error) {
	list, ps := convert.Values(taints, "spec.taints", newTaint)
	return list, ps.Err()
}

// Node returns the value of a node: its taints as [Taints] returns them, and
// whether it is cordoned. It panics if n is nil.
func Node(n *corev1.Node) (match.Node, error) {
	taints, err := Taints(n.Spec.Taints)
	return match.Node{Taints: taints, Unschedulable: n.Spec.Unschedulable}, err
}

// Toleration returns the value of u. The error is [validate.Problems] with the
// paths key, operator, value, effect and tolerationSeconds, and the result is then
// the zero Toleration.
func Toleration(u *corev1.Toleration) (toleration.Toleration, error) {
	v, ps := newToleration(u)
	return v, convert.In("kube.Toleration", ps)
}

// Tolerations returns the values of a pod's tolerations. It returns nil for nil,
// and an empty list for an empty one.
//
// The error is [validate.Problems] with every problem of every toleration, and
// paths such as spec.tolerations[2].key. The zero Toleration, which matches
// nothing, then takes the place of each invalid toleration.
func Tolerations(tolerations []corev1.Toleration) (toleration.List, error) {
	list, ps := convert.Values(tolerations, "spec.tolerations", newToleration)
	return list, ps.Err()
}

// Pod returns the values of a pod's tolerations as [Tolerations] does. It panics
// if p is nil.
func Pod(p *corev1.Pod) (toleration.List, error) { return Tolerations(p.Spec.Tolerations) }

// CoreTaints returns the taints as the API's structs, with times in UTC. It returns nil
// for nil, and an empty slice for an empty list. For the zero Taint it returns a
// NoSchedule taint without a key, which Kubernetes rejects; its functions match only
// tolerations without a key with it, and this package none.
func CoreTaints(taints taint.List) []corev1.Taint { return convert.Structs(taints, coreTaint) }

func coreTaint(t taint.Taint) corev1.Taint {
	if t.IsZero() {
		return corev1.Taint{Effect: corev1.TaintEffectNoSchedule}
	}
	c := corev1.Taint{Key: t.Key(), Value: t.Value(), Effect: corev1.TaintEffect(t.Effect().String())}
	if added := t.TimeAdded(); !added.IsZero() {
		c.TimeAdded = &metav1.Time{Time: added}
	}
	return c
}

// CoreTolerations returns the tolerations as the API's structs. It returns nil for
// nil, and an empty slice for an empty list. For the zero Toleration it returns one with
// an invalid key, which Kubernetes rejects and which matches no valid taint; in
// Kubernetes, the zero struct matches every taint without a value.
func CoreTolerations(tolerations toleration.List) []corev1.Toleration {
	return convert.Structs(tolerations, coreToleration)
}

func coreToleration(u toleration.Toleration) corev1.Toleration {
	if u.IsZero() {
		return corev1.Toleration{Key: "(invalid toleration)"}
	}
	c := corev1.Toleration{
		Key:      u.Key(),
		Operator: corev1.TolerationOperator(u.Operator().String()),
		Value:    u.Value(),
		Effect:   corev1.TaintEffect(u.Effect().String()),
	}
	if n, ok := u.Seconds(); ok {
		seconds := n // only this branch allocates
		c.TolerationSeconds = &seconds
	}
	return c
}

func newTaint(t *corev1.Taint) (taint.Taint, validate.Problems) {
	v, err := taint.From(t.Key, t.Value, t.Effect)
	if t.TimeAdded == nil {
		return v, convert.Problems(err)
	}
	if err == nil {
		v, err = v.WithTimeAdded(t.TimeAdded.Time)
		return v, convert.Problems(err)
	}
	_, late := anyTaint.WithTimeAdded(t.TimeAdded.Time)
	return taint.Taint{}, append(convert.Problems(err), convert.Problems(late)...)
}

// anyTaint is used to validate the time added of a taint that is invalid otherwise.
var anyTaint = taint.MustParse("a:NoSchedule")

func newToleration(u *corev1.Toleration) (toleration.Toleration, validate.Problems) {
	v, err := toleration.From(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
	return v, convert.Problems(err)
}
