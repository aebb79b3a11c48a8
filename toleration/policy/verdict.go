package policy

import (
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
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
		return "allowed by clause " + strconv.Quote(clip(v.Clause))
	case v.Witness.IsZero():
		return "refused"
	}
	text, clause := "tolerates "+v.Witness.String(), "clause "+strconv.Quote(clip(v.Clause))
	switch n, timed := v.Toleration.Seconds(); {
	case v.MaxSeconds == nil && v.Denied:
		text += ", which " + clause + " denies"
	case v.MaxSeconds == nil:
		text += ", which no clause allows"
	case timed:
		text += " for " + strconv.FormatInt(n, 10) + "s, and " + clause
	default:
		text += " without a time limit, and " + clause
	}
	if v.MaxSeconds != nil {
		verb := map[bool]string{true: " denies more than ", false: " allows at most "}[v.Denied]
		text += verb + strconv.FormatInt(*v.MaxSeconds, 10) + "s"
	}
	if v.Message != "" {
		text += ": " + clip(v.Message)
	}
	return text
}

// clip shortens a text of a policy, so that an error's text is bounded.
func clip(s string) string {
	const most = 250
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// problem returns the problem of a refused toleration.
func (v Verdict) problem(path string) *validate.Problem {
	if v.Toleration.IsZero() {
		return &validate.Problem{Path: path, Rule: validate.ZeroValue}
	}
	return &validate.Problem{Path: path, Value: v.Toleration.String(), Rule: validate.NotAllowed, Want: "is not allowed by the policy", Err: refusal{&v}}
}

// A refusal is the error of a verdict. Its text is made when it is needed.
type refusal struct{ *Verdict }

func (r refusal) Error() string { return r.String() }
