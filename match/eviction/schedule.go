package eviction

import (
	"iter"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/toleration"
)

// A State is what has to be kept of a pod from one evaluation to the next: what
// its eviction is scheduled for. The zero State is that of a pod that may stay
// for good, and of one that has not been looked at yet.
//
// It may be written down and read again after a restart. Whoever loses it has
// the same Deadline again from Reevaluate, but for [Sticky]. Seconds may lead
// far beyond the year 9999, after which a time can be written as gob or by
// [time.Time.MarshalBinary], but not as JSON.
type State struct {
	// Deadline is when the pod must go; the zero time when it need not.
	Deadline time.Time
	// Start is when the seconds began under [Sticky]; elsewhere it is zero.
	Start time.Time
}

// ChangeKind is what an evaluation changes about a pod's eviction.
type ChangeKind uint8

const (
	// Unchanged: the pod need not go, as before, or at the same time.
	Unchanged ChangeKind = iota
	// Scheduled: the pod must go at a time, and needed not before.
	Scheduled
	// Earlier: the pod must go, later than now and sooner than before.
	Earlier
	// Later: the pod must go, later than before.
	Later
	// Cancelled: the pod need not go any more.
	Cancelled
	// Due: the pod must go now, whether or not that was known.
	Due
)

var changeNames = [...]string{"Unchanged", "Scheduled", "Earlier", "Later", "Cancelled", "Due"}

// String returns the kind's name.
func (k ChangeKind) String() string {
	if int(k) < len(changeNames) {
		return changeNames[k]
	}
	return "ChangeKind(" + strconv.Itoa(int(k)) + ")"
}

// A Change is what an evaluation changes about a pod's eviction. The zero
// Change is that the pod need not go, as before.
type Change struct {
	Kind ChangeKind
	// Before is the deadline that the pod had, in UTC; the zero time when it
	// had none.
	Before time.Time
	// Decision is what holds now.
	Decision Decision
}

// String tells the change, for people; its text may change.
func (c Change) String() string {
	switch c.Kind {
	case Scheduled:
		return "scheduled " + c.Decision.String()
	case Earlier, Later:
		return "moved from " + c.Before.Format(time.RFC3339Nano) + " to " + c.Decision.deadline.String()
	case Cancelled:
		return "cancelled, was at " + c.Before.Format(time.RFC3339Nano)
	case Due:
		return "due now"
	}
	return "unchanged, " + c.Decision.String()
}

// Reevaluate returns a pod's new State, and what changes by it, when anything
// has changed that [Decide] depends on: the taints, the tolerations, the time.
// The new State's Deadline is that of Decide, from scratch, for every Start but
// [Sticky].
//
// It does not allocate.
func Reevaluate(before State, now time.Time, observed []Observed, p Policy, tolerations ...[]toleration.Toleration) (State, Change) {
	was := pending{instantOf(before.Deadline), instantOf(before.Start), !before.Deadline.IsZero()}
	is, c := was.reevaluate(now, observed, p, tolerations)
	return is.state(), c
}

// pending is a State as it is reckoned with. Its zero instants are zero times.
type pending struct {
	deadline, start instant
	ok              bool
}

func (e *entry) pending(start instant) pending { return pending{e.at(), start, true} }

func (is pending) state() State { return State{Deadline: is.deadline.time(), Start: is.start.time()} }

func (was pending) reevaluate(now time.Time, observed []Observed, p Policy, tolerations [][]toleration.Toleration) (pending, Change) {
	present := instantOf(now)
	d := Decide(now, observed, p, tolerations...)
	is := pending{deadline: d.deadline, ok: d.kind != Never}
	if p.Start == Sticky && is.ok {
		is.start = present
		// What is due stays due. Else one that is not tolerated evicts now, and
		// at the very time of the start nothing is kept yet.
		if was.ok && (!present.before(was.deadline) || d.by.list > 0 && was.start.before(present)) {
			is = was
			d = Decision{deadline: was.deadline, kind: At}.seen(present)
		}
	}
	c := Change{Before: was.deadline.time(), Decision: d}
	switch {
	case d.kind == Now:
		c.Kind = Due
	case !is.ok && was.ok:
		c.Kind = Cancelled
	case !is.ok:
		c.Kind = Unchanged
	case !was.ok:
		c.Kind = Scheduled
	case is.deadline.before(was.deadline):
		c.Kind = Earlier
	case was.deadline.before(is.deadline):
		c.Kind = Later
	}
	return is, c
}

// A Schedule holds what is scheduled for many pods, by one Policy. It is a
// [Queue] that decides for itself: what is said there of copying, concurrency,
// ids, order and cost holds here too, with 16 bytes more for an id. The zero
// Schedule is empty and ready to use.
type Schedule[ID comparable] struct {
	// Policy may be changed at any time; pods follow at their next Update.
	Policy Policy

	h heap[ID, instant] // with each pod's start
}

// Update takes in what holds for the pod now, and returns what that changes: it
// is [Reevaluate] with the State that the Schedule has. It is to be called for
// a new pod, when a pod's tolerations change, and, for each of its pods, when a
// node's taints do.
//
// A pod that is [Due] is scheduled as well, so that one loop over
// [Schedule.Due] meets all that have to go, and a loop that ends before its
// time loses none.
func (s *Schedule[ID]) Update(id ID, now time.Time, observed []Observed, tolerations ...[]toleration.Toleration) Change {
	was := s.pending(id)
	is, c := was.reevaluate(now, observed, s.Policy, tolerations)
	switch {
	case is == was: // what most updates come to
	case is.ok:
		s.h.set(id, is.deadline, is.start)
	default:
		s.h.remove(id)
	}
	return c
}

func (s *Schedule[ID]) pending(id ID) pending {
	at, ok := s.h.find(id)
	if !ok {
		return pending{}
	}
	return s.h.entries[at.place].pending(at.value)
}

// State returns what the pod is scheduled for, to be written down; the zero
// State when it is not.
func (s *Schedule[ID]) State(id ID) State {
	return s.pending(id).state()
}

// Restore gives the pod a State that was written down, or, when it could not be
// evicted, a later Deadline to try again at. The next Update decides anew.
func (s *Schedule[ID]) Restore(id ID, is State) {
	if is.Deadline.IsZero() {
		s.h.remove(id)
		return
	}
	s.h.set(id, instantOf(is.Deadline), instantOf(is.Start))
}

// Remove forgets a pod, which is gone, and reports whether it was scheduled.
func (s *Schedule[ID]) Remove(id ID) bool { return s.h.remove(id) }

// Next returns the pod that is to go first, and when; false when there is none.
// That is when a controller has to wake up.
func (s *Schedule[ID]) Next() (id ID, at time.Time, ok bool) { return s.h.next() }

// Due returns an iterator that takes out, in order, each pod whose deadline is
// not after now, and yields it with its deadline, as [Queue.Due] does. The pod
// is then forgotten: when it is still there at its next Update, it is as good
// as new.
func (s *Schedule[ID]) Due(now time.Time) iter.Seq2[ID, time.Time] {
	return func(yield func(ID, time.Time) bool) { s.h.due(now, yield) }
}

// All returns an iterator over all pods that are scheduled and their States, in
// no particular order. The Schedule must not be changed meanwhile.
func (s *Schedule[ID]) All() iter.Seq2[ID, State] {
	return func(yield func(ID, State) bool) {
		for i := range s.h.slots {
			at := &s.h.slots[i]
			if !yield(at.id, s.h.entries[at.place].pending(at.value).state()) {
				return
			}
		}
	}
}

// Len returns the number of pods that are scheduled.
func (s *Schedule[ID]) Len() int { return len(s.h.entries) }

// Grow makes room for n more pods. A negative n is 0.
func (s *Schedule[ID]) Grow(n int) { s.h.grow(n) }

// Clip gives back the memory that is not needed for the pods that are there.
func (s *Schedule[ID]) Clip() { s.h.clip() }
