package dra

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/internal/valid"
)

// Tolerates reports whether u matches t. An invalid toleration matches nothing, and
// nothing matches an invalid taint.
func Tolerates(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
	return agrees(u, t) && validEffect(t.Effect) && validFields(t)
}

// Allocatable reports whether a device with these taints can be allocated to a request
// with these tolerations. The taints of rules that select the device count as well: see
// [device.Rule]. An invalid taint prevents the allocation.
func Allocatable(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	for i := range taints {
		t := &taints[i]
		if blocks(t.Effect) {
			if find(t, tolerations) < 0 {
				return false
			}
		} else if !validEffect(t.Effect) {
			return false
		}
		if !validFields(t) {
			return false
		}
	}
	return true
}

// find returns the index of the first toleration that agrees with t, or -1. Most have keys
// of another length, and a call is slower: BenchmarkAllocatable.
func find(t *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) int {
	for i := range tolerations {
		if u := &tolerations[i]; (len(u.Key) == len(t.Key) || u.Key == "") && agrees(u, t) {
			return i
		}
	}
	return -1
}

const none = resourcev1.DeviceTaintEffect(device.None) // k8s.io/api v0.34 has no name for it

// blocks reports whether the effect prevents allocations.
func blocks(e resourcev1.DeviceTaintEffect) bool {
	return e == resourcev1.DeviceTaintEffectNoSchedule || e == resourcev1.DeviceTaintEffectNoExecute
}

// agrees reports whether u matches t and is valid, if t is valid. Fields that are equal
// are left to the checks of t.
func agrees(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
	if u.Key != "" && u.Key != t.Key || u.Effect != "" && u.Effect != t.Effect {
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

// validEffect reports whether a taint may have the effect. An unknown one has the form of
// a value.
func validEffect(e resourcev1.DeviceTaintEffect) bool {
	return blocks(e) || e == none || e != "" && valid.Value(string(e))
}

// validFields reports whether the fields of t besides its effect are valid.
func validFields(t *resourcev1.DeviceTaint) bool {
	return valid.Key(t.Key) && valid.Value(t.Value) && valid.Time(t.TimeAdded)
}
