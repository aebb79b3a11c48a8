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
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

const poolDevices = 5000

// deviceTaint returns a struct whose strings have memory of their own, like a decoded one.
func deviceTaint(key, value, effect string) resourcev1.DeviceTaint {
	return resourcev1.DeviceTaint{Key: strings.Clone(key), Value: strings.Clone(value), Effect: resourcev1.DeviceTaintEffect(strings.Clone(effect))}
}

// devicePool makes a pool whose devices have at most two taints, like those of a driver
// that reports health and reservations.
func devicePool() []resourcev1.Device {
	kinds := [][][3]string{
		nil,
		{{"gpu.example.com/reserved", "team-7", "NoSchedule"}},
		{{"gpu.example.com/reserved", "team-8", "NoSchedule"}},
		{{"gpu.example.com/reserved", "team-7", "NoSchedule"}, {"gpu.example.com/unhealthy", "ecc", "NoExecute"}},
		{{"gpu.example.com/firmware", "old", "None"}},
	}
	devices := make([]resourcev1.Device, poolDevices)
	for i := range devices {
		devices[i].Name = fmt.Sprint("gpu-", i)
		for _, t := range kinds[i*7%len(kinds)] {
			devices[i].Taints = append(devices[i].Taints, deviceTaint(t[0], t[1], t[2]))
		}
	}
	return devices
}

// deviceRequest returns the tolerations of a request.
func deviceRequest() []resourcev1.DeviceToleration {
	return []resourcev1.DeviceToleration{
		{Key: strings.Clone("gpu.example.com/maintenance"), Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(60))},
		{Key: strings.Clone("gpu.example.com/unhealthy"), Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))},
		{Key: strings.Clone("gpu.example.com/reserved"), Value: strings.Clone("team-7"), Effect: "NoSchedule"},
	}
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

func allocateTolerate(devices []resourcev1.Device, tolerations []resourcev1.DeviceToleration) (allocatable int) {
	for i := range devices {
		if dra.Allocatable(devices[i].Taints, tolerations) {
			allocatable++
		}
	}
	return allocatable
}

// evictedDevices returns the claim of a pod for four devices, one of them unhealthy, and
// their slice.
func evictedDevices() (claim *resourcev1.ResourceClaim, slice *resourcev1.ResourceSlice) {
	claim, slice = &resourcev1.ResourceClaim{}, &resourcev1.ResourceSlice{}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	slice.Spec.Driver, slice.Spec.Pool.Name = "gpu.example.com", "pool"
	for i := range 4 {
		d := resourcev1.Device{Name: fmt.Sprint("gpu-", i), Taints: []resourcev1.DeviceTaint{deviceTaint("gpu.example.com/reserved", "team-7", "NoSchedule")}}
		if i == 2 {
			unhealthy := deviceTaint("gpu.example.com/unhealthy", "ecc", "NoExecute")
			unhealthy.TimeAdded = &metav1.Time{Time: time.Unix(1e9, 0)}
			d.Taints = append(d.Taints, unhealthy)
		}
		slice.Spec.Devices = append(slice.Spec.Devices, d)
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
			Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: strings.Clone(d.Name), Tolerations: deviceRequest(),
		})
	}
	return claim, slice
}

// evictTolerate decides with the lookup of evictHandwritten.
func evictTolerate(now time.Time, slice *resourcev1.ResourceSlice, claims ...*resourcev1.ResourceClaim) eviction.Decision {
	d, _ := dra.Decide(now, claims, func(id dra.ID) []resourcev1.DeviceTaint {
		for i := range slice.Spec.Devices {
			if slice.Spec.Devices[i].Name == id.Device {
				return slice.Spec.Devices[i].Taints
			}
		}
		return nil
	}, nil)
	return d
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
	want := allocateKubernetes(pool, request)
	for name, got := range map[string]int{
		"handwritten": allocateHandwritten(pool, request),
		"tolerate":    allocateTolerate(pool, request),
	} {
		if got != want || want == 0 || want == poolDevices {
			t.Errorf("of %d devices, %s finds %d, Kubernetes %d", poolDevices, name, got, want)
		}
	}

	claim, slice := evictedDevices()
	e := upstream.NewDeviceEvictor()
	e.SetSlice(nil, slice)
	d := evictTolerate(time.Unix(1e9, 0), slice, claim)
	at, _ := d.Deadline()
	if when, ok := e.ClaimEviction(claim); !ok || d.Kind() != eviction.At || !at.Equal(when) || !evictHandwritten(slice, claim).Equal(when) {
		t.Errorf("Kubernetes evicts at %v, handwritten at %v, ours: %v", when, evictHandwritten(slice, claim), d)
	}
}

// BenchmarkDevice matches one toleration and one taint, counts the devices that can be
// allocated to a request, and decides when a pod is evicted that uses four devices.
func BenchmarkDevice(b *testing.B) {
	pool, request := devicePool(), deviceRequest()
	b.Run("do=match", func(b *testing.B) {
		t, u := pool[3].Taints[0], request[2]
		workload.Run(b, "impl=kubernetes", func() bool { return resourceclaim.ToleratesTaint(u, t) })
		workload.Run(b, "impl=handwritten", func() bool { return matchesHandwritten(&u, &t) })
		workload.Run(b, "impl=tolerate", func() bool { return dra.Tolerates(&u, &t) })
	})
	b.Run(fmt.Sprintf("do=allocate/devices=%d", poolDevices), func(b *testing.B) {
		workload.Run(b, "impl=kubernetes", func() int { return allocateKubernetes(pool, request) })
		workload.Run(b, "impl=handwritten", func() int { return allocateHandwritten(pool, request) })
		workload.Run(b, "impl=tolerate", func() int { return allocateTolerate(pool, request) })
	})
	b.Run("do=evict/devices=4", func(b *testing.B) {
		claim, slice := evictedDevices()
		e := upstream.NewDeviceEvictor()
		e.SetSlice(nil, slice)
		now := time.Unix(1e9, 0)
		workload.Run(b, "impl=kubernetes", func() time.Time { when, _ := e.ClaimEviction(claim); return when })
		workload.Run(b, "impl=handwritten", func() time.Time { return evictHandwritten(slice, claim) })
		workload.Run(b, "impl=tolerate", func() eviction.Decision { return evictTolerate(now, slice, claim) })
	})
}
