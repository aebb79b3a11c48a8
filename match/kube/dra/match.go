package dra

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
)

// Tolerates reports whether u matches t: by its effect, its key and its operator, which
// is Exists without a value, or Equal or absent, with the value of t. So {} matches every
// taint without a value. A toleration with an unknown effect matches nothing, and nothing
// matches a taint without an effect.
func Tolerates(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
	if u.Key != "" && u.Key != t.Key || u.Effect != "" && u.Effect != t.Effect || t.Effect == "" {
		return false
	}
	switch u.Operator {
	case resourcev1.DeviceTolerationOpExists:
		if u.Value != "" {
			return false
		}
	case resourcev1.DeviceTolerationOpEqual, "":
		if u.Value != t.Value {
			return false
		}
	default:
		return false
	}
	return u.Effect == "" || blocks(u.Effect) || u.Effect == none
}

// Allocatable reports whether a device with these taints can be allocated to a request
// with these tolerations. Taints with the effect None or an unknown one do not prevent
// this, and one without an effect does, whatever the tolerations are. The taints of rules
// that select the device count as well: see [device.TaintRule].
func Allocatable(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	for i := range taints {
		t := &taints[i]
		if (blocks(t.Effect) || t.Effect == "") && !tolerated(t, tolerations) {
			return false
		}
	}
	return true
}

// tolerated reports whether some toleration matches t. Most have keys of another length,
// and a call is slower: BenchmarkAllocatable.
func tolerated(t *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	for i := range tolerations {
		if u := &tolerations[i]; (len(u.Key) == len(t.Key) || u.Key == "") && Tolerates(u, t) {
			return true
		}
	}
	return false
}

const none = resourcev1.DeviceTaintEffect(device.None) // k8s.io/api v0.34 has no name for it

// blocks reports whether the effect prevents allocations.
func blocks(e resourcev1.DeviceTaintEffect) bool {
	return e == resourcev1.DeviceTaintEffectNoSchedule || e == resourcev1.DeviceTaintEffectNoExecute
}
