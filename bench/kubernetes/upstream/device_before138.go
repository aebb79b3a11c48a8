//go:build !k134 && !k135 && !k138

package upstream

import (
	"context"
	_ "unsafe" // for go:linkname

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/dynamic-resource-allocation/structured"
)

//go:linkname applyPatches k8s.io/dynamic-resource-allocation/resourceslice/tracker.(*Tracker).applyPatches
func applyPatches(t *tracker.Tracker, ctx context.Context, slice *resourcev1.ResourceSlice, rules []*DeviceTaintRule) (*resourcev1.ResourceSlice, error)

// WithRules returns the slice as the scheduler sees it: with the taints of the rules.
func WithRules(slice *resourcev1.ResourceSlice, rules []*DeviceTaintRule) *resourcev1.ResourceSlice {
	patched, err := applyPatches(nil, quiet, slice, rules)
	must(err)
	return patched
}

func newAllocator(features structured.Features, slice *resourcev1.ResourceSlice) (structured.Allocator, error) {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	return structured.NewAllocator(quiet, features, state, anyClass{}, []*resourcev1.ResourceSlice{slice}, cel.NewCache(1, cel.Features{}))
}
