package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// added returns the pod's tolerations after a plugin that never rejects it.
func added(p upstream.Plugin, pod *core.Pod) []toleration {
	pod = pod.DeepCopy()
	must(p.Admit(admission.Create, pod))
	return recordable(pod.Spec.Tolerations)
}

func withDefaults(c recorded.DefaultSeconds) any {
	if !upstream.HasNumeric && c.NotReady != 300 { // in 1.34 the plugin reads variables of its package, which tests share
		return nil
	}
	c.After = added(upstream.DefaultSeconds(c.NotReady, c.Unreachable), requesting(nil, c.Tolerations))
	return c
}

func inDaemonSet(c recorded.Daemon) any {
	spec := corev1.PodSpec{Tolerations: api(c.Tolerations), HostNetwork: c.HostNetwork}
	daemonutil.AddOrUpdateDaemonPodTolerations(&spec)
	c.After = recordable(spec.Tolerations)
	return c
}

// requesting is a pod whose container requests the resources.
func requesting(names []string, tolerations []toleration) *core.Pod {
	requests := core.ResourceList{}
	for _, name := range names {
		requests[core.ResourceName(name)] = resource.MustParse("1")
	}
	return &core.Pod{Spec: core.PodSpec{
		Tolerations: internal(tolerations),
		Containers:  []core.Container{{Resources: core.ResourceRequirements{Requests: requests}}},
	}}
}

func withResources(c recorded.Resources) any {
	c.After = added(resourcesPlugin, requesting(c.Resources, c.Tolerations))
	return c
}

// The plugins. The namespace and the runtime class are set again for each case.
var (
	secondsPlugin     = upstream.DefaultSeconds(300, 300)
	resourcesPlugin   = upstream.ExtendedResources()
	restrictionPlugin = upstream.NewRestriction(nil, nil)
	classPlugin       = upstream.NewRuntimeClass()
)

func admitted(c recorded.Pod) any {
	in := requesting(c.Resources, c.Tolerations)
	c.BestEffort = qos.GetPodQOS(in) == core.PodQOSBestEffort
	c.After, c.Refused = throughPlugins(c, in)
	if c.Refused {
		return c
	}
	mine := byRules(c)
	if !same(kubernetesMerge(mine, nil), kubernetesMerge(c.After, nil)) {
		panic("no listed difference explains it")
	}
	if !same(mine, c.After) {
		c.Ours, c.Differences = mine, []string{"R3-kept"}
	}
	return c
}

// throughPlugins calls the plugins with the pod, in the API server's order.
func throughPlugins(c recorded.Pod, pod *core.Pod) (after []toleration, refused bool) {
	annotations := map[string]string{}
	for name, list := range map[string][]toleration{"defaultTolerations": c.Defaults, "tolerationsWhitelist": c.Whitelist} {
		if list != nil {
			annotations["scheduler.alpha.kubernetes.io/"+name] = string(marshal(list))
		}
	}
	restrictionPlugin.SetAnnotations(annotations)
	classPlugin.SetTolerations(api(c.Class))
	chain, op := []upstream.Plugin{secondsPlugin, restrictionPlugin.Plugin, resourcesPlugin}, admission.Create
	if c.Updated {
		op = admission.Update
	} else if c.Class != nil {
		pod.Spec.RuntimeClassName = new(upstream.RuntimeClassName)
		chain = append(chain, classPlugin.Plugin)
	}
	for _, plugin := range chain {
		if plugin.Admit(op, pod) != nil {
			return nil, true
		}
	}
	if restrictionPlugin.Validate(op, pod) != nil {
		return nil, true
	}
	return recordable(pod.Spec.Tolerations), false
}

// byRules returns the pod's tolerations by the rules D1, D5, D3, D4 and D8, each
// merged by R3; the plugins compute D1 and D4. Default seconds that the namespace or
// the runtime class covers are then removed.
func byRules(c recorded.Pod) []toleration {
	list := added(secondsPlugin, requesting(nil, c.Tolerations))
	own, timed := len(c.Tolerations), len(list)
	if !c.Updated {
		list = append(list, missing(list, c.Defaults)...)
	}
	if !c.BestEffort {
		pressure := toleration{Key: corev1.TaintNodeMemoryPressure, Operator: "Exists", Effect: "NoSchedule"}
		list = append(list, missing(list, []toleration{pressure})...)
	}
	list = added(resourcesPlugin, requesting(c.Resources, list))
	if !c.Updated {
		list = append(list, missing(list, c.Class)...)
	}
	rest, covers := list[timed:], covering(list)
	seconds := slices.DeleteFunc(slices.Clone(list[own:timed]), func(u toleration) bool {
		return slices.ContainsFunc(rest, func(t toleration) bool { return covers(t, u) })
	})
	return slices.Concat(list[:own], seconds, rest)
}
