package condition

import (
	"iter"
	"time"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
)

// A NodeStatus has the fields that a node's taints depend on.
type NodeStatus struct {
	Taints        taint.List  // spec.taints
	Conditions    []Condition // status.conditions
	Unschedulable bool        // spec.unschedulable, a cordon
}

// A kind is one of the taints that a status can require. The zero kind is none.
type kind uint8

const (
	none kind = iota
	notReady
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

// taintOf has the taint of each kind, as the controllers write it.
var taintOf = [kinds]taint.Taint{
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

// kindOf returns the kind with the key and effect of t.
func kindOf(t taint.Taint) kind {
	k, end := notReady, evictNotReady
	switch t.Effect() {
	case taint.NoSchedule:
	case taint.NoExecute:
		k, end = evictNotReady, kinds
	default:
		return none
	}
	for key := value.Taint(t).KeyHandle(); k < end; k++ {
		if value.Taint(taintOf[k]).KeyHandle() == key {
			return k
		}
	}
	return none
}

// A set is a set of kinds, one bit each.
type set uint16

func (s set) has(k kind) bool { return s>>k&1 != 0 }

// requires returns the taint with NoSchedule that the condition requires.
func (c *Condition) requires() kind {
	switch {
	case c.Type == "Ready" && c.Status == StatusFalse:
		return notReady
	case c.Type == "Ready" && c.Status == StatusUnknown:
		return unreachable
	case c.Status != StatusTrue:
		return none
	}
	switch c.Type {
	case "MemoryPressure":
		return memoryPressure
	case "DiskPressure":
		return diskPressure
	case "PIDPressure":
		return pidPressure
	case "NetworkUnavailable":
		return networkUnavailable
	}
	return none
}

// Options are the options of [Reconcile].
type Options struct {
	// At is the time added of new taints, in whole seconds; none if it is zero or outside
	// the years 1 to 9999.
	At time.Time
	// AtOnce adds the taint that would wait by rule 3.
	AtOnce bool
}

// Reconcile returns the taints that the node should have. Other keys and effects do not
// change. New taints are last, in the order of the conditions. To get all that are
// required, pass no Taints, and AtOnce. It is linear and idempotent. If nothing changes,
// it returns n.Taints and does not allocate.
func Reconcile(n NodeStatus, opts Options) (taint.List, Reconciled) {
	var present set
	for _, t := range n.Taints {
		present |= 1 << kindOf(t)
	}
	present &^= 1 << none
	wanted := set(1 << none)
	var room [kinds]kind
	add := room[:0]
	want := func(k kind) {
		if !wanted.has(k) && !present.has(k) {
			add = append(add, k)
		}
		wanted |= 1 << k
	}
	for i := range n.Conditions {
		want(n.Conditions[i].requires())
	}
	if n.Unschedulable {
		want(unschedulable)
	}
	var waiting kind
	evict := func(k, other kind) {
		if wait := !opts.AtOnce && !present.has(k) && !present.has(other); wait {
			waiting = k
		} else {
			want(k)
		}
	}
	switch ready(n.Conditions) {
	case StatusTrue:
	case StatusFalse:
		evict(evictNotReady, evictUnreachable)
	case StatusUnknown:
		evict(evictUnreachable, evictNotReady)
	default:
		wanted |= 1<<evictNotReady | 1<<evictUnreachable // what is present stays
	}
	remove := present &^ wanted
	if len(add) == 0 && remove == 0 {
		return n.Taints, Reconciled{waiting: waiting}
	}
	after := make(taint.List, 0, len(n.Taints)+len(add))
	for _, t := range n.Taints {
		if !remove.has(kindOf(t)) {
			after = append(after, t)
		}
	}
	kept := len(after)
	for _, k := range add {
		t := taintOf[k]
		if timed, err := t.WithTimeAdded(opts.At); err == nil {
			t = timed
		}
		after = append(after, t)
	}
	if len(after) == 0 {
		after = nil
	}
	return after, Reconciled{n.Taints, after, kept, remove, waiting}
}

// Reconciled is what [Reconcile] changed. It refers to the elements of both lists.
type Reconciled struct {
	before, after taint.List // nil if nothing changed
	kept          int        // after[kept:] is new
	removed       set
	waiting       kind
}

// Waiting returns the taint that waits by rule 3, if any.
func (c Reconciled) Waiting() (t taint.Taint, ok bool) { return taintOf[c.waiting], c.waiting != none }

// Added returns the new taints and their positions in the new list.
func (c Reconciled) Added() iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		for i := c.kept; i < len(c.after); i++ {
			if !yield(i, c.after[i]) {
				return
			}
		}
	}
}

// Removed returns the removed taints and their positions in n.Taints.
func (c Reconciled) Removed() iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		for i, t := range c.before {
			if c.removed.has(kindOf(t)) && !yield(i, t) {
				return
			}
		}
	}
}

// String returns text such as "+node.kubernetes.io/not-ready:NoSchedule".
func (c Reconciled) String() string {
	var b []byte
	add := func(sign string, t taint.Taint) {
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(b, sign...)
		b, _ = t.AppendText(b)
	}
	for _, t := range c.Added() {
		add("+", t)
	}
	for _, t := range c.Removed() {
		add("-", t)
	}
	if t, ok := c.Waiting(); ok {
		add("waiting for ", t)
	}
	return string(b)
}

// ready returns the status of the first Ready condition, "" without one.
func ready(conditions []Condition) string {
	for i := range conditions {
		if conditions[i].Type == "Ready" {
			return conditions[i].Status
		}
	}
	return ""
}
