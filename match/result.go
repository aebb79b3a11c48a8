package match

import (
	"strconv"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
)

// A Result is the effect of a node's taints on a pod: how many taints of each
// effect are untolerated, and the first of them. The methods and functions named
// Filter return it. The zero Result is that of a node without taints.
//
// A Result is comparable with ==, and has 24 bytes.
type Result struct {
	noSchedule       tally
	preferNoSchedule tally
	noExecute        tally
}

// A tally is the number of untolerated taints of one effect in its upper half,
// and the index of the first one in its lower half. It is one word, so that a
// Result is built in registers.
type tally uint64

func (t tally) count() int { return int(t >> 32) }

func (t tally) first() int { return int(int32(t)) }

// and returns the tally with those of the taint at index i, whose own tally,
// as if it were the first taint of its node, is alone.
func (t tally) and(i int, alone tally) tally {
	if t == 0 && alone != 0 {
		t = tally(uint32(i))
	}
	return t + alone
}

// and returns the result with the taint at index i, whose own result is alone.
func (r Result) and(i int, alone Result) Result {
	return Result{
		noSchedule:       r.noSchedule.and(i, alone.noSchedule),
		preferNoSchedule: r.preferNoSchedule.and(i, alone.preferNoSchedule),
		noExecute:        r.noExecute.and(i, alone.noExecute),
	}
}

// With returns r with one more untolerated taint, which has index i and effect e.
// Add the taints of a node in their order. With is for code that matches other
// types, such as package match/kube. An invalid effect counts as NoSchedule.
func (r Result) With(i int, e taint.Effect) Result {
	if !e.IsValid() {
		e = taint.NoSchedule
	}
	return r.and(i, singles[e<<1])
}

// alone returns the result of a node with that one taint. It looks it up without
// a branch, since a processor cannot predict which of a fleet's taints are
// tolerated: BenchmarkFilter.
func alone(t *taint.Taint, tolerated uint8) Result {
	return singles[(*value.Taint)(t).Effect()<<1|tolerated&1]
}

// singles are the results of one taint, by its effect and whether it is
// tolerated. The zero Taint has the effect 0 and counts as NoSchedule.
var singles = [8]Result{
	0:                           {noSchedule: 1 << 32},
	taint.NoSchedule << 1:       {noSchedule: 1 << 32},
	taint.PreferNoSchedule << 1: {preferNoSchedule: 1 << 32},
	taint.NoExecute << 1:        {noExecute: 1 << 32},
}

// tallies are those of a node whose taints are added from the last to the first:
// by effect, which is behind whether the taint is tolerated. As in alone, there
// is no branch on that.
type tallies [2][1 + taint.NoExecute]tally

// add adds the taint at index i.
func (r *tallies) add(i int, t *taint.Taint, tolerated uint8) {
	sum := &r[tolerated&1][max(t.Effect(), taint.NoSchedule)&3] // the zero Taint counts as NoSchedule
	*sum = (*sum>>32+1)<<32 | tally(uint32(i))
}

func (r *tallies) result() Result {
	return Result{r[0][taint.NoSchedule], r[0][taint.PreferNoSchedule], r[0][taint.NoExecute]}
}

// Schedulable reports whether the pod can be scheduled to the node: no NoSchedule
// and no NoExecute taint is untolerated.
func (r Result) Schedulable() bool { return r.noSchedule|r.noExecute == 0 }

// Preferred reports whether no taint is untolerated.
func (r Result) Preferred() bool {
	return r.noSchedule|r.noExecute|r.preferNoSchedule == 0
}

// Evicted reports whether the pod, if it runs on the node, is evicted now:
// some NoExecute taint is untolerated. Otherwise it may be evicted later: see
// [Classify].
func (r Result) Evicted() bool { return r.noExecute != 0 }

// Count returns the number of untolerated taints with that effect, or of all for
// 0. A zero Taint counts as NoSchedule.
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

// First returns the index of the first untolerated taint with one of the effects,
// or with any if none is given; false if there is none. The index is -1 for the
// virtual taint of a cordoned [Node], so use [Node.Taint] to get the taint:
//
//	if i, ok := r.First(taint.NoSchedule, taint.NoExecute); ok {
//		fmt.Println(node.Taint(i)) // why the pod cannot be scheduled
//	}
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

// Equal reports whether r == s.
func (r Result) Equal(s Result) bool { return r == s }

// String returns a text such as "tolerated" or "untolerated: 1 NoSchedule", which
// may change.
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

// MarshalJSON returns an object with the fields schedulable, preferred and
// evicted; and for each effect with untolerated taints, such as noSchedule,
// their count and the index of the first. More may be added.
func (r Result) MarshalJSON() ([]byte, error) {
	b := []byte(`{"schedulable":`)
	b = strconv.AppendBool(b, r.Schedulable())
	b = append(b, `,"preferred":`...)
	b = strconv.AppendBool(b, r.Preferred())
	b = append(b, `,"evicted":`...)
	b = strconv.AppendBool(b, r.Evicted())
	for i, name := range []string{`,"noSchedule":{"count":`, `,"preferNoSchedule":{"count":`, `,"noExecute":{"count":`} {
		e := taint.NoSchedule + taint.Effect(i)
		if first, ok := r.First(e); ok {
			b = append(b, name...)
			b = strconv.AppendInt(b, int64(r.Count(e)), 10)
			b = append(b, `,"first":`...)
			b = strconv.AppendInt(b, int64(first), 10)
			b = append(b, '}')
		}
	}
	return append(b, '}'), nil
}
