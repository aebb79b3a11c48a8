package kubernetes_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/go-tolerate/tolerate/validate"
)

// The texts of the causes are the same as in Kubernetes.
func TestCause_text(t *testing.T) {
	for rule, want := range map[validate.Rule]metav1.CauseType{
		validate.EffectMissing: metav1.CauseTypeFieldValueRequired,
		validate.InvalidKey:    metav1.CauseTypeFieldValueInvalid,
		validate.WrongType:     metav1.CauseTypeTypeInvalid,
		validate.NameUnknown:   metav1.CauseTypeFieldValueNotSupported,
		validate.Duplicate:     metav1.CauseTypeFieldValueDuplicate,
		validate.NotAllowed:    metav1.CauseTypeForbidden,
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
func (m *mapper) sameCauses(errs field.ErrorList, ps validate.Problems) string {
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
			if ours != cause {
				return fmt.Sprintf("%s: Kubernetes %s, ours %s\n%v\n%v", path, cause, ours, errs.ToAggregate(), ps)
			}
		}
	}
	return ""
}
