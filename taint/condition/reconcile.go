package condition

import (
	"iter"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

// A Node is what decides about a node's taints. The zero Node has none, and
// calls for none.
type Node struct {
	// Taints is the node's list, its spec.taints.
	Taints []taint.Taint
	// Conditions is its status.conditions.
	Conditions []Condition
	// Unschedulable is set when the node is cordoned, its spec.unschedulable.
	Unschedulable bool
}

// A kind is one of the taints that conditions and cordon call for.
type kind uint8

const (
	notReady kind = iota
	unreachable
	memoryPressure
	diskPressure
	pidPressure
	networkUnavailable
	unschedulable
	evictNotReady // from here on with NoExecute
	evictUnreachable
	kinds
)

// made holds the taint of each kind, as the controllers write it.
var made = [kinds]taint.Taint{
	notReady:           taint.MustParse(NotReady + ":NoSchedule"),
	unreachable:        taint.MustParse(Unreachable + ":NoSchedule"),
	memoryPressure:     taint.MustParse(MemoryPressure + ":NoSchedule"),
	diskPressure:       taint.MustParse(DiskPressure + ":NoSchedule"),
	pidPressure:        taint.MustParse(PIDPressure + ":NoSchedule"),
	networkUnavailable: taint.MustParse(NetworkUnavailable + ":NoSchedule"),
	unschedulable:      taint.MustParse(Unschedulable + ":NoSchedule"),
	evictNotReady:      taint.MustParse(NotReady + ":NoExecute"),
	evictUnreachable:   taint.MustParse(Unreachable + ":NoExecute"),
}

// kindOf returns the kind of taint that t is, and kinds when it is none.
func kindOf(t taint.Taint) kind {
	k, end := notReady, evictNotReady
	switch t.Effect() {
	case taint.NoSchedule:
	case taint.NoExecute:
		k, end = evictNotReady, kinds
	default:
		return kinds
	}
	for key := t.KeyHandle(); k < end; k++ {
		if made[k].KeyHandle() == key {
			return k
		}
	}
	return kinds
}

// A set holds kinds, one bit each.
type set uint16

const noExecute set = 1<<evictNotReady | 1<<evictUnreachable

func (s set) has(k kind) bool { return s>>k&1 != 0 }

// A list holds kinds in order, each once.
type list struct {
	kinds [evictNotReady + 1]kind // all with NoSchedule, and one with NoExecute
	n     uint8
}

func (l *list) add(k kind) {
	l.kinds[l.n] = k
	l.n++
}

func (l *list) all() []kind { return l.kinds[:l.n] }

// noSchedule returns the NoSchedule taints that the node is to have, in the
// order of its conditions.
func (n Node) noSchedule() (want list, wanted set) {
	add := func(k kind, holds bool) {
		if holds && !wanted.has(k) {
			wanted |= 1 << k
			want.add(k)
		}
	}
	for i := range n.Conditions {
		c := &n.Conditions[i]
		switch c.Type {
		case TypeReady:
			add(notReady, c.Status == StatusFalse)
			add(unreachable, c.Status == StatusUnknown)
		case TypeMemoryPressure:
			add(memoryPressure, c.Status == StatusTrue)
		case TypeDiskPressure:
			add(diskPressure, c.Status == StatusTrue)
		case TypePIDPressure:
			add(pidPressure, c.Status == StatusTrue)
		case TypeNetworkUnavailable:
			add(networkUnavailable, c.Status == StatusTrue)
		}
	}
	add(unschedulable, n.Unschedulable)
	return want, wanted
}

// NoSchedule returns the NoSchedule taints that the node's conditions and
// cordon call for, without time added: in the order of the conditions, the one
// of the cordon last, each once. What the node bears does not matter. Ready
// calls for one when it is False or Unknown, the other types of this package
// when they are True; what stands twice counts twice.
//
// It allocates the list, which is nil when it is empty.
func NoSchedule(n Node) []taint.Taint {
	want, _ := n.noSchedule()
	return appendMade(room(int(want.n)), want)
}

// AppendNoSchedule appends what [NoSchedule] returns to dst. It does not
// allocate when dst has room.
func AppendNoSchedule(dst []taint.Taint, n Node) []taint.Taint {
	want, _ := n.noSchedule()
	return appendMade(dst, want)
}

func appendMade(dst []taint.Taint, l list) []taint.Taint {
	for _, k := range l.all() {
		dst = append(dst, made[k])
	}
	return dst
}

// NoExecute returns the NoExecute taint that the node's first Ready condition
// calls for, without time added, and whether it calls for one: False for
// NotReady, Unknown for Unreachable. What the node bears does not matter. It
// does not allocate.
func NoExecute(n Node) (t taint.Taint, ok bool) {
	switch ready(n.Conditions) {
	case StatusFalse:
		return made[evictNotReady], true
	case StatusUnknown:
		return made[evictUnreachable], true
	}
	return taint.Taint{}, false
}

// A Pace says when a node that bears neither NoExecute taint gets its first.
type Pace uint8

const (
	// Wait leaves it to the zone's rate: the taint is not added, and
	// [Change.Waiting] tells which one it is.
	Wait Pace = iota
	// AtOnce adds it: the zone's rate allows it now.
	AtOnce
)

// String returns the pace's name.
func (p Pace) String() string {
	if p == AtOnce {
		return "AtOnce"
	}
	return "Wait"
}

// Options says how a node's list is reconciled. The zero value lets NoExecute
// taints wait and gives new taints no time added.
type Options struct {
	// At is the time added of new taints, cut down to whole seconds. Where it
	// is the zero time, or outside the years 1 to 9999, which the API's JSON
	// cannot write, they have none.
	At time.Time
	// NoExecute says when the first NoExecute taint is added. A Pace that is
	// neither is Wait.
	NoExecute Pace
}

// Reconcile returns the list that the node is to have, and what changed: the
// job of Kubernetes' node lifecycle controller on one node. Taints with a key
// and effect that conditions or cordon can call for come and go; all others
// stay, in order. What stays is as it was, its value and time added too. New
// taints come last: NoSchedule in the order of the conditions, then NoExecute.
//
// A NoExecute taint takes the place of the other at once, and goes at once when
// the node is ready; only where there is none yet, opts.NoExecute decides.
// Without a Ready condition of a known status, nothing with NoExecute changes.
// Reconciling the result with the same options changes nothing.
//
// When nothing changes, it returns n.Taints itself and does not allocate. Else
// it allocates the new list, which shares no memory with n; it is nil when it
// is empty. It is O(len(n.Taints) + len(n.Conditions)).
func Reconcile(n Node, opts Options) ([]taint.Taint, Change) {
	c := decide(n, opts.NoExecute)
	if !c.Any() {
		return n.Taints, c
	}
	kept := 0
	for _, t := range n.Taints {
		if !c.drops(t) {
			kept++
		}
	}
	return c.append(room(kept+int(c.added.n)), n.Taints, opts.At), c
}

// AppendReconcile appends the list that [Reconcile] returns to dst, whether or
// not anything changed. dst may be n.Taints[:0], for a list that is the caller's
// own; else its room must not be that of n.Taints. It does not allocate when dst
// has room.
func AppendReconcile(dst []taint.Taint, n Node, opts Options) ([]taint.Taint, Change) {
	c := decide(n, opts.NoExecute)
	return c.append(dst, n.Taints, opts.At), c
}

func decide(n Node, pace Pace) Change {
	var present set
	for _, t := range n.Taints {
		if k := kindOf(t); k < kinds {
			present |= 1 << k
		}
	}
	want, wanted := n.noSchedule()
	c := Change{removed: present &^ wanted &^ noExecute}
	for _, k := range want.all() {
		if !present.has(k) {
			c.added.add(k)
		}
	}
	var evict, other kind
	switch ready(n.Conditions) {
	case StatusTrue:
		c.removed |= present & noExecute
		return c
	case StatusFalse:
		evict, other = evictNotReady, evictUnreachable
	case StatusUnknown:
		evict, other = evictUnreachable, evictNotReady
	default:
		return c
	}
	c.removed |= present & (1 << other)
	switch {
	case present.has(evict):
	case present.has(other), pace == AtOnce:
		c.added.add(evict)
	default:
		c.waiting = 1 << evict
	}
	return c
}

// A Change says what [Reconcile] does to a node's list. It is a small value (14
// bytes) that may be compared with ==; the zero Change changes nothing. It tells
// taints as the controllers write them, without value and time added.
type Change struct {
	added   list
	removed set
	waiting set // of one kind at most
}

// Any reports whether the list changes at all.
func (c Change) Any() bool { return c.added.n > 0 || c.removed != 0 }

// Waiting returns the NoExecute taint that the node is to have and has to wait
// for, and whether there is one. It does not count as a change.
func (c Change) Waiting() (t taint.Taint, ok bool) {
	switch c.waiting {
	case 1 << evictNotReady:
		return made[evictNotReady], true
	case 1 << evictUnreachable:
		return made[evictUnreachable], true
	}
	return taint.Taint{}, false
}

// Added returns the taints that are new, in the order in which they stand at
// the end of the list.
func (c Change) Added() iter.Seq[taint.Taint] {
	return func(yield func(taint.Taint) bool) {
		for _, k := range c.added.all() {
			if !yield(made[k]) {
				return
			}
		}
	}
}

// Removed returns the taints that are gone, in the order of the constants
// [NotReady] to [Unschedulable], those with NoSchedule first.
func (c Change) Removed() iter.Seq[taint.Taint] {
	return func(yield func(taint.Taint) bool) {
		for k := range kinds {
			if c.removed.has(k) && !yield(made[k]) {
				return
			}
		}
	}
}

// String returns the change in words, such as
// "+node.kubernetes.io/unreachable:NoSchedule, waiting for
// node.kubernetes.io/unreachable:NoExecute"; "" when there is nothing to tell.
// The text may change.
func (c Change) String() string {
	var b []byte
	tell := func(sign string, t taint.Taint) {
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(b, sign...)
		b, _ = t.AppendText(b)
	}
	for t := range c.Added() {
		tell("+", t)
	}
	for t := range c.Removed() {
		tell("-", t)
	}
	if t, ok := c.Waiting(); ok {
		tell("waiting for ", t)
	}
	return string(b)
}

func (c Change) drops(t taint.Taint) bool {
	k := kindOf(t)
	return k < kinds && c.removed.has(k)
}

// append appends the changed list to dst.
func (c Change) append(dst, taints []taint.Taint, at time.Time) []taint.Taint {
	if c.removed == 0 {
		dst = append(dst, taints...)
	} else {
		for _, t := range taints {
			if !c.drops(t) {
				dst = append(dst, t)
			}
		}
	}
	start := len(dst)
	dst = appendMade(dst, c.added)
	for i, t := range dst[start:] {
		if timed, err := t.WithTimeAdded(at); err == nil {
			dst[start+i] = timed
		}
	}
	return dst
}

// AtCreation returns the list that the API server gives a node that is being
// created with these taints: with node.kubernetes.io/not-ready:NoSchedule
// behind them, without time added, unless a taint of that key and effect is
// there.
//
// [Reconcile] takes it off again unless the node's Ready condition is False, so
// who simulates a node gives it conditions first, as a kubelet does when it
// registers one.
//
// When it is there, it returns taints itself and does not allocate. Else it
// allocates the new list, which shares no memory with taints.
func AtCreation(taints []taint.Taint) []taint.Taint {
	if !newborn(taints) {
		return taints
	}
	return append(append(make([]taint.Taint, 0, len(taints)+1), taints...), made[notReady])
}

// AppendAtCreation appends what [AtCreation] returns to dst, which may be
// taints[:0]; else its room must not be that of taints. It does not allocate
// when dst has room.
func AppendAtCreation(dst, taints []taint.Taint) []taint.Taint {
	lacks := newborn(taints)
	dst = append(dst, taints...)
	if lacks {
		dst = append(dst, made[notReady])
	}
	return dst
}

// newborn reports whether the taint that a node is created with is missing.
func newborn(taints []taint.Taint) bool {
	for _, t := range taints {
		if t.SameKeyEffect(made[notReady]) {
			return false
		}
	}
	return true
}
