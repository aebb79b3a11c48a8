package dra_test

import (
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var (
	ecc = resourcev1.DeviceTaint{Key: "gpu.example.com/unhealthy", Value: "ecc", Effect: resourcev1.DeviceTaintEffectNoExecute,
		TimeAdded: &metav1.Time{Time: time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)}}
	fiveMinutes    = int64(300)
	forFiveMinutes = resourcev1.DeviceToleration{Key: "gpu.example.com/unhealthy", Operator: resourcev1.DeviceTolerationOpExists,
		Effect: resourcev1.DeviceTaintEffectNoExecute, TolerationSeconds: &fiveMinutes}

	slice = &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		Driver: "gpu.example.com", Pool: resourcev1.ResourcePool{Name: "node-1"},
		Devices: []resourcev1.Device{{Name: "gpu-0"}, {Name: "gpu-1", Taints: []resourcev1.DeviceTaint{ecc}}},
	}}
)

// These are the devices of a slice that a request can use with respect to their taints.
func Example() {
	request := resourcev1.ExactDeviceRequest{}
	for i := range slice.Spec.Devices {
		d := &slice.Spec.Devices[i]
		fmt.Println(d.Name, dra.Allocatable(d.Taints, request.Tolerations))
	}
	// Output:
	// gpu-0 true
	// gpu-1 false
}

// The decision reports when a pod is evicted that uses an unhealthy device.
func ExampleAllocated() {
	claim := &resourcev1.ResourceClaim{Status: resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-1", Tolerations: []resourcev1.DeviceToleration{forFiveMinutes}},
		}},
	}}}
	devices, err := dra.Devices(slice)
	if err != nil {
		fmt.Println(err)
		return
	}
	taints := make(map[device.ID]device.Taints)
	for _, d := range devices {
		taints[d.ID] = d.Taints
	}
	allocated, err := dra.Allocated(claim)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range allocated {
		d := &allocated[i].Device
		d.Taints = taints[d.ID]
	}
	decision, i := device.Decide(time.Date(2026, 1, 2, 15, 1, 0, 0, time.UTC), nil, allocated...)
	if i >= 0 {
		fmt.Println(decision, "because of", allocated[i].Device.ID)
	}
	// Output: at 2026-01-02T15:05:00Z because of gpu.example.com/node-1/gpu-1
}

func ExampleTolerates() {
	fmt.Println(dra.Tolerates(&forFiveMinutes, &ecc))
	fmt.Println(dra.Tolerates(&resourcev1.DeviceToleration{Key: ecc.Key}, &ecc)) // Equal, without a value
	// Output:
	// true
	// false
}

// A taint without an effect prevents the allocation, whatever the tolerations are.
func ExampleAllocatable() {
	all := []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	fmt.Println(dra.Allocatable([]resourcev1.DeviceTaint{ecc}, all))
	fmt.Println(dra.Allocatable([]resourcev1.DeviceTaint{{Key: "no effect"}}, all))
	// Output:
	// true
	// false
}

func ExampleTaint() {
	fmt.Println(dra.Taint(&ecc))
	// Output: gpu.example.com/unhealthy=ecc:NoExecute <nil>
}

func ExampleTaints() {
	list, err := dra.Taints([]resourcev1.DeviceTaint{ecc, {Key: "maintenance"}})
	fmt.Println(list)
	fmt.Println(err)
	// Output:
	// gpu.example.com/unhealthy=ecc:NoExecute,(invalid taint)
	// taints[1].effect: must not be empty (allowed: None, NoSchedule, NoExecute)
}

func ExampleToleration() {
	fmt.Println(dra.Toleration(&forFiveMinutes))
	// Output: gpu.example.com/unhealthy:NoExecute op=Exists for 300s <nil>
}

func ExampleTolerations() {
	list, err := dra.Tolerations([]resourcev1.DeviceToleration{forFiveMinutes, {Operator: "Gt"}})
	fmt.Println(list)
	fmt.Println(err)
	// Output:
	// gpu.example.com/unhealthy:NoExecute op=Exists for 300s,(invalid toleration)
	// tolerations[1].operator: unknown operator "Gt" (allowed: Equal, Exists)
}

func ExampleDevices() {
	devices, err := dra.Devices(slice)
	for _, d := range devices {
		fmt.Println(d.ID, len(d.Taints))
	}
	fmt.Println(err)
	// Output:
	// gpu.example.com/node-1/gpu-0 0
	// gpu.example.com/node-1/gpu-1 1
	// <nil>
}

func ExampleSelector() {
	pool := "node-1" // spec.deviceSelector.pool of a DeviceTaintRule
	s, err := dra.Selector(nil, &pool, nil)
	fmt.Println(s.Selects(device.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"}), err)
	// Output: true <nil>
}
