package bench_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

var sinkAdmitted []toleration.Toleration

// handAdmit is what is usually written by hand: it compares fields, knows no
// covering, and leaves the whitelist to somebody else.
func handAdmit(pod, defaults []plainToleration, burstable bool, devices []string, class []plainToleration) []plainToleration {
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

func admit(plan *admission.Plan, pod *admission.Pod) []toleration.Toleration {
	added, _ := plan.OnCreate(*pod)
	return added
}

func appendAdmit(dst []toleration.Toleration, plan *admission.Plan, pod *admission.Pod) []toleration.Toleration {
	all, _ := plan.AppendOnCreate(dst, *pod)
	return all
}

// One pod: nothing to add, the default seconds alone, and everything, with a
// namespace's defaults and whitelist.
func BenchmarkAdmission(b *testing.B) {
	restriction := admission.Restriction{
		Defaults:  tolerations("team=a:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 600s"),
		Whitelist: tolerations("node.kubernetes.io/not-ready op=Exists", "node.kubernetes.io/unreachable op=Exists", "node.kubernetes.io/memory-pressure op=Exists", "team op=Exists", "dedicated op=Exists", "example.com/gpu op=Exists", "sandbox op=Exists"),
	}
	for _, bb := range []struct {
		kind string
		plan admission.Plan
		pod  admission.Pod
	}{
		{"nothing", admission.Plan{}, admission.Pod{Tolerations: tolerations("dedicated=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 60s")}},
		{"seconds", admission.Plan{}, admission.Pod{Tolerations: tolerations("dedicated=gpu:NoSchedule")}},
		{"everything", admission.Plan{Restriction: restriction}, admission.Pod{
			Tolerations: tolerations("dedicated=gpu:NoSchedule", "team=b:NoSchedule"), QOS: admission.Burstable,
			Resources: []string{"cpu", "memory", "example.com/gpu"}, RuntimeClass: tolerations("sandbox:NoSchedule op=Exists"),
		}},
	} {
		var devices []string
		for _, name := range bb.pod.Resources {
			if admission.IsExtendedResource(name) {
				devices = append(devices, name)
			}
		}
		pod, defaults, class := plainTolerations(bb.pod.Tolerations), plainTolerations(bb.plan.Restriction.Defaults), plainTolerations(bb.pod.RuntimeClass)
		b.Run("impl=plain/kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkByHand = handAdmit(pod, defaults, bb.pod.QOS == admission.Burstable, devices, class)
			}
		})
		b.Run("impl=plan/kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAdmitted = admit(&bb.plan, &bb.pod)
			}
		})
		dst := make([]toleration.Toleration, 0, 16)
		b.Run("impl=appendplan/kind="+bb.kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAdmitted = appendAdmit(dst, &bb.plan, &bb.pod)
			}
		})
	}
}

var sinkByHand []plainToleration

// A pod with many tolerations and a long list of defaults, none of which
// covers another: the worst case.
func BenchmarkAdmissionMany(b *testing.B) {
	for _, n := range []int{8, 64, 512} {
		var own, defaults []toleration.Toleration
		for i := range n {
			own = append(own, toleration.MustParse(fmt.Sprintf("k=%d:NoSchedule", i)))
			defaults = append(defaults, toleration.MustParse(fmt.Sprintf("k=%d:NoExecute", i)))
		}
		plan := admission.Plan{Restriction: admission.Restriction{Defaults: defaults}}
		pod := admission.Pod{Tolerations: own}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAdmitted = admit(&plan, &pod)
			}
		})
	}
}

func decodePod(object []byte) admission.Pod {
	pod, _ := admission.DecodePod(object, toleration.ListOptions{})
	return pod
}

var sinkPod admission.Pod

// What a webhook reads before it admits.
func BenchmarkDecodePod(b *testing.B) {
	object := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-1","namespace":"research","labels":{"app":"train"}},"spec":{"containers":[{"name":"main","image":"example.com/train:1","resources":{"requests":{"cpu":"2","memory":"4Gi","example.com/gpu":"1"},"limits":{"memory":"4Gi","example.com/gpu":"1"}},"env":[{"name":"A","value":"1"}]},{"name":"side","image":"example.com/side:1","resources":{}}],"tolerations":[{"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}]}}`)
	held := tolerations("dedicated=gpu:NoSchedule")
	b.ReportAllocs()
	b.SetBytes(int64(len(object)))
	for b.Loop() {
		sinkPod = decodePod(object)
	}
	if len(sinkPod.Tolerations) != len(held) {
		b.Fatal(sinkPod)
	}
}

func derive(nodes [][]taint.Taint, pod []toleration.Toleration) []toleration.Toleration {
	return admission.Derived(admission.DerivedOptions{}, nodes, pod)
}

// The nodes of a fleet with few distinct taints, and with one each.
func BenchmarkDerived(b *testing.B) {
	for _, bb := range []struct{ nodes, distinct int }{{5000, 20}, {5000, 5000}} {
		var nodes [][]taint.Taint
		for i := range bb.nodes {
			nodes = append(nodes, []taint.Taint{
				taint.MustParse(fmt.Sprintf("pool=p%d:NoSchedule", i*7919%bb.distinct)),
				taint.MustParse("node.kubernetes.io/not-ready:NoExecute"),
			})
		}
		pod := tolerations("dedicated=gpu:NoSchedule", "team=a:NoSchedule")
		b.Run(fmt.Sprintf("nodes=%d/distinct=%d", bb.nodes, bb.distinct), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAdmitted = derive(nodes, pod)
			}
		})
	}
}
