package match

import (
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
)

// A Result is how many of a node's taints are untolerated, by effect, and the first of
// them. The zero Result is that of a node without taints. It is comparable with ==, and
// has 24 bytes.
type Result struct {
	noSchedule       tally
	preferNoSchedule tally
	noExecute        tally
}

// A tally is the number of untolerated taints of one effect in its upper half,
// and the index of the first one in its lower half.
type tally uint64

func (t tally) count() int { return int(t >> 32) }

func (t tally) first() int { return int(int32(t)) }

func (t tally) and(i int) tally {
	if t == 0 {
		t = tally(uint32(i))
	}
	return t + 1<<32
}

// With returns r with one more untolerated taint, of index i and effect e. It is for code
// that matches other types.
func (r Result) With(i int, e taint.Effect) Result {
	switch e {
	case taint.PreferNoSchedule:
		r.preferNoSchedule = r.preferNoSchedule.and(i)
	case taint.NoExecute:
		r.noExecute = r.noExecute.and(i)
	default: // the zero Taint has no effect
		r.noSchedule = r.noSchedule.and(i)
	}
	return r
}

// of returns the tally of the effect.
func (r Result) of(e taint.Effect) tally {
	switch e {
	case taint.NoSchedule:
		return r.noSchedule
	case taint.PreferNoSchedule:
		return r.preferNoSchedule
	case taint.NoExecute:
		return r.noExecute
	}
	return 0
}

// Schedulable reports whether no NoSchedule and no NoExecute taint is untolerated.
func (r Result) Schedulable() bool { return r.noSchedule|r.noExecute == 0 }

// Preferred reports whether all taints are tolerated.
func (r Result) Preferred() bool { return r == Result{} }

// Evicted reports whether some NoExecute taint is untolerated: a running pod is evicted
// now.
func (r Result) Evicted() bool { return r.noExecute != 0 }

// Count returns the number of untolerated taints with that effect, or of all for 0.
func (r Result) Count(e taint.Effect) int {
	if e != 0 {
		return r.of(e).count()
	}
	return r.noSchedule.count() + r.preferNoSchedule.count() + r.noExecute.count()
}

// First returns the index of the first untolerated taint with one of the effects, or with
// any if none is given. [Node.Taint] returns the taint, or Group.Taint of package fleet.
func (r Result) First(effects ...taint.Effect) (i int, ok bool) {
	if len(effects) == 0 {
		effects = anyEffect
	}
	for _, e := range effects {
		t := r.of(e)
		if t != 0 && (!ok || t.first() < i) {
			i, ok = t.first(), true
		}
	}
	return i, ok
}

var anyEffect = []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}

func (r Result) Equal(s Result) bool { return r == s }

// String returns text such as "untolerated: 1 NoSchedule".
func (r Result) String() string {
	if r.Preferred() {
		return "tolerated"
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

func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
