//go:build !k134 && !k135

package upstream

import (
	"context"
	"errors"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/validation"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
)

//go:linkname validateDeviceTaint k8s.io/kubernetes/pkg/apis/resource/validation.validateDeviceTaint
func validateDeviceTaint(taint resource.DeviceTaint, oldTaint *resource.DeviceTaint, fldPath *fieldpath.Path) fieldpath.ErrorList

//go:linkname validateDeviceToleration k8s.io/kubernetes/pkg/apis/resource/validation.validateDeviceToleration
func validateDeviceToleration(toleration resource.DeviceToleration, fldPath *fieldpath.Path) fieldpath.ErrorList

// RuleSelects reports whether the eviction controller applies the rule to a device.
//
//go:linkname RuleSelects k8s.io/kubernetes/pkg/controller/devicetainteviction.ruleMatchesDevice
func RuleSelects(rule *DeviceTaintRule, driverName, poolName, deviceName string) bool

//go:linkname handleSliceChange k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleSliceChange
func handleSliceChange(c *devicetainteviction.Controller, before, after *resourcev1.ResourceSlice)

//go:linkname handleRuleChange k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleRuleChange
func handleRuleChange(c *devicetainteviction.Controller, before, after *DeviceTaintRule)

//go:linkname handleClaimChange k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).handleClaimChange
func handleClaimChange(c *devicetainteviction.Controller, before, after *resourcev1.ResourceClaim)

//go:linkname podEvictionTime k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).podEvictionTime
func podEvictionTime(c *devicetainteviction.Controller, pod *corev1.Pod) *evictionTime

//go:linkname claimEvictionTime k8s.io/kubernetes/pkg/controller/devicetainteviction.(*Controller).claimEvictionTime
func claimEvictionTime(c *devicetainteviction.Controller, claim *resourcev1.ResourceClaim) *evictionTime

// An evictionTime has the first fields of the controller's evictionAndReason.
type evictionTime struct {
	when metav1.Time
	_    []struct{}
}

// DeviceTaintErrors returns the API server's errors for a taint of a new device,
// or, with kept, for a taint whose effect an update does not change.
func DeviceTaintErrors(t *resourcev1.DeviceTaint, kept bool) fieldpath.ErrorList {
	internal := fields.As[resource.DeviceTaint]([]resourcev1.DeviceTaint{*t})
	var old *resource.DeviceTaint
	if kept {
		old = &internal[0]
	}
	return validateDeviceTaint(internal[0], old, fieldpath.NewPath("taint"))
}

// DeviceTolerationErrors returns the API server's errors for a toleration.
func DeviceTolerationErrors(u *resourcev1.DeviceToleration) fieldpath.ErrorList {
	internal := fields.As[resource.DeviceToleration]([]resourcev1.DeviceToleration{*u})[0]
	if internal.Operator == "" {
		internal.Operator = resource.DeviceTolerationOpEqual // its default
	}
	return validateDeviceToleration(internal, fieldpath.NewPath("toleration"))
}

// Allocate chooses devices of the slice for the claims. The only class selects every
// device. It returns none if the request cannot be satisfied.
func Allocate(features structured.Features, slice *resourcev1.ResourceSlice, claims ...*resourcev1.ResourceClaim) (results []resourcev1.AllocationResult, err error) {
	allocator, err := newAllocator(features, slice)
	if err != nil {
		return nil, err
	}
	node := &corev1.Node{}
	node.Name = nodeName
	results, err = allocator.Allocate(quiet, node, claims)
	if errors.Is(err, structured.ErrFailedAllocationOnNode) {
		err = nil
	}
	return results, err
}

// anyClass is the only class, which selects every device.
type anyClass struct{}

func (anyClass) List() ([]*resourcev1.DeviceClass, error) { return nil, nil }

func (anyClass) Get(string) (*resourcev1.DeviceClass, error) { return &resourcev1.DeviceClass{}, nil }

// A DeviceEvictor is the device taint eviction controller. It does not evict pods; it
// only decides when.
type DeviceEvictor struct {
	controller *devicetainteviction.Controller
}

// NewDeviceEvictor returns a controller without objects.
func NewDeviceEvictor() *DeviceEvictor {
	client := &fake.Clientset{}
	factory := informers.NewSharedInformerFactory(client, 0)
	c := newDeviceController(client, factory)
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), discard))
	cancel()
	must(c.Run(ctx, 0)) // leaves a work queue that is shut down, and takes no work
	return &DeviceEvictor{c}
}

// SetSlice, SetRule and SetClaim pass a change to the controller. A new object has no
// before, and a deleted one has no after.
func (e *DeviceEvictor) SetSlice(before, after *resourcev1.ResourceSlice) {
	handleSliceChange(e.controller, before, after)
}

func (e *DeviceEvictor) SetRule(before, after *DeviceTaintRule) {
	handleRuleChange(e.controller, before, after)
}

func (e *DeviceEvictor) SetClaim(before, after *resourcev1.ResourceClaim) {
	handleClaimChange(e.controller, before, after)
}

// Eviction returns when the pod must be evicted, and false for never.
func (e *DeviceEvictor) Eviction(pod *corev1.Pod) (when time.Time, ok bool) {
	return podEvictionTime(e.controller, pod).time()
}

// ClaimEviction is Eviction for the pods that use the claim, which is evaluated
// again.
func (e *DeviceEvictor) ClaimEviction(claim *resourcev1.ResourceClaim) (when time.Time, ok bool) {
	return claimEvictionTime(e.controller, claim).time()
}

func (t *evictionTime) time() (when time.Time, ok bool) {
	if t == nil {
		return time.Time{}, false
	}
	return t.when.Time, true
}
