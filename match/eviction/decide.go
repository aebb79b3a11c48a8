package eviction

import (
	"strconv"
	"time"
	"unique"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/match/internal/stamp"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An Observed is a taint of a node and when it was first seen there. A zero Since
// means now. It can be stored as JSON or gob, with the taint's time added.
type Observed struct {
	Taint taint.Taint
	Since time.Time
}

// Observe returns the taints of a node, each with the time at which it was first
// seen. A taint whose key and effect are in previous keeps that Since, whatever its
// value. A taint that is new, or whose Since was zero, gets now.
//
// It allocates the result. It is O(len(previous) + len(taints)).
func Observe(previous []Observed, taints taint.List, now time.Time) []Observed {
	if len(taints) == 0 {
		return nil
	}
	all := make([]Observed, len(taints))
	if len(previous) > manyObserved {
		observeMany(all, previous, taints, now)
		return all
	}
	for i, t := range taints {
		all[i] = Observed{t, now}
		for j := range previous {
			if o := &previous[j]; o.Taint.SameKeyEffect(t) && !o.Since.IsZero() {
				all[i].Since = o.Since
				break
			}
		}
	}
	return all
}

// manyObserved is the longest list that Observe searches linearly. Nodes have
// fewer taints. Row eviction.Observe of BenchmarkGrowth measures longer lists.
const manyObserved = 64

// observeMany is Observe with a map.
func observeMany(all, previous []Observed, taints taint.List, now time.Time) {
	type id struct {
		key    unique.Handle[string]
		effect taint.Effect
	}
	since := make(map[id]time.Time, len(previous))
	for i := len(previous) - 1; i >= 0; i-- { // the first of several is used
		if o := &previous[i]; !o.Since.IsZero() {
			since[id{value.Taint(o.Taint).KeyHandle(), o.Taint.Effect()}] = o.Since
		}
	}
	for i, t := range taints {
		at, ok := since[id{value.Taint(t).KeyHandle(), t.Effect()}]
		if !ok {
			at = now
		}
		all[i] = Observed{t, at}
	}
}

// A Start specifies when the seconds of a toleration start.
type Start uint8

const (
	// FromObserved: when the taint was first observed ([Observed]).
	FromObserved Start = iota
	// FromAdded: the time in the taint ([taint.Taint.TimeAdded], whole seconds),
	// which survives a restart. For a taint without it, such as kubectl adds,
	// FromObserved.
	FromAdded
	// Sticky: as in Kubernetes, when the pod's eviction is first scheduled,
	// which is now for [Decide]. [Reevaluate] keeps that deadline, except at the
	// instant of its start, until no taint limits the pod's time or one is not
	// tolerated.
	Sticky
)

var startNames = [...]string{"FromObserved", "FromAdded", "Sticky"}

// String returns the name.
func (s Start) String() string { return enum.String(s, "eviction.Start", startNames[:]) }

// Options specify how a deadline is computed. With the zero value the first
// toleration that matches a taint counts, from when the taint was observed. Unknown
// constants panic.
type Options struct {
	Choice toleration.Choice
	Start  Start
	// Arrived is when the pod was scheduled to its node: seconds from an
	// observation do not start before it. Zero means before all taints.
	Arrived time.Time
}

// start returns when the seconds for a taint start.
func (opts *Options) start(o *Observed, now instant) instant {
	switch opts.Start {
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
	since := instantOf(o.Since)
	if !opts.Arrived.IsZero() {
		if arrived := instantOf(opts.Arrived); since.before(arrived) {
			return arrived
		}
	}
	return since
}

// check panics for constants that are not defined.
func (opts *Options) check() {
	if opts.Start > Sticky || opts.Choice > toleration.ForeverElseShortest {
		opts.unknown()
	}
}

// unknown is separate from check to keep that small.
func (opts *Options) unknown() {
	if opts.Start > Sticky {
		panic("eviction: unknown Start " + strconv.Itoa(int(opts.Start)))
	}
	panic("eviction: unknown Choice " + strconv.Itoa(int(opts.Choice)))
}

// A DecisionKind is the kind of a [Decision].
type DecisionKind uint8

const (
	Never DecisionKind = iota // the pod is not evicted
	Now                       // it must be evicted now
	At                        // it must be evicted at [Decision.Deadline]
)

var kindNames = [...]string{"Never", "Now", "At"}

// String returns the name.
func (k DecisionKind) String() string { return enum.String(k, "eviction.DecisionKind", kindNames[:]) }

// A Decision is when a pod must be evicted, with the taint and the toleration that
// decide. The zero Decision is Never. Decisions have up to 32 bytes and are
// comparable with ==. Only String and MarshalJSON allocate.
type Decision struct {
	// The compiler keeps up to four fields in registers:
	// BenchmarkEvictionDecide.
	deadline instant
	kind     DecisionKind
	taint    uint32 // index + 1; 0 if no taint decides
	by       position
}

// A position is a [match.Position] in 8 bytes.
type position struct {
	list  uint32 // index + 1; 0 if no toleration decides
	index uint32
}

// Decide returns when a pod with these tolerations (several lists match as
// one) must be evicted from a node with these taints.
//
// It does not allocate. It is O(len(observed)·n) for n tolerations.
func Decide(observed []Observed, now time.Time, opts Options, tolerations ...toleration.List) Decision {
	opts.check()
	present := instantOf(now)
	var d Decision
	for i := range observed {
		o := &observed[i]
		if o.Taint.Effect() != taint.NoExecute {
			continue
		}
		list, index, ok := choose.Toleration(opts.Choice, o.Taint, tolerations)
		if !ok {
			return Decision{deadline: earlier(opts.start(o, present), present), kind: Now, taint: uint32(i) + 1}
		}
		n, timed := tolerations[list][index].Seconds()
		if !timed {
			continue
		}
		end, ok := opts.start(o, present), true
		if n <= 0 {
			end = earlier(end, present)
		} else if end, ok = end.add(n); !ok {
			continue
		}
		if d.kind == Never || end.before(d.deadline) {
			d = Decision{end, At, uint32(i) + 1, position{uint32(list) + 1, uint32(index)}}
		}
	}
	return d.at(present)
}

// at returns the decision with its kind at that time.
func (d Decision) at(present instant) Decision {
	if d.kind != Never {
		d.kind = Now
		if present.before(d.deadline) {
			d.kind = At
		}
	}
	return d
}

// Kind returns Never, Now or At.
func (d Decision) Kind() DecisionKind { return d.kind }

// Deadline returns when the pod must be evicted, and false for Never. For Now it is
// since when the eviction is due, which is not after now; for an untolerated taint,
// the start.
func (d Decision) Deadline() (time.Time, bool) {
	if d.kind == Never {
		return time.Time{}, false
	}
	return d.deadline.time(), true
}

// Taint returns the index of the taint that decides; of several untolerated taints,
// or equal deadlines, the first. It returns false for Never and for a deadline that
// [Sticky] kept.
func (d Decision) Taint() (index int, ok bool) {
	if d.taint == 0 {
		return 0, false
	}
	return int(d.taint - 1), true
}

// Toleration returns the toleration that decides, and false if there is none.
func (d Decision) Toleration() (match.Position, bool) {
	if d.by.list == 0 {
		return match.Position{}, false
	}
	return match.Position{List: int(d.by.list - 1), Index: int(d.by.index)}, true
}

// An instant is a time on the wall clock, without location and monotonic
// reading. Instants are equal exactly if they are ==.
type instant struct {
	// sec counts from the year 1, as time.Time does, so that it overflows where
	// a time.Time does.
	sec  int64
	nsec int32
}

const unixEpoch = 62_135_596_800 // seconds from the year 1 to 1970

// instantOf is exact for every time: the addition undoes an overflow of Unix.
func instantOf(t time.Time) instant { return instant{t.Unix() + unixEpoch, int32(t.Nanosecond())} }

func (i instant) time() time.Time { return time.Unix(i.sec-unixEpoch, int64(i.nsec)).UTC() }

func (i instant) String() string { return stamp.Time(i.time()).String() }

func (i instant) before(j instant) bool {
	return i.sec < j.sec || i.sec == j.sec && i.nsec < j.nsec
}

func earlier(i, j instant) instant {
	if j.before(i) {
		return j
	}
	return i
}

// add returns the instant n > 0 seconds later, and false if no time.Time holds
// it.
func (i instant) add(n int64) (instant, bool) {
	i.sec += n
	return i, i.sec >= i.sec-n
}
