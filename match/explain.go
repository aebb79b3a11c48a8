package match

import (
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// An Explanation is what becomes of one taint, and why: which toleration
// decides for how long it is tolerated, or which comes nearest to tolerating
// it, why it fails, and what to add. [Explain] and [Node.Explanations] make
// them. The zero Explanation is that of the zero Taint.
//
// The nearest toleration is the one that agrees with the taint in most of
// these, of which the earlier count for more: the key, the effect, and the
// value in the sense of the operator. Of several that agree in as much it is
// the first. One of another key is not near: what it says is about something
// else.
//
// An Explanation is a value of 88 bytes on 64-bit machines to be copied, and may
// be compared with ==. Making one does not allocate; it is O(number of
// tolerations).
type Explanation struct {
	// Taint is the taint that is explained, as it was given.
	Taint taint.Taint
	// Index is where the taint stands in the node's list, -1 for the one that a
	// cordoned node bears virtually.
	Index int
	// Class is how well the taint is tolerated.
	Class Class
	// Miss is why Toleration does not match; 0 when the taint is tolerated.
	Miss Miss

	redacted bool // no values in its texts; here for the size

	// Toleration is the one that decides, when the taint is tolerated. When it
	// is not, it is the nearest, and zero when no toleration has its key.
	Toleration toleration.Toleration
	// At is where Toleration stands, unless that is zero.
	At Position
}

// A Miss is the one reason why the nearest toleration does not match a taint:
// the first that applies, in the order of the constants.
type Miss uint8

const (
	// OtherKey means that every toleration has a key, and another than the
	// taint.
	OtherKey Miss = iota + 1
	// OtherEffect means that the toleration is of another effect. Its value may
	// be another as well.
	OtherEffect
	// OtherValue means that the toleration, with the operator Equal, is of
	// another value.
	OtherValue
	// NotInteger means that the operator is Lt or Gt, and the taint's value is
	// no integer.
	NotInteger
	// OutOfBound means that the operator is Lt, and the taint's value is not
	// smaller than the toleration's; or Gt, and it is not greater.
	OutOfBound
)

var missNames = [...]string{"", "OtherKey", "OtherEffect", "OtherValue", "NotInteger", "OutOfBound"}

// String returns the name of the constant, "" for 0.
func (m Miss) String() string {
	if int(m) < len(missNames) {
		return missNames[m]
	}
	return "Miss(" + strconv.Itoa(int(m)) + ")"
}

// Explain explains one taint, which is taken to stand at index 0, to a pod with
// those tolerations: one list, or several that match as one. The policy says
// which of several that match decides; of the nearest it says nothing.
//
// It does not allocate.
func Explain(p toleration.Policy, t taint.Taint, tolerations ...[]toleration.Toleration) Explanation {
	return explain(p, 0, t, tolerations)
}

func explain(p toleration.Policy, i int, t taint.Taint, tolerations [][]toleration.Toleration) Explanation {
	e := Explanation{Taint: t, Index: i}
	if t.IsZero() {
		return e
	}
	var ok bool
	if e.At, ok = serving(p, t, tolerations); !ok {
		e.At, e.Miss = nearest(&t, tolerations)
	}
	if e.Miss != OtherKey {
		e.Toleration = tolerations[e.At.List][e.At.Index]
	}
	if ok {
		e.Class = ForGood
		if _, timed := e.Toleration.Seconds(); timed {
			e.Class = ForAWhile
		}
	}
	return e
}

// nearest returns where the toleration stands that is nearest to the taint, of
// tolerations that do not match it, and why it does not.
func nearest(t *taint.Taint, tolerations [][]toleration.Toleration) (at Position, why Miss) {
	why = OtherKey
	near := 0
	for l, list := range tolerations {
		for i := range list {
			u := &list[i]
			if u.Key() != "" && u.KeyHandle() != t.KeyHandle() || u.IsZero() {
				continue
			}
			this, miss := 1, OtherEffect // of the key alone
			switch value := missesValue(u, t); {
			case u.Effect() == 0 || u.Effect() == t.Effect():
				this, miss = 3, value
			case value == 0:
				this = 2
			}
			if this > near {
				at, near, why = Position{l, i}, this, miss
			}
		}
	}
	return at, why
}

// missesValue returns why the toleration does not match the taint's value; 0
// when it does.
func missesValue(u *toleration.Toleration, t *taint.Taint) Miss {
	switch {
	case u.Operator() == toleration.Exists:
		return 0
	case !u.IsNumeric() && u.ValueHandle() == t.ValueHandle():
		return 0
	case !u.IsNumeric():
		return OtherValue
	}
	n, ok := t.Integer()
	if !ok {
		return NotInteger
	}
	bound, _ := validate.IntegerRule(u.Value())
	if u.Operator() == toleration.Lt && n < bound || u.Operator() == toleration.Gt && n > bound {
		return 0
	}
	return OutOfBound
}

// Blocks reports whether the taint keeps the pod from being scheduled: it is
// not tolerated, and its effect is NoSchedule or NoExecute.
func (e Explanation) Blocks() bool {
	return e.Class == NotTolerated && keepsAway(e.Taint)
}

func keepsAway(t taint.Taint) bool {
	return t.Effect() == taint.NoSchedule || t.Effect() == taint.NoExecute
}

// Seconds returns for how many seconds the taint is tolerated, from 0 on; false
// when it is not tolerated, or for good.
func (e Explanation) Seconds() (int64, bool) {
	if e.Class != ForAWhile {
		return 0, false
	}
	seconds, timed := e.Toleration.Seconds()
	return max(seconds, 0), timed
}

// Until returns the moment, in UTC, when the seconds of [Explanation.Seconds]
// have passed; false when there are none, when start is the zero time, and when
// no time can hold that moment.
//
// They begin to run at start, which the caller chooses: Kubernetes' control
// plane counts from when it observed the taint, and anew when it is restarted;
// the taint's [taint.Taint.TimeAdded], where it has one, is the same for
// everybody. Package match/eviction decides about all of a node's taints at
// once.
func (e Explanation) Until(start time.Time) (time.Time, bool) {
	seconds, timed := e.Seconds()
	// The greatest number of seconds since 1970 that a time can hold.
	const most = math.MaxInt64 - (1969*365+1969/4-1969/100+1969/400)*86400
	if !timed || start.IsZero() || start.Unix() > most-seconds {
		return time.Time{}, false
	}
	return time.Unix(start.Unix()+seconds, int64(start.Nanosecond())).UTC(), true
}

// Addition returns the least toleration that would do: with the operator Equal
// it has the taint's key, value and effect, tolerates nothing else, and holds
// for good. It is the zero Toleration when the taint is tolerated already. It
// does not allocate.
//
// Added to a pod's list, its String and its JSON can be pasted: an update of a
// running pod may add tolerations too.
func (e Explanation) Addition() toleration.Toleration {
	if e.Class != NotTolerated || e.Taint.IsZero() {
		return toleration.Toleration{}
	}
	u, _ := toleration.New(e.Taint.Key(), toleration.Equal, e.Taint.Value(), e.Taint.Effect()) // what a taint has, Equal takes
	return u
}

// Redacted returns the explanation without values in its text and its JSON:
// [RedactedValue] stands in the place of each. What a Miss tells of a value
// remains, and so do keys, effects and seconds. The fields stay as they are, and
// so does what [Explanation.Addition] returns: a [RedactedTaint] and a
// [RedactedToleration] write those without values.
func (e Explanation) Redacted() Explanation {
	e.redacted = true
	return e
}

// Explanations returns an iterator over what becomes of each of the node's
// taints, in its order, the virtual one of a cordoned node first. Zero Taints
// are left out. It reads the lists anew each time that it is ranged over, so
// they must not be changed meanwhile.
//
// It does not allocate when it is ranged over at once.
func (n Node) Explanations(p toleration.Policy, tolerations ...[]toleration.Toleration) iter.Seq[Explanation] {
	return func(yield func(Explanation) bool) {
		n.eachExplanation(p, tolerations, yield)
	}
}

func (n Node) eachExplanation(p toleration.Policy, tolerations [][]toleration.Toleration, yield func(Explanation) bool) {
	if n.Unschedulable && !yield(explain(p, -1, cordon, tolerations)) {
		return
	}
	for i, t := range n.Taints {
		if !t.IsZero() && !n.virtual(t) && !yield(explain(p, i, t, tolerations)) {
			return
		}
	}
}

// AppendExplanations appends what [Node.Explanations] yields to dst. It does
// not allocate when dst has room.
func (n Node) AppendExplanations(dst []Explanation, p toleration.Policy, tolerations ...[]toleration.Toleration) []Explanation {
	for e := range n.Explanations(p, tolerations...) {
		dst = append(dst, e)
	}
	return dst
}
