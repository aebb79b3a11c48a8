package speed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

const poolDevices = 5000

// devicePool makes a pool whose devices have at most two taints, like those of a driver
// that reports health and reservations.
func devicePool() []device.Device {
	kinds := []device.Taints{
		nil,
		{device.MustParseTaint("gpu.example.com/reserved=team-7:NoSchedule")},
		{device.MustParseTaint("gpu.example.com/reserved=team-8:NoSchedule")},
		{device.MustParseTaint("gpu.example.com/reserved=team-7:NoSchedule"), device.MustParseTaint("gpu.example.com/unhealthy=ecc:NoExecute")},
		{device.MustParseTaint("gpu.example.com/firmware=old:None")},
	}
	devices := make([]device.Device, poolDevices)
	for i := range devices {
		id := device.ID{Driver: "gpu.example.com", Pool: "pool", Device: fmt.Sprint("gpu-", i)}
		devices[i] = device.Device{ID: id, Taints: kinds[i*7%len(kinds)]}
	}
	return devices
}

// deviceRequest returns the tolerations of a request.
func deviceRequest() device.Tolerations {
	return device.Tolerations{
		device.MustParseToleration("gpu.example.com/maintenance:NoExecute op=Exists for 60s"),
		device.MustParseToleration("gpu.example.com/unhealthy:NoExecute op=Exists for 300s"),
		device.MustParseToleration("gpu.example.com/reserved=team-7:NoSchedule"),
	}
}

// apiDeviceTaints and apiDeviceTolerations return structs whose strings have memory of
// their own, like decoded ones.
func apiDeviceTaints(list device.Taints) []resourcev1.DeviceTaint {
	var out []resourcev1.DeviceTaint
	for _, t := range list {
		one := resourcev1.DeviceTaint{Key: strings.Clone(t.Key()), Value: strings.Clone(t.Value()), Effect: resourcev1.DeviceTaintEffect(strings.Clone(t.Effect().String()))}
		if at := t.TimeAdded(); !at.IsZero() {
			one.TimeAdded = &metav1.Time{Time: at}
		}
		out = append(out, one)
	}
	return out
}

func apiDeviceTolerations(list device.Tolerations) []resourcev1.DeviceToleration {
	var out []resourcev1.DeviceToleration
	for _, u := range list {
		one := resourcev1.DeviceToleration{
			Key: strings.Clone(u.Key()), Operator: resourcev1.DeviceTolerationOperator(strings.Clone(u.Operator().String())),
			Value: strings.Clone(u.Value()), Effect: resourcev1.DeviceTaintEffect(strings.Clone(u.Effect().String())),
		}
		if n, ok := u.Seconds(); ok {
			one.TolerationSeconds = &n
		}
		out = append(out, one)
	}
	return out
}

func apiPool(devices []device.Device) []resourcev1.Device {
	out := make([]resourcev1.Device, len(devices))
	for i, d := range devices {
		out[i] = resourcev1.Device{Name: d.ID.Device, Taints: apiDeviceTaints(d.Taints)}
	}
	return out
}

// allocateKubernetes counts the devices that can be allocated, by Kubernetes' function in
// a loop like that of its allocator.
func allocateKubernetes(devices []resourcev1.Device, tolerations []resourcev1.DeviceToleration) (allocatable int) {
	tolerated := func(t resourcev1.DeviceTaint) bool {
		for _, u := range tolerations {
			if resourceclaim.ToleratesTaint(u, t) {
				return true
			}
		}
		return false
	}
next:
	for i := range devices {
		for _, t := range devices[i].Taints {
			switch t.Effect {
			case resourcev1.DeviceTaintEffectNoExecute, resourcev1.DeviceTaintEffectNoSchedule:
				if !tolerated(t) {
					continue next
				}
			}
		}
		allocatable++
	}
	return allocatable
}

// matchesHandwritten copies no struct.
func matchesHandwritten(u *resourcev1.DeviceToleration, t *resourcev1.DeviceTaint) bool {
	return (u.Key == "" || u.Key == t.Key) && (u.Effect == "" || u.Effect == t.Effect) &&
		(u.Operator == resourcev1.DeviceTolerationOpExists || u.Operator != "Lt" && u.Value == t.Value)
}

func allocateHandwritten(devices []resourcev1.Device, tolerations []resourcev1.DeviceToleration) (allocatable int) {
next:
	for i := range devices {
	taints:
		for j := range devices[i].Taints {
			t := &devices[i].Taints[j]
			if t.Effect != resourcev1.DeviceTaintEffectNoSchedule && t.Effect != resourcev1.DeviceTaintEffectNoExecute {
				continue
			}
			for k := range tolerations {
				if matchesHandwritten(&tolerations[k], t) {
					continue taints
				}
			}
			continue next
		}
		allocatable++
	}
	return allocatable
}

func allocateTolerate(devices []device.Device, tolerations device.Tolerations) (allocatable int) {
	for i := range devices {
		if devices[i].Allocatable(nil, tolerations) {
			allocatable++
		}
	}
	return allocatable
}

func allocateDRA(devices []resourcev1.Device, tolerations []resourcev1.DeviceToleration) (allocatable int) {
	for i := range devices {
		if dra.Allocatable(devices[i].Taints, tolerations) {
			allocatable++
		}
	}
	return allocatable
}

// evictedDevices returns the devices of a pod, one of them unhealthy, and their claim.
func evictedDevices() (devices []device.Allocated, claim *resourcev1.ResourceClaim, slice *resourcev1.ResourceSlice) {
	added := time.Unix(1e9, 0)
	claim, slice = &resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	slice.Spec.Driver, slice.Spec.Pool.Name = "gpu.example.com", "pool"
	for i := range 4 {
		d := device.Device{ID: device.ID{Driver: "gpu.example.com", Pool: "pool", Device: fmt.Sprint("gpu-", i)}}
		d.Taints = device.Taints{device.MustParseTaint("gpu.example.com/reserved=team-7:NoSchedule")}
		if i == 2 {
			unhealthy, err := device.MustParseTaint("gpu.example.com/unhealthy=ecc:NoExecute").WithTimeAdded(added)
			if err != nil {
				panic(err)
			}
			d.Taints = append(d.Taints, unhealthy)
		}
		devices = append(devices, device.Allocated{Device: d, Tolerations: deviceRequest()})
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
			Driver: d.ID.Driver, Pool: d.ID.Pool, Device: d.ID.Device, Tolerations: apiDeviceTolerations(deviceRequest()),
		})
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: d.ID.Device, Taints: apiDeviceTaints(d.Taints)})
	}
	return devices, claim, slice
}

// evictHandwritten returns when the claim's devices evict the pod.
func evictHandwritten(slice *resourcev1.ResourceSlice, claim *resourcev1.ResourceClaim) (when time.Time) {
	for _, r := range claim.Status.Allocation.Devices.Results {
		for i := range slice.Spec.Devices {
			if slice.Spec.Devices[i].Name != r.Device {
				continue
			}
		taints:
			for j := range slice.Spec.Devices[i].Taints {
				t := &slice.Spec.Devices[i].Taints[j]
				if t.Effect != resourcev1.DeviceTaintEffectNoExecute {
					continue
				}
				var seconds int64 = -1
				for k := range r.Tolerations {
					u := &r.Tolerations[k]
					if u.Effect != resourcev1.DeviceTaintEffectNoExecute || !matchesHandwritten(u, t) {
						continue
					}
					if u.TolerationSeconds == nil {
						continue taints
					}
					if n := max(*u.TolerationSeconds, 0); seconds < 0 || n < seconds {
						seconds = n
					}
				}
				at := t.TimeAdded.Add(time.Duration(max(seconds, 0)) * time.Second)
				if when.IsZero() || at.Before(when) {
					when = at
				}
			}
		}
	}
	return when
}

func TestSameDevice(t *testing.T) {
	pool, request := devicePool(), deviceRequest()
	theirs, theirRequest := apiPool(pool), apiDeviceTolerations(request)
	want := allocateKubernetes(theirs, theirRequest)
	for name, got := range map[string]int{
		"handwritten": allocateHandwritten(theirs, theirRequest),
		"tolerate":    allocateTolerate(pool, request),
		"kube":        allocateDRA(theirs, theirRequest),
	} {
		if got != want || want == 0 || want == poolDevices {
			t.Errorf("of %d devices, %s finds %d, Kubernetes %d", poolDevices, name, got, want)
		}
	}

	devices, claim, slice := evictedDevices()
	e := upstream.NewDeviceEvictor()
	e.SetSlice(nil, slice)
	d, _ := device.Decide(time.Unix(1e9, 0), nil, devices...)
	at, _ := d.Deadline()
	if when, ok := e.ClaimEviction(claim); !ok || d.Kind() != eviction.At || !at.Equal(when) || !evictHandwritten(slice, claim).Equal(when) {
		t.Errorf("Kubernetes evicts at %v, handwritten at %v, ours: %v", when, evictHandwritten(slice, claim), d)
	}
}

// BenchmarkDevice matches one toleration and one taint, counts the devices that can be
// allocated to a request, and decides when a pod is evicted that uses four devices.
func BenchmarkDevice(b *testing.B) {
	pool, request := devicePool(), deviceRequest()
	theirs, theirRequest := apiPool(pool), apiDeviceTolerations(request)
	b.Run("do=match", func(b *testing.B) {
		t, u := pool[3].Taints[0], request[2]
		theirTaint, theirToleration := theirs[3].Taints[0], theirRequest[2]
		workload.Run(b, "impl=kubernetes", func() bool { return resourceclaim.ToleratesTaint(theirToleration, theirTaint) })
		workload.Run(b, "impl=handwritten", func() bool { return matchesHandwritten(&theirToleration, &theirTaint) })
		workload.Run(b, "impl=tolerate", func() bool { return u.Tolerates(t) })
		workload.Run(b, "impl=tolerate-kube", func() bool { return dra.Tolerates(&theirToleration, &theirTaint) })
	})
	b.Run(fmt.Sprintf("do=allocate/devices=%d", poolDevices), func(b *testing.B) {
		workload.Run(b, "impl=kubernetes", func() int { return allocateKubernetes(theirs, theirRequest) })
		workload.Run(b, "impl=handwritten", func() int { return allocateHandwritten(theirs, theirRequest) })
		workload.Run(b, "impl=tolerate", func() int { return allocateTolerate(pool, request) })
		workload.Run(b, "impl=tolerate-kube", func() int { return allocateDRA(theirs, theirRequest) })
	})
	b.Run("do=evict/devices=4", func(b *testing.B) {
		devices, claim, slice := evictedDevices()
		e := upstream.NewDeviceEvictor()
		e.SetSlice(nil, slice)
		now := time.Unix(1e9, 0)
		workload.Run(b, "impl=kubernetes", func() time.Time { when, _ := e.ClaimEviction(claim); return when })
		workload.Run(b, "impl=handwritten", func() time.Time { return evictHandwritten(slice, claim) })
		workload.Run(b, "impl=tolerate", func() eviction.Decision { d, _ := device.Decide(now, nil, devices...); return d })
	})
}
