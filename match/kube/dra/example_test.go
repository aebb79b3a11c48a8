package dra_test

import (
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var (
	ecc = resourcev1.DeviceTaint{Key: "gpu.example.com/unhealthy", Value: "ecc", Effect: resourcev1.DeviceTaintEffectNoExecute,
		TimeAdded: &metav1.Time{Time: noon}}
	fiveMinutes    = int64(300)
	forFiveMinutes = resourcev1.DeviceToleration{Key: "gpu.example.com/unhealthy", Operator: resourcev1.DeviceTolerationOpExists,
		Effect: resourcev1.DeviceTaintEffectNoExecute, TolerationSeconds: &fiveMinutes}

	slice = &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		Driver: "gpu.example.com", Pool: resourcev1.ResourcePool{Name: "node-1"},
		Devices: []resourcev1.Device{{Name: "gpu-0"}, {Name: "gpu-1", Taints: []resourcev1.DeviceTaint{ecc}}},
	}}
)

// These are the devices of a slice that a request can use with respect to their taints.
// A rule adds its taint to those that it selects.
func Example() {
	request := resourcev1.ExactDeviceRequest{Tolerations: []resourcev1.DeviceToleration{forFiveMinutes}}
	pool := "node-1"
	rules := []dra.Rule{{
		Selector: &dra.Selector{Pool: &pool},
		Taint:    resourcev1.DeviceTaint{Key: "maintenance", Effect: resourcev1.DeviceTaintEffectNoSchedule},
	}}
	for _, d := range slice.Spec.Devices {
		id := dra.ID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: d.Name}
		taints := d.Taints[:len(d.Taints):len(d.Taints)]
		for i := range rules {
			if rules[i].Selects(id) {
				taints = append(taints, rules[i].Taint)
			}
		}
		fmt.Println(id, dra.Allocatable(d.Taints, request.Tolerations), dra.Allocatable(taints, request.Tolerations))
	}
	// Output:
	// gpu.example.com/node-1/gpu-0 true false
	// gpu.example.com/node-1/gpu-1 true false
}

// A pod that uses an unhealthy device is evicted after five minutes. A Schedule of package
// eviction holds the deadlines of all pods.
func ExampleDecide() {
	taints := make(map[dra.ID][]resourcev1.DeviceTaint)
	for _, d := range slice.Spec.Devices {
		taints[dra.ID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: d.Name}] = d.Taints
	}
	claim := &resourcev1.ResourceClaim{Status: resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-1", Tolerations: []resourcev1.DeviceToleration{forFiveMinutes}},
		}},
	}}}
	now := noon.Add(time.Minute)
	decision, cause := dra.Decide(now, []*resourcev1.ResourceClaim{claim}, func(id dra.ID) []resourcev1.DeviceTaint { return taints[id] }, nil)
	fmt.Println(decision, "because of", cause.Taint.Key, "on", cause.Device.Device)

	var schedule eviction.Schedule[string]
	fmt.Println(schedule.Set("pod-0", decision))
	// Output:
	// at 2026-01-02T12:05:00Z because of gpu.example.com/unhealthy on gpu-1
	// scheduled at 2026-01-02T12:05:00Z
}

func ExampleTolerates() {
	fmt.Println(dra.Tolerates(&forFiveMinutes, &ecc))
	fmt.Println(dra.Tolerates(&resourcev1.DeviceToleration{Key: ecc.Key}, &ecc)) // Equal, without a value
	// Output:
	// true
	// false
}

func ExampleToleratesTaint() {
	fmt.Println(dra.ToleratesTaint(resourcev1.DeviceToleration{Operator: "Exists"}, ecc))
	// Output: true
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

// A rule without a selector selects no device, and an empty selector all.
func ExampleRule_Selects() {
	pool, gpu := "node-1", dra.ID{Driver: "gpu.example.com", Pool: "node-1", Device: "gpu-0"}
	for _, s := range []*dra.Selector{nil, {}, {Pool: &pool}} {
		r := dra.Rule{Selector: s, Taint: ecc}
		fmt.Println(r.Selects(gpu))
	}
	// Output:
	// false
	// true
	// true
}

// A driver checks the taints of a device before it publishes them.
func ExampleValidateTaints() {
	fmt.Println(dra.ValidateTaints([]resourcev1.DeviceTaint{ecc, {Key: "maintenance"}, {Key: "ecc", Effect: "noExecute"}}))
	// Output:
	// taints[1].effect: must not be empty (allowed: None, NoSchedule, NoExecute)
	// taints[2].effect: unknown effect "noExecute", did you mean NoExecute? (allowed: None, NoSchedule, NoExecute)
}

// A webhook, or a check of manifests, reports what the API server will reject.
func ExampleValidateTolerations() {
	fmt.Println(dra.ValidateTolerations([]resourcev1.DeviceToleration{forFiveMinutes, {Key: "memory", Operator: "Gt", Value: "8"}}))
	// Output: tolerations[1].operator: unknown operator "Gt" (allowed: Equal, Exists)
}

func ExampleRule_Validate() {
	r := dra.Rule{Selector: &dra.Selector{Driver: new(string)}, Taint: ecc}
	fmt.Println(r.Validate())
	// Output: deviceSelector.driver: must not be empty: to select all, omit it
}
