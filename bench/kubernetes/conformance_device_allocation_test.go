package kubernetes_test

import (
	"fmt"
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/device"
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
	ourRules     []device.TaintRule
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
		theirs, ours := g.deviceSelector()
		t := g.deviceTaint()
		u, _ := ourDeviceTaint(t)
		a.rules = append(a.rules, &resourcev1.DeviceTaintRule{Spec: resourcev1.DeviceTaintRuleSpec{DeviceSelector: theirs, Taint: t}})
		a.ourRules = append(a.ourRules, device.TaintRule{Selector: ours, Taint: u})
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

// An allocatable is Device.Allocatable. The mutation check replaces it.
type allocatable func(device.Device, []device.TaintRule, device.Tolerations) bool

// ours returns the devices that the rules choose: the first alternative that can be
// satisfied, with the first devices that can be allocated to it.
func (a *allocation) ours(can func(i int, alt alternative) bool) []string {
	for _, alt := range a.alternatives {
		request := "r"
		if a.first {
			request = "r/" + alt.name
		}
		var chosen []string
		for i, d := range a.slice.Spec.Devices {
			if can(i, alt) {
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

// allocates compares the allocator with the decision about values, and with that of
// match/kube about the API's structs.
func allocates(can allocatable, seen *share) func(g *gen) string {
	return func(g *gen) string {
		a := g.allocation()
		want, err := a.theirs()
		if err != nil {
			return err.Error()
		}
		seen.count(len(want) > 0)
		got := a.ours(func(i int, alt alternative) bool {
			d := a.slice.Spec.Devices[i]
			ours := device.Device{ID: device.ID{Driver: "a", Pool: "a", Device: d.Name}, Taints: ourDeviceTaints(d.Taints)}
			return can(ours, a.ourRules, ourDeviceTolerations(alt.tolerations))
		})
		devices := upstream.WithRules(a.slice, a.rules).Spec.Devices
		asTheyAre := a.ours(func(i int, alt alternative) bool { return dra.Allocatable(devices[i].Taints, alt.tolerations) })
		if !slices.Equal(got, want) || !slices.Equal(asTheyAre, want) {
			return fmt.Sprintf("%+v\nrules %v\nalternatives %+v, admin %v: Kubernetes chooses %q, ours %q, as they are %q", a.slice.Spec.Devices, a.ourRules, a.alternatives, a.admin, want, got, asTheyAre)
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
		conform(t, objects/20, allocates(device.Device.Allocatable, &seen))
		seen.within(t, "are allocated", 0.2, 0.9)
	}
}
