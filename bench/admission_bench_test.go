package bench_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// plainAdmit is what is usually written by hand: it compares fields, ignores
// covering, and checks no whitelist.
func plainAdmit(pod, defaults []plainToleration, burstable bool, devices []string, class []plainToleration) []plainToleration {
	out := append([]plainToleration(nil), pod...)
	for _, key := range []string{condition.NotReady, condition.Unreachable} {
		found := false
		for _, u := range out {
			if (u.key == key || u.key == "") && (u.effect == "NoExecute" || u.effect == "") {
				found = true
			}
		}
		if !found {
			seconds := int64(300)
			out = append(out, plainToleration{key: key, operator: "Exists", effect: "NoExecute", seconds: &seconds})
		}
	}
	add := func(u plainToleration) {
		for _, v := range out {
			if v.key == u.key && v.operator == u.operator && v.value == u.value && v.effect == u.effect {
				return
			}
		}
		out = append(out, u)
	}
	for _, u := range defaults {
		add(u)
	}
	if burstable {
		add(plainToleration{key: condition.MemoryPressure, operator: "Exists", effect: "NoSchedule"})
	}
	for _, name := range devices {
		add(plainToleration{key: name, operator: "Exists", effect: "NoSchedule"})
	}
	for _, u := range class {
		add(u)
	}
	return out[len(pod):]
}

func admit(plan *admission.Plan, pod *admission.PodSpec) toleration.List {
	added, _ := plan.OnCreate(*pod)
	return added
}

// BenchmarkAdmission admits one pod: without anything to add, with the default seconds
// alone, and with all additions, a namespace's defaults and whitelist among them.
func BenchmarkAdmission(b *testing.B) {
	restriction := admission.Restriction{
		Defaults:  tolerations("team=a:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 600s"),
		Whitelist: tolerations("node.kubernetes.io/not-ready op=Exists", "node.kubernetes.io/unreachable op=Exists", "node.kubernetes.io/memory-pressure op=Exists", "team op=Exists", "dedicated op=Exists", "example.com/gpu op=Exists", "sandbox op=Exists"),
	}
	for _, bb := range []struct {
		kind string
		plan admission.Plan
		pod  admission.PodSpec
	}{
		{"nothing", admission.Plan{}, admission.PodSpec{Tolerations: tolerations("dedicated=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 60s")}},
		{"seconds", admission.Plan{}, admission.PodSpec{Tolerations: tolerations("dedicated=gpu:NoSchedule")}},
		{"everything", admission.Plan{Restriction: restriction}, admission.PodSpec{
			Tolerations: tolerations("dedicated=gpu:NoSchedule", "team=b:NoSchedule"), QOS: admission.Burstable,
			Resources: []string{"cpu", "memory", "example.com/gpu"}, RuntimeClass: tolerations("sandbox:NoSchedule op=Exists"),
		}},
	} {
		var devices []string
		for _, name := range bb.pod.Resources {
			if strings.Contains(name, "/") {
				devices = append(devices, name)
			}
		}
		pod, defaults, class := plainTolerations(bb.pod.Tolerations), plainTolerations(bb.plan.Restriction.Defaults), plainTolerations(bb.pod.RuntimeClass)
		workload.Run(b, "kind="+bb.kind+"/impl=plain", func() []plainToleration {
			return plainAdmit(pod, defaults, bb.pod.QOS == admission.Burstable, devices, class)
		})
		workload.Run(b, "kind="+bb.kind+"/impl=tolerate", func() toleration.List { return admit(&bb.plan, &bb.pod) })
	}
}

// BenchmarkAdmissionMany admits a pod with many tolerations and a long list of
// defaults, none of which covers another: the worst case.
func BenchmarkAdmissionMany(b *testing.B) {
	for _, n := range []int{8, 64, 512} {
		var own, defaults toleration.List
		for i := range n {
			own = append(own, toleration.MustParse(fmt.Sprintf("k=%d:NoSchedule", i)))
			defaults = append(defaults, toleration.MustParse(fmt.Sprintf("k=%d:NoExecute", i)))
		}
		plan := admission.Plan{Restriction: admission.Restriction{Defaults: defaults}}
		pod := admission.PodSpec{Tolerations: own}
		workload.Run(b, fmt.Sprintf("n=%d/impl=tolerate", n), func() toleration.List { return admit(&plan, &pod) })
	}
}

func decodePod(object []byte) admission.PodSpec {
	pod, _, err := admission.DecodePod(object, "")
	if err != nil {
		panic(err)
	}
	return pod
}

// BenchmarkDecodePod decodes what a webhook reads before it admits.
func BenchmarkDecodePod(b *testing.B) {
	object := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-1","namespace":"research","labels":{"app":"train"}},"spec":{"containers":[{"name":"main","image":"example.com/train:1","resources":{"requests":{"cpu":"2","memory":"4Gi","example.com/gpu":"1"},"limits":{"memory":"4Gi","example.com/gpu":"1"}},"env":[{"name":"A","value":"1"}]},{"name":"side","image":"example.com/side:1","resources":{}}],"tolerations":[{"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}]}}`)
	pod := decodePod(object) // keeps the strings interned
	if len(pod.Tolerations) != 1 {
		b.Fatal(pod)
	}
	workload.Run(b, "impl=tolerate", func() admission.PodSpec { return decodePod(object) })
	runtime.KeepAlive(pod)
}
