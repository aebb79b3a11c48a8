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

// Taint returns the value of t. A zero time is an absent one.
func Taint(t *corev1.Taint) (taint.Taint, error) {
	v, ps := newTaint(t)
	return v, convert.In("kube.Taint", ps)
}

// ParseTaint returns the taint with this text, "key=value:Effect" or "key:Effect", as
// [taint.Parse] does, whose error it returns, a [validate.Problems]. The taint is then that
// of [CoreTaints] for the zero Taint: without a key, with NoSchedule. It repels all pods; in
// Kubernetes, all that do not tolerate every key.
func ParseTaint(text string) (corev1.Taint, error) {
	t, err := taint.Parse(text)
	return coreTaint(t), err
}

// Taints returns the values of a node's taints, with the zero Taint for each invalid one.
// A repeated key and effect is not an error: see [taint.List.Validate].
func Taints(taints []corev1.Taint) (taint.List, error) {
	list, ps := convert.Values(taints, "spec.taints", newTaint)
	return list, ps.Err()
}

// Node returns the value of a node: its taints, as [Taints] does, and whether it is
// cordoned.
func Node(n *corev1.Node) (match.Node, error) {
	taints, err := Taints(n.Spec.Taints)
	return match.Node{Taints: taints, Unschedulable: n.Spec.Unschedulable}, err
}

// Tolerations returns the values of a pod's tolerations, with the zero Toleration for
// each invalid one.
func Tolerations(tolerations []corev1.Toleration) (toleration.List, error) {
	list, ps := convert.Values(tolerations, "spec.tolerations", newToleration)
	return list, ps.Err()
}

// Pod returns the values of a pod's tolerations, as [Tolerations] does.
func Pod(p *corev1.Pod) (toleration.List, error) { return Tolerations(p.Spec.Tolerations) }

// CoreTaints returns the taints as structs. The zero Taint is one without a key, which
// Kubernetes rejects.
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

// CoreTolerations returns the tolerations as structs. The zero Toleration is one with an
// unknown operator, which Kubernetes rejects, and which matches no taint.
func CoreTolerations(tolerations toleration.List) []corev1.Toleration {
	return convert.Structs(tolerations, coreToleration)
}

func coreToleration(u toleration.Toleration) corev1.Toleration {
	if u.IsZero() {
		return corev1.Toleration{Key: "(invalid toleration)", Operator: "(invalid)"}
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
