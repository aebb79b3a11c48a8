package eviction

import (
	"iter"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/nocopy"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A State is what a controller keeps of a pod between evaluations. It can be
// stored as JSON or gob. The zero State is that of a pod without a deadline.
type State struct {
	// Deadline is when the pod must be evicted; zero for never.
	Deadline time.Time
	// Start is when the seconds started; zero if unknown, as after
	// [Schedule.Set]. Such a State keeps its Deadline.
	Start time.Time
}

// An UpdateKind is the kind of an [Update].
type UpdateKind uint8

const (
	Unchanged UpdateKind = iota // the same deadline as before, or none
	Scheduled                   // a new deadline
	Earlier                     // an earlier deadline
	Later                       // a later deadline
	Cancelled                   // no deadline any more
)

var updateNames = [...]string{"Unchanged", "Scheduled", "Earlier", "Later", "Cancelled"}

// String returns the name.
func (k UpdateKind) String() string { return enum.String(k, "eviction.UpdateKind", updateNames[:]) }

// An Update is what an evaluation changes for a pod. Whether the pod must be evicted
// now is in the Decision.
type Update struct {
	Kind     UpdateKind
	Before   time.Time // the previous deadline, in UTC; zero if none
	Decision Decision
}

// Reevaluate returns the new State of a pod whose taints or tolerations may have
// changed, and the difference. It does what Kubernetes' controller does: the pod has
// one start, which is now when its eviction is first scheduled, and the fewest
// seconds count. The deadline is kept, except at the instant of the start, until
// the pod tolerates all taints permanently or one is untolerated. The choice of
// Kubernetes is [toleration.First].
//
// Call it when the taints or tolerations change. To compute a deadline at any time,
// from the times of the taints, use [Decide]. It does not allocate.
func Reevaluate(previous State, taints taint.List, now time.Time, choice toleration.Choice, tolerations ...toleration.List) (State, Update) {
	was := pending{instantOf(previous.Deadline), instantOf(previous.Start), !previous.Deadline.IsZero()}
	is, d := was.reevaluate(taints, now, choice, tolerations)
	return is.state(), was.update(d)
}

// A pending is a State with instants. Its zero instants are zero times.
type pending struct {
	deadline, start instant
	ok              bool
}

func (p pending) state() State { return State{Deadline: p.deadline.time(), Start: p.start.time()} }

func (p pending) reevaluate(taints taint.List, now time.Time, choice toleration.Choice, tolerations []toleration.List) (pending, Decision) {
	check(choice, AsKubernetes)
	present := instantOf(now)
	var d Decision
	for i, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		list, index, ok := choose.Toleration(choice, t, tolerations)
		if !ok {
			d = Decision{deadline: present, kind: At, taint: uint32(i) + 1}
			break
		}
		n, limited := tolerations[list][index].Seconds()
		if !limited {
			continue
		}
		end, ok := present.add(max(n, 0))
		if ok && (d.kind == Never || end.before(d.deadline)) {
			d = Decision{end, At, uint32(i) + 1, position{uint32(list) + 1, uint32(index)}}
		}
	}
	if d.kind == Never {
		return pending{}, d
	}
	// What is due stays due. A start after now is kept: the clock was set back.
	if p.ok && (!present.before(p.deadline) || d.by.list > 0 && p.start != present) {
		return p, Decision{deadline: p.deadline, kind: At}.at(present)
	}
	return pending{d.deadline, present, true}, d.at(present)
}

// update returns the difference that a decision makes.
func (p pending) update(d Decision) Update {
	u := Update{Before: p.deadline.time(), Decision: d}
	switch {
	case d.kind == Never && p.ok:
		u.Kind = Cancelled
	case d.kind == Never:
		u.Kind = Unchanged
	case !p.ok:
		u.Kind = Scheduled
	case d.deadline.before(p.deadline):
		u.Kind = Earlier
	case p.deadline.before(d.deadline):
		u.Kind = Later
	}
	return u
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
// A pod whose eviction is due stays until [Schedule.Due] yields it.
func (s *Schedule[ID]) Update(id ID, taints taint.List, now time.Time, choice toleration.Choice, tolerations ...toleration.List) Update {
	s.guard.Check("eviction.Schedule")
	was := s.pending(id)
	is, d := was.reevaluate(taints, now, choice, tolerations)
	s.set(id, was, is)
	return was.update(d)
}

// Set replaces the deadline of a pod by that of a decision, and returns the
// difference. With a [Decide] that does not use [AsKubernetes], each taint has its own
// start.
func (s *Schedule[ID]) Set(id ID, d Decision) Update {
	s.guard.Check("eviction.Schedule")
	was := s.pending(id)
	s.set(id, was, pending{deadline: d.deadline, ok: d.kind != Never})
	return was.update(d)
}

func (s *Schedule[ID]) set(id ID, was, is pending) {
	switch {
	case is == was: // the usual case
	case is.ok:
		s.h.set(id, is.deadline, is.start)
	default:
		s.h.remove(id)
	}
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
