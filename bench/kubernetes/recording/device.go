//go:build !k134 && !k135 && !k136

package recording

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/recorded"
)

// deviceFiles are the recordings about devices.
var deviceFiles = []File{
	{"match/device", []kind{{"match-device", 400, matchDevice}, {"validate-device", 1200, validateDevice}, {"allocate-device", 800, allocateDevice}, {"evict-device", 1000, evictDevice}}},
}

var (
	deviceEffects  = []string{"NoSchedule", "NoExecute", "None"}
	unknownEffects = []string{"NoAdmit", "PreferNoSchedule", "noexecute"}
)

// deviceTaint makes a valid taint, at times with an unknown effect.
func (g *gen) deviceTaint() taint {
	t := g.taint()
	t.Effect = g.one(deviceEffects...)
	if g.in(6) {
		t.Effect = g.one(unknownEffects...)
	}
	return t
}

// deviceTolerations makes valid tolerations of which many match one of the taints.
func (g *gen) deviceTolerations(n int, taints []taint) []toleration {
	list := g.aimed(n, taints)
	for i := range list {
		u := &list[i]
		if numeric(*u) {
			u.Operator, u.Value = g.one("", "Equal"), g.one(values...)
		}
		if u.Effect != "" && !slices.Contains(deviceEffects, u.Effect) {
			u.Effect = g.one(deviceEffects...)
		}
		if g.in(4) {
			u.Key = ""
		}
		if u.Seconds = nil; g.in(2) {
			u.Seconds = g.deviceSeconds()
		}
	}
	return list
}

// deviceSeconds makes seconds that Kubernetes' durations hold.
func (g *gen) deviceSeconds() *int64 {
	for {
		if n := g.seconds(); *n <= 9_223_372_036 {
			return n
		}
	}
}

func apiDeviceTaint(t taint) resourcev1.DeviceTaint {
	out := resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffect(t.Effect)}
	if t.TimeAdded != "" {
		at, err := time.Parse(time.RFC3339, t.TimeAdded)
		must(err)
		out.TimeAdded = &metav1.Time{Time: at}
	}
	return out
}

func apiDeviceToleration(u toleration) resourcev1.DeviceToleration {
	return resourcev1.DeviceToleration{
		Key: u.Key, Operator: resourcev1.DeviceTolerationOperator(u.Operator), Value: u.Value,
		Effect: resourcev1.DeviceTaintEffect(u.Effect), TolerationSeconds: u.Seconds,
	}
}

func apiDeviceTolerations(list []toleration) (out []resourcev1.DeviceToleration) {
	for _, u := range list {
		out = append(out, apiDeviceToleration(u))
	}
	return out
}

func apiDevice(d recorded.Device) resourcev1.Device {
	out := resourcev1.Device{Name: d.Device}
	for _, t := range d.Taints {
		out.Taints = append(out.Taints, apiDeviceTaint(t))
	}
	return out
}

// matchDevice draws a table of tolerations and taints, some of them invalid.
func matchDevice(g *gen) any {
	var c recorded.DeviceMatch
	for range 6 {
		c.Taints = append(c.Taints, g.deviceTaint())
	}
	c.Tolerations = g.deviceTolerations(6, c.Taints)
	if g.in(4) {
		g.spoilTaint(&c.Taints[g.IntN(len(c.Taints))])
		g.spoil(&c.Tolerations[g.IntN(len(c.Tolerations))])
	}
	var matches []byte
	for i, t := range c.Taints {
		theirs := apiDeviceTaint(t)
		for _, u := range c.Tolerations {
			matches = append(matches, digit(resourceclaim.ToleratesTaint(apiDeviceToleration(u), theirs)))
		}
		named := t.Effect != "" && len(validation.IsValidLabelValue(t.Effect)) == 0
		if !named || len(upstream.DeviceTaintErrors(&theirs, true)) > 0 {
			c.InvalidTaints = append(c.InvalidTaints, i)
		}
	}
	for i, u := range c.Tolerations {
		theirs := apiDeviceToleration(u)
		if len(upstream.DeviceTolerationErrors(&theirs)) > 0 {
			c.InvalidTolerations = append(c.InvalidTolerations, i)
		}
	}
	c.Matches = string(matches)
	return c
}

func validateDevice(g *gen) any {
	var c recorded.DeviceValidate
	for range g.IntN(3) {
		t := g.deviceTaint()
		if g.in(4) {
			g.spoilTaint(&t)
		}
		c.Taints = append(c.Taints, t)
	}
	c.Tolerations = g.deviceTolerations(g.IntN(3), c.Taints)
	for i := range c.Tolerations {
		if g.in(3) {
			g.spoil(&c.Tolerations[i])
		}
	}
	add := func(list string, i int, errs field.ErrorList) {
		for _, cause := range causes(errs) {
			_, name, _ := strings.Cut(cause.Field, ".")
			cause.Field = fmt.Sprintf("%s[%d].%s", list, i, name)
			c.Causes = append(c.Causes, cause)
		}
	}
	for i, t := range c.Taints {
		theirs := apiDeviceTaint(t)
		add("taints", i, upstream.DeviceTaintErrors(&theirs, false))
	}
	for i, u := range c.Tolerations {
		theirs := apiDeviceToleration(u)
		add("tolerations", i, upstream.DeviceTolerationErrors(&theirs))
	}
	return c
}

// anyClass is the only class, which selects every device.
type anyClass struct{}

func (anyClass) List() ([]*resourcev1.DeviceClass, error) { return nil, nil }

func (anyClass) Get(string) (*resourcev1.DeviceClass, error) { return &resourcev1.DeviceClass{}, nil }

func slice(driver, pool string, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	all := true
	s := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		Driver: driver, Pool: resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}, AllNodes: &all, Devices: devices,
	}}
	s.Name = driver + "-" + pool
	return s
}

func allocateDevice(g *gen) any {
	var c recorded.DeviceAllocate
	var devices []resourcev1.Device
	var taints []taint
	for i := range 1 + g.IntN(4) {
		d := recorded.Device{Driver: "driver", Pool: "pool", Device: fmt.Sprint("device-", i)}
		for range g.IntN(4) {
			d.Taints = append(d.Taints, g.deviceTaint())
		}
		c.Devices, devices, taints = append(c.Devices, d), append(devices, apiDevice(d)), append(taints, d.Taints...)
	}
	c.Tolerations = g.deviceTolerations(g.IntN(6), taints)

	claim := &resourcev1.ResourceClaim{}
	claim.Name = "claim"
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "request", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "class", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1, Tolerations: apiDeviceTolerations(c.Tolerations),
	}}}
	ctx := context.Background()
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID]()}
	a, err := structured.NewAllocator(ctx, structured.Features{DeviceTaints: true}, state, anyClass{},
		[]*resourcev1.ResourceSlice{slice("driver", "pool", devices...)}, cel.NewCache(1, cel.Features{}))
	must(err)
	results, err := a.Allocate(ctx, &corev1.Node{}, []*resourcev1.ResourceClaim{claim})
	must(err)
	if len(results) > 0 {
		c.Device = results[0].Devices.Results[0].Device
	}
	return c
}

func (g *gen) evictingTaint() taint {
	t := g.deviceTaint()
	if !g.in(4) {
		t.Effect = "NoExecute"
	}
	t.TimeAdded = time.Unix(1_800_000_000+g.Int64N(600), 0).UTC().Format(time.RFC3339)
	return t
}

func evictDevice(g *gen) any {
	var c recorded.DeviceEvict
	var taints []taint
	for i := range g.IntN(4) {
		d := recorded.Device{Driver: g.one("a", "b"), Pool: g.one("a", "b"), Device: fmt.Sprint("device-", i)}
		for range g.IntN(3) {
			d.Taints = append(d.Taints, g.evictingTaint())
		}
		c.Devices, taints = append(c.Devices, d), append(taints, d.Taints...)
	}
	for range g.IntN(3) {
		r := recorded.DeviceRule{Taint: g.evictingTaint()}
		if !g.in(6) {
			r.Selector = &recorded.DeviceSelector{Driver: g.one("", "a", "b"), Pool: g.one("", "", "a", "b"), Device: g.one("", "", "device-0", "device-1")}
		}
		c.Rules, taints = append(c.Rules, r), append(taints, r.Taint)
	}
	for range c.Devices {
		list := g.deviceTolerations(g.IntN(5), taints)
		for i := range list {
			if !g.in(3) {
				list[i].Effect = "NoExecute"
			}
			if !g.in(3) {
				list[i].Seconds = g.deviceSeconds()
			}
		}
		c.Tolerations = append(c.Tolerations, list)
	}
	if at, ok := evictionOf(c); ok {
		c.At = at.UTC().Format(time.RFC3339)
	}
	return c
}

// evictionOf returns the answer of the controller. Each device has its own slice and
// claim.
func evictionOf(c recorded.DeviceEvict) (time.Time, bool) {
	e := upstream.NewDeviceEvictor()
	pools := map[string][]resourcev1.Device{}
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID, pod.Spec.NodeName = "pod", "default", "uid", "node"
	for i, d := range c.Devices {
		pool := d.Driver + "/" + d.Pool
		pools[pool] = append(pools[pool], apiDevice(d))
		claim := &resourcev1.ResourceClaim{}
		claim.Name, claim.Namespace = fmt.Sprint("claim-", i), "default"
		claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		claim.Status.Allocation = &resourcev1.AllocationResult{}
		claim.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{
			{Driver: d.Driver, Pool: d.Pool, Device: d.Device, Tolerations: apiDeviceTolerations(c.Tolerations[i])},
		}
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: claim.Name, ResourceClaimName: &claim.Name})
		e.SetClaim(nil, claim)
	}
	for name, devices := range pools {
		driver, pool, _ := strings.Cut(name, "/")
		e.SetSlice(nil, slice(driver, pool, devices...))
	}
	for i, r := range c.Rules {
		rule := &resourcev1.DeviceTaintRule{Spec: resourcev1.DeviceTaintRuleSpec{Taint: apiDeviceTaint(r.Taint)}}
		rule.Name = fmt.Sprint("rule-", i)
		if s := r.Selector; s != nil {
			rule.Spec.DeviceSelector = &resourcev1.DeviceTaintSelector{Driver: present(s.Driver), Pool: present(s.Pool), Device: present(s.Device)}
		}
		e.SetRule(nil, rule)
	}
	return e.Eviction(pod)
}

func present(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}
