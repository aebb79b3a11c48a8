package admission_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// FuzzRules searches, among the pods that TestRules/D_property draws, for one for which
// a rule and the reference differ.
func FuzzRules(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzPlan searches, among the pods that TestPlan/V9_property draws, for one for which
// a Plan and the reference differ.
func FuzzPlan(f *testing.F) {
	gen.Fuzz(f, planProperty)
}

// FuzzExtendedResources compares the predicate, and what is derived for keys, with
// regular expressions.
func FuzzExtendedResources(f *testing.F) {
	for _, name := range append(slices.Clone(resourceNames), strings.Repeat("p", 244)+"/x", strings.Repeat("p", 245)+"/x", "requests./x", "a.io/kubernetes.io") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := len(extendedResources([]string{name}, nil)) == 1
		if want := refExtended(name); got != want {
			t.Errorf("%q is extended: %v, want %v", name, got, want)
		}
		if got && !plain.Key(name) {
			t.Errorf("%q is extended, and no key", name)
		}
		if l := extendedResources([]string{name, name}, nil); (len(l) == 1) != got || got && l[0].Key() != name {
			t.Errorf("the resources %q get %v", name, l)
		}
	})
}

// folded reports whether encoding/json, which ignores the case of names, reads more
// fields from the objects of a list than those with exactly these names.
func folded(data []byte) bool {
	var objects []map[string]json.RawMessage
	if json.Unmarshal(data, &objects) != nil {
		return false
	}
	for _, o := range objects {
		for name := range o {
			for _, field := range []string{"key", "operator", "value", "effect", "tolerationSeconds"} {
				if name != field && strings.EqualFold(name, field) {
					return true
				}
			}
		}
	}
	return false
}

// FuzzNamespaceRestriction reads annotations, and admits a pod by them.
func FuzzNamespaceRestriction(f *testing.F) {
	f.Add(`[{"key":"a"}]`, `[{"operator":"Exists"}]`, "a:NoExecute for 5s\nb")
	f.Add(``, `null`, "op=Exists")
	f.Add(`[{"key":"a","operation":"x"},null]`, `[{"key":"a","operator":"Gt","value":"5"}]`, "a=6")
	f.Add(`[{"Key":"a","operator":"Exists"}]`, ``, "a")
	f.Add(`{"key":"a"}`, `[]x`, "")
	f.Fuzz(func(t *testing.T, defaults, whitelist, own string) {
		r, err := admission.NamespaceRestriction(map[string]string{
			admission.DefaultsAnnotation: defaults, admission.WhitelistAnnotation: whitelist,
		}, admission.Restriction{Defaults: list("cluster"), Whitelist: list("cluster")}, "")

		var want [2]toleration.List
		var problems []string
		loose := false
		for i, text := range []string{defaults, whitelist} {
			if text == "" {
				continue
			}
			path := "metadata.annotations[" + []string{admission.DefaultsAnnotation, admission.WhitelistAnnotation}[i] + "]"
			var err error
			if want[i], _, err = toleration.Decode([]byte(text), toleration.ListOptions{Path: path}); err != nil {
				problems = append(problems, err.Error())
			}
			loose = loose || folded([]byte(text))
		}
		if loose {
			problems = []string{"a name in other letters, whatever else there is"}
		}
		if len(problems) > 0 {
			checkNothing(t, r)
			if err == nil || !loose && err.Error() != strings.Join(problems, "\n") {
				t.Fatalf("NamespaceRestriction(%q, %q) = %v, %v; want %q", defaults, whitelist, r, err, problems)
			}
			return
		}
		if err != nil || !slices.Equal(r.Defaults, want[0]) || !slices.Equal(r.Whitelist, want[1]) {
			t.Fatalf("NamespaceRestriction(%q, %q) = %v, %v", defaults, whitelist, r, err)
		}
		var pod admission.PodSpec
		for line := range strings.Lines(own) {
			if u, err := toleration.Parse(strings.TrimSuffix(line, "\n")); err == nil {
				pod.Tolerations = append(pod.Tolerations, u)
			}
		}
		checkPlan(t, admission.Plan{Restriction: r}, pod)
	})
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

// checkStruct compares the result with a struct that encoding/json fills from the same
// text: a null or a repeat leaves earlier values of the struct unchanged.
func checkStruct(t *testing.T, text string, pod admission.PodSpec) {
	t.Helper()
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '"' }) {
		for _, field := range []string{"spec", "tolerations", "runtimeClassName"} {
			if name != field && strings.EqualFold(name, field) || strings.ContainsRune(name, '\\') {
				return // encoding/json can use this field, too
			}
		}
	}
	var read struct {
		Spec struct {
			Tolerations      json.RawMessage
			RuntimeClassName *string
		}
	}
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if read.Spec.Tolerations == nil {
		read.Spec.Tolerations = []byte("null")
	}
	list, _, err := toleration.Decode(read.Spec.Tolerations, toleration.ListOptions{})
	if err != nil || !slices.Equal(list, pod.Tolerations) {
		t.Errorf("%s: tolerations %v, a struct has %v, %v", text, pod.Tolerations, list, err)
	}
	if class := read.Spec.RuntimeClassName; class == nil && pod.RuntimeClassName != "" || class != nil && *class != pod.RuntimeClassName {
		t.Errorf("%s: runtime class %q, a struct has another", text, pod.RuntimeClassName)
	}
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
		checkStruct(t, text, pod)
		tolerations, _ := json.Marshal(at(document, "spec", "tolerations"))
		if want, _, err := toleration.Decode(tolerations, toleration.ListOptions{}); err != nil || !slices.Equal(pod.Tolerations, want) {
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

		plan := admission.Plan{Restriction: admission.Restriction{Defaults: list("op=Exists", "d=x:NoExecute for 5s")}}
		checkPlan(t, plan, pod)
	})
}
