package device

import (
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/match/internal/stamp"
	"github.com/go-tolerate/tolerate/match/internal/update"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Device is a device with its own taints, as in a ResourceSlice. A device that is in
// no ResourceSlice any more has an ID alone.
type Device struct {
	ID     ID
	Taints Taints
}

// A Source identifies where a taint of a device is from: the device's own taint with
// that index, or the rule with that index.
type Source struct {
	Rule  bool `json:"rule"`
	Index int  `json:"index"`
}

// String returns a text such as "taint 0" or "rule 2".
func (s Source) String() string {
	kind := "taint "
	if s.Rule {
		kind = "rule "
	}
	return kind + strconv.Itoa(s.Index)
}

// AllTaints returns an iterator over the device's own taints, and then those of the
// rules that select it, in order. It does not allocate in a range statement.
func (d Device) AllTaints(rules []TaintRule) iter.Seq2[Source, Taint] {
	return func(yield func(Source, Taint) bool) { d.each(rules, yield) }
}

func (d *Device) each(rules []TaintRule, yield func(Source, Taint) bool) {
	for i := range d.Taints {
		if !yield(Source{false, i}, d.Taints[i]) {
			return
		}
	}
	for i := range rules {
		if rules[i].Selector.Selects(d.ID) && !yield(Source{true, i}, rules[i].Taint) {
			return
		}
	}
}

// Allocatable reports whether the device can be allocated to a request with these
// tolerations: each NoSchedule and NoExecute taint is tolerated. A request for all
// devices of a pool needs each of them to be allocatable. It does not allocate.
//
// An allocated device is not evaluated again when another pod uses its claim.
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

// An Allocated is a device that is allocated to a claim, with the tolerations of the
// request. The allocation result holds a copy of them.
type Allocated struct {
	Device      Device
	Tolerations Tolerations
}

// A Decision is when a pod must be evicted, with what decides. The zero Decision is
// Never. It is comparable with ==.
type Decision struct {
	Kind eviction.DecisionKind
	// Deadline is when the pod must be evicted, in UTC. It is not after now for
	// [eviction.Due], and zero for [eviction.Never].
	Deadline time.Time
	// Device is the index of the device whose taint decides: the first with that
	// deadline. It and the fields below are zero for Never.
	Device int
	Source Source
	Taint  Taint
	// Toleration is the one that decides, which has seconds; zero if none matches.
	Toleration Toleration
}

// Decide returns when a pod that uses these devices must be evicted. Pass the devices of
// all claims of the pod. A taint without a time added, which no API server stores, evicts
// now, unless it is tolerated permanently. It does not allocate. It is O(r + t·n) for each device, with r rules, t
// taints of the device and of the rules that select it, and n tolerations.
func Decide(now time.Time, rules []TaintRule, devices ...Allocated) Decision {
	return decide(now, time.Time{}, rules, devices)
}

// decide is Decide with the time of taints without one; zero if it is unknown.
func decide(now, untimed time.Time, rules []TaintRule, devices []Allocated) Decision {
	now, untimed = now.Round(0).UTC(), untimed.Round(0).UTC() // without a monotonic reading
	var d Decision
	for i := range devices {
		a := &devices[i]
		for source, t := range a.Device.AllTaints(rules) {
			if !t.evicts() {
				continue
			}
			deadline, by, ok := deadline(now, untimed, &t, a.Tolerations)
			if ok && (d.Kind == eviction.Never || deadline.Before(d.Deadline)) {
				d = Decision{eviction.At, deadline, i, source, t, by}
			}
		}
	}
	if d.Kind != eviction.Never && !d.Deadline.After(now) {
		d.Kind = eviction.Due
	}
	return d
}

// deadline returns when a NoExecute taint evicts, with the toleration that decides, and
// false for never.
func deadline(now, untimed time.Time, t *Taint, tolerations Tolerations) (at time.Time, by Toleration, ok bool) {
	if at = t.TimeAdded(); at.IsZero() {
		at = untimed
	}
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

// String returns the decision as a text, which may change:
//
//	At 2026-01-02T15:04:05Z: k:NoExecute (rule 0) of device 1, tolerated for 30 s
func (d Decision) String() string {
	if d.Kind == eviction.Never {
		return d.Kind.String()
	}
	s := d.Kind.String() + " " + stamp.Time(d.Deadline).String() + ": " + d.Taint.String() +
		" (" + d.Source.String() + ") of device " + strconv.Itoa(d.Device)
	if seconds, timed := d.Toleration.Seconds(); timed {
		return s + ", tolerated for " + strconv.FormatInt(max(seconds, 0), 10) + " s"
	}
	return s + ", not tolerated"
}

// MarshalJSON returns an object with the field kind and, unless that is Never, the
// fields deadline, device, source, taint and toleration (null if zero). Fields may be
// added.
func (d Decision) MarshalJSON() ([]byte, error) {
	if d.Kind == eviction.Never {
		return []byte(`{"kind":"Never"}`), nil
	}
	return json.Marshal(struct {
		Kind       eviction.DecisionKind `json:"kind"`
		Deadline   stamp.Time            `json:"deadline"`
		Device     int                   `json:"device"`
		Source     Source                `json:"source"`
		Taint      Taint                 `json:"taint"`
		Toleration Toleration            `json:"toleration"`
	}{d.Kind, stamp.Time(d.Deadline), d.Device, d.Source, d.Taint, d.Toleration})
}

// A Change is what a change of rules does to a pod. It is comparable with ==, and an
// object in JSON.
type Change struct {
	// Kind is the difference. A pod that must be evicted now because of the change
	// is not Unchanged, and After is Due.
	Kind eviction.UpdateKind `json:"kind"`
	// Before is the decision with the old rules, and After with the new ones.
	Before Decision `json:"before"`
	After  Decision `json:"after"`
}

// String returns the difference and both decisions. The text may change.
func (c Change) String() string {
	return c.Kind.String() + ": " + c.Before.String() + " -> " + c.After.String()
}

// Impact evaluates a change of rules before it is made: it returns the difference for a
// pod that uses these devices. A taint without a time added starts now. It does not
// allocate.
func Impact(now time.Time, before, after []TaintRule, devices ...Allocated) Change {
	c := Change{Before: decide(now, now, before, devices), After: decide(now, now, after, devices)}
	c.Kind = update.Kind(c.Before.Kind, c.After.Kind, c.Before.Deadline, c.After.Deadline)
	return c
}

// Node returns a node with the taints that prevent the allocation of a device, for an
// index of package fleet by the ids of devices. A device can be allocated to the request
// of [Tolerations.Pod] if its node is schedulable; what the index returns about eviction
// does not apply to devices. To include the taints of rules, collect [Device.AllTaints].
func (l Taints) Node() match.Node {
	var n match.Node
	for i := range l {
		if t := &l[i]; t.blocks() {
			n.Taints = append(n.Taints, t.node())
		}
	}
	return n
}

// node returns the NoSchedule or NoExecute taint, or zero Taint, as a node's taint.
func (t *Taint) node() taint.Taint { return taint.Taint(t.v) }

// Pod returns the tolerations as those of a pod, without seconds, to match
// [Taints.Node]. Those with the effect None match no taint there, and are omitted. A pod
// cannot have a toleration with the operator Equal and without a key: these are omitted,
// too, and exact is then false, as the pod tolerates less than the request.
func (l Tolerations) Pod() (tolerations toleration.List, exact bool) {
	exact = true
	for _, u := range l {
		switch {
		case u.IsZero() || u.v.Effect() == none: // matches no taint of Node
		case u.Key() == "" && u.Operator() != toleration.Exists:
			exact = false
		default:
			tolerations = append(tolerations, toleration.Toleration(u.v.WithoutSeconds()))
		}
	}
	return tolerations, exact
}
