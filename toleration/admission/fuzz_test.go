package admission_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// FuzzPlan searches, among the pods that TestPlan/V9_property draws, for one for which
// a Plan and the reference differ.
func FuzzPlan(f *testing.F) {
	gen.Fuzz(f, planProperty)
}

// at returns the value at a path in a document that encoding/json has read, or nil if
// there is none or a null.
func at(document any, names ...string) any {
	for _, name := range names {
		m, _ := document.(map[string]any)
		document = m[name]
	}
	return document
}

// FuzzDecodePod reads a pod and compares the result with a tree of the document. Then
// it admits the pod.
func FuzzDecodePod(f *testing.F) {
	f.Add(`{"spec":{"tolerations":[{"key":"a","operator":"Exists"}],"containers":[{"resources":{"requests":{"cpu":"1","a.io/gpu":"1"}}}]}}`)
	f.Add(`{"spec":{"initContainers":[{"resources":{"limits":{"memory":0.5}}},{}],"runtimeClassName":"x"},"status":{"qosClass":"Guaranteed"}}`)
	f.Add(`{"spec":{"resources":{"limits":{"memory":"0"}},"tolerations":null,"tolerations":[]}}`)
	f.Add(`{"spec":{"tolerations":[{"key":1},null,{"operator":"Exists","effect":"NoExecute","tolerationSeconds":-3}]}}`)
	f.Add(`{"spec":{"tolerations":[{"operator":"Exists"}]},"spec":null}`)
	f.Add(`{"spec":{"tolerations":[{"key":"a"}],"runtimeClassName":"x"},"spec":{"runtimeClassName":null}}`)
	f.Add(`{"Spec":{"tolerations":[{"operator":"Exists"}]},"spec":{"Tolerations":[{}],"tolerations":[{"key":"a","Key":7}],"RuntimeClassName":7},"Status":{}}`)
	f.Add(`null`)
	f.Add(`{"spec":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		pod, _, err := admission.DecodePod([]byte(text), "")
		if err != nil {
			if pod.Tolerations != nil || pod.QOS != "" || pod.Resources != nil || pod.RuntimeClassName != "" {
				t.Errorf("a Pod beside the error: %v", pod)
			}
			return
		}
		var document any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatalf("DecodePod accepts invalid JSON: %v", err)
		}
		tolerations, _ := json.Marshal(at(document, "spec", "tolerations"))
		if want, _, err := toleration.Decode(tolerations, toleration.DecodeOptions{}); err != nil || !slices.Equal(pod.Tolerations, want) {
			t.Errorf("tolerations %v, want %v, %v", pod.Tolerations, want, err)
		}
		if want, _ := at(document, "spec", "runtimeClassName").(string); pod.RuntimeClassName != want {
			t.Errorf("runtime class %q, want %q", pod.RuntimeClassName, want)
		}
		requested := map[string]bool{}
		for _, kind := range []string{"containers", "initContainers"} {
			containers, _ := at(document, "spec", kind).([]any)
			for _, c := range containers {
				for _, part := range []string{"requests", "limits"} {
					amounts, _ := at(c, "resources", part).(map[string]any)
					for name := range amounts {
						requested[name] = true
					}
				}
			}
		}
		if want := slices.Sorted(maps.Keys(requested)); !slices.Equal(pod.Resources, want) {
			t.Errorf("resources %q, want %q", pod.Resources, want)
		}
		if class, _ := at(document, "status", "qosClass").(string); pod.QOS == "" || class != "" && class != pod.QOS {
			t.Errorf("class %v, want %q", pod.QOS, class)
		}

		plan := admission.Plan{Restriction: admission.Restriction{Defaults: toleration.MustParseList("op=Exists,d=x:NoExecute for 5s")}}
		checkPlan(t, plan, pod)
	})
}
