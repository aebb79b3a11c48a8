package dra

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/eviction"
)

// An ID identifies a device in a cluster.
type ID struct{ Driver, Pool, Device string }

// String returns driver/pool/device.
func (id ID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }

// A Rule is the spec of a DeviceTaintRule: it adds a taint to devices. It is a type of its
// own because k8s.io/api/resource/v1 has DeviceTaintRule only from v0.37 on. To convert one:
//
//	dra.Rule{Selector: (*dra.Selector)(r.Spec.DeviceSelector), Taint: r.Spec.Taint}
type Rule struct {
	Selector *Selector // selects no device if nil
	Taint    resourcev1.DeviceTaint
}

// A Selector selects the devices with these names. A nil field selects all.
type Selector struct{ Driver, Pool, Device *string }

// Selects reports whether the rule adds its taint to the device.
func (r *Rule) Selects(id ID) bool {
	s := r.Selector
	return s != nil &&
		(s.Driver == nil || *s.Driver == id.Driver) &&
		(s.Pool == nil || *s.Pool == id.Pool) &&
		(s.Device == nil || *s.Device == id.Device)
}

// A Cause is why a pod is evicted. It points into the arguments of [Decide].
type Cause struct {
	Device     *resourcev1.DeviceRequestAllocationResult // of a claim
	Taint      *resourcev1.DeviceTaint
	Rule       *Rule                        // nil if the taint is the device's own
	Toleration *resourcev1.DeviceToleration // nil if none matches the taint
}

// Decide returns when a pod that uses devices must be evicted, and the first cause with
// that deadline; the zero Cause for never.
//
// Pass all claims that the pod uses: those of its status' resourceClaimStatuses and
// extendedResourceClaimStatus, and those that its spec names. A claim that is not
// allocated is ignored. The function taints returns the taints of a device in the newest
// generation of its pool, without those of rules, and nil if it is in no ResourceSlice.
//
// It is O(r + t·n) for each device, with r rules, t taints that evict, and n tolerations.
func Decide(now time.Time, claims []*resourcev1.ResourceClaim, taints func(ID) []resourcev1.DeviceTaint, rules []Rule) (eviction.Decision, Cause) {
	var first time.Time // if there is a cause
	var cause Cause
	for _, c := range claims {
		if c.Status.Allocation == nil {
			continue
		}
		devices := c.Status.Allocation.Devices.Results
		for i := range devices {
			d := &devices[i]
			id := ID{d.Driver, d.Pool, d.Device}
			own := taints(id)
			for j := range own {
				at, by, ok := deadline(now, &own[j], d.Tolerations)
				if ok && (cause.Taint == nil || at.Before(first)) {
					first, cause = at, Cause{d, &own[j], nil, by}
				}
			}
			for j := range rules {
				r := &rules[j]
				if !r.Selects(id) {
					continue
				}
				at, by, ok := deadline(now, &r.Taint, d.Tolerations)
				if ok && (cause.Taint == nil || at.Before(first)) {
					first, cause = at, Cause{d, &r.Taint, r, by}
				}
			}
		}
	}
	if cause.Taint == nil {
		return eviction.Decision{}, Cause{}
	}
	return eviction.NewDecision(first, now), cause
}

// deadline returns when the taint evicts a pod with these tolerations for the device, and
// the one that decides; false for never.
func deadline(now time.Time, t *resourcev1.DeviceTaint, tolerations []resourcev1.DeviceToleration) (at time.Time, by *resourcev1.DeviceToleration, ok bool) {
	if t.Effect != resourcev1.DeviceTaintEffectNoExecute {
		return at, nil, false
	}
	seconds := int64(0)
	for i := range tolerations {
		u := &tolerations[i]
		if !Tolerates(u, t) {
			continue
		}
		if u.TolerationSeconds == nil {
			return at, nil, false
		}
		if n := max(*u.TolerationSeconds, 0); by == nil || n < seconds {
			by, seconds = u, n
		}
	}
	if t.TimeAdded.IsZero() {
		return now, by, true
	}
	at, ok = later(t.TimeAdded.Time, seconds)
	return at, by, ok
}

// later returns the time n seconds after t, n not negative, and false if no time.Time
// holds it. A time.Time counts the seconds from the year 1 in 64 bits, a Duration the
// nanoseconds.
func later(t time.Time, n int64) (time.Time, bool) {
	const year1 = 62_135_596_800 // seconds from there to 1970
	start := t.Unix() + year1    // exact: the addition undoes an overflow of Unix
	end := start + n
	return time.Unix(end-year1, int64(t.Nanosecond())), end >= start
}
