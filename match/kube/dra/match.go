package dra

import (
	resourcev1 "k8s.io/api/resource/v1"
)

const none resourcev1.DeviceTaintEffect = "None" // k8s.io/api v0.34 has no name for it

// Tolerates reports whether u matches t. The empty u matches every taint without a value.
func Tolerates(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
	if u.Key != "" && u.Key != t.Key {
		return false
	}
	if u.Operator == resourcev1.DeviceTolerationOpExists {
		if u.Value != "" {
			return false
		}
	} else if u.Operator != "" && u.Operator != resourcev1.DeviceTolerationOpEqual || u.Value != t.Value {
		return false
	}
	if u.Effect == "" {
		return t.Effect != ""
	}
	return u.Effect == t.Effect && (blocks(u.Effect) || u.Effect == none)
}

// ToleratesTaint is [Tolerates] with the signature of the function of that name in
// k8s.io/dynamic-resource-allocation/resourceclaim. As there, callers ignore taints with
// the effect None or an unknown one.
func ToleratesTaint(toleration resourcev1.DeviceToleration, taint resourcev1.DeviceTaint) bool {
	return Tolerates(&toleration, &taint)
}

// Allocatable reports whether a device with these taints can be allocated to a request
// with these tolerations. The taints are the device's own and, unless the slice is from
// Kubernetes' tracker of slices, those of each [Rule] that selects it. A request for all
// devices of a pool needs all of them.
func Allocatable(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
next:
	for i := range taints {
		t := &taints[i]
		for j := range tolerations {
			if Tolerates(&tolerations[j], t) {
				continue next
			}
		}
		if blocks(t.Effect) || t.Effect == "" {
			return false
		}
	}
	return true
}

// blocks reports whether the effect prevents allocations.
func blocks(e resourcev1.DeviceTaintEffect) bool {
	return e == resourcev1.DeviceTaintEffectNoSchedule || e == resourcev1.DeviceTaintEffectNoExecute
}
