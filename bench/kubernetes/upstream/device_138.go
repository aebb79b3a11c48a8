//go:build k138

package upstream

import (
	"context"
	_ "unsafe" // for go:linkname

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	draapi "k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type DeviceTaintRule = resourcev1.DeviceTaintRule

func newDeviceController(client kubernetes.Interface, f informers.SharedInformerFactory) *devicetainteviction.Controller {
	r := f.Resource().V1()
	return devicetainteviction.New(client, f.Core().V1().Pods(), r.ResourceClaims(), r.ResourceSlices(), r.DeviceTaintRules(), r.DeviceClasses(), "tolerate")
}

//go:linkname applyPatches k8s.io/dynamic-resource-allocation/resourceslice/tracker.(*Tracker).applyPatches
func applyPatches(t *tracker.Tracker, ctx context.Context, slice *draapi.ResourceSlice, rules []*DeviceTaintRule) (*draapi.ResourceSlice, error)

// WithRules returns the slice as the scheduler sees it: with the taints of the rules.
func WithRules(slice *resourcev1.ResourceSlice, rules []*DeviceTaintRule) *resourcev1.ResourceSlice {
	patched, err := applyPatches(nil, quiet, converted(slice), rules)
	must(err)
	var out resourcev1.ResourceSlice
	must(draapi.Convert_api_ResourceSlice_To_v1_ResourceSlice(patched, &out, nil))
	return &out
}

func newAllocator(features structured.Features, slice *resourcev1.ResourceSlice) (structured.Allocator, error) {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.DeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	return structured.NewAllocator(quiet, features, state, anyClass{}, []*draapi.ResourceSlice{converted(slice)}, cel.NewCache(1, cel.Features{}))
}

func converted(slice *resourcev1.ResourceSlice) *draapi.ResourceSlice {
	var out draapi.ResourceSlice
	must(draapi.Convert_v1_ResourceSlice_To_api_ResourceSlice(slice, &out, nil))
	return &out
}
