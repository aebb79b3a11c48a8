//go:build !k134 && !k135

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

func toTolerations(list []toleration) []resourcev1.DeviceToleration {
	return to[[]resourcev1.DeviceToleration](list)
}

func matchedDevice(c recorded.DeviceMatch) any {
	taints, tolerations := to[[]resourcev1.DeviceTaint](c.Taints), toTolerations(c.Tolerations)
	for _, t := range taints {
		for _, u := range tolerations {
			c.Matches += digit[resourceclaim.ToleratesTaint(u, t)]
		}
	}
	c.InvalidTaints = where(taints, func(t resourcev1.DeviceTaint) bool {
		named := t.Effect != "" && len(validation.IsValidLabelValue(string(t.Effect))) == 0
		return !named || len(upstream.DeviceTaintErrors(&t, true)) > 0
	})
	c.InvalidTolerations = where(tolerations, func(u resourcev1.DeviceToleration) bool { return len(upstream.DeviceTolerationErrors(&u)) > 0 })
	return c
}

func validatedDevice(c recorded.DeviceValidate) any {
	add := func(list string, i int, errs field.ErrorList) {
		for _, cause := range causes(errs) {
			_, name, _ := strings.Cut(cause.Field, ".")
			cause.Field = fmt.Sprintf("%s[%d].%s", list, i, name)
			c.Causes = append(c.Causes, cause)
		}
	}
	for i, t := range to[[]resourcev1.DeviceTaint](c.Taints) {
		add("taints", i, upstream.DeviceTaintErrors(&t, false))
	}
	for i, u := range toTolerations(c.Tolerations) {
		add("tolerations", i, upstream.DeviceTolerationErrors(&u))
	}
	return c
}

// inSlice returns a slice with these devices, which are of one pool.
func inSlice(devices ...recorded.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{}
	s.Name, s.Spec.Driver, s.Spec.AllNodes = devices[0].Device, devices[0].Driver, new(true)
	s.Spec.Pool = resourcev1.ResourcePool{Name: devices[0].Pool, Generation: 1, ResourceSliceCount: 1}
	for _, d := range devices {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: d.Device, Taints: to[[]resourcev1.DeviceTaint](d.Taints)})
	}
	return s
}

func allocatedDevice(c recorded.DeviceAllocate) any {
	claim := &resourcev1.ResourceClaim{}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "request", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "class", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1, Tolerations: toTolerations(c.Tolerations),
	}}}
	results, err := upstream.Allocate(structured.Features{DeviceTaints: true}, inSlice(c.Devices...), claim)
	must(err)
	if len(results) > 0 {
		c.Device = results[0].Devices.Results[0].Device
	}
	return c
}

// evictedDevice has the answer of the controller. Each device has its own slice and claim.
func evictedDevice(c recorded.DeviceEvict) any {
	e, pod := upstream.NewDeviceEvictor(), &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID, pod.Spec.NodeName = "pod", "default", "uid", "node"
	for i, d := range c.Devices {
		claim := &resourcev1.ResourceClaim{}
		claim.Name, claim.Namespace = fmt.Sprint("claim-", i), "default"
		claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Driver: d.Driver, Pool: d.Pool, Device: d.Device, Tolerations: toTolerations(c.Tolerations[i])},
		}}}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim.Name, ResourceClaimName: &claim.Name})
		e.SetClaim(nil, claim)
		e.SetSlice(nil, inSlice(d))
	}
	for i, r := range c.Rules {
		rule := to[upstream.DeviceTaintRule](map[string]any{"spec": r})
		rule.Name = fmt.Sprint("rule-", i)
		e.SetRule(nil, &rule)
	}
	evicted := unlimited
	if at, ok := e.Eviction(pod); ok {
		c.At, evicted = at.UTC().Format(time.RFC3339), uint64(at.Unix())
	}
	ours, theirs := dueByRules(c, true), dueByRules(c, upstream.From138)
	if ours != theirs {
		c.Differences = append(c.Differences, "G7-no-effect")
	}
	if theirs != evicted {
		if !slices.ContainsFunc(slices.Concat(c.Tolerations...), overflows) {
			panic("no listed difference explains it")
		}
		c.Differences = append(c.Differences, "G8-overflow")
	}
	if len(c.Differences) > 0 && ours != unlimited {
		c.Ours = int64(ours)
	}
	return c
}

func overflows(u toleration) bool {
	return u.Seconds != nil && *u.Seconds > math.MaxInt64/int64(time.Second)
}

// dueByRules implements G7, G8 and G9 with Kubernetes' matcher: the second of the eviction.
// Without absent, tolerations without an effect do not count.
func dueByRules(c recorded.DeviceEvict, absent bool) uint64 {
	due := unlimited
	for i, d := range c.Devices {
		taints := slices.Clone(d.Taints)
		for _, r := range c.Rules {
			if s := r.Selector; s != nil && selects(s.Driver, d.Driver) && selects(s.Pool, d.Pool) && selects(s.Device, d.Device) {
				taints = append(taints, r.Taint)
			}
		}
		for _, t := range to[[]resourcev1.DeviceTaint](taints) {
			if t.Effect != resourcev1.DeviceTaintEffectNoExecute {
				continue
			}
			var tolerated []uint64 // for how many seconds
			for j, u := range toTolerations(c.Tolerations[i]) {
				if (absent || u.Effect != "") && resourceclaim.ToleratesTaint(u, t) {
					tolerated = append(tolerated, holds(c.Tolerations[i][j]))
				}
			}
			switch at := uint64(t.TimeAdded.Unix()); {
			case len(tolerated) == 0:
				due = min(due, at)
			case !slices.Contains(tolerated, unlimited):
				due = min(due, at+slices.Min(tolerated))
			}
		}
	}
	return due
}

func selects(want, name string) bool { return want == "" || want == name }
