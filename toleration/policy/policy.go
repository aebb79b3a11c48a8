package policy

import (
	"cmp"
	"errors"
	"slices"
	"strings"
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

// New returns the policy of the clauses. More than 4,096 tolerations in them are an error. It
// takes O(n·log n) for n tolerations, and O(n²) if many match the same values: Exists, Lt and
// Gt with one key, or without a key. A policy takes about 1 kB for each.
func New(s Spec) (Policy, error) {
	b := newBuilder()
	for kind, clauses := range [...][]Clause{allow: s.Allow, deny: s.Deny} {
		for i := range clauses {
			b.left -= max(1, len(clauses[i].Taints)+len(clauses[i].Except)) // the number of clauses is limited, too
			b.add(kind, clauses[i], nil)
		}
	}
	return b.policy()
}

// Spec returns a copy of the clauses.
func (p Policy) Spec() Spec {
	var s Spec
	if p.compiled != nil {
		for _, c := range p.clauses[allow] {
			s.Allow = append(s.Allow, c.clone())
		}
		for _, c := range p.clauses[deny] {
			s.Deny = append(s.Deny, c.clone())
		}
	}
	return s
}

func (p Policy) IsZero() bool { return p.compiled == nil }

func (p Policy) Equal(q Policy) bool {
	return p.compiled == q.compiled || p.String() == q.String()
}

func (p Policy) String() string {
	return string(problem.Must(p.MarshalJSON())) // clauses have only text and numbers
}

// The kinds of clauses, and their names.
const allow, deny = 0, 1

var kinds = []string{allow: "allow", deny: "deny"}

// most is the largest number of tolerations in the clauses of a policy.
const most = 4096

// denyOnly describes a policy whose deny clauses have no effect.
const denyOnly = `must have a clause if there are deny clauses, since what no clause allows is refused; ` +
	`{"taints": [{"operator": "Exists"}]} allows everything that is not denied`

// A builder makes a policy of clauses, which are added in their order.
type builder struct {
	clauses [2][]clause
	labels  map[string]bool
	left    int // how many tolerations can be added; if it is negative, nothing is
	found   validate.Problems
}

func newBuilder() builder { return builder{labels: make(map[string]bool), left: most} }

// add adds a clause. Parts that could not be read are not checked. Whether there are taints is not
// checked either if the clause itself has a problem, such as an unknown field, which can be a
// misspelt taints.
func (b *builder) add(kind int, c Clause, found validate.Problems) {
	if b.left < 0 {
		return
	}
	path := problem.Index(kinds[kind], len(b.clauses[kind]))
	added := clause{Clause: c.clone(), label: cmp.Or(c.Name, path)}
	switch {
	case c.MaxSeconds != nil:
		added.most = cells.LengthOf(*c.MaxSeconds, true)
	case kind == allow:
		added.most = cells.Forever
	}
	unread := map[string]bool{}
	for _, p := range found {
		unread[part(p)] = true
	}
	for _, p := range c.problems() {
		if !unread[part(p)] && !(unread[""] && p.Path == "taints") {
			found = append(found, p)
		}
	}
	if b.labels[added.label] {
		found = append(found, mistake("name", added.label, "is the name of another clause"))
	}
	b.labels[added.label] = true
	b.found = problem.Append(b.found, path, found)
	b.clauses[kind] = append(b.clauses[kind], added)
}

// part returns which part of a clause has the problem, such as taints[1], or "" for the clause itself.
func part(p *validate.Problem) string {
	name, _, _ := strings.Cut(p.Path, ".")
	return name
}

// policy returns the policy, or all problems.
func (b *builder) policy() (Policy, error) {
	allowsNone := len(b.clauses[allow]) == 0
	unread := slices.ContainsFunc(b.found, func(p *validate.Problem) bool { return p.Path == kinds[allow] })
	switch {
	case b.left < 0:
		b.found = validate.Problems{mistake("", "", "has more than 4096 tolerations in its clauses")}
	case allowsNone && len(b.clauses[deny]) > 0 && !unread:
		b.found = append(b.found, mistake(kinds[allow], "", denyOnly))
	}
	if len(b.found) > 0 {
		return Policy{}, b.found
	}
	if allowsNone {
		return Policy{}, nil
	}
	return Policy{compile(b.clauses)}, nil
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
