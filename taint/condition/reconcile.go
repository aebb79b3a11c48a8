package condition

import (
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
)

// A NodeStatus has the fields of a node that its taints depend on.
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

// made contains the taint of each kind, as the controllers write it.
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
		if value.Taint(made[k]).KeyHandle() == key {
			return k
		}
	}
	return none
}

// A set is a set of kinds, one bit each.
type set uint16

const noExecute set = 1<<evictNotReady | 1<<evictUnreachable

func (s set) has(k kind) bool { return s>>k&1 != 0 }

// A list is a list of kinds without duplicates.
type list struct {
	kinds [evictNotReady]kind // all with NoSchedule, and one with NoExecute
	n     uint8
}

func (l *list) add(k kind) {
	l.kinds[l.n] = k
	l.n++
}

func (l *list) all() []kind { return l.kinds[:l.n] }

// noSchedule returns the NoSchedule taints that the status requires, in the
// order of its conditions.
func (n *NodeStatus) noSchedule() (want list, wanted set) {
	add := func(k kind, required bool) {
		if required && !wanted.has(k) {
			wanted |= 1 << k
			want.add(k)
		}
	}
	for i := range n.Conditions {
		c := &n.Conditions[i]
		switch c.Type {
		case "Ready":
			add(notReady, c.Status == StatusFalse)
			add(unreachable, c.Status == StatusUnknown)
		case "MemoryPressure":
			add(memoryPressure, c.Status == StatusTrue)
		case "DiskPressure":
			add(diskPressure, c.Status == StatusTrue)
		case "PIDPressure":
			add(pidPressure, c.Status == StatusTrue)
		case "NetworkUnavailable":
			add(networkUnavailable, c.Status == StatusTrue)
		}
	}
	add(unschedulable, n.Unschedulable)
	return want, wanted
}

// Options are the options of [Reconcile].
type Options struct {
	// At is the time added of new taints, truncated to seconds. They have none
	// if it is zero or outside the years 1 to 9999.
	At time.Time
	// AtOnce adds the taint that would wait by rule 4.
	AtOnce bool
}

// Reconcile returns the taints that the node should have. New ones are in the
// order of the conditions, then the cordon's, then that with NoExecute. To get all
// taints that the conditions and the cordon require, pass no Taints, and AtOnce.
//
// If nothing changes, it returns n.Taints and does not allocate. Otherwise it
// allocates a new list, nil if empty. It is linear in the length of both lists.
func Reconcile(n NodeStatus, opts Options) (taint.List, Reconciled) {
	add, remove, waiting := n.decide(opts.AtOnce)
	if add.n == 0 && remove == 0 {
		return n.Taints, Reconciled{waiting: waiting}
	}
	after := drop(n.Taints, func(t taint.Taint) bool { return remove.has(kindOf(t)) }, int(add.n))
	kept := len(after)
	for _, k := range add.all() {
		t := made[k]
		if timed, err := t.WithTimeAdded(opts.At); err == nil {
			t = timed
		}
		after = append(after, t)
	}
	return after, Reconciled{n.Taints, after, kept, remove, waiting}
}

// decide returns the taints to add, those to remove, and the NoExecute taint
// that waits.
func (n *NodeStatus) decide(atOnce bool) (add list, remove set, waiting kind) {
	var present set
	for _, t := range n.Taints {
		present |= 1 << kindOf(t)
	}
	present &^= 1 << none
	want, wanted := n.noSchedule()
	for _, k := range want.all() {
		if !present.has(k) {
			add.add(k)
		}
	}
	remove = present &^ wanted &^ noExecute
	var evict, other kind
	switch ready(n.Conditions) {
	case StatusTrue:
		return add, remove | present&noExecute, none
	case StatusFalse:
		evict, other = evictNotReady, evictUnreachable
	case StatusUnknown:
		evict, other = evictUnreachable, evictNotReady
	default:
		return add, remove, none
	}
	remove |= present & (1 << other)
	switch {
	case present.has(evict):
	case present.has(other), atOnce:
		add.add(evict)
	default:
		waiting = evict
	}
	return add, remove, waiting
}

// Reconciled is what [Reconcile] changed. It refers to the elements of both lists:
// do not modify them before using it.
type Reconciled struct {
	before, after taint.List // nil if nothing changed
	kept          int        // after[kept:] is new
	removed       set
	waiting       kind
}

// Waiting returns the taint that waits by rule 4, if any.
func (c Reconciled) Waiting() (t taint.Taint, ok bool) { return made[c.waiting], c.waiting != none }

// Added returns the new taints and their positions in the new list, in order.
func (c Reconciled) Added() iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		for i := c.kept; i < len(c.after); i++ {
			if !yield(i, c.after[i]) {
				return
			}
		}
	}
}

// Removed returns the removed taints and their positions in n.Taints, in order.
func (c Reconciled) Removed() iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		for i, t := range c.before {
			if c.removed.has(kindOf(t)) && !yield(i, t) {
				return
			}
		}
	}
}

// Equal reports whether both are the same change of the same list.
func (c Reconciled) Equal(d Reconciled) bool {
	return slices.Equal(c.before, d.before) && slices.Equal(c.after, d.after) &&
		c.kept == d.kept && c.removed == d.removed && c.waiting == d.waiting
}

// String returns text such as "+node.kubernetes.io/not-ready:NoSchedule,
// waiting for node.kubernetes.io/not-ready:NoExecute". The text may change.
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

// MarshalJSON returns an object with the lists added and removed, and the taint
// waiting, each omitted if empty.
func (c Reconciled) MarshalJSON() ([]byte, error) {
	var out struct {
		Added   taint.List  `json:"added,omitempty"`
		Removed taint.List  `json:"removed,omitempty"`
		Waiting taint.Taint `json:"waiting,omitzero"`
	}
	out.Added = c.after[c.kept:]
	for _, t := range c.Removed() {
		out.Removed = append(out.Removed, t)
	}
	out.Waiting, _ = c.Waiting()
	return json.Marshal(out)
}

// AtCreation returns the taints of a new node: the API server appends [NotReady]
// with NoSchedule unless it is present. [Reconcile] removes it unless Ready is
// False. If it is present, AtCreation does not allocate.
func AtCreation(taints taint.List) taint.List {
	if slices.ContainsFunc(taints, made[notReady].SameKeyEffect) {
		return taints
	}
	return append(append(make(taint.List, 0, len(taints)+1), taints...), made[notReady])
}
