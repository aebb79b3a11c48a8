package match

import (
	"fmt"
	"iter"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// check panics for an unknown choice, whatever the lists are.
func check(choice toleration.Choice) {
	if !choice.IsValid() {
		panic("match: unknown toleration." + choice.String())
	}
}

// A Mismatch is why the nearest toleration does not match a taint.
type Mismatch uint8

const (
	// InvalidTaint: the taint is zero.
	InvalidTaint Mismatch = iota + 1
	// InvalidToleration: some toleration is zero, such as one that could not be read.
	InvalidToleration
	// OtherKey: no toleration has the taint's key.
	OtherKey
	// OtherEffect: the effect is another.
	OtherEffect
	// OtherValue: the operator is Equal, and the value another.
	OtherValue
	// NotInteger: the taint's value is no integer, for Lt or Gt.
	NotInteger
	// OutOfBound: the taint's value is not smaller (Lt) or not greater (Gt).
	OutOfBound
)

var mismatchNames = []string{"", "InvalidTaint", "InvalidToleration", "OtherKey", "OtherEffect", "OtherValue", "NotInteger", "OutOfBound"}

func (m Mismatch) String() string { return enum.String(m, "match.Mismatch", mismatchNames) }

func (m Mismatch) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, m, "match.Mismatch", mismatchNames)
}

// An Explanation states whether one taint is tolerated, and why. It is comparable with
// ==.
//
// If no toleration matches, it has the first invalid one, else the nearest: of those with
// the taint's key or none, the first whose effect matches, else the first whose value
// matches, else the first.
type Explanation struct {
	Taint taint.Taint
	// Index is that in the node's list, -1 for a cordon.
	Index int
	// Mismatch is why Toleration does not match, 0 if the taint is tolerated and in the zero
	// Explanation.
	Mismatch Mismatch

	// Toleration decides, or is the nearest. It is zero if Mismatch is InvalidTaint,
	// InvalidToleration or OtherKey.
	Toleration toleration.Toleration
	// At is the index of Toleration or of the invalid one, -1 if there is none.
	At int
}

// Explain explains one taint. Of several tolerations that match, choice selects the one
// that decides. It is O(number of tolerations).
func Explain(t taint.Taint, choice toleration.Choice, tolerations toleration.List) Explanation {
	check(choice)
	return explainOne(0, &t, choice, tolerations)
}

func explainOne(i int, t *taint.Taint, choice toleration.Choice, tolerations toleration.List) Explanation {
	e := Explanation{Taint: *t, Index: i}
	if t.IsZero() {
		e.Mismatch, e.At = InvalidTaint, -1
		return e
	}
	if e.At = choose.Toleration(choice, *t, tolerations); e.At < 0 {
		e.At, e.Mismatch = nearestTo(t, tolerations)
	}
	if e.Mismatch == 0 || e.Mismatch > OtherKey {
		e.Toleration = tolerations[e.At]
	}
	return e
}

// nearestTo returns the index of the first invalid toleration, or of the one that
// is nearest to the taint, and why it does not match. None of them matches.
func nearestTo(t *taint.Taint, tolerations toleration.List) (at int, why Mismatch) {
	at, why = -1, OtherKey
	most := 0
	for i := range tolerations {
		u := &tolerations[i]
		switch {
		case u.IsZero():
			return i, InvalidToleration
		case u.Key() != "" && u.Key() != t.Key():
			continue
		}
		common, miss := 3, missesValue(u, t) // the effect counts more than the value
		if u.Effect() != 0 && u.Effect() != t.Effect() {
			common = 1
			if miss == 0 {
				common = 2
			}
			miss = OtherEffect
		}
		if common > most {
			most, at, why = common, i, miss
		}
	}
	return at, why
}

// missesValue returns why the toleration does not match the taint's value, or 0 if it
// does.
func missesValue(u *toleration.Toleration, t *taint.Taint) Mismatch {
	op := u.Operator()
	switch {
	case op == toleration.Exists:
		return 0
	case (op == toleration.Equal || op == 0) && u.Value() == t.Value():
		return 0
	case !u.IsNumeric():
		return OtherValue
	}
	n, ok := (*value.Taint)(t).Integer()
	if !ok {
		return NotInteger
	}
	bound, _ := syntax.Integer(u.Value())
	if op == toleration.Lt && n < bound || op == toleration.Gt && n > bound {
		return 0
	}
	return OutOfBound
}

// Explanations returns an iterator over the results of [Explain] for the node's taints.
func (n Node) Explanations(choice toleration.Choice, tolerations toleration.List) iter.Seq[Explanation] {
	return func(yield func(Explanation) bool) {
		n.eachExplanation(choice, tolerations, yield)
	}
}

func (n Node) eachExplanation(choice toleration.Choice, tolerations toleration.List, yield func(Explanation) bool) {
	check(choice)
	for i := n.start(); i < len(n.Taints); i++ {
		if t := n.at(i); t != nil && !yield(explainOne(i, t, choice, tolerations)) {
			return
		}
	}
}

// Blocks reports whether the taint is untolerated and prevents scheduling.
func (e Explanation) Blocks() bool { return e.Mismatch != 0 && blocks(&e.Taint) }

// tolerated is false for the zero Explanation, too.
func (e Explanation) tolerated() bool { return e.Mismatch == 0 && !e.Toleration.IsZero() }

// Seconds returns for how many seconds the taint is tolerated, at least 0, and whether
// there is a limit. For a taint that is not tolerated, the limit is 0.
func (e Explanation) Seconds() (seconds int64, limited bool) {
	if !e.tolerated() {
		return 0, true
	}
	seconds, limited = e.Toleration.Seconds()
	return max(seconds, 0), limited
}

// Addition returns the toleration that matches this taint alone, zero if it is tolerated
// or zero: no toleration matches an invalid taint. It can be added to a running pod.
//
// Its operator is Equal, also for a taint without a value, so it does not match the key
// with a value. If no node has the key with a value, prefer Exists: package lint reports
// Equal without a value. Do not tolerate temporary taints, those of condition.Temporary:
// wait until they are removed.
func (e Explanation) Addition() toleration.Toleration {
	if e.Mismatch == 0 || e.Taint.IsZero() {
		return toleration.Toleration{}
	}
	u, _ := toleration.New(e.Taint.Key(), toleration.Equal, e.Taint.Value(), e.Taint.Effect()) // valid as the taint is
	return u
}

// String returns a sentence, which may change:
//
//	dedicated=gpu:NoSchedule is not tolerated: "dedicated=cpu" has another value; to add: "dedicated=gpu:NoSchedule op=Equal"
func (e Explanation) String() string {
	text := name(e.Taint)
	switch seconds, limited := e.Seconds(); {
	case e.tolerated() && limited:
		return fmt.Sprintf(`%s is tolerated for %d s by "%v"`, text, seconds, e.Toleration)
	case e.tolerated():
		return fmt.Sprintf(`%s is tolerated by "%v"`, text, e.Toleration)
	case e.Mismatch == 0:
		return ""
	}
	text += " is not tolerated: "
	switch {
	case e.Taint.IsZero():
		return text + "no toleration matches it"
	case e.Mismatch == InvalidToleration:
		text += fmt.Sprintf("toleration %d is invalid", e.At)
	case e.Toleration.IsZero():
		text += "no toleration has its key"
	default:
		text += fmt.Sprintf(`"%v"%s`, e.Toleration, e.failure())
	}
	return fmt.Sprintf(`%s; to add: "%v"`, text, e.Addition())
}

// name returns the text of a taint. The zero taint, whose text is empty, is
// "(invalid taint)".
func name(t taint.Taint) string {
	if t.IsZero() {
		return "(invalid taint)"
	}
	return t.String()
}

func (e Explanation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// failure returns why the nearest toleration does not match, without quoting a
// value.
func (e Explanation) failure() string {
	switch {
	case e.Mismatch == OtherEffect:
		return " has another effect"
	case e.Mismatch == OtherValue && e.Toleration.Value() == "":
		return " has no value"
	case e.Mismatch == OtherValue:
		return " has another value"
	case e.Mismatch == NotInteger:
		return " compares integers, and the taint's value is not one"
	case e.Toleration.Operator() == toleration.Lt:
		return " requires a smaller value"
	}
	return " requires a greater value"
}
