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

// A State is what a controller keeps of a pod between evaluations, as JSON or gob. The
// zero State has no deadline.
type State struct {
	// Deadline is zero for never.
	Deadline time.Time
	// Start is when the seconds started. If it is zero, as after [Schedule.Set], the
	// Deadline is kept.
	Start time.Time
}

type UpdateKind uint8

const (
	Unchanged UpdateKind = iota // the same deadline as before, or none
	Scheduled                   // a new deadline
	Earlier                     // an earlier deadline
	Later                       // a later deadline
	Cancelled                   // no deadline any more
)

var updateNames = [...]string{"Unchanged", "Scheduled", "Earlier", "Later", "Cancelled"}

func (k UpdateKind) String() string { return enum.String(k, "eviction.UpdateKind", updateNames[:]) }

// An Update is what an evaluation changes for a pod.
type Update struct {
	Kind     UpdateKind
	Before   time.Time // the previous deadline, in UTC; zero if none
	Decision Decision
}

// Reevaluate returns the new State of a pod whose taints or tolerations may have changed,
// and the difference, by rule 4. The choice of Kubernetes is [toleration.First]. It does
// not allocate.
func Reevaluate(previous State, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (State, Update) {
	was := pendingOf(previous)
	is, d := was.reevaluate(taints, now, choice, tolerations)
	return is.state(), was.update(d)
}

// A pending is a State with instants. Its zero instants are zero times.
type pending struct {
	deadline, start instant
	ok              bool
}

func pendingOf(s State) pending {
	return pending{instantOf(s.Deadline), instantOf(s.Start), !s.Deadline.IsZero()}
}

func (p pending) state() State { return State{Deadline: p.deadline.time(), Start: p.start.time()} }

func (p pending) reevaluate(taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) (pending, Decision) {
	check(choice)
	present := instantOf(now)
	var d Decision
	for i, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		by := choose.Toleration(choice, t, tolerations)
		if by < 0 {
			d = Decision{deadline: present, kind: At, taint: uint32(i) + 1}
			break
		}
		n, limited := tolerations[by].Seconds()
		if !limited {
			continue
		}
		end, ok := present.add(n)
		if ok && (d.kind == Never || end.before(d.deadline)) {
			d = Decision{deadline: end, kind: At, taint: uint32(i) + 1, by: uint32(by) + 1}
		}
	}
	if d.kind == Never {
		return pending{}, Decision{}
	}
	// What is due stays due. A start after now is kept: the clock was set back.
	if p.ok && (!present.before(p.deadline) || d.by > 0 && p.start != present) {
		return p, Decision{deadline: p.deadline, kind: At}.at(present)
	}
	return pending{d.deadline, present, true}, d.at(present)
}

// update returns the difference that a decision makes.
func (p pending) update(d Decision) Update {
	u := Update{Before: p.deadline.time(), Decision: d}
	switch {
	case d.Kind() == Never && p.ok:
		u.Kind = Cancelled
	case d.Kind() == Never:
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

// A Schedule holds the [State] of each pod with a deadline, ordered by deadline and then
// by insertion. The zero Schedule is ready to use. It must not be copied, and is not safe
// for concurrent use. An id that is not equal to itself (NaN) is never found.
//
// To add, move or remove a pod is O(log n), amortized, and the rest O(1). Only a new pod
// allocates: about 120 bytes with an id of 8 bytes.
type Schedule[ID comparable] struct {
	_ nocopy.NoCopy
	q *queue[ID]
}

func (s *Schedule[ID]) queue() *queue[ID] {
	if s.q == nil {
		s.q = &queue[ID]{byID: map[ID]*item[ID]{}}
	}
	return s.q
}

// Update is [Reevaluate] for a pod of the Schedule. Call it for a new pod, and when its
// tolerations or the taints of its node change.
func (s *Schedule[ID]) Update(id ID, taints taint.List, now time.Time, choice toleration.Choice, tolerations toleration.List) Update {
	was := s.pending(id)
	is, d := was.reevaluate(taints, now, choice, tolerations)
	s.set(id, was, is)
	return was.update(d)
}

// Set replaces the deadline of a pod by that of a decision, and returns the difference.
func (s *Schedule[ID]) Set(id ID, d Decision) Update {
	was := s.pending(id)
	s.set(id, was, pending{deadline: d.deadline, ok: d.Kind() != Never})
	return was.update(d)
}

func (s *Schedule[ID]) set(id ID, was, is pending) {
	switch {
	case is == was: // the usual case
	case is.ok:
		s.queue().set(id, is)
	default:
		s.queue().remove(id)
	}
}

func (s *Schedule[ID]) pending(id ID) pending {
	if it, ok := s.queue().byID[id]; ok {
		return it.pending
	}
	return pending{}
}

// State returns the State of a pod, zero without a deadline.
func (s *Schedule[ID]) State(id ID) State { return s.pending(id).state() }

// Restore sets the State of a pod: a stored one, or a later Deadline after a refused
// eviction.
func (s *Schedule[ID]) Restore(id ID, state State) {
	s.set(id, s.pending(id), pendingOf(state))
}

// Remove removes a pod and reports whether it had a deadline.
func (s *Schedule[ID]) Remove(id ID) bool { return s.queue().remove(id) }

// Next returns the first pod and its deadline, false if there is none.
func (s *Schedule[ID]) Next() (id ID, at time.Time, ok bool) {
	if s.Len() == 0 {
		return id, at, false
	}
	first := s.q.first()
	return first.id, first.deadline.time(), true
}

// Due returns an iterator that removes and yields, in order, each pod whose deadline is
// not after now. The Schedule may be changed meanwhile. A pod that is added, put
// back or moved to another deadline meanwhile is left to the next pass, so a pass yields a
// pod at most once. A pass ends when another begins. The next Update of a yielded pod
// treats it as new.
func (s *Schedule[ID]) Due(now time.Time) iter.Seq2[ID, time.Time] {
	return func(yield func(ID, time.Time) bool) {
		q, present := s.queue(), instantOf(now)
		for pass := q.begin(); pass == q.pass && len(q.old) > 0 && !present.before(q.old[0].deadline); {
			first := q.old[0]
			q.removeItem(first)
			if !yield(first.id, first.deadline.time()) {
				return
			}
		}
	}
}

// All returns an iterator over the pods with a deadline when the loop begins, and their
// States, ordered as by Due. It allocates, and is O(n log n).
func (s *Schedule[ID]) All() iter.Seq2[ID, State] {
	return func(yield func(ID, State) bool) {
		for _, it := range s.queue().sorted() {
			if !yield(it.id, it.state()) {
				return
			}
		}
	}
}

// Clone returns a copy, for example to simulate what will happen. It is O(n). A pass of
// Due over s that has not ended does not affect the copy.
func (s *Schedule[ID]) Clone() *Schedule[ID] { return &Schedule[ID]{q: s.queue().clone()} }

func (s *Schedule[ID]) Len() int { return s.queue().Len() }
