package eviction

import (
	"iter"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/toleration"
)

// A State is what a controller keeps of a pod between evaluations. It can be
// stored as JSON or gob. The zero State is that of a pod without a deadline.
type State struct {
	// Deadline is when the pod must be evicted; zero for never.
	Deadline time.Time
	// Start is when the seconds started; zero without [Sticky].
	Start time.Time
}

// An UpdateKind is the kind of an [Update].
type UpdateKind uint8

const (
	Unchanged UpdateKind = iota // the same deadline as before, or none
	Scheduled                   // a new deadline
	Earlier                     // an earlier deadline, after now
	Later                       // a later deadline
	Cancelled                   // no deadline any more
	Due                         // evict now, whether or not that was known
)

var updateNames = [...]string{"Unchanged", "Scheduled", "Earlier", "Later", "Cancelled", "Due"}

// String returns the name.
func (k UpdateKind) String() string { return enum.String(k, "eviction.UpdateKind", updateNames[:]) }

// An Update is what an evaluation changes for a pod.
type Update struct {
	Kind     UpdateKind
	Before   time.Time // the previous deadline, in UTC; zero if none
	Decision Decision
}

// Reevaluate returns the new State of a pod whose taints or tolerations may have
// changed, and the difference. The Deadline is that of [Decide], except with
// [Sticky]. It does not allocate.
func Reevaluate(previous State, observed []Observed, now time.Time, opts Options, tolerations ...toleration.List) (State, Update) {
	was := pending{instantOf(previous.Deadline), instantOf(previous.Start), !previous.Deadline.IsZero()}
	is, u := was.reevaluate(observed, now, opts, tolerations)
	return is.state(), u
}

// A pending is a State with instants. Its zero instants are zero times.
type pending struct {
	deadline, start instant
	ok              bool
}

func (p pending) state() State { return State{Deadline: p.deadline.time(), Start: p.start.time()} }

func (p pending) reevaluate(observed []Observed, now time.Time, opts Options, tolerations []toleration.List) (pending, Update) {
	present := instantOf(now)
	d := Decide(observed, now, opts, tolerations...)
	next := pending{deadline: d.deadline, ok: d.kind != Never}
	if opts.Start == Sticky && next.ok {
		next.start = present
		// What is due stays due. Otherwise an untolerated taint evicts now, and
		// at the instant of the start nothing is kept yet. A start after now is
		// kept: the clock was set back.
		if p.ok && (!present.before(p.deadline) || d.by.list > 0 && p.start != present) {
			next = p
			d = Decision{deadline: p.deadline, kind: At}.at(present)
		}
	}
	u := Update{Before: p.deadline.time(), Decision: d}
	switch {
	case d.kind == Now:
		u.Kind = Due
	case !next.ok && p.ok:
		u.Kind = Cancelled
	case !next.ok:
		u.Kind = Unchanged
	case !p.ok:
		u.Kind = Scheduled
	case next.deadline.before(p.deadline):
		u.Kind = Earlier
	case p.deadline.before(next.deadline):
		u.Kind = Later
	}
	return next, u
}

// A Schedule is a [Queue] that evaluates pods; it must not be copied either. It holds
// the [State] of each pod with a deadline, in 20 to 30 bytes more for an id.
type Schedule[ID comparable] struct {
	guard nocopy.Guard
	h     heap[ID, instant] // with the start of each pod
}

// Update is [Reevaluate] for a pod of the Schedule. Call it for a new pod, and when
// its tolerations or the taints of its node change.
//
// A pod that is [Due] stays until [Schedule.Due] yields it.
func (s *Schedule[ID]) Update(id ID, observed []Observed, now time.Time, opts Options, tolerations ...toleration.List) Update {
	s.guard.Check("eviction.Schedule")
	was := s.pending(id)
	is, u := was.reevaluate(observed, now, opts, tolerations)
	switch {
	case is == was: // the usual case
	case is.ok:
		s.h.set(id, is.deadline, is.start)
	default:
		s.h.remove(id)
	}
	return u
}

func (s *Schedule[ID]) pending(id ID) pending {
	c, ok := s.h.find(id)
	if !ok {
		return pending{}
	}
	return pending{s.h.at(c), c.value, true}
}

// State returns the State of a pod, which is zero without a deadline.
func (s *Schedule[ID]) State(id ID) State {
	s.guard.Check("eviction.Schedule")
	return s.pending(id).state()
}

// Restore sets the State of a pod: a stored one, or a later Deadline after a
// refused eviction.
func (s *Schedule[ID]) Restore(id ID, state State) {
	s.guard.Check("eviction.Schedule")
	if state.Deadline.IsZero() {
		s.h.remove(id)
		return
	}
	s.h.set(id, instantOf(state.Deadline), instantOf(state.Start))
}

// Remove removes a pod and reports whether it had a deadline.
func (s *Schedule[ID]) Remove(id ID) bool {
	s.guard.Check("eviction.Schedule")
	return s.h.remove(id)
}

// Next returns the first pod and its deadline, and false if there is none.
func (s *Schedule[ID]) Next() (id ID, at time.Time, ok bool) {
	s.guard.Check("eviction.Schedule")
	return s.h.next()
}

// Due is like [Queue.Due]. The next Update of a yielded pod treats it as new.
func (s *Schedule[ID]) Due(now time.Time) iter.Seq2[ID, time.Time] {
	s.guard.Check("eviction.Schedule")
	return func(yield func(ID, time.Time) bool) { s.h.due(now, yield) }
}

// All is like [Queue.All], with States.
func (s *Schedule[ID]) All() iter.Seq2[ID, State] {
	s.guard.Check("eviction.Schedule")
	return func(yield func(ID, State) bool) {
		for c := range s.h.all {
			if !yield(c.id, pending{s.h.at(c), c.value, true}.state()) {
				return
			}
		}
	}
}

// Len returns the number of pods.
func (s *Schedule[ID]) Len() int {
	s.guard.Check("eviction.Schedule")
	return len(s.h.entries)
}
