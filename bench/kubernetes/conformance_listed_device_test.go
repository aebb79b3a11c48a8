package kubernetes_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/kubernetes/pkg/apis/resource/validation"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// decideOne decides about a pod that uses one device with this taint.
func decideOne(now time.Time, t resourcev1.DeviceTaint, tolerations ...resourcev1.DeviceToleration) eviction.Decision {
	claim := &resourcev1.ResourceClaim{}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	claim.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{{Tolerations: tolerations}}
	d, _ := dra.Decide(now, []*resourcev1.ResourceClaim{claim}, func(dra.ID) []resourcev1.DeviceTaint { return []resourcev1.DeviceTaint{t} }, nil)
	return d
}

// Kubernetes' function evaluates any input. Here some invalid structs match nothing, so
// that a device stays closed. TestDeviceToleratesTaint proves the extent of the match, and
// this test that of the allocation and the eviction.
func TestListed_G13_invalid(t *testing.T) {
	t.Parallel()
	wildcard := resourcev1.DeviceToleration{Operator: resourcev1.DeviceTolerationOpExists}
	none := resourcev1.DeviceTaint{Key: "k"}
	if !resourceclaim.ToleratesTaint(wildcard, none) {
		t.Errorf("Kubernetes' wildcard does not match a taint without an effect any more")
	}
	if dra.Allocatable([]resourcev1.DeviceTaint{none}, []resourcev1.DeviceToleration{wildcard}) {
		t.Errorf("%+v: ours allocates", none)
	}
	if d := decideOne(time.Unix(1e9, 0), none); d != (eviction.Decision{}) {
		t.Errorf("%+v: ours evicts: %v", none, d)
	}
	valued := resourcev1.DeviceToleration{Operator: resourcev1.DeviceTolerationOpExists, Value: "x"}
	tnt := resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute", TimeAdded: &metav1.Time{Time: time.Unix(1e9, 0)}}
	if !resourceclaim.ToleratesTaint(valued, tnt) || isDeviceToleration(&valued) {
		t.Errorf("Kubernetes accepts %+v, or it does not match any more", valued)
	}
	if d := decideOne(time.Unix(1e9, 0), tnt, valued); d.Kind() != eviction.Due {
		t.Errorf("%+v: ours does not evict: %v", valued, d)
	}
}

// A devicePod is a pod with one claim of one device. Its NoExecute taint has this time
// added and is tolerated for these seconds.
func devicePod(e *upstream.DeviceEvictor, added *metav1.Time, seconds *int64) (pod *corev1.Pod, remove func()) {
	tnt := resourcev1.DeviceTaint{Key: "k", Effect: resourcev1.DeviceTaintEffectNoExecute, TimeAdded: added}
	slice := deviceSlice("a", "a", resourcev1.Device{Name: "a", Taints: []resourcev1.DeviceTaint{tnt}})
	claim := &resourcev1.ResourceClaim{}
	claim.Name, claim.Namespace = "claim", "default"
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "uid"}}
	result := resourcev1.DeviceRequestAllocationResult{Driver: "a", Pool: "a", Device: "a"}
	if seconds != nil {
		result.Tolerations = []resourcev1.DeviceToleration{{Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds}}
	}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	claim.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{result}
	pod = &corev1.Pod{}
	pod.Name, pod.Namespace, pod.UID, pod.Spec.NodeName = "pod", "default", "uid", "node"
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim.Name}}
	e.SetSlice(nil, slice)
	e.SetClaim(nil, claim)
	return pod, func() { e.SetClaim(claim, nil); e.SetSlice(slice, nil) }
}

// Kubernetes' durations hold about 292 years. More seconds overflow there, to a time
// before the time added, which evicts at once, or to a short time. Here they are exact
// if a time can represent the deadline. This difference affects only 9,223,372,037 and more seconds.
func TestListed_G8_overflow(t *testing.T) {
	t.Parallel()
	e := upstream.NewDeviceEvictor()
	added := metav1.Unix(1e9, 0)
	tnt := resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute", TimeAdded: &added}
	var before, short share
	conform(t, objects/10, func(g *gen) string {
		n := math.MaxInt64>>g.IntN(32) - g.Int64N(1000)
		pod, remove := devicePod(e, &added, &n)
		when, evicts := e.Eviction(pod)
		remove()
		lasts := when.Sub(added.Time)
		before.count(lasts < 0)
		short.count(lasts >= 0 && n > math.MaxInt64/int64(time.Second))
		if exact := when.Equal(time.Unix(added.Unix()+n, 0)); !evicts || exact != (n <= math.MaxInt64/int64(time.Second)) {
			return fmt.Sprintf("%d seconds: Kubernetes %v %v", n, when, evicts)
		}
		u := resourcev1.DeviceToleration{Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &n}
		want := eviction.Decision{}
		if deadline := time.Unix(added.Unix()+n, 0); deadline.After(added.Time) { // a time can represent it
			want = eviction.NewDecision(deadline, added.Time)
		}
		if d := decideOne(added.Time, tnt, u); d != want {
			return fmt.Sprintf("%d seconds: ours %v", n, d)
		}
		return ""
	})
	before.within(t, "end before they begin", 0.1, 0.8)
	short.within(t, "are cut short", 0.1, 0.8)
}

// A taint without a time added, which an API server never stores, evicts now.
// Kubernetes' controller ignores it, and panics if it is tolerated for some
// seconds. This difference affects only such taints.
func TestListed_G8_no_time(t *testing.T) {
	t.Parallel()
	e := upstream.NewDeviceEvictor()
	pod, remove := devicePod(e, nil, nil)
	if when, evicts := e.Eviction(pod); evicts {
		t.Errorf("Kubernetes evicts at %v", when)
	}
	remove()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Kubernetes' controller does not panic any more")
			}
		}()
		devicePod(upstream.NewDeviceEvictor(), nil, new(int64(30)))
	}()
	now := time.Unix(1e9, 0)
	tnt, due := resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}, eviction.NewDecision(now, now)
	if d := decideOne(now, tnt); d != due {
		t.Errorf("ours: %v", d)
	}
	if d := decideOne(now, tnt, resourcev1.DeviceToleration{Operator: "Exists", TolerationSeconds: new(int64(30))}); d != due {
		t.Errorf("ours: %v", d)
	}
}

// Before 1.38, tolerations without an effect do not prevent an eviction. This difference
// affects only these: without them, the library has the answer of the earlier versions.
func TestListed_G7_no_effect(t *testing.T) {
	t.Parallel()
	e := upstream.NewDeviceEvictor()
	var other deviceDecider = dra.Decide
	if upstream.From138 {
		other = decideWithEffects
	}
	var differ share
	conform(t, objects/10, func(g *gen) string {
		c, now := g.deviceCase(), time.Unix(1_000_000_000+g.Int64N(400)-200, 0)
		add, remove := c.changes(e)
		for _, f := range add {
			f()
		}
		diff := c.differs(e, decideAsKubernetes, now, nil)
		differ.count(c.differs(e, other, now, nil) != "")
		for _, f := range remove {
			f()
		}
		return diff
	})
	differ.within(t, "get another answer", 0.01, 0.5)
}

// The names in a selector can have any form; Kubernetes' validation rejects those that
// no driver, pool or device can have. This difference affects only names that are not empty. They select
// nothing.
func TestListed_G9_names(t *testing.T) {
	t.Parallel()
	var rejected share
	conform(t, objects/10, func(g *gen) string {
		name := g.text([]string{"a.example.com", "pool-1", "gpu-0"})
		if name == "" {
			return ""
		}
		theirs := &resourcev1.DeviceTaintSelector{Driver: &name, Pool: &name, Device: &name}
		ours := dra.Rule{Selector: (*dra.Selector)(theirs), Taint: resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}}
		errs := validation.ValidateDeviceTaintRule(theirRule(theirs, resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}))
		rejected.count(len(errs) > 0)
		for _, e := range errs {
			if !strings.HasPrefix(e.Field, "spec.deviceSelector.") {
				return e.Error()
			}
		}
		if ours.Validate() != nil || !ours.Selects(dra.ID{Driver: name, Pool: name, Device: name}) || ours.Selects(dra.ID{Driver: "a.example.com", Pool: "pool-1", Device: "gpu-1"}) {
			return fmt.Sprintf("%q: selected otherwise", name)
		}
		return ""
	})
	rejected.within(t, "are rejected by Kubernetes", 0.1, 0.99)
}

// If a rule keeps its unknown effect, Kubernetes reports only the other problems of its taint.
func TestListed_G4_kept(t *testing.T) {
	t.Parallel()
	old := resourcev1.DeviceTaint{Key: "k", Effect: "Future"}
	bad := resourcev1.DeviceTaint{Key: "k.", Effect: "Future"}
	before, after := theirRule(nil, old), theirRule(nil, bad)
	before.ResourceVersion, after.ResourceVersion = "1", "1"
	errs := validation.ValidateDeviceTaintRuleUpdate(after, before)
	ps := problemsOf((&dra.Rule{Taint: bad}).Validate())
	if len(errs) != 1 || errs[0].Field != "spec.taint.key" || len(ps) != 2 || ps[0].Path != "taint.key" || ps[1].Path != "taint.effect" {
		t.Errorf("Kubernetes %v, ours %v", errs, ps)
	}
}

// If a list is too long, Kubernetes reports nothing else. This difference affects only which problems are
// reported.
func TestListed_G5_too_many(t *testing.T) {
	t.Parallel()
	theirs := make([]resourcev1.DeviceTaint, 17)
	for i := range theirs {
		theirs[i] = resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}
	}
	theirs[3].Effect = "NoAdmit"
	errs := validation.ValidateResourceSlice(internalSlice(theirs))
	ps := problemsOf(dra.ValidateTaints(theirs))
	if len(errs) != 1 || errs[0].Field != "spec.devices[0].taints" || len(ps) != 2 || ps[0].Path != "taints" || ps[1].Path != "taints[3].effect" {
		t.Errorf("Kubernetes %v, ours %v", errs, ps)
	}
}
