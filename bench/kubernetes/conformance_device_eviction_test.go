package kubernetes_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// A deviceCase is a pod, its claims, and the taints of their devices.
type deviceCase struct {
	slices []*resourcev1.ResourceSlice
	rules  []*resourcev1.DeviceTaintRule
	claims []*resourcev1.ResourceClaim
	pod    *corev1.Pod

	ourRules []dra.Rule
	own      map[dra.ID][]resourcev1.DeviceTaint
	used     []*resourcev1.ResourceClaim // the claims that are reserved for the pod
}

// evictingDeviceTaint makes a taint that often evicts, added about now.
func (g *gen) evictingDeviceTaint() resourcev1.DeviceTaint {
	t := g.deviceTaint()
	if !g.in(4) {
		t.Effect = resourcev1.DeviceTaintEffectNoExecute
	}
	t.TimeAdded = &metav1.Time{Time: time.Unix(1_000_000_000+g.Int64N(600)-300, 0)}
	return t
}

// deviceCase makes a pod with claims. Some devices are in no slice. Some claims are not
// allocated, or are reserved for another pod.
func (g *gen) deviceCase() *deviceCase {
	c := &deviceCase{pod: &corev1.Pod{}, own: map[dra.ID][]resourcev1.DeviceTaint{}}
	c.pod.Name, c.pod.Namespace, c.pod.UID, c.pod.Spec.NodeName = "pod", "default", "uid", "node"
	var taints []resourcev1.DeviceTaint // the taints that tolerations should match
	for _, pool := range deviceNames[:2] {
		var devices []resourcev1.Device
		for _, name := range deviceNames[:2] {
			list := make([]resourcev1.DeviceTaint, g.IntN(3))
			for i := range list {
				list[i] = g.evictingDeviceTaint()
			}
			c.own[dra.ID{Driver: "a", Pool: pool, Device: name}] = list
			taints = append(taints, list...)
			devices = append(devices, resourcev1.Device{Name: name, Taints: list})
		}
		c.slices = append(c.slices, deviceSlice("a", pool, devices...))
	}
	for i := range g.IntN(3) {
		rule := g.deviceRule(g.evictingDeviceTaint())
		rule.Name, rule.UID = fmt.Sprint("rule-", i), types.UID(fmt.Sprint(i))
		c.rules, c.ourRules = append(c.rules, rule), append(c.ourRules, ourRule(rule))
		taints = append(taints, rule.Spec.Taint)
	}
	for i := range g.IntN(4) {
		c.addClaim(g, fmt.Sprint("claim-", i), taints)
	}
	return c
}

// addClaim adds a claim that is usually reserved for the pod and allocated.
func (c *deviceCase) addClaim(g *gen, name string, taints []resourcev1.DeviceTaint) {
	claim := &resourcev1.ResourceClaim{}
	claim.Name, claim.Namespace, claim.UID = name, "default", types.UID(name)
	c.claims = append(c.claims, claim)
	if c.pod.Status.ExtendedResourceClaimStatus == nil && g.in(3) {
		claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(c.pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
		c.pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: name}
	} else {
		c.pod.Spec.ResourceClaims = append(c.pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: &claim.Name})
	}
	reserved := types.UID("uid")
	if g.in(10) {
		reserved = "another"
	} else {
		c.used = append(c.used, claim)
	}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: reserved}}
	if g.in(10) {
		return
	}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	for range 1 + g.IntN(2) {
		tolerations := make([]resourcev1.DeviceToleration, g.IntN(5))
		for i := range tolerations {
			tolerations[i] = g.deviceToleration()
			if !g.in(3) {
				tolerations[i].Effect = resourcev1.DeviceTaintEffectNoExecute
			}
			if len(taints) > 0 {
				g.aim(&tolerations[i], taints[g.IntN(len(taints))])
			}
			if !g.in(4) {
				tolerations[i].TolerationSeconds = g.deviceSeconds()
			}
		}
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
			Request: "r", Driver: g.one("a", "a", "b"), Pool: g.one(deviceNames...), Device: g.one(deviceNames...), Tolerations: tolerations,
		})
	}
}

// changes returns functions that pass the objects to the controller, and functions that
// delete them there, in the order of slices, rules and claims.
func (c *deviceCase) changes(e *upstream.DeviceEvictor) (add, remove []func()) {
	for _, s := range c.slices {
		add, remove = append(add, func() { e.SetSlice(nil, s) }), append(remove, func() { e.SetSlice(s, nil) })
	}
	for _, r := range c.rules {
		add, remove = append(add, func() { e.SetRule(nil, r) }), append(remove, func() { e.SetRule(r, nil) })
	}
	for _, claim := range c.claims {
		add, remove = append(add, func() { e.SetClaim(nil, claim) }), append(remove, func() { e.SetClaim(claim, nil) })
	}
	return add, remove
}

func (c *deviceCase) String() string {
	s := fmt.Sprintf("devices %+v\n", c.own)
	for _, r := range c.rules {
		s += fmt.Sprintf("rule %+v\n", r.Spec)
	}
	for _, claim := range c.used {
		s += fmt.Sprintf("claim %+v\n", claim.Status.Allocation)
	}
	return s
}

type taintsOf = func(dra.ID) []resourcev1.DeviceTaint

// A deviceDecider is decideAsKubernetes. The mutation check replaces it.
type deviceDecider func(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause)

// withDevices returns claims with changed copies of their allocated devices.
func withDevices(claims []*resourcev1.ResourceClaim, change func(d *resourcev1.DeviceRequestAllocationResult)) []*resourcev1.ResourceClaim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i] = claims[i].DeepCopy()
		if a := claims[i].Status.Allocation; a != nil {
			for j := range a.Devices.Results {
				change(&a.Devices.Results[j])
			}
		}
	}
	return claims
}

// decideWithEffects decides by the tolerations that have an effect, as versions before
// 1.38 do (G7-no-effect).
func decideWithEffects(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
	claims = withDevices(claims, func(d *resourcev1.DeviceRequestAllocationResult) {
		d.Tolerations = slices.DeleteFunc(d.Tolerations, func(u resourcev1.DeviceToleration) bool { return u.Effect == "" })
	})
	return dra.Decide(now, claims, taints, rules)
}

// decideAsKubernetes decides as this version does.
func decideAsKubernetes(now time.Time, claims []*resourcev1.ResourceClaim, taints taintsOf, rules []dra.Rule) (eviction.Decision, dra.Cause) {
	if upstream.From138 {
		return dra.Decide(now, claims, taints, rules)
	}
	return decideWithEffects(now, claims, taints, rules)
}

// A deviceEnds counts the outcomes of pods.
type deviceEnds struct{ never, now, at, rule share }

// evictsDevices compares the controller with the decision: with all objects, in any
// order of their events, and then without one of the slices or rules.
func evictsDevices(e *upstream.DeviceEvictor, ours deviceDecider, seen *deviceEnds) func(g *gen) string {
	return func(g *gen) string {
		c := g.deviceCase()
		add, remove := c.changes(e)
		g.Shuffle(len(add), func(i, j int) { add[i], add[j] = add[j], add[i] })
		for _, f := range add {
			f()
		}
		now := time.Unix(1_000_000_000+g.Int64N(400)-200, g.Int64N(1e9))
		diff := c.differs(e, ours, now, seen)
		gone := g.IntN(len(c.slices) + len(c.rules))
		remove[gone]()
		c.lose(gone)
		if diff == "" {
			if diff = c.differs(e, ours, now, nil); diff != "" {
				diff = "after a change: " + diff
			}
		}
		for _, f := range slices.Delete(remove, gone, gone+1) {
			f()
		}
		return diff
	}
}

// lose removes the slice or rule with this index from the library's input.
func (c *deviceCase) lose(gone int) {
	if gone >= len(c.slices) {
		i := gone - len(c.slices)
		c.ourRules = slices.Delete(c.ourRules, i, i+1)
		return
	}
	for _, name := range deviceNames {
		delete(c.own, dra.ID{Driver: "a", Pool: c.slices[gone].Spec.Pool.Name, Device: name})
	}
}

// differs compares the controller's decision with the library's.
func (c *deviceCase) differs(e *upstream.DeviceEvictor, ours deviceDecider, now time.Time, seen *deviceEnds) string {
	when, evicts := e.Eviction(c.pod)
	want := eviction.Decision{}
	if evicts {
		want = eviction.NewDecision(when, now)
	}
	d, cause := ours(now, c.used, func(id dra.ID) []resourcev1.DeviceTaint { return c.own[id] }, c.ourRules)
	if seen != nil {
		seen.never.count(!evicts && slices.ContainsFunc(c.used, func(claim *resourcev1.ResourceClaim) bool { return claim.Status.Allocation != nil }))
		seen.now.count(want.Kind() == eviction.Due)
		seen.at.count(want.Kind() == eviction.At)
		seen.rule.count(cause.Rule != nil)
	}
	if d != want {
		return fmt.Sprintf("%vat %v: Kubernetes %v, ours %v", c, now.UTC(), want, d)
	}
	return ""
}

func TestDeviceTaintEviction_G4_G7_G8_G9_G10(t *testing.T) {
	t.Parallel()
	var seen deviceEnds
	conform(t, objects, evictsDevices(upstream.NewDeviceEvictor(), decideAsKubernetes, &seen))
	seen.never.within(t, "stay", 0.05, 0.8)
	seen.now.within(t, "are evicted now", 0.05, 0.8)
	seen.at.within(t, "are evicted later", 0.02, 0.8)
	seen.rule.within(t, "are evicted by a rule", 0.05, 0.8)
}
