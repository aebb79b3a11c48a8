package match

import (
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate/tag"
)

// A Result is what a node's taints do to a pod. The zero Result is that of a
// node without taints: everything is tolerated.
//
// A Result is a small value to be copied and compared. Its methods do not
// allocate, but for String.
type Result struct {
	noSchedule       tally
	preferNoSchedule tally
	noExecute        tally
	timed            bool // some taint is tolerated for a time only, by First
}

// A tally is how many taints of one effect are untolerated, in its upper half,
// and the index of the first, in its lower half: one word, so that a Result is
// built in registers.
type tally uint64

func (t tally) with(i int) tally {
	if t == 0 {
		t = tally(uint32(i))
	}
	return t + 1<<32
}

func (t tally) count() int { return int(t >> 32) }

func (t tally) first() int { return int(int32(t)) }

// with returns the result with one more untolerated taint, the one at index i.
func (r Result) with(i int, e taint.Effect) Result {
	switch e {
	case taint.NoSchedule:
		r.noSchedule = r.noSchedule.with(i)
	case taint.PreferNoSchedule:
		r.preferNoSchedule = r.preferNoSchedule.with(i)
	case taint.NoExecute:
		r.noExecute = r.noExecute.with(i)
	}
	return r
}

// does returns what a taint of that class does that its node bears alone: one
// look-up, without a branch.
func does(t *taint.Taint, c Class) Result {
	return alone[t.Tag()&tag.Effect<<2|uint32(c&3)]
}

var alone = func() (all [16]Result) {
	for _, e := range anyEffect {
		all[e<<2|taint.Effect(NotTolerated)] = Result{}.with(0, e)
		all[e<<2|taint.Effect(ForAWhile)] = Result{timed: true}
	}
	return all
}()

// and returns the result with one more taint, the one at index i, that does
// that alone.
func (r Result) and(i int, alone Result) Result {
	return Result{
		noSchedule:       r.noSchedule.and(i, alone.noSchedule),
		preferNoSchedule: r.preferNoSchedule.and(i, alone.preferNoSchedule),
		noExecute:        r.noExecute.and(i, alone.noExecute),
		timed:            r.timed || alone.timed,
	}
}

func (t tally) and(i int, alone tally) tally {
	if t == 0 && alone != 0 {
		t = tally(uint32(i))
	}
	return t + alone
}

// judged returns the result with one more taint, the one at index i.
func (r Result) judged(i int, t taint.Taint, c Class) Result {
	if c == NotTolerated {
		return r.with(i, t.Effect())
	}
	r.timed = r.timed || c == ForAWhile
	return r
}

// Schedulable reports whether the pod may be scheduled to the node: no
// NoSchedule and no NoExecute taint is untolerated.
func (r Result) Schedulable() bool { return r.noSchedule|r.noExecute == 0 }

// Preferred reports whether nothing speaks against the node: it is
// schedulable, and no PreferNoSchedule taint is untolerated.
func (r Result) Preferred() bool {
	return r.noSchedule|r.noExecute|r.preferNoSchedule == 0
}

// Evicted reports whether the pod, if it runs there, must go now: some
// NoExecute taint is untolerated. A kubelet refuses such a pod, too, when it
// is bound to the node by name, unless it is a static one; NoSchedule taints
// do not matter to it.
//
// A pod that is not evicted may have to go later: see [Result.Class].
func (r Result) Evicted() bool { return r.noExecute != 0 }

// Daemon returns the decision for a daemon's pod: whether it should run on the
// node (NoSchedule and NoExecute taints are tolerated), and whether it may go
// on when it runs there (NoExecute taints are tolerated).
func (r Result) Daemon() (shouldRun, shouldContinue bool) {
	return r.Schedulable(), !r.Evicted()
}

// Count returns the number of untolerated taints with that effect; of all
// effects for 0. The count of PreferNoSchedule is what [AppendScores] takes.
func (r Result) Count(e taint.Effect) int {
	switch e {
	case 0:
		return r.noSchedule.count() + r.preferNoSchedule.count() + r.noExecute.count()
	case taint.NoSchedule:
		return r.noSchedule.count()
	case taint.PreferNoSchedule:
		return r.preferNoSchedule.count()
	case taint.NoExecute:
		return r.noExecute.count()
	}
	return 0
}

// First returns the index, in the node's list, of the first untolerated taint
// that has one of the effects, or any effect when no argument is given; false
// when there is none; no taint has the effect 0. The index of the taint that a cordoned node bears only
// virtually is -1.
//
//	i, ok := r.First(taint.NoSchedule, taint.NoExecute) // why it is not schedulable
func (r Result) First(effects ...taint.Effect) (i int, ok bool) {
	if len(effects) == 0 {
		effects = anyEffect
	}
	for _, e := range effects {
		var t tally
		switch e {
		case taint.NoSchedule:
			t = r.noSchedule
		case taint.PreferNoSchedule:
			t = r.preferNoSchedule
		case taint.NoExecute:
			t = r.noExecute
		}
		if t != 0 && (!ok || t.first() < i) {
			i, ok = t.first(), true
		}
	}
	return i, ok
}

var anyEffect = []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}

// String tells the counts, for people; it allocates, and its text may change.
func (r Result) String() string {
	if r.Preferred() {
		return "tolerated " + r.Class().String()
	}
	b := []byte("untolerated:")
	for _, e := range anyEffect {
		if n := r.Count(e); n > 0 {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(n), 10)
			b = append(b, ' ')
			b = append(b, e.String()...)
		}
	}
	return string(b)
}

// Class returns how well the node is tolerated as a whole: NotTolerated when
// some taint of any effect is untolerated, ForAWhile when all are tolerated
// and some for a time only, ForGood otherwise. For each taint the first
// toleration that matches decides, as it does in Kubernetes; [ClassifyAll]
// takes other policies.
func (r Result) Class() Class {
	switch {
	case !r.Preferred():
		return NotTolerated
	case r.timed:
		return ForAWhile
	}
	return ForGood
}

// A Class is how well a taint is tolerated.
type Class uint8

const (
	// NotTolerated is the class of a taint that no toleration matches.
	NotTolerated Class = iota
	// ForAWhile is the class of a taint whose toleration has seconds; 0 too.
	ForAWhile
	// ForGood is the class of a taint whose toleration has none.
	ForGood
)

var classNames = [...]string{"NotTolerated", "ForAWhile", "ForGood"}

// String returns the class's name.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "Class(" + strconv.Itoa(int(c)) + ")"
}
