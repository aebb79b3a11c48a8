package policy

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// Rules are what a [Policy] is made of. Their JSON is a policy file; to read one,
// use [Decode], which finds more mistakes than encoding/json. The zero value has
// no rules.
type Rules struct {
	Allow []Rule `json:"allow,omitempty"`
	Deny  []Rule `json:"deny,omitempty"`
}

// A Rule is about a set of taints, and for how long they are tolerated. The zero
// Rule is not valid.
type Rule struct {
	// Name is what verdicts call the rule; its path, such as "deny[2]", when
	// empty. No two rules of a policy have the same.
	Name string `json:"name,omitempty"`
	// Message is told to whom the rule refuses something, as it is.
	Message string `json:"message,omitempty"`
	// Taints and Except say which taints the rule is about: those that one of
	// Taints matches and none of Except. They have no seconds. One that has no
	// value must have an operator.
	Taints []toleration.Toleration `json:"taints"`
	Except []toleration.Toleration `json:"except,omitempty"`
	// MaxSeconds is for how long the taints may be tolerated: a deny rule with
	// it denies longer only, an allow rule allows no longer. A negative number
	// is 0. With it all Taints have the effect NoExecute, exactly.
	MaxSeconds *int64 `json:"maxSeconds,omitempty"`
}

// Has reports whether the rule is about the taint, time left out of account. It
// does not allocate.
func (r *Rule) Has(t taint.Taint) bool { return r.set().Has(t) }

func (r *Rule) set() cover.Set { return cover.Set{In: r.Taints, Except: r.Except} }

func (r *Rule) clone() Rule {
	c := *r
	c.Taints, c.Except = slices.Clone(r.Taints), slices.Clone(r.Except)
	if r.MaxSeconds != nil {
		c.MaxSeconds = new(*r.MaxSeconds)
	}
	return c
}

// A length is for how long a taint is tolerated.
type length uint64

const forever length = math.MaxUint64

func seconds(n int64) length { return length(max(n, 0)) }

func lengthOf(u *toleration.Toleration) length {
	if n, timed := u.Seconds(); timed {
		return seconds(n)
	}
	return forever
}

// limit returns the length up to which the rule lets its taints be tolerated,
// if it is about time.
func (r *Rule) limit() length {
	if r.MaxSeconds == nil {
		return forever
	}
	return seconds(*r.MaxSeconds)
}

// A Policy says which tolerations a pod may carry. The zero Policy has no rules,
// and so allows everything: look at the error of [New] and [Decode] before using
// one.
//
// A Policy is a small value (8 bytes on 64-bit machines) to be copied. It never
// changes, so it is safe for concurrent use.
type Policy struct{ *compiled }

type compiled struct {
	allow, deny []rule
	// open are the sets of the allow rules, those first that allow longer: those
	// that allow a number of seconds are the first of them.
	open   []cover.Set
	limits []length // of each
}

// A rule is a Rule with the name that verdicts use.
type rule struct {
	Rule
	label string
}

// New returns the policy of these rules, which it copies. The error tells every
// mistake, with paths such as deny[0].taints[2].operator, and comes with the
// zero Policy.
func New(r Rules) (Policy, error) {
	var b builder
	b.add("allow", r.Allow, nil)
	b.add("deny", r.Deny, nil)
	return b.policy()
}

// Rules returns the rules that the policy was made of. They share no memory with
// it.
func (p Policy) Rules() Rules {
	if p.compiled == nil {
		return Rules{}
	}
	return Rules{Allow: rulesOf(p.allow), Deny: rulesOf(p.deny)}
}

func rulesOf(rules []rule) []Rule {
	var list []Rule
	for i := range rules {
		list = append(list, rules[i].clone())
	}
	return list
}

// IsZero reports whether the policy has no rules, and so allows everything.
func (p Policy) IsZero() bool {
	return p.compiled == nil
}

// A builder gathers rules and what is wrong with them.
type builder struct {
	compiled
	labels   map[string]bool
	problems validate.Problems
}

// add adds the rules of the list at path; wrong[i], if there is one, is what was
// met when rule i was read.
func (b *builder) add(path string, rules []Rule, wrong map[int]validate.Problems) {
	for i := range rules {
		r := rule{rules[i].clone(), cmp.Or(rules[i].Name, validate.Index(path, i))}
		found := wrong[i]
		if found == nil {
			found = r.problems()
		}
		if b.labels[r.label] {
			found = append(found, mistake("name", r.label, "another rule has this name"))
		}
		if b.labels == nil {
			b.labels = make(map[string]bool)
		}
		b.labels[r.label] = true
		b.problems = validate.Append(b.problems, validate.Index(path, i), found)
		switch path {
		case "allow":
			b.allow = append(b.allow, r)
		case "deny":
			b.deny = append(b.deny, r)
		}
	}
}

func (b *builder) policy() (Policy, error) {
	if len(b.problems) > 0 {
		return Policy{}, b.problems
	}
	if len(b.allow)+len(b.deny) == 0 {
		return Policy{}, nil
	}
	c := b.compiled
	sorted := slices.Clone(c.allow)
	slices.SortStableFunc(sorted, func(r, s rule) int { return cmp.Compare(s.limit(), r.limit()) })
	for i := range sorted {
		c.open = append(c.open, sorted[i].set())
		c.limits = append(c.limits, sorted[i].limit())
	}
	return Policy{&c}, nil
}

// problems tells what is wrong with the rule, with paths below its own.
func (r *Rule) problems() validate.Problems {
	var ps validate.Problems
	if len(r.Taints) == 0 {
		ps = append(ps, mistake("taints", "", "a rule needs taints to be about"))
	}
	for _, list := range [...]struct {
		path        string
		tolerations []toleration.Toleration
	}{{"taints", r.Taints}, {"except", r.Except}} {
		for i, u := range list.tolerations {
			found := wrong(u)
			if list.path == "taints" && r.MaxSeconds != nil && u.Effect() != taint.NoExecute && !u.IsZero() {
				found = append(found, mistake("effect", u.Effect().String(), "must be NoExecute in a rule with maxSeconds"))
			}
			ps = validate.Append(ps, validate.Index(list.path, i), found)
		}
	}
	return ps
}

// wrong tells why u does not say which taints a rule is about.
func wrong(u toleration.Toleration) validate.Problems {
	var ps validate.Problems
	switch {
	case u.IsZero():
		return append(ps, &validate.Problem{Rule: validate.ZeroValue})
	case u.Operator() == 0 && u.Value() == "":
		ps = append(ps, mistake("operator", "", "must be given where there is no value: Exists for any value, Equal for the empty one"))
	case cover.Empty(u):
		ps = append(ps, mistake("value", u.Value(), "no taint has such an integer: they are 0 to 9223372036854775807"))
	}
	if _, timed := u.Seconds(); timed {
		ps = append(ps, mistake("tolerationSeconds", "", "does not belong to a set of taints: the rule has maxSeconds"))
	}
	return ps
}

func mistake(path, value, text string) *validate.Problem {
	return &validate.Problem{Path: path, Value: value, Err: errors.New(text)}
}
