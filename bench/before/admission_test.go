package before_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	oldtoleration "github.com/go-tolerate/before/toleration"
	oldadmission "github.com/go-tolerate/before/toleration/admission"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

var oldClasses = map[string]oldadmission.QOS{"": 0, "BestEffort": 1, "Burstable": 2, "Guaranteed": 3}

func oldPod(p admission.PodSpec) oldadmission.PodSpec {
	return oldadmission.PodSpec{
		Tolerations: oldTolerations(p.Tolerations), QOS: oldClasses[p.QOS], Resources: p.Resources,
		RuntimeClassName: p.RuntimeClassName, RuntimeClass: oldTolerations(p.RuntimeClass),
	}
}

func oldPlan(p admission.Plan) oldadmission.Plan {
	return oldadmission.Plan{
		Seconds:     oldadmission.SecondsOptions(p.Seconds),
		Restriction: oldadmission.Restriction{Defaults: oldTolerations(p.Restriction.Defaults), Whitelist: oldTolerations(p.Restriction.Whitelist)},
	}
}

// samePlan compares OnCreate and OnUpdate.
func samePlan(t interface {
	Helper()
	Fatalf(string, ...any)
}, plan admission.Plan, pod admission.PodSpec) {
	old, oldPod := oldPlan(plan), oldPod(pod)
	added, err := plan.OnCreate(pod)
	want, oldErr := old.OnCreate(oldPod)
	same(t, "OnCreate", []any{added == nil, added, err}, []any{want == nil, want, oldErr})
	added, err = plan.OnUpdate(pod)
	want, oldErr = old.OnUpdate(oldPod)
	same(t, "OnUpdate", []any{added == nil, added, err}, []any{want == nil, want, oldErr})
}

func TestAdmission(t *testing.T) {
	lists := rapid.OneOf(gen.TolerationsAndZeros(), gen.ListOf[toleration.List](gen.TolerationOrZero(), 30, 40))
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a.io/gpu", "b.io/x", "cpu", "x.kubernetes.io/y", "a/b/c", "k"}), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1, 600).Draw(t, "seconds")
		plan := admission.Plan{
			Seconds:     admission.SecondsOptions{NotReady: &n, UnreachableOff: rapid.Bool().Draw(t, "off")},
			Restriction: admission.Restriction{Defaults: lists.Draw(t, "defaults")},
		}
		if rapid.Bool().Draw(t, "refuses") {
			plan.Restriction.Whitelist = lists.Draw(t, "whitelist")
		}
		pod := admission.PodSpec{
			Tolerations: lists.Draw(t, "pod"), QOS: rapid.SampledFrom([]string{"", "BestEffort", "Burstable", "Guaranteed"}).Draw(t, "class"),
			Resources: names.Draw(t, "resources"), RuntimeClass: lists.Draw(t, "runtime class"),
		}
		samePlan(t, plan, pod)
		same(t, "DefaultSeconds", admission.DefaultSeconds(plan.Seconds, pod.Tolerations), oldadmission.DefaultSeconds(oldPlan(plan).Seconds, oldTolerations(pod.Tolerations)))
		opts := admission.DaemonOptions{HostNetwork: rapid.Bool().Draw(t, "network"), Critical: rapid.Bool().Draw(t, "critical")}
		same(t, "Daemon", admission.Daemon(opts, pod.Tolerations, pod.RuntimeClass), oldadmission.Daemon(oldadmission.DaemonOptions(opts), oldTolerations(pod.Tolerations), oldTolerations(pod.RuntimeClass)))
		taint := gen.TaintOrZero().Draw(t, "taint")
		same(t, "Dedicate", admission.Dedicate(taint), oldadmission.Dedicate(oldTaint(taint)))
	})
	for _, in := range hostile() {
		reversed := slices.Clone(in.tolerations)
		slices.Reverse(reversed)
		plan := admission.Plan{Restriction: admission.Restriction{Defaults: in.tolerations, Whitelist: in.tolerations}}
		pod := admission.PodSpec{Tolerations: reversed, RuntimeClass: in.tolerations}
		for _, u := range in.taints {
			pod.Resources = append(pod.Resources, "a.io/"+u.Key())
		}
		bounded(t, in.name+" OnCreate", 512<<20, func() { _, _ = plan.OnCreate(pod) })
		plan.Restriction.Whitelist = toleration.List{toleration.MustParse("op=Exists")}
		bounded(t, in.name+" OnCreate, open", 512<<20, func() { _, _ = plan.OnCreate(pod) })
		samePlan(t, plan, pod)
	}
}

// Strict decoding and NumericOff are gone from both: List.Validate has NumericOff, and
// unknown fields are warnings.
func TestAdmissionDecode(t *testing.T) {
	parts := rapid.SampledFrom([]string{`{"key":"a"}`, `null`, `{"Key":"a","operator":"Exists"}`, `{"key":"a","key":null,"operator":"Exists"}`, `{"key":"-"}`, `{"key":"a","operator":"Gt","value":"5"}`, `7`})
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "null", "[]", "{}", "[", "x"}), rapid.Map(rapid.SliceOfN(parts, 0, 4), func(list []string) string {
		raw := []json.RawMessage{}
		for _, s := range list {
			raw = append(raw, json.RawMessage(s))
		}
		text, _ := json.Marshal(raw)
		return string(text)
	}))
	specs := rapid.SampledFrom([]string{`"x":1`, `"containers":[{"resources":{"requests":{"cpu":"1","a.io/x":"0"}}}]`, `"resources":{"limits":{"memory":"0"}}`, `"runtimeClassName":"k"`, `"runtimeClassName":4`, `"containers":7`, `"initContainers":[null]`})
	rapid.Check(t, func(t *rapid.T) {
		annotations := map[string]string{admission.DefaultsAnnotation: texts.Draw(t, "defaults")}
		if rapid.Bool().Draw(t, "whitelisted") {
			annotations[admission.WhitelistAnnotation] = texts.Draw(t, "whitelist")
		}
		cluster := toleration.List{toleration.MustParse("cluster")}
		r, err := admission.NamespaceRestriction(annotations, admission.Restriction{Whitelist: cluster}, "")
		old, oldErr := oldadmission.NamespaceRestriction(annotations, oldadmission.Restriction{Whitelist: oldTolerations(cluster)}, oldtoleration.ListOptions{})
		same(t, "NamespaceRestriction", []any{r, err}, []any{old, oldErr})

		status := rapid.SampledFrom([]string{`{}`, `null`, `{"qosClass":"Guaranteed"}`, `{"qosClass":"best"}`, `{"qosClass":1}`, `{"qosClass":""}`}).Draw(t, "status")
		list := texts.Draw(t, "tolerations")
		if list == "" {
			list = "null"
		}
		object := []byte(`{"spec":{"tolerations":` + list + `,` + specs.Draw(t, "spec") + `},"status":` + status + `}`)
		pod, warnings, err := admission.DecodePod(object, "template")
		want, oldWarnings, oldErr := oldadmission.DecodePod(object, oldtoleration.ListOptions{Path: "template"})
		same(t, "DecodePod", []any{pod, warnings, err}, []any{want, oldWarnings, oldErr})
	})
}
