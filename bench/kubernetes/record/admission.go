package main

import (
	"encoding/json"
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

// aboutNodes gives many of the tolerations the keys that admission adds.
func (g *gen) aboutNodes(list []toleration) []toleration {
	for i := range list {
		u := &list[i]
		if u.Key == "" || g.in(4) {
			continue
		}
		if u.Key = g.one(wellKnown...); g.in(2) {
			u.Operator, u.Value = "Exists", ""
		}
		if g.in(3) {
			u.Effect, u.Seconds = "NoSchedule", nil
		}
	}
	return list
}

// added returns the pod's tolerations after a plugin that never rejects it.
func added(p upstream.Plugin, pod *core.Pod) []toleration {
	pod = pod.DeepCopy()
	must(p.Admit(admission.Create, pod))
	return recordable(pod.Spec.Tolerations)
}

func defaultSeconds(g *gen) recorded.DefaultSeconds {
	n := [][2]int64{{300, 300}, {60, 0}, {30, 9223372036}}[g.IntN(3)]
	return recorded.DefaultSeconds{NotReady: n[0], Unreachable: n[1], Tolerations: g.aboutNodes(g.tolerations(g.IntN(5)))}
}

func withDefaults(c recorded.DefaultSeconds) any {
	if !upstream.HasNumeric && c.NotReady != 300 { // in 1.34 the plugin reads variables of its package, which tests share
		return nil
	}
	c.After = added(upstream.DefaultSeconds(c.NotReady, c.Unreachable), requesting(nil, c.Tolerations))
	return c
}

func daemon(g *gen) recorded.Daemon {
	c := recorded.Daemon{HostNetwork: g.in(2), Tolerations: g.aboutNodes(g.tolerations(g.IntN(5)))}
	for range g.IntN(4) { // what D2 replaces, also more than once
		u := toleration{Key: g.one(wellKnown[:2]...), Operator: "Exists", Effect: "NoExecute"}
		if !g.in(6) {
			u.Seconds = g.seconds()
		}
		c.Tolerations = slices.Insert(c.Tolerations, g.IntN(len(c.Tolerations)+1), u)
	}
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

func (g *gen) resources() []string {
	names := []string{}
	for range g.IntN(4) {
		names = append(names, g.one("cpu", "memory", "hugepages-2Mi", "example.com/gpu", "example.com/gpu", "a/b", "a/b",
			"requests.example.com/gpu", "kubernetes.io/x", "x.kubernetes.io/y", "Example.com/gpu", "example.com/"))
	}
	return names
}

func resources(g *gen) recorded.Resources {
	c := recorded.Resources{Resources: g.resources(), Tolerations: g.aboutNodes(g.tolerations(g.IntN(4)))}
	if g.in(2) && len(c.Tolerations) > 0 && len(c.Resources) > 0 { // one that is already present
		if name := g.one(c.Resources...); !invalid(toleration{Key: name, Operator: "Exists"}) {
			c.Tolerations[0].Key = name
		}
	}
	return c
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

func pod(g *gen) recorded.Pod {
	lists := g.readAlike(g.IntN(4), g.IntN(3), g.IntN(3), g.IntN(3))
	for _, list := range lists {
		for i := range list {
			if list[i].Key != "" && g.in(2) {
				list[i].Key = g.one(wellKnown[:3]...)
			}
		}
	}
	c := recorded.Pod{Updated: g.in(4), Resources: g.resources(), Tolerations: lists[0]}
	if !g.in(4) {
		c.Defaults = lists[1]
	}
	if g.in(2) {
		c.Whitelist = append(lists[2], toleration{Operator: "Exists", Effect: "NoExecute"})
		if !g.in(3) {
			c.Whitelist = append(c.Whitelist, toleration{Operator: "Exists"})
		}
	}
	if g.in(2) {
		c.Class = lists[3]
	}
	return c
}

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
			text, err := json.Marshal(list)
			must(err)
			annotations["scheduler.alpha.kubernetes.io/"+name] = string(text)
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
