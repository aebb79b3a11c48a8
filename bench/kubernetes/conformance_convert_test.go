package kubernetes_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// ourTaint converts the API's struct as a program would.
func ourTaint(t corev1.Taint) (taint.Taint, error) {
	u, err := taint.From(t.Key, t.Value, t.Effect)
	if err == nil && t.TimeAdded != nil {
		u, err = u.WithTimeAdded(t.TimeAdded.Time)
	}
	return u, err
}

func ourToleration(t corev1.Toleration) (toleration.Toleration, error) {
	return toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
}

// ourTaints returns the list with zero values for rejected taints, and all errors.
func ourTaints(list []corev1.Taint) (taint.List, validate.Problems) {
	return ourList(list, "spec.taints", ourTaint)
}

func ourTolerations(list []corev1.Toleration) (toleration.List, validate.Problems) {
	return ourList(list, "spec.tolerations", ourToleration)
}

func ourList[A, E any](list []A, path string, one func(A) (E, error)) (out []E, ps validate.Problems) {
	out = make([]E, len(list))
	for i, a := range list {
		var err error
		out[i], err = one(a)
		ps = problem.Append(ps, problem.Index(path, i), err)
	}
	return out, ps
}

// gated returns the library's lists, which must be valid; the tolerations have the gate applied (M9).
func gated(theirTaints []corev1.Taint, theirs []corev1.Toleration, gate bool) (taint.List, toleration.List) {
	taints, list := valid(ourTaints(theirTaints)), valid(ourTolerations(theirs))
	if !gate {
		list = list.WithoutNumeric()
	}
	return taints, list
}

// A decision is the input of both sides: the API's values, and the library's made from
// them.
type decision struct {
	theirTaints []corev1.Taint
	theirs      []corev1.Toleration
	taints      taint.List
	tolerations toleration.List
	gate        bool
}

// valid returns v, which the library must accept.
func valid[T any](v T, err error) T {
	if ps := problemsOf(err); len(ps) > 0 {
		panic(fmt.Sprint("the library rejects a valid value: ", ps))
	}
	return v
}

// decision makes valid lists. The library's have the gate applied (M9).
func (g *gen) decision() (d decision) {
	d.theirs, d.theirTaints = g.lists()
	d.gate = !g.in(4)
	d.taints, d.tolerations = gated(d.theirTaints, d.theirs, d.gate)
	return d
}

func (d decision) String() string {
	return fmt.Sprintf("taints %+v, tolerations %v, gate %v", d.theirTaints, theirText(d.theirs), d.gate)
}

// theirText prints tolerations with their seconds instead of a pointer.
func theirText(list []corev1.Toleration) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].String()
	}
	return out
}
