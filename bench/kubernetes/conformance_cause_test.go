package kubernetes_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// The texts of the causes are the same as in Kubernetes.
func TestCause_text(t *testing.T) {
	for rule, want := range map[validate.Rule]metav1.CauseType{
		validate.EffectMissing: metav1.CauseTypeFieldValueRequired,
		validate.KeyEmpty:      metav1.CauseTypeFieldValueInvalid,
		validate.NotList:       metav1.CauseTypeTypeInvalid,
		validate.NameUnknown:   metav1.CauseTypeFieldValueNotSupported,
		validate.Duplicate:     metav1.CauseTypeFieldValueDuplicate,
		validate.NotKept:       metav1.CauseTypeForbidden,
	} {
		if rule.Cause() != string(want) {
			t.Errorf("%v has the cause %q, want %q", rule, rule.Cause(), want)
		}
	}
}

// ourCauses returns the causes of the problems by their paths.
func ourCauses(ps validate.Problems) (map[string]field.ErrorType, error) {
	causes := map[string]field.ErrorType{}
	for _, p := range ps {
		cause := field.ErrorType(p.Rule.Cause())
		if other, ok := causes[p.Path]; ok && other != cause {
			return nil, fmt.Errorf("%s is %s as well as %w", p.Path, other, p)
		}
		causes[p.Path] = cause
	}
	return causes, nil
}

// sameCauses compares the causes at the paths where both sides report a problem. Other
// tests compare the paths.
func (m *mapper) sameCauses(errs field.ErrorList, ps validate.Problems, seen map[field.ErrorType]int) string {
	want, err := m.causes(errs)
	if err != nil {
		return err.Error()
	}
	got, err := ourCauses(ps)
	if err != nil {
		return err.Error()
	}
	for path, cause := range want {
		if ours, ok := got[path]; ok {
			seen[cause]++
			if ours != cause {
				return fmt.Sprintf("%s: Kubernetes %s, ours %s\n%v\n%v", path, cause, ours, errs.ToAggregate(), ps)
			}
		}
	}
	return ""
}

// If both sides report a problem, Rule.Cause is the type of Kubernetes' error.
func TestRule_Cause_V10(t *testing.T) {
	seen := map[field.ErrorType]int{}
	tolerations := newMapper(tolerationPlaces, "spec.tolerations", "spec.tolerations")
	taints := newMapper(taintPlaces, "metadata.taints", "spec.taints")
	conform(t, objects, func(g *gen) string {
		list := make([]corev1.Toleration, 1+g.IntN(3))
		for i := range list {
			list[i] = g.toleration()
			g.spoil(&list[i])
		}
		gate := !g.in(4)
		errs := validation.ValidateTolerations(internalTolerations(list), field.NewPath("spec", "tolerations"), validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: gate})
		ours, ps := ourTolerations(list)
		if len(ps) == 0 {
			ps = problemsOf(ours.Validate(toleration.ListOptions{NumericOff: !gate}))
		}
		if diff := tolerations.sameCauses(errs, ps, seen); diff != "" {
			return diff
		}

		node := make([]corev1.Taint, 1+g.IntN(3))
		for i := range node {
			node[i] = g.taint()
			if i > 0 && g.in(3) {
				node[i] = node[i-1]
			}
			if g.in(3) {
				g.spoilTaint(&node[i])
			}
		}
		errs = validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: internalTaints(node)}})
		ourNode, ps := ourTaints(node)
		if len(ps) == 0 {
			ps = problemsOf(ourNode.Validate(taint.ListOptions{}))
		}
		if diff := taints.sameCauses(errs, ps, seen); diff != "" {
			return diff
		}

		old, _ := g.lists()
		changed := g.rewrite(old)
		oldPod, newPod := validPod(old), validPod(changed)
		opts := podutil.GetValidationOptionsFromPodSpecAndMeta(&newPod.Spec, &oldPod.Spec, &newPod.ObjectMeta, &oldPod.ObjectMeta)
		before, _ := ourTolerations(old)
		after, wrong := ourTolerations(changed)
		if len(wrong) > 0 {
			return "" // such a list never becomes values, so there is nothing to update
		}
		ps = problemsOf(after.ValidateUpdate(before, toleration.ListOptions{NumericOff: !opts.AllowTaintTolerationComparisonOperators}))
		return tolerations.sameCauses(validation.ValidatePodUpdate(newPod, oldPod, opts), ps, seen)
	})
	want := []field.ErrorType{field.ErrorTypeDuplicate, field.ErrorTypeForbidden, field.ErrorTypeInvalid, field.ErrorTypeNotSupported, field.ErrorTypeRequired}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) && onlyCase < 0 {
		t.Errorf("the causes met are %v, want %v", got, want)
	}
}
