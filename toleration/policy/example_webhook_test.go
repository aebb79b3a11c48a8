package policy_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// admit returns why a webhook refuses the object of an AdmissionReview. An update can keep
// each toleration that the old object has, as it is; without an update, old is empty.
func admit(p policy.Policy, object, old string) error {
	pod, _, err := admission.DecodePod([]byte(object), "")
	if err != nil {
		return err
	}
	var kept toleration.List
	if old != "" {
		before, _, err := admission.DecodePod([]byte(old), "")
		if err != nil {
			return fmt.Errorf("the old object: %w", err)
		}
		kept = before.Tolerations
	}
	var refused []error
	for i, u := range pod.Tolerations {
		if v := p.Judge(u); !v.Allowed && !slices.Contains(kept, u) {
			refused = append(refused, fmt.Errorf("spec.tolerations[%d]: %v", i, v))
		}
	}
	return errors.Join(refused...)
}

func Example_webhook() {
	p, err := policy.Decode([]byte(`{
	  "allow": [{"taints": [{"operator": "Exists"}]}],
	  "deny": [{"name": "team-b", "taints": [{"key": "dedicated", "value": "team-b"}]}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	const one, two = `{"spec": {"tolerations": [{"key": "dedicated", "value": "team-b"}]}}`,
		`{"spec": {"tolerations": [{"key": "dedicated", "value": "team-b"}, {"key": "dedicated", "operator": "Exists"}]}}`
	fmt.Println(admit(p, one, ""))
	fmt.Println(admit(p, one, one))
	fmt.Println(admit(p, two, one))
	// Output:
	// spec.tolerations[0]: tolerates dedicated=team-b:NoSchedule, which clause "team-b" denies
	// <nil>
	// spec.tolerations[1]: tolerates dedicated=team-b:NoSchedule, which clause "team-b" denies
}
