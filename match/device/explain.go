package device

import (
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/internal/choose"
	"github.com/go-tolerate/tolerate/match/internal/explain"
)

// An Explanation states whether one taint is tolerated, and why, as a
// [match.Explanation].
type Explanation struct {
	Taint Taint
	Class match.Class
	// Miss is why Toleration does not match, or 0. For ExplainEviction, one without an
	// effect is OtherEffect.
	Miss match.Miss

	eviction bool

	// Toleration decides, or is the nearest. It is zero if Miss is InvalidTaint,
	// InvalidToleration or OtherKey.
	Toleration Toleration
	// Index is that of Toleration or of the invalid one.
	Index int
}

// Explain explains whether a taint prevents the allocation of its device.
func Explain(t Taint, tolerations Tolerations) Explanation {
	e := Explanation{Taint: t, Class: match.Forever, Index: tolerations.match(&t)}
	e.complete(tolerations)
	return e
}

// ExplainEviction explains for how long a taint is tolerated by pods that use its device.
func ExplainEviction(t Taint, tolerations Tolerations) Explanation {
	e := Explanation{Taint: t, Class: match.Forever, Index: -1, eviction: true}
	if t.evicts() {
		e.Index = tolerations.staying(&t)
	}
	if e.Index >= 0 {
		if _, timed := tolerations[e.Index].Seconds(); timed {
			e.Class = match.ForSeconds
		}
	}
	e.complete(tolerations)
	return e
}

// complete sets the toleration at the index, or the nearest one if that is negative.
func (e *Explanation) complete(tolerations Tolerations) {
	if e.Index >= 0 {
		e.Toleration = tolerations[e.Index]
		return
	}
	e.Class, e.Index = match.NotTolerated, 0
	if e.Taint.IsZero() {
		e.Miss = match.InvalidTaint
		return
	}
	near := choose.Nearest{Miss: choose.OtherKey}
	for i := range tolerations {
		u := &tolerations[i]
		if u.IsZero() {
			e.Miss, e.Toleration, e.Index = match.InvalidToleration, Toleration{}, i
			return
		}
		if near.Nearer(&u.v, &e.Taint.v, e.sameEffect(u)) {
			e.Toleration, e.Index = *u, i
		}
	}
	e.Miss = match.Miss(near.Miss)
}

// sameEffect reports whether the toleration is for the effect of the taint.
func (e *Explanation) sameEffect(u *Toleration) bool {
	switch {
	case e.eviction:
		return u.v.Effect() == noExecute && e.Taint.evicts()
	case u.v.Effect() == 0:
		return true
	}
	return u.v.Effect() == e.Taint.v.Effect() && !e.Taint.isUnknown()
}

// Blocks reports whether the taint is not tolerated and prevents the allocation or, from
// [ExplainEviction], evicts pods.
func (e Explanation) Blocks() bool { return e.Miss != 0 && e.matters() }

// matters reports whether the taint, if not tolerated, has an effect.
func (e *Explanation) matters() bool {
	if e.eviction {
		return e.Taint.evicts()
	}
	return e.Taint.blocks()
}

// Addition returns the toleration that matches this taint alone. It is zero unless
// [Explanation.Blocks].
func (e Explanation) Addition() Toleration {
	if !e.Blocks() || e.Taint.IsZero() {
		return Toleration{}
	}
	u, _ := TolerationFrom(e.Taint.Key(), "Equal", e.Taint.Value(), e.Taint.Effect(), nil) // valid as the taint is
	return u
}

func (e Explanation) Equal(f Explanation) bool { return e == f }

// String returns a sentence, as that of a [match.Explanation].
func (e Explanation) String() string {
	switch {
	case e.Miss == 0 && e.Class == match.NotTolerated:
		return ""
	case e.matters() || e.Miss == 0:
	case e.eviction:
		return explain.Name(e.Taint) + " does not evict"
	default:
		return explain.Name(e.Taint) + " does not prevent an allocation"
	}
	seconds, timed := e.Toleration.Seconds()
	w := explain.Explanation[Taint, Toleration]{
		Taint: e.Taint, Toleration: e.Toleration, Addition: e.Addition(),
		Seconds: max(seconds, 0), Timed: timed && e.Class == match.ForSeconds,
		Tolerated: e.Miss == 0, Invalid: e.Miss == match.InvalidToleration, Index: e.Index,
	}
	return w.Text(e.failure())
}

func (e Explanation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// failure returns why the nearest toleration does not match.
func (e *Explanation) failure() string {
	switch {
	case e.Miss == match.OtherEffect && e.Toleration.Effect() == "":
		return " does not have the effect NoExecute"
	case e.Miss == match.OtherEffect:
		return " has another effect"
	}
	return " has another value"
}
