package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	internalhelper "k8s.io/kubernetes/pkg/apis/core/helper"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

var wellKnownKeys = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable, "example.com/gpu",
}

// wellKnown makes tolerations, most of which have the keys that admission adds.
func (g *gen) wellKnown() []corev1.Toleration {
	list := make([]corev1.Toleration, g.IntN(5))
	for i := range list {
		u := &list[i]
		*u = g.toleration()
		if i > 0 && g.in(5) { // the same again, perhaps for another time
			*u = list[i-1]
			if u.Effect == corev1.TaintEffectNoExecute {
				u.TolerationSeconds = g.seconds()
			}
			continue
		}
		if u.Key == "" {
			continue
		}
		if !g.in(4) {
			u.Key = g.one(wellKnownKeys...)
		}
		if g.in(2) {
			u.Operator, u.Value = corev1.TolerationOpExists, ""
		}
		if g.in(3) {
			u.Effect, u.TolerationSeconds = corev1.TaintEffectNoSchedule, nil
		}
	}
	return list
}

// An adder returns the tolerations to add to a pod's. It is a parameter for the
// mutation check.
type adder func(pod toleration.List) toleration.List

// adds compares a rule that only adds tolerations with a plugin, and again after the
// addition.
func adds(op admission.Operation, plugin upstream.Plugin, add adder, pod *core.Pod, added *share) (diff string) {
	list := fromInternal(pod.Spec.Tolerations)
	for range 2 {
		if err := plugin.Admit(op, pod); err != nil {
			return err.Error()
		}
		more := add(list)
		if added != nil {
			added.count(len(more) > 0)
			added = nil
		}
		got := slices.Concat(list, more)
		if want := fromInternal(pod.Spec.Tolerations); !slices.Equal(got, want) {
			return fmt.Sprintf("%v: Kubernetes %v, ours %v", list, want, got)
		}
		list = got
	}
	return ""
}

var amounts = [...]int64{60, -1, 0}

// secondsOf returns some settings of an API server.
var secondsOf = []struct {
	ours   additions.SecondsOptions
	plugin upstream.Plugin
}{
	{additions.SecondsOptions{}, upstream.DefaultSeconds(300, 300)},
	{additions.SecondsOptions{NotReady: &amounts[0]}, upstream.DefaultSeconds(60, 300)},
	{additions.SecondsOptions{NotReady: &amounts[1], Unreachable: &amounts[2]}, upstream.DefaultSeconds(-1, 0)},
}

// A defaulter is additions.DefaultSeconds. It is a parameter for the mutation check.
type defaulter func(s additions.SecondsOptions, pod toleration.List) toleration.List

func defaults(ours defaulter, added *share) func(g *gen) string {
	return func(g *gen) string {
		s := secondsOf[g.IntN(len(secondsOf))]
		pod := &core.Pod{Spec: core.PodSpec{Tolerations: internalTolerations(g.wellKnown())}}
		op := []admission.Operation{admission.Create, admission.Update}[g.IntN(2)]
		return adds(op, s.plugin, func(list toleration.List) toleration.List { return ours(s.ours, list) }, pod, added)
	}
}

func TestDefaultTolerationSeconds_D1(t *testing.T) {
	t.Parallel()
	var added share
	conform(t, 3*objects, defaults(additions.DefaultSeconds, &added))
	added.within(t, "get seconds", 0.2, 0.99)
}

// A daemonizer is additions.Daemon. It is a parameter for the mutation check.
type daemonizer func(opts additions.DaemonOptions, template toleration.List) toleration.List

func daemons(ours daemonizer, replaced *share) func(g *gen) string {
	return func(g *gen) string {
		theirs := g.wellKnown()
		list := valid(ourTolerations(theirs))
		opts := additions.DaemonOptions{HostNetwork: g.in(2)}
		got := ours(opts, list)
		spec := corev1.PodSpec{Tolerations: theirs, HostNetwork: opts.HostNetwork}
		daemonutil.AddOrUpdateDaemonPodTolerations(&spec)
		want, _ := ourTolerations(spec.Tolerations)
		replaced.count(!slices.Equal(got[:len(list)], list))
		if !slices.Equal(got, want) {
			return fmt.Sprintf("%v: Kubernetes %v, ours %v", list, want, got)
		}
		if again := ours(opts, got); !slices.Equal(again, got) {
			return fmt.Sprintf("%v: ours %v, and then %v", list, got, again)
		}
		return ""
	}
}

func TestAddOrUpdateDaemonPodTolerations_D2(t *testing.T) {
	t.Parallel()
	var replaced share
	conform(t, 3*objects, daemons(additions.Daemon, &replaced))
	replaced.within(t, "lose seconds", 0.005, 0.5)
}

var resourceNames = []string{
	"cpu", "memory", "hugepages-2Mi", "example.com/gpu", "example.com/fpga", "a/b", "requests.example.com/gpu", "kubernetes.io/x",
	"x.kubernetes.io/y", "xkubernetes.io/y", "example.com/kubernetes.io", "Example.com/gpu", "example.com/", "/x", "a/b/c", "gpu", "requests.a/b",
	strings.Repeat("p", 244) + "/a", strings.Repeat("p", 245) + "/a", "a/" + strings.Repeat("n", 63), "a/" + strings.Repeat("n", 64),
}

func TestIsExtendedResourceName_D4(t *testing.T) {
	t.Parallel()
	var extended share
	conform(t, pure/4, func(g *gen) string {
		name := g.one(resourceNames...)
		if g.in(2) {
			name = g.text(resourceNames)
		}
		want, got := v1helper.IsExtendedResourceName(corev1.ResourceName(name)), len(extendedResources([]string{name})) > 0
		extended.count(want)
		if other := internalhelper.IsExtendedResourceName(core.ResourceName(name)); got != want || want != other {
			return fmt.Sprintf("%q: Kubernetes %v and %v, ours %v", name, want, other, got)
		}
		return ""
	})
	extended.within(t, "are extended", 0.1, 0.9)
}

// resources makes the requests and limits of containers, and the resource names in
// them.
func (g *gen) resources() (requests, limits corev1.ResourceList) {
	list := func() corev1.ResourceList {
		out := corev1.ResourceList{}
		for range g.IntN(3) {
			out[corev1.ResourceName(g.one(resourceNames...))] = resource.MustParse(g.one("0", "1", "100m", "0.5", "2Gi", "0m", "1e-3", "-1", "0.0"))
		}
		return out
	}
	return list(), list()
}

// pod makes a pod with resources and these tolerations.
func (g *gen) pod(tolerations []corev1.Toleration) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: tolerations}}
	containers := func() []corev1.Container {
		out := make([]corev1.Container, g.IntN(3))
		for i := range out {
			out[i].Resources.Requests, out[i].Resources.Limits = g.resources()
		}
		return out
	}
	pod.Spec.Containers, pod.Spec.InitContainers = containers(), containers()
	if g.in(6) {
		pod.Spec.Resources = &corev1.ResourceRequirements{}
		pod.Spec.Resources.Requests, pod.Spec.Resources.Limits = g.resources()
	}
	if g.in(6) {
		pod.Status.QOSClass = corev1.PodQOSClass(g.one("BestEffort", "Burstable", "Guaranteed"))
	}
	return pod
}

// internalPod returns the pod as the API server passes it to plugins: a limit is also a
// request.
func internalPod(pod *corev1.Pod) *core.Pod {
	in, whole := pod.DeepCopy(), pod.Spec.Resources
	in.Spec.Resources = nil // the defaults must not change the pod's own resources
	corev1conversion.SetDefaults_Pod(in)
	in.Spec.Resources = whole.DeepCopy()
	out := new(core.Pod)
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(in, out, nil); err != nil {
		panic(err)
	}
	return out
}

// decodePod reads the pod's JSON.
func decodePod(pod *corev1.Pod) (additions.PodSpec, error) {
	data, err := json.Marshal(pod)
	if err != nil {
		return additions.PodSpec{}, err
	}
	read, _, err := additions.DecodePod(data, "")
	return read, err
}

// extendedResources returns the tolerations that a Plan adds for extended resources
// alone.
func extendedResources(names []string) toleration.List {
	plan := additions.Plan{Seconds: additions.SecondsOptions{NotReadyOff: true, UnreachableOff: true}}
	added, err := plan.OnUpdate(additions.PodSpec{Resources: names})
	if err != nil {
		panic(err)
	}
	return added
}

// merged returns the list that Kubernetes' merging returns. Ours keeps what Kubernetes
// drops (R3-kept), so lists are compared in this form.
func merged(list toleration.List) toleration.List {
	return kubernetesMerge(internals(list), nil)
}

// readAlike makes two similar lists with the keys that admission adds. Both sides read
// each toleration alike (R2-...).
func (g *gen) readAlike() (a, b []corev1.Toleration) {
	a, b = g.canonicalLists()
	for _, list := range [][]corev1.Toleration{a, b} {
		for i := range list {
			if list[i].Key != "" && g.in(2) {
				list[i].Key = g.one(wellKnownKeys[:3]...)
			}
		}
	}
	return a, b
}

// The kubelet admits or rejects a pod that was bound to its node by name.
func TestKubelet_F2(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		var takes share
		conform(t, objects/2, func(g *gen) string {
			theirs, theirTaints := g.evicting()
			taints, list := gated(theirTaints, theirs, gate)
			want := upstream.KubeletTakes(theirTaints, theirs, false)
			takes.count(want)
			if got := !(match.Node{Taints: taints}).Filter(list).Evicted(); got != want {
				return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", list, taints, want, got)
			}
			if !upstream.KubeletTakes(theirTaints, theirs, true) {
				return fmt.Sprintf("%v on %v: Kubernetes does not take a static pod", list, taints)
			}
			return ""
		})
		takes.within(t, "are taken", 0.1, 0.9)
	})
}
