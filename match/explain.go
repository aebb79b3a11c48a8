package match

import (
	"iter"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/match/internal/explain"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Class is how long a taint is tolerated. Classes are ordered from the worst to
// the best.
type Class uint8

const (
	// NotTolerated: no toleration matches the taint.
	NotTolerated Class = iota
	// ForSeconds: the toleration that decides has seconds, perhaps 0.
	ForSeconds
	// Forever: the toleration that decides has no seconds.
	Forever
)

var classNames = []string{"NotTolerated", "ForSeconds", "Forever"}

// String returns the name of the constant.
func (c Class) String() string { return enum.String(c, "match.Class", classNames) }

// MarshalText implements [encoding.TextMarshaler]. Unknown numbers are errors.
func (c Class) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, c, "match.Class", classNames)
}

// classOf returns the class of the taints for which the toleration decides.
func classOf(u toleration.Toleration) Class {
	if _, timed := u.Seconds(); timed {
		return ForSeconds
	}
	return Forever
}

// check panics for an unknown choice, whatever the lists are.
func check(choice toleration.Choice) {
	if choice > toleration.ForeverElseShortest {
		panic("match: unknown toleration." + choice.String())
	}
}

// A Position is that of a toleration: tolerations[List][Index].
type Position struct {
	List  int `json:"list"`
	Index int `json:"index"`
}

// String returns the indices, such as "[1][0]".
func (at Position) String() string {
	return "[" + strconv.Itoa(at.List) + "][" + strconv.Itoa(at.Index) + "]"
}

// A Miss is why the nearest toleration does not match a taint: the first constant
// that applies.
type Miss uint8

const (
	// InvalidTaint: the taint is the zero Taint.
	InvalidTaint Miss = choose.InvalidTaint
	// InvalidToleration: some toleration is the zero Toleration, which constructors
	// and decoders return for one that they could not read. It matches nothing, so
	// the pod does not tolerate the taint; the toleration that was meant might.
	InvalidToleration Miss = choose.InvalidToleration
	// OtherKey: every toleration has a key other than the taint's.
	OtherKey Miss = choose.OtherKey
	// OtherEffect: the toleration has another effect.
	OtherEffect Miss = choose.OtherEffect
	// OtherValue: the toleration has another value, with the operator Equal.
	OtherValue Miss = choose.OtherValue
	// NotInteger: the operator is Lt or Gt, but the taint's value is no integer.
	NotInteger Miss = choose.NotInteger
	// OutOfBound: the taint's value is not smaller (Lt) or not greater (Gt).
	OutOfBound Miss = choose.OutOfBound
)

var missNames = []string{"", "InvalidTaint", "InvalidToleration", "OtherKey", "OtherEffect", "OtherValue", "NotInteger", "OutOfBound"}

// String returns the name of the constant, and "" for 0.
func (m Miss) String() string { return enum.String(m, "match.Miss", missNames) }

// MarshalText implements [encoding.TextMarshaler]. Unknown numbers are errors.
func (m Miss) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, m, "match.Miss", missNames)
}

// An Explanation states whether one taint is tolerated, and why. [Explain] and
// [Node.Explanations] return it. The zero Explanation has the empty text.
//
// If no toleration matches the taint, the first invalid one is reported, at its
// position: it could not be read, so it is not known whether it was meant for the
// taint. If all are valid, one of them is the nearest: of those with the taint's
// key or without one, the first whose effect agrees, else the first whose value
// agrees by its operator, else the first.
//
// An Explanation is comparable with ==, and has 88 bytes on 64-bit machines.
type Explanation struct {
	// Taint is the explained taint.
	Taint taint.Taint
	// Index is its index in the node's list, -1 for the virtual taint of a
	// cordoned [Node].
	Index int
	// Class is how long the taint is tolerated.
	Class Class
	// Miss is why Toleration does not match; 0 if the taint is tolerated.
	Miss Miss

	// Toleration is the one that decides, or the nearest one. It is zero if Miss is
	// InvalidTaint, InvalidToleration or OtherKey.
	Toleration toleration.Toleration
	// At is the position of Toleration, or of the invalid one.
	At Position
}

// Explain explains one taint. If several tolerations match it, choice selects the
// one that decides. It does not allocate, and is O(number of tolerations).
func Explain(t taint.Taint, choice toleration.Choice, tolerations ...toleration.List) Explanation {
	check(choice)
	return explainOne(0, &t, choice, tolerations)
}

func explainOne(i int, t *taint.Taint, choice toleration.Choice, tolerations []toleration.List) Explanation {
	e := Explanation{Taint: *t, Index: i}
	if t.IsZero() {
		e.Miss = InvalidTaint
		return e
	}
	l, j, ok := choose.Toleration(choice, *t, tolerations)
	e.At = Position{l, j}
	if !ok {
		e.At, e.Miss = nearest(t, tolerations)
	}
	if e.Miss == 0 || e.Miss > OtherKey {
		e.Toleration = tolerations[e.At.List][e.At.Index]
	}
	if ok {
		e.Class = classOf(e.Toleration)
	}
	return e
}

// nearest returns the position of the first invalid toleration, or of the one that
// is nearest to the taint, and why it does not match. None of them matches.
func nearest(t *taint.Taint, tolerations []toleration.List) (at Position, why Miss) {
	near := choose.Nearest{Miss: choose.OtherKey}
	for l, list := range tolerations {
		for i := range list {
			u := &list[i]
			if u.IsZero() {
				return Position{l, i}, InvalidToleration
			}
			if near.Nearer((*value.Toleration)(u), (*value.Taint)(t), u.Effect() == 0 || u.Effect() == t.Effect()) {
				at = Position{l, i}
			}
		}
	}
	return at, Miss(near.Miss)
}

// Explanations returns an iterator over the results of [Explain] for the
// node's taints, the virtual one first.
func (n Node) Explanations(choice toleration.Choice, tolerations ...toleration.List) iter.Seq[Explanation] {
	return func(yield func(Explanation) bool) {
		n.eachExplanation(choice, tolerations, yield)
	}
}

func (n Node) eachExplanation(choice toleration.Choice, tolerations []toleration.List, yield func(Explanation) bool) {
	check(choice)
	for i := n.start(); i < len(n.Taints); i++ {
		if t := n.at(i); t != nil && !yield(explainOne(i, t, choice, tolerations)) {
			return
		}
	}
}

// Blocks reports whether the taint keeps the pod from being scheduled: it is
// untolerated, and its effect is not PreferNoSchedule.
func (e Explanation) Blocks() bool { return e.Miss != 0 && blocks(&e.Taint) }

// Seconds returns for how many seconds the taint is tolerated, at least 0; false
// if its class is not [ForSeconds].
func (e Explanation) Seconds() (int64, bool) {
	if e.Class != ForSeconds {
		return 0, false
	}
	seconds, timed := e.Toleration.Seconds()
	return max(seconds, 0), timed
}

// Addition returns the toleration that matches this taint alone: Equal with its
// key, value and effect. It is zero if the taint is tolerated or zero. It may be
// added to a running pod, too.
func (e Explanation) Addition() toleration.Toleration {
	if e.Class != NotTolerated || e.Taint.IsZero() {
		return toleration.Toleration{}
	}
	u, _ := toleration.New(e.Taint.Key(), toleration.Equal, e.Taint.Value(), e.Taint.Effect()) // valid as the taint is
	return u
}

// String returns the explanation as a sentence. The text may change:
//
//	dedicated=gpu:NoExecute is tolerated for 300 s by "dedicated:NoExecute op=Exists for 300s"
//	dedicated=gpu:NoSchedule is not tolerated: "dedicated=cpu" has another value; to add: "dedicated=gpu:NoSchedule op=Equal"
//	dedicated=gpu:NoSchedule is not tolerated: toleration 1 is invalid; to add: "dedicated=gpu:NoSchedule op=Equal"
//
// Toleration 1 is the one with the index 1 in the first list; of another list, such as
// the one with the index 2, it is "toleration 1 of list 2".
func (e Explanation) String() string {
	if e.Miss == 0 && e.Class == NotTolerated {
		return ""
	}
	seconds, timed := e.Seconds()
	w := explain.Explanation[taint.Taint, toleration.Toleration]{
		Taint: e.Taint, Toleration: e.Toleration, Addition: e.Addition(), Seconds: seconds, Timed: timed,
		Tolerated: e.Class != NotTolerated, Invalid: e.Miss == InvalidToleration, List: e.At.List, Index: e.At.Index,
	}
	return w.Text(e.failure())
}

// MarshalText implements [encoding.TextMarshaler] by the text of String.
func (e Explanation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// failure returns, without any value, why the nearest toleration does not
// match.
func (e Explanation) failure() string {
	switch {
	case e.Miss == OtherEffect:
		return " has another effect"
	case e.Miss == OtherValue:
		return " has another value"
	case e.Miss == NotInteger:
		return " compares integers, and the taint's value is not one"
	case e.Toleration.Operator() == toleration.Lt:
		return " requires a smaller value"
	}
	return " requires a greater value"
}
