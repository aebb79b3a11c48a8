package admission_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

func seeds(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 64, 512, 4096} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
		f.Add(bytes.Repeat([]byte{byte(n)}, n))
	}
}

// FuzzRules searches, among the pods that TestProperty draws, for one that gets
// something else than the rules say.
func FuzzRules(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(property))
}

// FuzzPlan does so with the whole, among those that TestV9_property draws.
func FuzzPlan(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(planProperty))
}

// FuzzIsExtendedResource holds the predicate against regular expressions, and
// what it says of keys.
func FuzzIsExtendedResource(f *testing.F) {
	for _, name := range append(slices.Clone(resourceNames), strings.Repeat("p", 244)+"/x", strings.Repeat("p", 245)+"/x", "requests./x", "a.io/kubernetes.io") {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := admission.IsExtendedResource(name)
		if want := refExtended(name); got != want {
			t.Errorf("IsExtendedResource(%q) = %v, want %v", name, got, want)
		}
		if got && !plain.Key(name) {
			t.Errorf("%q is extended, and no key", name)
		}
		if l := admission.ExtendedResources([]string{name, name}); (len(l) == 1) != got || got && l[0].Key() != name {
			t.Errorf("ExtendedResources of %q = %v", name, l)
		}
	})
}

// folded reports whether encoding/json, which does not mind the case of names,
// reads more from the objects of a list than what stands under their very names.
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

// FuzzNamespace reads annotations, and admits a pod by them.
func FuzzNamespace(f *testing.F) {
	f.Add(`[{"key":"a"}]`, `[{"operator":"Exists"}]`, "a:NoExecute for 5s\nb", false, false)
	f.Add(``, `null`, "op=Exists", true, true)
	f.Add(`[{"key":"a","operation":"x"},null]`, `[{"key":"a","operator":"Gt","value":"5"}]`, "a=6", true, false)
	f.Add(`[{"Key":"a","operator":"Exists"}]`, ``, "a", false, false)
	f.Add(`{"key":"a"}`, `[]x`, "", false, true)
	f.Fuzz(func(t *testing.T, defaults, whitelist, own string, strict, numericOff bool) {
		opts := toleration.ListOptions{Strict: strict, NumericOff: numericOff}
		r, err := admission.NamespaceRestriction(map[string]string{
			admission.DefaultsAnnotation: defaults, admission.WhitelistAnnotation: whitelist,
		}, admission.Restriction{Defaults: list("cluster"), Whitelist: list("cluster")}, opts)

		var want [2][]toleration.Toleration
		var problems []string
		loose := false
		for i, text := range []string{defaults, whitelist} {
			if text == "" {
				continue
			}
			opts.Path = "metadata.annotations[" + []string{admission.DefaultsAnnotation, admission.WhitelistAnnotation}[i] + "]"
			var err error
			if want[i], err = toleration.DecodeList([]byte(text), opts); err != nil {
				problems = append(problems, err.Error())
			}
			loose = loose || folded([]byte(text))
		}
		if loose {
			problems = []string{"a name in other letters, whatever else there is"}
		}
		if len(problems) > 0 {
			if r.Defaults != nil || r.Whitelist != nil || err == nil || !loose && err.Error() != strings.Join(problems, "\n") {
				t.Fatalf("NamespaceRestriction(%q, %q) = %v, %v; want %q", defaults, whitelist, r, err, problems)
			}
			return
		}
		if err != nil || !slices.Equal(r.Defaults, want[0]) || !slices.Equal(r.Whitelist, want[1]) {
			t.Fatalf("NamespaceRestriction(%q, %q) = %v, %v", defaults, whitelist, r, err)
		}
		var pod admission.Pod
		for line := range strings.Lines(own) {
			if u, err := toleration.Parse(strings.TrimSuffix(line, "\n")); err == nil {
				pod.Tolerations = append(pod.Tolerations, u)
			}
		}
		checkPlan(t, admission.Plan{Restriction: r}, pod)
	})
}

// at returns what stands at a path in a document that encoding/json has read;
// nil where nothing does, or where a null does.
func at(document any, names ...string) any {
	for _, name := range names {
		m, _ := document.(map[string]any)
		document = m[name]
	}
	return document
}

// FuzzPod reads a pod, and holds what was read against a tree of the document;
// then it admits the pod and applies the patch.
func FuzzPod(f *testing.F) {
	f.Add(`{"spec":{"tolerations":[{"key":"a","operator":"Exists"}],"containers":[{"resources":{"requests":{"cpu":"1","a.io/gpu":"1"}}}]}}`)
	f.Add(`{"spec":{"initContainers":[{"resources":{"limits":{"memory":0.5}}},{}],"runtimeClassName":"x"},"status":{"qosClass":"Guaranteed"}}`)
	f.Add(`{"spec":{"resources":{"limits":{"memory":"0"}},"tolerations":null,"tolerations":[]}}`)
	f.Add(`{"spec":{"tolerations":[{"key":1},null,{"operator":"Exists","effect":"NoExecute","tolerationSeconds":-3}]}}`)
	f.Add(`null`)
	f.Add(`{"spec":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		pod, err := admission.DecodePod([]byte(text), toleration.ListOptions{})
		if err != nil {
			if pod.Tolerations != nil || pod.QOS != 0 || pod.Resources != nil || pod.RuntimeClassName != "" {
				t.Errorf("a Pod beside the error: %v", pod)
			}
			return
		}
		var document any
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatalf("DecodePod reads what is no JSON: %v", err)
		}
		tolerations, _ := json.Marshal(at(document, "spec", "tolerations"))
		if want, err := toleration.DecodeList(tolerations, toleration.ListOptions{}); err != nil || !slices.Equal(pod.Tolerations, want) {
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
		if class, _ := at(document, "status", "qosClass").(string); !pod.QOS.IsValid() || class != "" && class != pod.QOS.String() {
			t.Errorf("class %v, want %q", pod.QOS, class)
		}

		plan := admission.Plan{Restriction: admission.Restriction{Defaults: list("op=Exists", "d=x:NoExecute for 5s")}}
		checkPlan(t, plan, pod)
		added, err := plan.OnCreate(pod)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := at(document, "spec").(map[string]any); ok && len(added) > 0 {
			canonical, _ := json.Marshal(document) // each field once
			if got, want := apply(t, string(canonical), admission.Patch(pod.Tolerations, added)), slices.Concat(pod.Tolerations, added); !slices.Equal(got, want) {
				t.Errorf("patched: %v, want %v", got, want)
			}
		}
	})
}
