package policy

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
	"github.com/go-tolerate/tolerate/validate"
)

// A Spec holds the clauses of a [Policy]. Its JSON is a policy file, which [Decode]
// checks.
type Spec struct {
	Allow []Clause `json:"allow,omitempty"`
	Deny  []Clause `json:"deny,omitempty"` // exceptions from Allow
}

// A Clause applies to the taints that its Taints match and its Except does not match.
type Clause struct {
	// Name, optional and unique, identifies the clause in verdicts.
	Name string `json:"name,omitempty"`
	// Message is shown to users.
	Message string          `json:"message,omitempty"`
	Taints  toleration.List `json:"taints"`
	Except  toleration.List `json:"except,omitempty"`
	// MaxSeconds is a limit of time, or nil. With it, all Taints must have the effect
	// NoExecute.
	MaxSeconds *int64 `json:"maxSeconds,omitempty"`
}

func (c *Clause) clone() Clause {
	d := *c
	d.Taints, d.Except = slices.Clone(c.Taints), slices.Clone(c.Except)
	if c.MaxSeconds != nil {
		n := *c.MaxSeconds
		d.MaxSeconds = &n
	}
	return d
}

// A Policy decides which tolerations a pod may have. Use [New] or [Decode] to make one.
// The zero Policy refuses every toleration that matches a taint. A Policy is immutable.
type Policy struct{ *compiled }

// most is the largest number of tolerations in the clauses of a policy, as taints
// and exceptions.
const most = 4096

// New returns the policy of the clauses. More than 4,096 tolerations in them are an error. It
// takes O(n·log n) for n tolerations, and O(n²) if many match the same values: Exists, Lt and
// Gt with one key, or without a key. A policy takes about 500 bytes for each.
func New(s Spec) (Policy, error) {
	return build(nil, source{clauses: s.Allow}, source{clauses: s.Deny})
}

// Spec returns a copy of the clauses.
func (p Policy) Spec() Spec {
	if p.compiled == nil {
		return Spec{}
	}
	return Spec{Allow: clausesOf(p.allow), Deny: clausesOf(p.deny)}
}

func clausesOf(clauses []clause) []Clause {
	var list []Clause
	for i := range clauses {
		list = append(list, clauses[i].clone())
	}
	return list
}

func (p Policy) IsZero() bool { return p.compiled == nil }

func (p Policy) Equal(q Policy) bool {
	return p.compiled == q.compiled || p.String() == q.String()
}

func (p Policy) String() string {
	data, err := p.MarshalJSON()
	if err != nil {
		panic("policy: " + err.Error()) // not reached: clauses hold only text and numbers
	}
	return string(data)
}

// denyOnly describes a policy whose deny clauses have no effect.
const denyOnly = `must have a clause if there are deny clauses, since what no clause allows is refused; ` +
	`{"taints": [{"operator": "Exists"}]} allows everything that is not denied`

// A source is a list of clauses, and the problems that were found while it was read.
type source struct {
	clauses []Clause
	whole   validate.Problems
	each    []validate.Problems // of each clause, which is not checked then; nil if none was read
}

// build returns the policy, or all problems, after those that were found.
func build(found validate.Problems, allows, denies source) (Policy, error) {
	if count(allows.clauses)+count(denies.clauses) > most {
		return Policy{}, tooMany()
	}
	labels := make(map[string]bool)
	add := func(path string, from source) (list []clause) {
		found = append(found, from.whole...)
		for i := range from.clauses {
			c := clause{Clause: from.clauses[i].clone(), label: cmp.Or(from.clauses[i].Name, problem.Index(path, i))}
			switch {
			case c.MaxSeconds != nil:
				c.most = cells.LengthOfSeconds(*c.MaxSeconds)
			case path == "allow":
				c.most = cells.Forever
			}
			ps := c.problems()
			if from.each != nil && from.each[i] != nil {
				ps = from.each[i]
			}
			if labels[c.label] {
				ps = append(ps, mistake("name", c.label, "is the name of another clause"))
			}
			labels[c.label] = true
			found = problem.Append(found, problem.Index(path, i), ps)
			list = append(list, c)
		}
		return list
	}
	allow, deny := add("allow", allows), add("deny", denies)
	unread := slices.ContainsFunc(found, func(p *validate.Problem) bool { return p.Path == "allow" })
	if len(allow) == 0 && len(deny) > 0 && !unread {
		found = append(found, mistake("allow", "", denyOnly))
	}
	if len(found) > 0 {
		return Policy{}, found
	}
	if len(allow) == 0 {
		return Policy{}, nil
	}
	return Policy{compile(allow, deny)}, nil
}

// count returns the number of tolerations in the clauses. A clause without any counts as one.
func count(clauses []Clause) (n int) {
	for i := range clauses {
		n += max(1, len(clauses[i].Taints)+len(clauses[i].Except))
	}
	return n
}

func tooMany() error {
	return validate.Problems{mistake("", "", "has more than 4096 tolerations in its clauses")}
}

// problems returns the problems of the clause, with paths inside it.
func (c *Clause) problems() validate.Problems {
	var ps validate.Problems
	for _, f := range [...]struct{ path, text string }{{"name", c.Name}, {"message", c.Message}} {
		if !utf8.ValidString(f.text) { // JSON could not represent it
			ps = append(ps, mistake(f.path, f.text, "must be UTF-8"))
		}
	}
	if len(c.Taints) == 0 {
		ps = append(ps, mistake("taints", "", "must not be empty"))
	}
	for i, u := range c.Taints {
		found := taintProblems(u)
		if c.MaxSeconds != nil && u.Effect() != taint.NoExecute && !u.IsZero() {
			found = append(found, mistake("effect", u.Effect().String(), "must be NoExecute in a clause with maxSeconds"))
		}
		ps = problem.Append(ps, problem.Index("taints", i), found)
	}
	for i, u := range c.Except {
		ps = problem.Append(ps, problem.Index("except", i), taintProblems(u))
	}
	return ps
}

// taintProblems returns the reasons why u does not select taints of a clause.
func taintProblems(u toleration.Toleration) validate.Problems {
	var ps validate.Problems
	switch {
	case u.IsZero():
		return append(ps, &validate.Problem{Rule: validate.ZeroValue})
	case u.Operator() == 0 && u.Value() == "":
		ps = append(ps, mistake("operator", "", "must be set if there is no value: Exists for any value, Equal for the empty value"))
	case !cover.Covers(u, u): // the operator is unknown
		ps = append(ps, &validate.Problem{Path: "operator", Value: u.Operator().String(), Rule: validate.NameUnknown})
	case cover.MatchesNothing(u):
		ps = append(ps, mistake("value", u.Value(), "no taint matches: the integers on taints are 0 to 9223372036854775807"))
	}
	if _, timed := u.Seconds(); timed {
		ps = append(ps, mistake("tolerationSeconds", "", "must be omitted; use maxSeconds"))
	}
	return ps
}

func mistake(path, value, text string) *validate.Problem {
	return &validate.Problem{Path: path, Value: value, Rule: validate.InvalidClause, Err: errors.New(text)}
}
