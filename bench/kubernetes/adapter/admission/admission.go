// Package admission extends package adapter by the rules of admission, node conditions
// and zones. It is a separate package because a change of package adapter recompiles
// nearly all of Kubernetes.
package admission

import (
	"slices"

	"github.com/go-tolerate/tolerate/bench/kubernetes/adapter"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

func all(list []adapter.Toleration) toleration.List {
	out := make(toleration.List, len(list))
	for i, t := range list {
		out[i] = t.Of()
	}
	return out
}

func fields(u toleration.Toleration) adapter.Toleration {
	t := adapter.Toleration{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if n, ok := u.Seconds(); ok {
		t.Seconds = &n
	}
	return t
}

// DefaultSeconds implements the plugin DefaultTolerationSeconds: it returns the
// tolerations that the plugin adds. It ignores the seconds of the pod's tolerations,
// because upstream's tests set them where they are invalid.
func DefaultSeconds(pod []adapter.Toleration, notReady, unreachable int64) (added []adapter.Toleration) {
	pod = slices.Clone(pod)
	for i := range pod {
		pod[i].Seconds = nil
	}
	for _, u := range admission.DefaultSeconds(admission.SecondsOptions{NotReady: &notReady, Unreachable: &unreachable}, all(pod)) {
		added = append(added, fields(u))
	}
	return added
}

// ExtendedResources implements the plugin ExtendedResourceToleration: it returns the
// tolerations that the plugin adds for the requests of containers.
func ExtendedResources(pod []adapter.Toleration, names []string) (added []adapter.Toleration) {
	for _, u := range resources(pod, names) {
		added = append(added, fields(u))
	}
	return added
}

// resources returns only the tolerations for extended resources.
func resources(pod []adapter.Toleration, names []string) toleration.List {
	plan := admission.Plan{Seconds: admission.SecondsOptions{NotReadyOff: true, UnreachableOff: true}}
	added, err := plan.OnUpdate(admission.PodSpec{Tolerations: all(pod), Resources: names})
	if err != nil {
		panic(err)
	}
	return added
}

// Extended implements IsExtendedResourceName.
func Extended(name string) bool { return len(resources(nil, []string{name})) > 0 }

// Annotated implements the decoding of one annotation of a namespace.
func Annotated(text string) ([]adapter.Toleration, error) {
	r, err := admission.NamespaceRestriction(map[string]string{admission.DefaultsAnnotation: text}, admission.Restriction{}, "")
	if err != nil {
		return nil, err
	}
	list := []adapter.Toleration{}
	for _, u := range r.Defaults {
		list = append(list, fields(u))
	}
	return list, nil
}

// Daemon implements AddOrUpdateDaemonPodTolerations. It returns the template's
// tolerations, some of them without their seconds, followed by the added ones. Invalid
// tolerations are kept.
func Daemon(template []adapter.Toleration, hostNetwork bool) (timeless []bool, added []adapter.Toleration) {
	list := all(template)
	out := admission.Daemon(admission.DaemonOptions{HostNetwork: hostNetwork}, list)
	timeless = make([]bool, len(list))
	for i, u := range list {
		timeless[i] = out[i] != u
	}
	for _, u := range out[len(list):] {
		added = append(added, fields(u))
	}
	return timeless, added
}

// NotReadyAtCreation implements the plugin TaintNodesByCondition. It reports whether
// the plugin adds its taint.
func NotReadyAtCreation(node []adapter.Taint) bool {
	list := make(taint.List, len(node))
	for i, t := range node {
		list[i] = t.Of()
	}
	return len(condition.AtCreation(list)) > len(list)
}

// ZoneKey implements GetZoneKey.
func ZoneKey(labels map[string]string) string {
	z := disruption.ZoneOf(labels)
	if z == (disruption.Zone{}) {
		return ""
	}
	return z.Region + ":\x00:" + z.Name
}

// Excluded implements isNodeExcludedFromDisruptionChecks.
func Excluded(labels map[string]string) bool { return disruption.Excluded(labels) }

// ZoneState implements ComputeZoneState.
func ZoneState(ready, notReady int, threshold float32) string {
	state, _ := disruption.Rates{Unhealthy: float64(threshold)}.State(disruption.Count{Ready: ready, NotReady: notReady})
	return state.String()
}
