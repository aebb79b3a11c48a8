//go:build !k134 && !k135

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

func addDevices(r *recording) {
	add(r, "match-device", 160, matchDevice, matchedDevice, matchDeviceEdges()...)
	add(r, "validate-device", 480, validateDevice, validatedDevice, validateDeviceEdges()...)
	add(r, "allocate-device", 400, allocateDevice, allocatedDevice)
	add(r, "evict-device", 480, evictDevice, evictedDevice, evictDeviceEdges()...)
}

var deviceEffects = []string{"NoSchedule", "NoExecute", "None"}

// deviceTaint makes a valid taint, sometimes with an unknown effect.
func (g *gen) deviceTaint() taint {
	t := g.taint()
	if t.Effect = g.one(deviceEffects...); g.in(6) {
		t.Effect = g.one("NoAdmit", "PreferNoSchedule", "noexecute")
	}
	return t
}

// deviceTolerations makes valid tolerations of which many match one of the taints. Their
// seconds do not overflow.
func (g *gen) deviceTolerations(n int, taints []taint) []toleration {
	list := g.aimed(n, taints)
	for i := range list {
		u := &list[i]
		if u.Numeric() {
			u.Operator, u.Value = g.one("", "Equal"), g.one(values...)
		}
		if !slices.Contains(append(deviceEffects, ""), u.Effect) {
			u.Effect = g.one(deviceEffects...)
		}
		if g.in(4) {
			u.Key = ""
		}
		if u.Seconds = nil; g.in(2) {
			u.Seconds = g.seconds()
			*u.Seconds = min(*u.Seconds, 9_223_372_036)
		}
	}
	return list
}

func toTolerations(list []toleration) []resourcev1.DeviceToleration {
	return to[[]resourcev1.DeviceToleration](list)
}

// matchDevice draws a table of tolerations and taints, some of them invalid.
func matchDevice(g *gen) recorded.DeviceMatch {
	c := recorded.DeviceMatch{Taints: times(6, g.deviceTaint)}
	c.Tolerations = g.deviceTolerations(6, c.Taints)
	if g.in(4) {
		g.spoilTaint(&c.Taints[g.IntN(6)])
		g.spoil(&c.Tolerations[g.IntN(6)])
	}
	return c
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

func validateDevice(g *gen) recorded.DeviceValidate {
	c := recorded.DeviceValidate{Taints: times(g.IntN(3), g.deviceTaint)}
	for i := range c.Taints {
		if g.in(4) {
			g.spoilTaint(&c.Taints[i])
		}
	}
	c.Tolerations = g.deviceTolerations(g.IntN(3), c.Taints)
	for i := range c.Tolerations {
		if g.in(3) {
			g.spoil(&c.Tolerations[i])
		}
	}
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

// anyClass is the only class, which selects every device.
type anyClass struct{}

func (anyClass) List() ([]*resourcev1.DeviceClass, error) { return nil, nil }

func (anyClass) Get(string) (*resourcev1.DeviceClass, error) { return &resourcev1.DeviceClass{}, nil }

func (g *gen) device(name string, make func() taint) recorded.Device {
	return recorded.Device{Driver: g.one("a", "b"), Pool: g.one("a", "b"), Device: name, Taints: times(g.IntN(4), make)}
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

func allocateDevice(g *gen) (c recorded.DeviceAllocate) {
	var taints []taint
	for i := range 1 + g.IntN(4) {
		d := g.device(fmt.Sprint("device-", i), g.deviceTaint)
		d.Driver, d.Pool = "a", "a"
		c.Devices, taints = append(c.Devices, d), append(taints, d.Taints...)
	}
	c.Tolerations = g.deviceTolerations(g.IntN(6), taints)
	return c
}

func allocatedDevice(c recorded.DeviceAllocate) any {
	claim := &resourcev1.ResourceClaim{}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "request", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "class", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1, Tolerations: toTolerations(c.Tolerations),
	}}}
	ctx := context.Background()
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID]()}
	a, err := structured.NewAllocator(ctx, structured.Features{DeviceTaints: true}, state, anyClass{},
		[]*resourcev1.ResourceSlice{inSlice(c.Devices...)}, cel.NewCache(1, cel.Features{}))
	must(err)
	results, err := a.Allocate(ctx, &corev1.Node{}, []*resourcev1.ResourceClaim{claim})
	must(err)
	if len(results) > 0 {
		c.Device = results[0].Devices.Results[0].Device
	}
	return c
}

// evictDevice draws a pod that uses devices, and rules.
func evictDevice(g *gen) recorded.DeviceEvict {
	c := recorded.DeviceEvict{Devices: []recorded.Device{}, Tolerations: [][]toleration{}}
	var taints []taint
	evicting := func() taint {
		t := g.deviceTaint()
		if !g.in(4) {
			t.Effect = "NoExecute"
		}
		t.TimeAdded = time.Unix(1_800_000_000+g.Int64N(600), 0).UTC().Format(time.RFC3339)
		taints = append(taints, t)
		return t
	}
	for i := range g.IntN(4) {
		c.Devices = append(c.Devices, g.device(fmt.Sprint("device-", i), evicting))
	}
	for range g.IntN(3) {
		r := recorded.DeviceRule{Taint: evicting()}
		if !g.in(6) {
			r.Selector = &recorded.DeviceSelector{Driver: g.one("", "a", "b"), Pool: g.one("", "", "a", "b"), Device: g.one("", "", "device-0", "device-1")}
		}
		c.Rules = append(c.Rules, r)
	}
	for range c.Devices {
		list := g.deviceTolerations(g.IntN(5), taints)
		for i := range list {
			if !g.in(3) {
				list[i].Effect = "NoExecute"
			}
		}
		c.Tolerations = append(c.Tolerations, list)
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
	if mine := dueByRules(c); mine != evicted {
		if !slices.ContainsFunc(slices.Concat(c.Tolerations...), overflows) {
			panic("no listed difference explains it")
		}
		c.Ours, c.Differences = int64(mine), []string{"G8-overflow"}
	}
	return c
}

func overflows(u toleration) bool {
	return u.Seconds != nil && *u.Seconds > math.MaxInt64/int64(time.Second)
}

// dueByRules implements G7, G8 and G9 with Kubernetes' matcher: the second of the eviction.
func dueByRules(c recorded.DeviceEvict) uint64 {
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
				if u.Effect == t.Effect && resourceclaim.ToleratesTaint(u, t) {
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

// matchDeviceEdges has effects that are names (V1) and others, and tolerations that only
// validation rejects.
func matchDeviceEdges() []recorded.DeviceMatch {
	effects := []string{"No-Admit", "No.Admit", "No_Admit", "N", "5", "é", "NoExecute ", "-NoExecute", "No-", "No/Admit", long(63, "n"), long(64, "n"), "no execute", ""}
	values := []taint{{Key: "a", Effect: "NoSchedule"}, {Key: "a", Value: "x", Effect: "NoSchedule"}, {Key: "a", Value: "4", Effect: "NoExecute"}, {Key: "a", Value: "5", Effect: "NoExecute"}, {Key: "a", Value: "6", Effect: "NoExecute"}}
	return []recorded.DeviceMatch{
		{Taints: each(effects, func(e string) taint { return taint{Key: "a", Effect: e} }), Tolerations: []toleration{
			{}, {Operator: "Exists"}, {Key: "a"}, {Effect: "NoExecute"},
		}},
		{Taints: values, Tolerations: []toleration{
			{Key: "a", Operator: "Exists", Value: "x"}, {Operator: "Exists", Value: "y"}, {Key: "a", Operator: "Exists"}, {Key: "a", Operator: "Equal", Value: "x"},
		}},
		{Taints: values, Tolerations: []toleration{
			{Key: "a", Operator: "Lt", Value: "5"}, {Key: "a", Operator: "Gt", Value: "5"}, {Operator: "Gt", Value: "5"}, {Key: "a", Operator: "equal", Value: "x"}, {Key: "a", Operator: "In", Value: "x"}, {Key: "a", Operator: "exists"},
		}},
	}
}

func validateDeviceEdges() []recorded.DeviceValidate {
	effects := []string{"No-Admit", "NoAdmit", "é", "NoExecute ", "PreferNoSchedule", "none", ""}
	return []recorded.DeviceValidate{
		{
			Taints:      each(effects, func(e string) taint { return taint{Key: "a", Effect: e} }),
			Tolerations: each(effects, func(e string) toleration { return toleration{Key: "a", Operator: "Exists", Effect: e} }),
		},
		{Taints: []taint{}, Tolerations: []toleration{
			{Key: "a", Operator: "Lt", Value: "5"}, {Key: "a", Operator: "Gt", Value: "5"}, {Key: "a", Operator: "equal"}, {Key: "a", Operator: "Exists", Value: "x"}, {Value: "x"}, {},
		}},
	}
}

// evictDeviceEdges has seconds whose durations overflow (G8-overflow).
func evictDeviceEdges() []recorded.DeviceEvict {
	return each([]int64{9223372036, 9223372037, 9007199254740993, 18446744074, -9223372036854775808}, func(n int64) recorded.DeviceEvict {
		return recorded.DeviceEvict{
			Devices:     []recorded.Device{{Driver: "a", Pool: "a", Device: "device-0", Taints: []taint{{Key: "a", Effect: "NoExecute", TimeAdded: "2027-01-15T08:00:00Z"}}}},
			Tolerations: [][]toleration{{forSeconds(n, toleration{Operator: "Exists"})}},
		}
	})
}
