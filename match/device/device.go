package device

import (
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/when"
)

// A Device is a device with its own taints. One that is no longer in a ResourceSlice has
// an ID alone.
type Device struct {
	ID     ID
	Taints Taints
}

// Allocatable reports whether the device can be allocated to a request with these
// tolerations. A request for all devices of a pool needs all of them.
func (d Device) Allocatable(rules []TaintRule, tolerations Tolerations) bool {
	// It is inlined, so that no Device is copied: BenchmarkDevice.
	return len(d.Taints)+len(rules) == 0 || allocatable(&d.ID, d.Taints, rules, tolerations)
}

func allocatable(id *ID, taints Taints, rules []TaintRule, tolerations Tolerations) bool {
	for i := range taints {
		if t := &taints[i]; t.blocks() && tolerations.match(t) < 0 {
			return false
		}
	}
	for i := range rules {
		if r := &rules[i]; r.Taint.blocks() && r.Selector.Selects(*id) && tolerations.match(&r.Taint) < 0 {
			return false
		}
	}
	return true
}

// An Allocated is a device that is allocated to a claim, with its tolerations.
type Allocated struct {
	Device      Device
	Tolerations Tolerations
}

// Decide returns when a pod that uses these devices must be evicted, and the index of the
// first device with that deadline, -1 for never. Pass the devices of all claims of the
// pod.
//
// The index that [eviction.Decision.Taint] returns is that of the device's taint or, from
// len(Device.Taints) on, of a rule; that of [eviction.Decision.Toleration] is in the
// device's Tolerations.
//
// It is O(r + t·n) for each device, with r rules, t taints that count, and n tolerations.
func Decide(now time.Time, rules []TaintRule, devices ...Allocated) (d eviction.Decision, device int) {
	device = -1
	present := when.Of(now)
	var first when.Fields
	for i := range devices {
		id, own := &devices[i].Device.ID, devices[i].Device.Taints
		by := decider{present, devices[i].Tolerations}
		for j := range own {
			if by.earlier(&first, &own[j], j) {
				device = i
			}
		}
		for j := range rules {
			if r := &rules[j]; r.Selector.Selects(*id) && by.earlier(&first, &r.Taint, len(own)+j) {
				device = i
			}
		}
	}
	return eviction.Decision(first.Decision(present)), device
}

// A decider decides by the taints of one device.
type decider struct {
	present     when.Instant
	tolerations Tolerations
}

// earlier makes d the decision by the taint with that index, if that evicts earlier.
func (r *decider) earlier(d *when.Fields, t *Taint, index int) bool {
	if !t.evicts() {
		return false
	}
	by := uint32(0)
	seconds, timed := int64(0), true
	if i := r.tolerations.staying(t); i >= 0 {
		by = uint32(i) + 1
		seconds, timed = r.tolerations[i].Seconds()
	}
	start := when.Of(t.TimeAdded())
	end, ok := start.Add(seconds)
	if start == (when.Instant{}) {
		end, ok = r.present, true
	}
	if !timed || !ok || d.Kind != when.Never && !end.Before(d.Deadline) {
		return false
	}
	*d = when.Fields{Deadline: end, Kind: when.At, Taint: uint32(index) + 1, By: by}
	return true
}
