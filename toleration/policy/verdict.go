package policy

import (
	"errors"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// A Verdict is a policy's decision on one toleration. The zero Verdict refuses it.
type Verdict struct {
	Toleration toleration.Toleration `json:"toleration"`
	Allowed    bool                  `json:"allowed"`
	// Denied reports whether a deny clause refuses the toleration.
	Denied bool `json:"denied,omitempty"`
	// Clause is the name of the clause that decided, or its path, such as "deny[2]", or
	// empty.
	Clause  string `json:"clause,omitempty"`
	Message string `json:"message,omitempty"` // of the clause that refuses
	// Witness is a taint that the toleration must not tolerate, or not for as long.
	Witness taint.Taint `json:"witness,omitzero"`
	// MaxSeconds is how long the witness may be tolerated, nil if time is not the reason.
	MaxSeconds *int64 `json:"maxSeconds,omitempty"`
}

// String returns a sentence for people.
func (v Verdict) String() string {
	switch {
	case v.Allowed && v.Clause == "":
		return "allowed"
	case v.Allowed:
		return "allowed by clause " + strconv.Quote(v.Clause)
	case v.Witness.IsZero():
		return "refused"
	}
	text := "tolerates " + v.Witness.String() + v.reason()
	if v.Message != "" {
		text += ": " + v.Message
	}
	return text
}

// reason returns why the witness must not be tolerated.
func (v *Verdict) reason() string {
	clause, verb := "clause "+strconv.Quote(v.Clause), " allows at most "
	if v.Denied {
		verb = " denies more than "
	}
	text := " without a time limit, and "
	switch n, timed := v.Toleration.Seconds(); {
	case v.MaxSeconds == nil && v.Denied:
		return ", which " + clause + " denies"
	case v.MaxSeconds == nil:
		return ", which no clause allows"
	case timed:
		text = " for " + strconv.FormatInt(n, 10) + "s, and "
	}
	return text + clause + verb + strconv.FormatInt(*v.MaxSeconds, 10) + "s"
}

// Judge returns the verdict on the toleration. Of several clauses that deny it, that with
// the fewest seconds decides, then the first; of several that allow it, the first. It
// allocates only for a refusal. It takes O(log n + k) for n tolerations in the clauses, k of
// them with its key, and longer to name the clause that allows.
func (p Policy) Judge(u toleration.Toleration) Verdict {
	v := p.judge(u)
	if !v.Allowed || p.compiled == nil || cover.MatchesNothing(u) {
		return v
	}
	for i := range p.allow {
		if c := &p.allow[i]; p.index.isAllowed(&u, c) {
			v.Clause = c.label
			break
		}
	}
	return v
}

// judge is Judge without the clause that allows the toleration.
func (p Policy) judge(u toleration.Toleration) Verdict {
	v := Verdict{Toleration: u, Allowed: !u.IsZero()}
	if cover.MatchesNothing(u) {
		return v
	}
	x := noClauses
	if p.compiled != nil {
		x = p.index
	}
	worst, long := x.worst(&u), lengthOf(&u)
	if worst[deny] == nil { // the operator is unknown
		v.Allowed = false
		return v
	}
	switch d, a := x.clause(worst, deny), x.clause(worst, allow); {
	case d != nil && long >= d.denied():
		v.refuse(d, worst[deny].witness(&u))
		v.Denied = true
	case a == nil || long > a.limit():
		v.refuse(a, worst[allow].witness(&u))
	}
	return v
}

// noClauses is the index of the zero Policy.
var noClauses = newIndex(nil, nil)

// refuse makes v a refusal because of the clause, which may be nil.
func (v *Verdict) refuse(c *clause, t taint.Taint) {
	v.Allowed, v.Witness = false, t
	if c == nil {
		return
	}
	v.Clause, v.Message = c.label, c.Message
	if c.MaxSeconds != nil {
		n := max(*c.MaxSeconds, 0)
		v.MaxSeconds = &n
	}
}

// Check reports all tolerations of the list at path, such as "spec.tolerations", that the
// policy refuses. It takes O(log n + k) for each, where n tolerations are in the clauses, k
// of them with its key, and allocates only for refusals.
func (p Policy) Check(list toleration.List, path string) error {
	var ps validate.Problems
	for i, u := range list {
		if v := p.judge(u); !v.Allowed {
			ps = append(ps, refusal(path, i, v))
		}
	}
	return ps.Err()
}

// refusal returns the problem of the refused toleration at index i of the list.
func refusal(path string, i int, v Verdict) *validate.Problem {
	if v.Toleration.IsZero() {
		return &validate.Problem{Path: problem.Index(path, i), Rule: validate.ZeroValue}
	}
	return &validate.Problem{Path: problem.Index(path, i), Value: v.Toleration.String(), Rule: validate.NotAllowed,
		Want: "is not allowed by the policy", Err: errors.New(v.String())}
}
