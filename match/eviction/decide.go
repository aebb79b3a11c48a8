package eviction

import (
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Observed is a taint with when it was first seen on its node. A zero Since
// stands for now: a taint whose time is not known never evicts sooner than one
// that was seen just now.
type Observed struct {
	Taint taint.Taint
	Since time.Time
}

// Observe returns a node's taints, each with when it was observed, after a
// change: before is what was observed until now. A taint with the key and
// effect of one before keeps its Since, though its value may be another; a new
// one, or one whose Since was zero, gets now. The order is that of taints, so
// that indices are those of the node's list.
//
// It allocates the result. It is O(len(before)·len(taints)).
func Observe(before []Observed, taints []taint.Taint, now time.Time) []Observed {
	if len(taints) == 0 {
		return nil
	}
	return AppendObserved(make([]Observed, 0, len(taints)), before, taints, now)
}

// AppendObserved appends what [Observe] returns to dst. It does not allocate
// when dst has room; that room must not be before's.
func AppendObserved(dst, before []Observed, taints []taint.Taint, now time.Time) []Observed {
	for _, t := range taints {
		since := now
		for i := range before {
			if b := &before[i]; b.Taint.SameKeyEffect(t) && !b.Since.IsZero() {
				since = b.Since
				break
			}
		}
		dst = append(dst, Observed{t, since})
	}
	return dst
}

// Arrived returns the node's taints as a pod observes them that came to the
// node at that time: none was there for it any earlier. It allocates the
// result.
//
// Times added stay as they are, so that [FromAdded] a taint that has one starts
// as before.
func Arrived(observed []Observed, at time.Time) []Observed {
	if len(observed) == 0 {
		return nil
	}
	return AppendArrived(make([]Observed, 0, len(observed)), observed, at)
}

// AppendArrived appends what [Arrived] returns to dst. It does not allocate
// when dst has room; that room may be that of observed, from its beginning.
func AppendArrived(dst, observed []Observed, at time.Time) []Observed {
	for _, o := range observed {
		if !o.Since.IsZero() && instantOf(o.Since).before(instantOf(at)) {
			o.Since = at
		}
		dst = append(dst, o)
	}
	return dst
}

// A Start says when the seconds of a toleration begin to run.
type Start uint8

const (
	// FromObserved starts when the taint was first observed on its node: see
	// [Observed]. What was observed is lost with the controller's memory,
	// unless it is kept.
	FromObserved Start = iota
	// FromAdded starts when the taint was added to its node, as it tells itself
	// ([taint.Taint.TimeAdded], whole seconds), which survives a restart. A
	// taint that does not tell starts as FromObserved does; kubectl adds such
	// ones.
	FromAdded
	// Sticky has one start and one deadline for a pod, as Kubernetes' own
	// controller has: all seconds start when the pod's eviction is first
	// scheduled, which is now for Decide, and [Reevaluate] leaves the deadline
	// as it is until every NoExecute taint is gone or tolerated for good, or
	// one is not tolerated. As in Kubernetes, it is not kept yet at the very
	// time of its start.
	Sticky
)

var startNames = [...]string{"FromObserved", "FromAdded", "Sticky"}

// String returns the start's name.
func (s Start) String() string {
	if int(s) < len(startNames) {
		return startNames[s]
	}
	return "Start(" + strconv.Itoa(int(s)) + ")"
}

// of returns when the seconds for the taint start. A Start that is none of the
// three is FromObserved.
func (s Start) of(o *Observed, now instant) instant {
	switch s {
	case Sticky:
		return now
	case FromAdded:
		if added := o.Taint.TimeAdded(); !added.IsZero() {
			return instantOf(added)
		}
	}
	if o.Since.IsZero() {
		return now
	}
	return instantOf(o.Since)
}

// A Policy says which of the tolerations that match a taint counts, and from
// when. The zero Policy takes the first one, from when the taint was observed.
type Policy struct {
	Toleration toleration.Policy
	Start      Start
}

// Kind is what is decided.
type Kind uint8

const (
	// Never is the decision that the pod may stay for good.
	Never Kind = iota
	// Now is the decision that the pod must go at once.
	Now
	// At is the decision that the pod must go later: [Decision.Deadline].
	At
)

var kindNames = [...]string{"Never", "Now", "At"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A Decision is when a pod must go, and what decides that. The zero Decision is
// that the pod may stay for good.
//
// A Decision is a small value (32 bytes on 64-bit machines) to be copied, and
// may be compared with ==. Its methods do not allocate, but for String.
type Decision struct {
	// Not more than four fields and four words are kept in registers:
	// BenchmarkEvictionDecide.
	deadline instant
	kind     Kind
	taint    uint32 // its index and one; 0 when none decides
	by       place
}

// A place is where the toleration that decides stands.
type place struct {
	list  uint32 // its index and one; 0 when none decides
	index uint32
}

// Decide returns when a pod with those tolerations (one list, or several that
// match as one) must leave a node on which these taints are observed.
//
// It does not allocate. It is O(len(observed)·len(tolerations)).
func Decide(now time.Time, observed []Observed, p Policy, tolerations ...[]toleration.Toleration) Decision {
	present := instantOf(now)
	var d Decision
	for i := range observed {
		o := &observed[i]
		if o.Taint.Effect() != taint.NoExecute {
			continue
		}
		at, ok := match.Serving(p.Toleration, o.Taint, tolerations...)
		if !ok {
			return Decision{deadline: earlier(p.Start.of(o, present), present), kind: Now, taint: uint32(i) + 1}
		}
		n, timed := tolerations[at.List][at.Index].Seconds()
		if !timed {
			continue
		}
		end, ok := p.Start.of(o, present), true
		if n <= 0 {
			end = earlier(end, present)
		} else if end, ok = end.add(n); !ok {
			continue
		}
		if d.kind == Never || end.before(d.deadline) {
			d = Decision{end, At, uint32(i) + 1, place{uint32(at.List) + 1, uint32(at.Index)}}
		}
	}
	return d.seen(present)
}

// seen returns the decision with the kind that it has at that time.
func (d Decision) seen(present instant) Decision {
	if d.kind != Never {
		d.kind = Now
		if present.before(d.deadline) {
			d.kind = At
		}
	}
	return d
}

// Kind returns whether the pod must go at all: never, now, or at a time.
func (d Decision) Kind() Kind { return d.kind }

// Deadline returns the time at which the pod must go, in UTC; false for Never.
// For Now it is not after the time of the decision, and tells since when the
// pod has been due: for a taint that is not tolerated, since the start that the
// policy says, as if it were tolerated for 0 seconds.
func (d Decision) Deadline() (time.Time, bool) {
	if d.kind == Never {
		return time.Time{}, false
	}
	return d.deadline.time(), true
}

// Taint returns the index of the taint that decides; false for Never, and for a
// deadline that [Sticky] has kept. Of several that are not tolerated it is the
// first, and so it is of several with the same deadline.
func (d Decision) Taint() (index int, ok bool) {
	if d.taint == 0 {
		return 0, false
	}
	return int(d.taint - 1), true
}

// Toleration returns which toleration decides for how long that taint is
// tolerated; false when there is no such taint or it is not tolerated.
func (d Decision) Toleration() (match.Position, bool) {
	if d.by.list == 0 {
		return match.Position{}, false
	}
	return match.Position{List: int(d.by.list - 1), Index: int(d.by.index)}, true
}

// String tells the decision, for people; its text may change.
func (d Decision) String() string {
	switch d.kind {
	case Now:
		return "now"
	case At:
		return "at " + d.deadline.String()
	}
	return "never"
}

// An instant is a time on the wall clock, without a location or a monotonic
// reading: equal exactly when ==.
type instant struct {
	// sec counts from the year 1, as a time.Time does, so that it overflows
	// where that does and not before.
	sec  int64
	nsec int32
}

const unixEpoch = 62_135_596_800 // seconds from the year 1 to 1970

// instantOf is exact for every time: what Unix overflows by is taken back.
func instantOf(t time.Time) instant { return instant{t.Unix() + unixEpoch, int32(t.Nanosecond())} }

func (i instant) time() time.Time { return time.Unix(i.sec-unixEpoch, int64(i.nsec)).UTC() }

func (i instant) String() string { return i.time().Format(time.RFC3339Nano) }

func (i instant) before(j instant) bool {
	return i.sec < j.sec || i.sec == j.sec && i.nsec < j.nsec
}

func earlier(i, j instant) instant {
	if j.before(i) {
		return j
	}
	return i
}

// add returns the instant so many seconds later, n > 0; false when no time.Time
// holds it.
func (i instant) add(n int64) (instant, bool) {
	i.sec += n
	return i, i.sec >= i.sec-n
}
