package device

import (
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/match/internal/stamp"
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
	// It is inlined, so that no Device is copied: BenchmarkAllocatable.
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

// A Decision is when a pod must be evicted, and why. The zero Decision is Never.
type Decision struct {
	Kind eviction.DecisionKind
	// Deadline is in UTC, and zero for [eviction.Never].
	Deadline time.Time
	// Device is the index of the first device with that deadline. It and the fields below
	// are zero for Never.
	Device int
	// Taint has that Index in the device's own or, if Rule is true, in the rules.
	Rule  bool
	Index int
	Taint Taint
	// Toleration is the one that decides; zero if none matches.
	Toleration Toleration
}

// Decide returns when a pod that uses these devices, of all its claims, must be evicted.
// It is O(r + t·n) for each device, with r rules, t taints that count, and n tolerations.
func Decide(now time.Time, rules []TaintRule, devices ...Allocated) Decision {
	now = now.Round(0).UTC() // without a monotonic reading
	var d Decision
	for i := range devices {
		a := &devices[i]
		for j := range a.Device.Taints {
			d.add(now, a, Decision{Device: i, Index: j, Taint: a.Device.Taints[j]})
		}
		for j := range rules {
			if rules[j].Selector.Selects(a.Device.ID) {
				d.add(now, a, Decision{Device: i, Rule: true, Index: j, Taint: rules[j].Taint})
			}
		}
	}
	if d.Kind != eviction.Never && !d.Deadline.After(now) {
		d.Kind = eviction.Due
	}
	return d
}

// add makes d the decision by one more taint, if that evicts earlier.
func (d *Decision) add(now time.Time, a *Allocated, by Decision) {
	if !by.Taint.evicts() {
		return
	}
	var ok bool
	by.Deadline, by.Toleration, ok = deadline(now, &by.Taint, a.Tolerations)
	if ok && (d.Kind == eviction.Never || by.Deadline.Before(d.Deadline)) {
		*d, d.Kind = by, eviction.At
	}
}

// deadline returns when a NoExecute taint evicts, with the toleration that decides, and
// false for never.
func deadline(now time.Time, t *Taint, tolerations Tolerations) (at time.Time, by Toleration, ok bool) {
	at = t.TimeAdded()
	seconds, timed := int64(0), true
	if i := tolerations.staying(t); i >= 0 {
		by = tolerations[i]
		seconds, timed = by.Seconds()
	}
	switch {
	case !timed:
		return time.Time{}, by, false
	case at.IsZero():
		return now, by, true
	}
	at, ok = choose.Deadline(at, max(seconds, 0))
	return at, by, ok
}

// String returns text such as "At 2026-01-02T15:04:05Z: k:NoExecute (rule 0) of device
// 1".
func (d Decision) String() string {
	if d.Kind == eviction.Never {
		return d.Kind.String()
	}
	from := " (taint "
	if d.Rule {
		from = " (rule "
	}
	s := d.Kind.String() + " " + stamp.Time(d.Deadline).String() + ": " + d.Taint.String() +
		from + strconv.Itoa(d.Index) + ") of device " + strconv.Itoa(d.Device)
	if seconds, timed := d.Toleration.Seconds(); timed {
		return s + ", tolerated for " + strconv.FormatInt(max(seconds, 0), 10) + " s"
	}
	return s + ", not tolerated"
}

func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
