package policy_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
)

// A request holds the fields of an AdmissionReview's request that are read.
type request struct {
	UID, Operation    string
	Object, OldObject json.RawMessage
}

// answer returns the answer to an AdmissionReview of a pod that is created or updated. The
// server returns an error as an HTTP error, so with failurePolicy: Fail, the pod is refused.
func answer(p policy.Policy, review []byte) ([]byte, error) {
	var in struct{ Request request }
	if err := json.Unmarshal(review, &in); err != nil {
		return nil, err
	}
	err := judge(p, in.Request)
	response := map[string]any{"uid": in.Request.UID, "allowed": err == nil}
	if err != nil {
		response["status"] = map[string]string{"message": err.Error()}
	}
	return json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

// judge returns why the pod is refused: all reasons, or that it cannot be read. An update
// can keep each toleration that the old object has, as it is.
func judge(p policy.Policy, r request) error {
	pod, _, err := admission.DecodePod(r.Object, "")
	if err != nil {
		return err
	}
	kept := make(map[toleration.Toleration]bool)
	if r.Operation == "UPDATE" {
		old, _, err := admission.DecodePod(r.OldObject, "")
		if err != nil {
			return fmt.Errorf("the old object: %w", err)
		}
		for _, u := range old.Tolerations {
			kept[u] = true
		}
	}
	var refused []error
	for i, u := range pod.Tolerations {
		if v := p.Judge(u); !v.Allowed && !kept[u] {
			refused = append(refused, fmt.Errorf("spec.tolerations[%d]: %v", i, v))
		}
	}
	return errors.Join(refused...)
}

// This is the code of an admission webhook, without its server.
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
	for _, request := range []string{
		`"operation": "CREATE", "object": ` + one,
		`"operation": "UPDATE", "object": ` + one + `, "oldObject": ` + one,
		`"operation": "UPDATE", "object": ` + two + `, "oldObject": ` + one,
		`"operation": "UPDATE", "object": ` + one,
		`"operation": "CREATE", "object": {"spec": {"tolerations": [{"key": "-"}]}}`,
	} {
		out, err := answer(p, []byte(`{"request": {"uid": "1", `+request+`}}`))
		fmt.Printf("%s %v\n", out, err)
	}
	// Output:
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"message":"spec.tolerations[0]: tolerates dedicated=team-b:NoSchedule, which clause \"team-b\" denies"},"uid":"1"}} <nil>
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true,"uid":"1"}} <nil>
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"message":"spec.tolerations[1]: tolerates dedicated=team-b:NoSchedule, which clause \"team-b\" denies"},"uid":"1"}} <nil>
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"message":"the old object: must be JSON: unexpected end of JSON input"},"uid":"1"}} <nil>
	// {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"message":"spec.tolerations[0].key \"-\": the name must begin and end with a letter or digit"},"uid":"1"}} <nil>
}
