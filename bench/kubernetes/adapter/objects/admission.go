package objects

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// structs returns the structs of the internal API.
func structs(list toleration.List) []core.Toleration {
	return fields.As[core.Toleration](kube.CoreTolerations(list))
}

// AddDefaultSeconds implements the plugin DefaultTolerationSeconds. It ignores the
// seconds of the pod's tolerations, because upstream's tests set them where they are
// invalid.
func AddDefaultSeconds(spec *core.PodSpec, notReady, unreachable *int64) {
	pod := slices.Clone(spec.Tolerations)
	for i := range pod {
		pod[i].TolerationSeconds = nil
	}
	added := admission.DefaultSeconds(admission.SecondsOptions{NotReady: notReady, Unreachable: unreachable}, values(pod))
	spec.Tolerations = append(spec.Tolerations, structs(added)...)
}

// AddExtendedResources implements the plugin ExtendedResourceToleration.
func AddExtendedResources(spec *core.PodSpec) {
	var names []string
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		for name := range c.Resources.Requests {
			names = append(names, string(name))
		}
	}
	spec.Tolerations = append(spec.Tolerations, structs(resources(values(spec.Tolerations), names...))...)
}

// resources returns only the tolerations for extended resources.
func resources(pod toleration.List, names ...string) toleration.List {
	plan := admission.Plan{Seconds: admission.SecondsOptions{NotReadyOff: true, UnreachableOff: true}}
	added, err := plan.OnUpdate(admission.PodSpec{Tolerations: pod, Resources: names})
	if err != nil {
		panic(err)
	}
	return added
}

// Extended implements IsExtendedResourceName.
func Extended[S ~string](name S) bool { return len(resources(nil, string(name))) > 0 }

// Annotated implements the decoding of one annotation of a namespace.
func Annotated(text string) ([]core.Toleration, error) {
	r, err := admission.NamespaceRestriction(map[string]string{admission.DefaultsAnnotation: text}, admission.Restriction{}, "")
	return structs(r.Defaults), err
}

// Created returns the taints of a new node that has these.
func Created(list taint.List) taint.List {
	notReady := []taint.Edit{taint.Add(taint.MustParse(condition.NotReady + ":NoSchedule"))}
	list, err := taint.Apply(list, notReady, taint.EditOptions{KeepExisting: true})
	if err != nil {
		panic(err)
	}
	return list
}

// AddNotReady implements the plugin TaintNodesByCondition.
func AddNotReady(spec *core.NodeSpec) {
	list, _ := kube.Taints(fields.As[corev1.Taint](spec.Taints))
	added := Created(list)[len(list):]
	spec.Taints = append(spec.Taints, fields.As[core.Taint](kube.CoreTaints(added))...)
}

// ZoneKey implements GetZoneKey.
func ZoneKey(labels map[string]string) string {
	z := disruption.ZoneOf(labels)
	if z == (disruption.Zone{}) {
		return ""
	}
	return z.Region + ":\x00:" + z.Name
}

// ZoneState implements ComputeZoneState.
func ZoneState(conditions []*corev1.NodeCondition, threshold float32) (notReady int, state string) {
	for _, c := range conditions {
		if c == nil || c.Status != corev1.ConditionTrue {
			notReady++
		}
	}
	s, _ := disruption.Rates{Unhealthy: float64(threshold)}.State(disruption.Count{Ready: len(conditions) - notReady, NotReady: notReady})
	return notReady, s.String()
}
