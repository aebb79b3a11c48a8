// Package device extends package adapter by functions about devices' taints.
package device

import (
	"errors"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/validate"
)

func taintOf(t *resourcev1.DeviceTaint) device.Taint {
	u, _ := dra.Taint(t)
	return u
}

func taintsOf(list []resourcev1.DeviceTaint) device.Taints {
	out := make(device.Taints, len(list))
	for i := range list {
		out[i] = taintOf(&list[i])
	}
	return out
}

func tolerationsOf(list []resourcev1.DeviceToleration) device.Tolerations {
	out := make(device.Tolerations, len(list))
	for i, u := range list {
		out[i], _ = device.TolerationFrom(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
	}
	return out
}

func selectorOf(s *resourcev1.DeviceTaintSelector) *device.TaintSelector {
	if s == nil {
		return nil
	}
	name := func(field *string) string {
		if field == nil {
			return ""
		}
		return *field
	}
	return &device.TaintSelector{Driver: name(s.Driver), Pool: name(s.Pool), Device: name(s.Device)}
}

// Tolerates implements ToleratesTaint.
func Tolerates(u resourcev1.DeviceToleration, t resourcev1.DeviceTaint) bool {
	return tolerationsOf([]resourcev1.DeviceToleration{u})[0].Tolerates(taintOf(&t))
}

// Allocatable implements the allocators' taintPreventsAllocation.
func Allocatable(taints []resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) bool {
	return device.Device{Taints: taintsOf(taints)}.Allocatable(nil, tolerationsOf(tolerations))
}

// Selects implements ruleMatchesDevice and the tracker of ResourceSlices.
func Selects(rule *resourcev1.DeviceTaintRule, driver, pool, name string) bool {
	return selectorOf(rule.Spec.DeviceSelector).Selects(device.ID{Driver: driver, Pool: pool, Device: name})
}

// A Used is an allocated device with its own taints.
type Used struct {
	Result resourcev1.DeviceRequestAllocationResult
	Taints []resourcev1.DeviceTaint
}

// Eviction implements claimEvictionTime. It returns when a pod that uses these devices
// must be evicted, or false for never.
func Eviction(rules []*resourcev1.DeviceTaintRule, used ...Used) (when time.Time, ok bool) {
	var ours []device.TaintRule
	for _, r := range rules {
		ours = append(ours, device.TaintRule{Selector: selectorOf(r.Spec.DeviceSelector), Taint: taintOf(&r.Spec.Taint)})
	}
	var devices []device.Allocated
	for _, u := range used {
		id := device.ID{Driver: u.Result.Driver, Pool: u.Result.Pool, Device: u.Result.Device}
		devices = append(devices, device.Allocated{
			Device:      device.Device{ID: id, Taints: taintsOf(u.Taints)},
			Tolerations: tolerationsOf(u.Result.Tolerations),
		})
	}
	d := device.Decide(time.Now(), ours, devices...)
	return d.Deadline, d.Kind != eviction.Never
}

// TaintProblems implements the validation of a taint. An update can keep an unknown
// effect.
func TaintProblems(key, value, effect string, kept bool) validate.Problems {
	var err error
	if kept {
		_, err = dra.Taint(&resourcev1.DeviceTaint{Key: key, Value: value, Effect: resourcev1.DeviceTaintEffect(effect)})
	} else {
		_, err = device.TaintFrom(key, value, effect)
	}
	return problems(err)
}

// TolerationProblems implements the validation of a toleration. Kubernetes sets an
// absent operator first.
func TolerationProblems(key, operator, value, effect string, seconds *int64) validate.Problems {
	_, err := device.TolerationFrom(key, operator, value, effect, seconds)
	ps := problems(err)
	if operator == "" {
		ps = append(ps, &validate.Problem{Path: "operator", Rule: validate.OperatorMissing})
	}
	return ps
}

func problems(err error) (ps validate.Problems) {
	errors.As(err, &ps)
	return ps
}
