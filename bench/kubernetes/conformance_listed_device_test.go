package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	yamlv2 "go.yaml.in/yaml/v2"
	yamlv3 "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/kubernetes/pkg/apis/resource/validation"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// An invalid value is a zero value here, which matches nothing; Kubernetes'
// function evaluates any input. TestDeviceToleratesTaint proves the extent of the
// match, and this test that of the allocation and the eviction.
func TestListed_G13_invalid(t *testing.T) {
	t.Parallel()
	wildcard := resourcev1.DeviceToleration{Operator: resourcev1.DeviceTolerationOpExists}
	ours := ourDeviceTolerations([]resourcev1.DeviceToleration{wildcard})
	for _, tnt := range []resourcev1.DeviceTaint{
		{Effect: "NoExecute"},
		{Key: "-", Effect: "NoExecute"},
		{Key: "k", Value: "a b", Effect: "NoExecute"},
		{Key: "k", Effect: "No Admit"},
		{Key: "k"},
	} {
		if isDeviceTaint(&tnt) || !resourceclaim.ToleratesTaint(wildcard, tnt) {
			t.Errorf("%+v: Kubernetes accepts it, or its wildcard does not match it any more", tnt)
		}
		d := device.Device{Taints: ourDeviceTaints([]resourcev1.DeviceTaint{tnt})}
		if d.Allocatable(nil, ours) {
			t.Errorf("%+v: ours allocates", tnt)
		}
		if e := decideDevices(time.Unix(1e9, 0), nil, device.Allocated{Device: d}); e.kind != eviction.Never {
			t.Errorf("%+v: ours evicts: %+v", tnt, e)
		}
	}
	if zero := (resourcev1.DeviceToleration{}); !resourceclaim.ToleratesTaint(zero, resourcev1.DeviceTaint{Key: "k", Effect: "NoSchedule"}) {
		t.Error("Kubernetes' zero toleration, which is {}, matches no taint without a value any more")
	}
	if (device.Toleration{}).Tolerates(device.MustParseTaint("k:NoSchedule")) || !device.MustParseToleration("=").Tolerates(device.MustParseTaint("k:NoSchedule")) {
		t.Error("the zero Toleration equals {}")
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
	tnt, _ := device.MustParseTaint("k:NoExecute").WithTimeAdded(added.Time)
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
		u, _ := device.TolerationFrom("", "Exists", "", "NoExecute", &n)
		d := decideDevices(added.Time, nil, device.Allocated{Device: device.Device{Taints: device.Taints{tnt}}, Tolerations: device.Tolerations{u}})
		kind, deadline := eviction.At, time.Unix(added.Unix()+n, 0)
		if deadline.Before(added.Time) { // no time can represent it
			kind, deadline = eviction.Never, time.Time{}
		}
		if d.kind != kind || !d.deadline.Equal(deadline) {
			return fmt.Sprintf("%d seconds: ours %+v", n, d)
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
	d := device.Device{Taints: device.Taints{device.MustParseTaint("k:NoExecute")}}
	if got := decideDevices(now, nil, device.Allocated{Device: d}); got.kind != eviction.Due || !got.deadline.Equal(now) {
		t.Errorf("ours: %v", got)
	}
	u := device.Tolerations{device.MustParseToleration(":NoExecute op=Exists for 30s")}
	if got := decideDevices(now, nil, device.Allocated{Device: d, Tolerations: u}); got.kind != eviction.Due || !got.deadline.Equal(now) {
		t.Errorf("ours: %v", got)
	}
}

// Before 1.38, tolerations without an effect do not prevent an eviction. This difference
// affects only these: without them, the library has the answer of the earlier versions.
func TestListed_G7_no_effect(t *testing.T) {
	t.Parallel()
	e := upstream.NewDeviceEvictor()
	other := decideDevices
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
	differ.within(t, "get another answer", 0.02, 0.5)
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
		ours := device.TaintSelector{Driver: name, Pool: name, Device: name}
		theirs := &resourcev1.DeviceTaintSelector{Driver: &name, Pool: &name, Device: &name}
		errs := validation.ValidateDeviceTaintRule(theirRule(theirs, resourcev1.DeviceTaint{Key: "k", Effect: "NoExecute"}))
		rejected.count(len(errs) > 0)
		for _, e := range errs {
			if !strings.HasPrefix(e.Field, "spec.deviceSelector.") {
				return e.Error()
			}
		}
		if !ours.Selects(device.ID{Driver: name, Pool: name, Device: name}) || ours.Selects(device.ID{Driver: "a.example.com", Pool: "pool-1", Device: "gpu-1"}) {
			return fmt.Sprintf("%q: selected otherwise", name)
		}
		return ""
	})
	rejected.within(t, "are rejected by Kubernetes", 0.1, 0.99)
}

// A null name, which JSON does not have, is an unknown field.
func TestTaintRule_G9_null_name(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"deviceSelector: {~: a}\ntaint: {key: k, effect: NoExecute}", "deviceSelector: {~: a, driver: b}\ntaint: {key: k, effect: NoExecute}", "deviceSelector: {}\n~: 1\ntaint: {key: k, effect: NoExecute}"} {
		var v2, v3 device.TaintRule
		if err2, err3 := yamlv2.Unmarshal([]byte(rule), &v2), yamlv3.Unmarshal([]byte(rule), &v3); err2 == nil || err3 == nil {
			t.Errorf("%s: yaml.v2 %v, yaml.v3 %v", rule, err2, err3)
		}
	}
}

// An unknown, a repeated and an empty field of a rule or of its selector are problems in all
// decoding, also in that of encoding/json and of YAML libraries that accept repeated ones.
// Kubernetes rejects an empty name in validation, and the others only in strict decoding.
func TestListed_G9_fields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule          string
		lenient, both bool // accepted by Kubernetes in lenient decoding and validation; by all
	}{
		{`{"deviceSelector":{"driver":"a"},"taint":{"key":"k","effect":"NoExecute"}}`, true, true},
		{`{"deviceSelector":{"drivers":"a"},"taint":{"key":"k","effect":"NoExecute"}}`, true, false},
		{`{"deviceSelectors":{"driver":"a"},"taint":{"key":"k","effect":"NoExecute"}}`, true, false},
		{`{"deviceSelector":{"driver":"a","driver":"b"},"taint":{"key":"k","effect":"NoExecute"}}`, true, false},
		{`{"deviceSelector":{"driver":"a","driver":null},"taint":{"key":"k","effect":"NoExecute"}}`, true, false},
		{`{"deviceSelector":{"driver":"a"},"deviceSelector":{},"taint":{"key":"k","effect":"NoExecute"}}`, true, false},
		{`{"deviceSelector":{"driver":""},"taint":{"key":"k","effect":"NoExecute"}}`, false, false},
	} {
		theirs, strict, err := strictly[resourcev1.DeviceTaintRuleSpec]("[" + tt.rule + "]")
		if err != nil {
			t.Fatal(err)
		}
		errs := validation.ValidateDeviceTaintRule(theirRule(theirs[0].DeviceSelector, theirs[0].Taint))
		var ours device.TaintRule
		gerr := json.Unmarshal([]byte(tt.rule), &ours)
		if lenient := len(errs) == 0; lenient != tt.lenient || (lenient && len(strict) == 0) != tt.both || (gerr == nil) != tt.both {
			t.Errorf("%s: Kubernetes %v, strictly %v; ours %v", tt.rule, errs, strict, gerr)
		}
		var v2, v3 device.TaintRule
		if err2, err3 := yamlv2.Unmarshal([]byte(tt.rule), &v2), yamlv3.Unmarshal([]byte(tt.rule), &v3); (err2 == nil) != tt.both || (err3 == nil) != tt.both {
			t.Errorf("%s: yaml.v2 %v, yaml.v3 %v", tt.rule, err2, err3)
		}
		if s := theirs[0].DeviceSelector; s != nil { // Kubernetes' answer
			_, serr := dra.Selector(s.Driver, s.Pool, s.Device)
			if _, err := dra.Taint(&theirs[0].Taint); (serr == nil && err == nil) != tt.lenient {
				t.Errorf("%s: what Kubernetes decodes is converted: %v, %v", tt.rule, serr, err)
			}
		}
	}
}

// If a rule keeps its unknown effect, Kubernetes reports only the other problems of its taint.
func TestListed_G4_kept(t *testing.T) {
	t.Parallel()
	old := resourcev1.DeviceTaint{Key: "k", Effect: "Future"}
	bad := resourcev1.DeviceTaint{Key: "k.", Effect: "Future"}
	before, after := theirRule(nil, old), theirRule(nil, bad)
	before.ResourceVersion, after.ResourceVersion = "1", "1"
	errs := validation.ValidateDeviceTaintRuleUpdate(after, before)
	_, err := ourDeviceTaint(bad)
	ps := problemsOf(err)
	if len(errs) != 1 || errs[0].Field != "spec.taint.key" || len(ps) != 2 || ps[0].Path != "key" || ps[1].Path != "effect" {
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
	list, _ := readDeviceTaints(theirs)
	ps := problemsOf(list.Validate())
	if len(errs) != 1 || errs[0].Field != "spec.devices[0].taints" || len(ps) != 2 || ps[0].Path != "taints" || ps[1].Path != "taints[3].effect" {
		t.Errorf("Kubernetes %v, ours %v", errs, ps)
	}
}
