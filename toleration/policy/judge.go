package policy

import (
	"iter"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// An Outcome says whether a toleration is allowed, and if not, by which kind of
// rule. The zero Outcome is none.
type Outcome uint8

const (
	// Allowed: no deny rule is about what the toleration tolerates, and the
	// allow rules, if there are any, are about all of it.
	Allowed Outcome = iota + 1
	// Denied: a deny rule is about a taint that the toleration tolerates.
	Denied
	// Unlisted: no allow rule is about a taint that the toleration tolerates,
	// or none for as long.
	Unlisted
)

var outcomes = [...]string{"", "Allowed", "Denied", "Unlisted"}

// String returns the outcome's name, "" for the zero Outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "Outcome(" + strconv.Itoa(int(o)) + ")"
}

// A Verdict is what a policy says of one toleration, and why. It is comparable.
// The zero Verdict does not allow.
type Verdict struct {
	// Toleration is the one that was judged.
	Toleration toleration.Toleration
	Outcome    Outcome
	// Rule is the name of the rule that decided, or its path, such as
	// "deny[2]", when it has no name; empty when no single rule did.
	Rule string
	// Message is the message of the rule that refuses the toleration.
	Message string
	// Witness is a valid taint that the toleration tolerates and must not, or
	// not for as long; zero when it is allowed.
	Witness taint.Taint
	// MaxSeconds is for how long the rule lets the witness be tolerated, when
	// that is what is refused; otherwise -1.
	MaxSeconds int64
}

// Allowed reports whether the toleration is allowed.
func (v Verdict) Allowed() bool { return v.Outcome == Allowed }

// String returns the verdict as a sentence about the toleration, which is not
// in it. The text may change.
func (v Verdict) String() string {
	if v.Outcome == Allowed {
		if v.Rule == "" {
			return "allowed"
		}
		return "allowed by rule " + strconv.Quote(v.Rule)
	}
	if v.Witness.IsZero() {
		return ""
	}
	text := "tolerates " + v.Witness.String()
	limit := strconv.FormatInt(v.MaxSeconds, 10) + "s"
	switch {
	case v.MaxSeconds >= 0 && v.Outcome == Denied:
		text += v.time() + ", and rule " + strconv.Quote(v.Rule) + " denies more than " + limit
	case v.MaxSeconds >= 0:
		text += v.time() + ", and rule " + strconv.Quote(v.Rule) + " allows " + limit + " at most"
	case v.Outcome == Denied:
		text += ", which rule " + strconv.Quote(v.Rule) + " denies"
	default:
		text += ", which no rule allows"
	}
	if v.Message != "" {
		text += ": " + v.Message
	}
	return text
}

// time tells for how long the toleration holds.
func (v Verdict) time() string {
	if n, timed := v.Toleration.Seconds(); timed {
		return " for " + strconv.FormatInt(n, 10) + "s"
	}
	return " for good"
}

// A Denial is what is wrong with a toleration that a policy refuses: the Err of
// the problems that [Policy.Check] tells, where errors.As finds it.
type Denial struct{ Verdict }

// Error returns the verdict as a sentence. The text may change.
func (d *Denial) Error() string { return d.Verdict.String() }

// Judge returns what the policy says of the toleration. Of several rules that
// deny it, or that allow it each by itself, the first decides.
//
// It is O(n²), n being the number of tolerations in the rules. It does not
// allocate, unless the toleration is refused: then what strings of the witness
// are new, and some lists on the way.
func (p Policy) Judge(u toleration.Toleration) Verdict {
	v := Verdict{Toleration: u, Outcome: Allowed, MaxSeconds: -1}
	if p.compiled == nil || cover.Empty(u) {
		return v
	}
	own := [1]toleration.Toleration{u}
	set := cover.Set{In: own[:]}
	long := lengthOf(&u)
	for i := range p.deny {
		r := &p.deny[i]
		if r.MaxSeconds != nil && long <= r.limit() {
			continue
		}
		if t, found := cover.FindCommon(r.set(), set); found {
			v.refuse(Denied, r, t)
			return v
		}
	}
	if len(p.allow) == 0 {
		return v
	}
	for i := range p.allow {
		if r := &p.allow[i]; long <= r.limit() && set.Within(r.set()) {
			v.Rule = r.label
			return v
		}
	}
	n := 0
	for n < len(p.limits) && long <= p.limits[n] {
		n++
	}
	if t, found := cover.FindOutside(set, p.open[:n]...); found {
		v.refuse(Unlisted, p.longest(t), t)
	}
	return v
}

// longest returns the allow rule that lets the taint be tolerated longest, nil
// when none is about it.
func (p Policy) longest(t taint.Taint) *rule {
	var best *rule
	for i := range p.allow {
		if r := &p.allow[i]; r.Has(t) && (best == nil || r.limit() > best.limit()) {
			best = r
		}
	}
	return best
}

// refuse makes v a refusal. The rule that r is may be none.
func (v *Verdict) refuse(o Outcome, r *rule, t taint.Taint) {
	v.Outcome, v.Witness = o, t
	if r == nil {
		return
	}
	v.Rule, v.Message = r.label, r.Message
	if r.MaxSeconds != nil {
		v.MaxSeconds = int64(r.limit())
	}
}

// Verdicts yields the verdict on each toleration of the list, with its index.
func (p Policy) Verdicts(list []toleration.Toleration) iter.Seq2[int, Verdict] {
	return func(yield func(int, Verdict) bool) {
		for i := range list {
			if !yield(i, p.Judge(list[i])) {
				return
			}
		}
	}
}

// Check tells all that the policy refuses in a pod's list, each as a problem
// with a path below that of the list, such as "spec.tolerations", the
// toleration's text, and a [*Denial]. The error is nil when all is allowed, and
// otherwise [validate.Problems].
//
// Whether the list is valid is for others to say. It costs what [Policy.Judge]
// costs for each toleration, and does not allocate when all is allowed.
func (p Policy) Check(path string, list []toleration.Toleration) error {
	return p.check(path, nil, list).Err()
}

// CheckUpdate is Check for a pod that changes: it lets pass what brings nothing
// new, that is, what the old list as a whole tolerates already, for at least as
// long. So a pod keeps what an older policy let it have, and may drop, repeat or
// shorten it. Of several old tolerations the one that holds longest counts, as
// each was let in by itself.
//
// What one old toleration covers, or the policy allows, is O(len(old)) beside
// [Policy.Judge]; what is left is O(len(old)²) each.
func (p Policy) CheckUpdate(path string, old, changed []toleration.Toleration) error {
	return p.check(path, old, changed).Err()
}

func (p Policy) check(path string, old, list []toleration.Toleration) validate.Problems {
	var ps validate.Problems
	for i, u := range list {
		if slices.ContainsFunc(old, func(o toleration.Toleration) bool { return cover.Covers(o, u) }) {
			continue // most often; it saves work and memory, and decides nothing
		}
		v := p.Judge(u)
		if v.Allowed() || cover.ListCovers(toleration.Longest, old, list[i:i+1]) {
			continue
		}
		ps = append(ps, &validate.Problem{Path: validate.Index(path, i), Value: v.Toleration.String(), Err: &Denial{v}})
	}
	return ps
}
