package kubernetes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The API server validates its internal structs.
func internalTolerations(list []corev1.Toleration) []core.Toleration {
	return fields.As[core.Toleration](list)
}

func internalTaints(list []corev1.Taint) []core.Taint { return fields.As[core.Taint](list) }

func problemsOf(err error) (ps validate.Problems) {
	errors.As(err, &ps)
	return ps
}

// This compares ValidateTolerations with both ways to make values: field by field, and
// from the list's JSON.
func TestValidateTolerations_V4_V5_V7_V8_V10_V11(t *testing.T) {
	t.Parallel()
	m := newMapper(tolerationPlaces, "spec.tolerations", "spec.tolerations")
	path := field.NewPath("spec", "tolerations")
	var valid share
	conform(t, 3*objects, func(g *gen) string {
		theirs := make([]corev1.Toleration, g.IntN(4))
		for i := range theirs {
			theirs[i] = g.toleration()
			if g.in(2) {
				g.spoil(&theirs[i])
			}
		}
		gate := !g.in(4)
		errs := validation.ValidateTolerations(internalTolerations(theirs), path, validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: gate})
		valid.count(len(errs) == 0)
		want, err := m.causes(errs)
		if err != nil {
			return err.Error()
		}

		data, err := json.Marshal(theirs)
		if err != nil {
			return err.Error()
		}
		decoded, _, derr := toleration.Decode(data, toleration.DecodeOptions{Strict: true, NumericOff: !gate})
		if (derr == nil) != (len(errs) == 0) {
			return fmt.Sprintf("%s: Kubernetes %v, ours %v", data, errs.ToAggregate(), derr)
		}
		known := problemsOf(derr)
		if !gate {
			known = withoutNumericValues(theirs, known)
		}
		if diff := sameCauses(want, known); diff != "" {
			return fmt.Sprintf("%s: %s\n%v\n%v", data, diff, errs.ToAggregate(), derr)
		}

		list, ps := ourTolerations(theirs)
		if len(ps) == 0 {
			ps = problemsOf(list.Validate(nil, !gate))
		}
		if (len(ps) == 0) != (derr == nil) || derr == nil && !slices.Equal(list, decoded) {
			return fmt.Sprintf("%s: by JSON %v %v, by field %v %v", data, decoded, derr, list, ps)
		}
		if gate {
			if diff := samePaths(ourPaths(problemsOf(derr)), ourPaths(ps)); diff != "" {
				return fmt.Sprintf("%s: by JSON %v, by field %v", data, derr, ps)
			}
		}
		return ""
	})
	valid.within(t, "are valid", 0.2, 0.8)
	if unmet := m.unmet("V9_removed"); len(unmet) > 0 && onlyCase < 0 {
		t.Errorf("no case met the lines %v of the mapping", unmet)
	}
}

// withoutNumericValues removes the problems with the value of Lt and Gt. With the gate off,
// Kubernetes rejects these operators without checking their value; we also report the
// value (V11-value).
func withoutNumericValues(theirs []corev1.Toleration, ps validate.Problems) validate.Problems {
	ps = slices.Clone(ps)
	for i, t := range theirs {
		if numeric(t) && !isInteger(t.Value) {
			path := problem.Index("spec.tolerations", i) + ".value"
			ps = slices.DeleteFunc(ps, func(p *validate.Problem) bool { return p.Path == path })
		}
	}
	return ps
}

// rewrite makes a pod's updated tolerations.
func (g *gen) rewrite(old []corev1.Toleration) []corev1.Toleration {
	changed := slices.Clone(old)
	for again := g.IntN(4); again > 0; again-- {
		i := 0
		if len(changed) > 0 {
			i = g.IntN(len(changed))
		}
		switch n := g.IntN(8); {
		case n == 0 || len(changed) == 0:
			changed = slices.Insert(changed, i, g.toleration())
		case n == 1:
			changed = slices.Delete(changed, i, i+1)
		case n == 2:
			g.Shuffle(len(changed), func(a, b int) { changed[a], changed[b] = changed[b], changed[a] })
		case n == 3:
			changed[i].TolerationSeconds = nil
		case n == 4 && changed[i].Effect == corev1.TaintEffectNoExecute:
			changed[i].TolerationSeconds = g.seconds()
		case n == 5 && changed[i].Operator == "":
			changed[i].Operator = corev1.TolerationOpEqual
		case n == 6:
			changed = append(changed, changed[i])
		case n == 7 && g.in(3):
			g.spoil(&changed[i])
		}
	}
	return changed
}

func TestValidatePodUpdate_V9_V11(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		m := newMapper(tolerationPlaces, "spec.tolerations", "spec.tolerations")
		var accepted, removed share
		conform(t, objects, func(g *gen) string {
			old, _ := g.lists()
			if g.in(2) && len(old) > 0 { // two that differ in seconds only
				twin := old[0]
				if twin.Effect == corev1.TaintEffectNoExecute {
					twin.TolerationSeconds = g.seconds()
				}
				old = append(old, twin)
			}
			changed := g.rewrite(old)
			errs := upstream.UpdateErrors(internalTolerations(old), internalTolerations(changed))
			want, err := m.causes(errs)
			if err != nil {
				return fmt.Sprintf("%v to %v: %v", theirText(old), theirText(changed), err)
			}
			accepted.count(len(errs) == 0)
			removed.count(want["spec.tolerations"] != "")

			oldOurs, ps := ourTolerations(old)
			newOurs, qs := ourTolerations(changed)
			if ps != nil {
				return fmt.Sprintf("the library rejects a valid value: %v", ps)
			}
			uerr := newOurs.Validate(oldOurs, !gate)
			if (qs == nil && uerr == nil) != (len(errs) == 0) {
				return fmt.Sprintf("%v to %v: Kubernetes %v, ours %v %v", theirText(old), theirText(changed), errs.ToAggregate(), uerr, qs)
			}
			if qs != nil {
				return "" // such a list never becomes values, so there is nothing to update
			}
			if diff := sameCauses(want, problemsOf(uerr)); diff != "" {
				return fmt.Sprintf("%v to %v: %s", theirText(old), theirText(changed), diff)
			}
			return ""
		})
		accepted.within(t, "are accepted", 0.2, 0.95)
		removed.within(t, "remove one", 0.05, 0.8)
	})
}

func TestValidateNode_V6_V8_V10(t *testing.T) {
	t.Parallel()
	m := newMapper(taintPlaces, "metadata.taints", "spec.taints")
	var valid, repeated share
	conform(t, 3*objects, func(g *gen) string {
		theirs := make([]corev1.Taint, g.IntN(6))
		for i := range theirs {
			theirs[i] = g.taint()
			if i > 0 && g.in(3) {
				theirs[i].Key = theirs[g.IntN(i)].Key
			}
			if g.in(8) {
				g.spoilTaint(&theirs[i])
			}
		}
		old := &core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "1"}}
		node := old.DeepCopy()
		node.Spec.Taints = internalTaints(theirs)
		errs := validation.ValidateNode(node)
		if update := validation.ValidateNodeUpdate(node, old); !slices.EqualFunc(errs, update, func(a, b *field.Error) bool {
			return strings.TrimPrefix(a.Field, "metadata.") == strings.TrimPrefix(b.Field, "metadata.")
		}) {
			return fmt.Sprintf("%v: created %v, updated %v", theirs, errs, update)
		}
		want, err := m.causes(errs)
		if err != nil {
			return err.Error()
		}
		valid.count(len(errs) == 0)
		repeated.count(slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Type == field.ErrorTypeDuplicate }))
		dropInvalidRepeats(theirs, want)

		data, err := json.Marshal(theirs)
		if err != nil {
			return err.Error()
		}
		decoded, _, derr := taint.Decode(data, taint.DecodeOptions{Strict: true})
		if (derr == nil) != (len(errs) == 0) {
			return fmt.Sprintf("%s: Kubernetes %v, ours %v", data, errs.ToAggregate(), derr)
		}
		if diff := sameCauses(want, problemsOf(derr)); diff != "" {
			return fmt.Sprintf("%s: %s\n%v\n%v", data, diff, errs.ToAggregate(), derr)
		}

		list, ps := ourTaints(theirs)
		if len(ps) == 0 {
			ps = problemsOf(list.Validate())
		}
		if (len(ps) == 0) != (derr == nil) || derr == nil && !slices.Equal(list, decoded) {
			return fmt.Sprintf("%s: by JSON %v %v, by field %v %v", data, decoded, derr, list, ps)
		}
		return ""
	})
	valid.within(t, "are valid", 0.1, 0.8)
	repeated.within(t, "repeat a key and effect", 0.1, 0.8)
	if unmet := m.unmet(); len(unmet) > 0 && onlyCase < 0 {
		t.Errorf("no case met the lines %v of the mapping", unmet)
	}
}

// dropInvalidRepeats removes from Kubernetes' paths the repeats of an invalid
// key or effect (V8-invalid-repeats).
func dropInvalidRepeats(theirs []corev1.Taint, want map[string]field.ErrorType) {
	for i, t := range theirs {
		if err := new(taint.Effect).UnmarshalText([]byte(t.Effect)); err != nil || t.Effect == "" || validate.Key(t.Key) != nil {
			delete(want, problem.Index("spec.taints", i))
		}
	}
}
