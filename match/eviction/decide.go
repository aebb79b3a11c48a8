package eviction

import (
	"slices"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An Observed is a taint of a node and when it was first seen there. A zero Since means
// the taint's time added; without one, its seconds start at [Options.Arrived], and have
// passed if that is zero, unless no time.Time can represent their end.
type Observed struct {
	Taint taint.Taint `json:"taint"`
	Since time.Time   `json:"since,omitzero"`
}

// Observe returns the taints of a node, each with the time at which it was first seen:
// the Since of a taint with its key and effect in previous, or now. It is linear, and
// allocates only the result if previous has at most 8 taints.
func Observe(previous []Observed, taints taint.List, now time.Time) []Observed {
	if len(taints) == 0 {
		return nil
	}
	type id struct {
		key    unique.Handle[string]
		effect taint.Effect
	}
	of := func(t taint.Taint) id { return id{value.Taint(t).KeyHandle(), t.Effect()} }
	since := make(map[id]time.Time)               // without a size, so that a small one is on the stack
	for _, o := range slices.Backward(previous) { // the first of several is used
		since[of(o.Taint)] = o.Since
	}
	all := make([]Observed, len(taints))
	for i, t := range taints {
		at, ok := since[of(t)]
		if !ok {
			at = now
		}
		all[i] = Observed{t, at}
	}
	return all
}

// Options specify how [Decide] computes a deadline. The zero value predicts what
// Kubernetes does if the times of the taints are known. An unknown Choice panics.
type Options struct {
	Choice toleration.Choice
	// PerTaint gives each taint its own start, its time. Otherwise the pod has one: the
	// earliest time of a taint that is tolerated for some seconds, as in Kubernetes if no
	// taint was removed.
	PerTaint bool
	// Arrived is when the pod was scheduled to its node, such as its status.startTime.
	// Its seconds do not start earlier. Zero means before all taints.
	Arrived time.Time
}

// start returns when the seconds for a taint start, and zero if that is unknown.
func (o *Observed) start(arrived instant) instant {
	start := instantOf(o.Since)
	if start == (instant{}) {
		start = instantOf(o.Taint.TimeAdded())
	}
	if start.before(arrived) {
		return arrived
	}
	return start
}

// check panics for a constant that is not defined.
func check(choice toleration.Choice) {
	if !choice.IsValid() {
		panic("eviction: unknown toleration." + choice.String())
	}
}

type DecisionKind uint8

const (
	Never DecisionKind = iota // the pod is not evicted
	Due                       // it must be evicted now
	At                        // it must be evicted at [Decision.Deadline]
)

var kindNames = [...]string{"Never", "Due", "At"}

func (k DecisionKind) String() string { return enum.String(k, "eviction.DecisionKind", kindNames[:]) }

// A Decision is when a pod must be evicted, with the taint and the toleration that
// decide; its methods return them. The zero Decision is Never. It is comparable with ==.
type Decision struct {
	// The compiler keeps up to four fields in registers: BenchmarkDecide.
	deadline instant
	kind     DecisionKind
	taint    uint32 // index + 1; 0 if no taint decides
	by       uint32 // the index of the toleration + 1; 0 if none decides
}

// at returns the decision, if it has a deadline, as Due or At.
func (d Decision) at(now instant) Decision {
	if d.kind != Never {
		d.kind = Due
		if now.before(d.deadline) {
			d.kind = At
		}
	}
	return d
}

// Decide returns when a pod with these tolerations must be evicted from a node with these
// taints. It does not allocate. It is O(len(observed)·n) for n tolerations.
func Decide(observed []Observed, now time.Time, opts Options, tolerations toleration.List) Decision {
	check(opts.Choice)
	present, arrived := instantOf(now), earliest
	if !opts.Arrived.IsZero() {
		arrived = instantOf(opts.Arrived)
	}
	var d, untolerated Decision
	var first instant // the start of d
	for i := range observed {
		o := &observed[i]
		if o.Taint.Effect() != taint.NoExecute {
			continue
		}
		by := choose.Toleration(opts.Choice, o.Taint, tolerations)
		n := int64(0) // of an untolerated taint
		if by >= 0 {
			seconds, limited := tolerations[by].Seconds()
			if !limited {
				continue
			}
			n = max(seconds, 0)
		}
		start := o.start(arrived)
		from := start
		if start == (instant{}) { // unknown
			from = present
		}
		end, ok := from.add(n)
		switch {
		case !ok:
			continue
		case start == instant{}:
			end = present
		case n == 0 && present.before(start):
			end = present
		}
		switch {
		case by < 0:
			if untolerated.kind == Never || end.before(untolerated.deadline) {
				untolerated = Decision{deadline: end, kind: At, taint: uint32(i) + 1}
			}
		case d.kind == Never, !opts.PerTaint && start.before(first),
			end.before(d.deadline) && (opts.PerTaint || start == first):
			d, first = Decision{deadline: end, kind: At, taint: uint32(i) + 1, by: uint32(by) + 1}, start
		}
	}
	if untolerated.kind != Never && (d.kind == Never || !d.deadline.before(untolerated.deadline)) {
		d = untolerated
	}
	return d.at(present)
}

// NewDecision returns the decision for a deadline that was computed in another way, for
// [Schedule.Set]: Due if the deadline is not after now, else At. It has no taint and no
// toleration. A zero deadline means now. Without a deadline, use the zero Decision.
func NewDecision(deadline, now time.Time) Decision {
	if deadline.IsZero() { // which a State cannot represent
		deadline = now
	}
	return Decision{deadline: instantOf(deadline), kind: At}.at(instantOf(now))
}

func (d Decision) Kind() DecisionKind { return d.kind }

// Deadline returns when the pod must be evicted, and false for Never. For Due it is not
// after now.
func (d Decision) Deadline() (time.Time, bool) {
	if d.kind == Never {
		return time.Time{}, false
	}
	return d.deadline.time(), true
}

// Taint returns the index of the taint that decides, and false for Never and for a kept
// deadline. Of equal deadlines, Decide selects that of an untolerated taint, then the
// first.
func (d Decision) Taint() (index int, ok bool) {
	if d.taint == 0 {
		return 0, false
	}
	return int(d.taint - 1), true
}

// Toleration returns the index of the toleration that decides, and false if there is none.
func (d Decision) Toleration() (index int, ok bool) {
	if d.by == 0 {
		return 0, false
	}
	return int(d.by - 1), true
}
