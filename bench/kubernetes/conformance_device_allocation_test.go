package kubernetes_test

import (
	"fmt"
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var allocatorFeatures = structured.Features{AdminAccess: true, DeviceTaints: true, PrioritizedList: true}

// An alternative is one way to satisfy a request: a number of devices, or all.
type alternative struct {
	name        string
	all         bool
	count       int
	tolerations []resourcev1.DeviceToleration
}

func (a alternative) mode() (resourcev1.DeviceAllocationMode, int64) {
	if a.all {
		return resourcev1.DeviceAllocationModeAll, 0
	}
	return resourcev1.DeviceAllocationModeExactCount, int64(a.count)
}

// An allocation is a request for devices of one pool.
type allocation struct {
	slice        *resourcev1.ResourceSlice
	rules        []*resourcev1.DeviceTaintRule
	admin, first bool
	alternatives []alternative
}

func (g *gen) allocation() *allocation {
	a := &allocation{}
	var devices []resourcev1.Device
	var taints []resourcev1.DeviceTaint
	for i := range 1 + g.IntN(4) {
		list := make([]resourcev1.DeviceTaint, g.IntN(3))
		for j := range list {
			list[j] = g.deviceTaint()
		}
		taints = append(taints, list...)
		devices = append(devices, resourcev1.Device{Name: string(rune('a' + i)), Taints: list})
	}
	a.slice = deviceSlice("a", "a", devices...)
	if g.in(3) {
		t := g.deviceTaint()
		a.rules = append(a.rules, g.deviceRule(t))
		taints = append(taints, t)
	}
	n := 1
	if a.first = g.in(4); a.first {
		n += g.IntN(3)
	} else {
		a.admin = g.in(4)
	}
	for i := range n {
		alt := alternative{name: fmt.Sprint("alternative-", i), all: g.in(4), count: 1 + g.IntN(2)}
		for range g.IntN(5) {
			u := g.deviceToleration()
			if len(taints) > 0 {
				g.aim(&u, taints[g.IntN(len(taints))])
			}
			alt.tolerations = append(alt.tolerations, u)
		}
		a.alternatives = append(a.alternatives, alt)
	}
	return a
}

// claim makes the claim with the request.
func (a *allocation) claim() *resourcev1.ResourceClaim {
	request := resourcev1.DeviceRequest{Name: "r"}
	for _, alt := range a.alternatives {
		mode, count := alt.mode()
		if a.first {
			request.FirstAvailable = append(request.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: alt.name, DeviceClassName: "c", AllocationMode: mode, Count: count, Tolerations: alt.tolerations,
			})
			continue
		}
		request.Exactly = &resourcev1.ExactDeviceRequest{DeviceClassName: "c", AllocationMode: mode, Count: count, Tolerations: alt.tolerations}
		if a.admin {
			request.Exactly.AdminAccess = &a.admin
		}
	}
	claim := &resourcev1.ResourceClaim{}
	claim.Name, claim.Namespace = "claim", "default"
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{request}
	return claim
}

// theirs returns the devices that the allocator chooses, each after its alternative.
func (a *allocation) theirs() ([]string, error) {
	results, err := upstream.Allocate(allocatorFeatures, upstream.WithRules(a.slice, a.rules), a.claim())
	if err != nil {
		return nil, err
	}
	var chosen []string
	for _, result := range results {
		for _, d := range result.Devices.Results {
			chosen = append(chosen, d.Request+" "+d.Device)
		}
	}
	return chosen, nil
}

// An allocatable is dra.Allocatable. The mutation check replaces it.
type allocatable func([]resourcev1.DeviceTaint, []resourcev1.DeviceToleration) bool

// taints returns the taints of a device, with those of the rules that select it.
func (a *allocation) taints(d resourcev1.Device) []resourcev1.DeviceTaint {
	taints := slices.Clone(d.Taints)
	for _, r := range a.rules {
		if rule := ourRule(r); rule.Selects(dra.ID{Driver: "a", Pool: "a", Device: d.Name}) {
			taints = append(taints, rule.Taint)
		}
	}
	return taints
}

// ours returns the devices that the rules choose: the first alternative that can be
// satisfied, with the first devices that can be allocated to it.
func (a *allocation) ours(can allocatable) []string {
	for _, alt := range a.alternatives {
		request := "r"
		if a.first {
			request = "r/" + alt.name
		}
		var chosen []string
		for _, d := range a.slice.Spec.Devices {
			if can(a.taints(d), alt.tolerations) {
				chosen = append(chosen, request+" "+d.Name)
			}
		}
		switch {
		case alt.all && len(chosen) == len(a.slice.Spec.Devices):
			return chosen
		case !alt.all && len(chosen) >= alt.count:
			return chosen[:alt.count]
		}
	}
	return nil
}

// allocates compares the allocator with the decision.
func allocates(can allocatable, seen *share) func(g *gen) string {
	return func(g *gen) string {
		a := g.allocation()
		want, err := a.theirs()
		if err != nil {
			return err.Error()
		}
		seen.count(len(want) > 0)
		if got := a.ours(can); !slices.Equal(got, want) {
			return fmt.Sprintf("%+v\nrules %+v\nalternatives %+v, admin %v: Kubernetes chooses %q, ours %q", a.slice.Spec.Devices, a.rules, a.alternatives, a.admin, want, got)
		}
		return ""
	}
}

// A scheduler selects one of the allocator's versions by its feature gates. The test
// compares each version.
func TestDeviceAllocator_G4_G6_G9_G10(t *testing.T) {
	defer structured.EnableAllocators()
	for _, name := range []string{"stable", "incubating", "experimental"} {
		structured.EnableAllocators(name)
		var seen share
		conform(t, objects/20, allocates(dra.Allocatable, &seen))
		seen.within(t, "are allocated", 0.2, 0.9)
	}
}
