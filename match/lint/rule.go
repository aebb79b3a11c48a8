package lint

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/validate"
)

// A Rule names one kind of finding. Programs may switch on it and store its
// name: a constant keeps its meaning and its name, though its number, its
// severity and its texts may change.
//
// The zero Rule is no rule. As text a Rule is its name.
type Rule uint8

// The rules for one list of tolerations, alone or with its namespace's
// defaults.
const (
	// NeverMatches: the toleration matches no taint that there can be.
	NeverMatches Rule = iota + 1
	// SuppressesDefault: the toleration keeps away the 300 seconds that every
	// pod is given for nodes in trouble, and the list does not tolerate the
	// taint itself.
	SuppressesDefault
	// Shadowed: the toleration's seconds, or its having none, never count:
	// others decide about all taints that it matches, and otherwise about some.
	Shadowed
	// Redundant: without the toleration the list means the same.
	Redundant
	// ToleratesEverything: the list tolerates every taint that there can be.
	ToleratesEverything
	// OpenToEveryNode: the list tolerates every NoSchedule and every NoExecute
	// taint, though not every PreferNoSchedule one.
	OpenToEveryNode
	// EqualEmptyValue: the toleration matches the empty value alone, where
	// any value was probably meant.
	EqualEmptyValue
	// OutdatedKey: the toleration's key is one that Kubernetes no longer uses.
	OutdatedKey
	// NoTime: the taint is tolerated for 0 seconds or fewer.
	NoTime
)

// The rules for a cluster.
const (
	// UnneededToleration: no taint of the cluster can ever need the toleration.
	UnneededToleration Rule = iota + 32
	// UntoleratedTaint: no pod tolerates the taint by its key.
	UntoleratedTaint
)

// A Severity is how bad a finding is. A greater one is worse.
//
// The zero Severity is none. As text a Severity is its name.
type Severity uint8

const (
	// Info is what may well be meant, and is worth knowing.
	Info Severity = iota + 1
	// Warning is what is probably not meant, and harms some day.
	Warning
	// Error is what does the opposite of what is written, and is never meant.
	// It should keep a manifest from going in.
	Error
)

var severityNames = []string{"info", "warning", "error"}

type about struct {
	rule     Rule
	name     string
	severity Severity
	summary  string
	doc      string
}

// rules is in the order of the constants.
var rules = []about{
	{NeverMatches, "never-matches", Error,
		"the toleration matches no taint that there can be",
		`A taint's value that is a number is a number from 0 to 9223372036854775807. A toleration with the operator Lt and a number of 0 or less, or with Gt and the greatest number, matches none of them, and Lt and Gt match nothing else. Whoever wrote it meant another number, or the other operator: Lt matches a taint whose value is smaller than the toleration's.

The fix removes it.`},
	{SuppressesDefault, "suppresses-default", Error,
		"the toleration keeps the default seconds away and does not tolerate the taint",
		`Every pod is given tolerations of node.kubernetes.io/not-ready and node.kubernetes.io/unreachable with NoExecute for 300 seconds, unless it has a toleration with that key and the effect NoExecute, or no effect. Its operator and value do not matter for that. Kubernetes sets these taints without a value, so a toleration with a value or a number keeps the default away and does not match the taint: the pod is evicted as soon as its node is in trouble.

The fix makes the operator Exists, and leaves effect and seconds.`},
	{Shadowed, "shadowed", Warning,
		"the toleration's seconds never count, since other tolerations decide",
		`Of several tolerations that match a taint the first in the list decides for how long it is tolerated. This one is never needed to decide: others do, for all taints that it matches, and for some of them one that stands before it says something else. What is written is not what happens. If its seconds are meant to count, it has to stand before the others.

The fix removes it, which changes nothing; where the seconds were meant, move it instead.`},
	{Redundant, "redundant", Info,
		"the others tolerate the same taints for as long",
		`Without the toleration the list tolerates the same taints, each for as long as before, whatever taints there are: it is a repeat, or others cover it, one alone or several together. It does no harm. Of tolerations that cover each other the last is told.

The fix removes it.`},
	{ToleratesEverything, "tolerates-everything", Warning,
		"the list tolerates every taint that there can be",
		`A toleration with the operator Exists and neither key nor effect matches every taint; three of them, each with an effect, do the same. The pod may be put on every node, control planes, nodes that are reserved for others, and nodes in trouble, and is evicted from none, unless seconds say so. Agents that run on every node need it: leave the rule out for daemons and for static pods. Anything else should name the keys that it tolerates.`},
	{OpenToEveryNode, "open-to-every-node", Info,
		"the list tolerates every NoSchedule and NoExecute taint",
		`No taint keeps the pod from any node, or evicts it, unless seconds say so; only PreferNoSchedule taints, which keep nobody away, are left. It is nearly what tolerates-everything finds, and as with that rule agents that run on every node need it: leave the rule out for daemons and for static pods.`},
	{EqualEmptyValue, "equal-empty-value", Warning,
		"the toleration matches the empty value alone, where Exists was probably meant",
		`A toleration that leaves out the operator means Equal, and without a value it matches only taints without a value. Kubernetes' own taints have none, and their keys are not told: those under node.kubernetes.io/ and node-role.kubernetes.io/ and some more. Most others have one, such as nvidia.com/gpu=present and dedicated=team, so that the pod stays away from the very nodes that it is for. Where the taint has no value, Exists matches it too. A toleration is not told when another one in the list names a value of the same key.

The fix makes the operator Exists.`},
	{OutdatedKey, "outdated-key", Warning,
		"the toleration's key is one that Kubernetes no longer uses",
		`No Kubernetes that is maintained sets taints with this key; another key has taken its place, such as node-role.kubernetes.io/control-plane that of node-role.kubernetes.io/master. The toleration does nothing any more. That is a warning where no other toleration of the list matches the new taint, and an info where one does: then the old key only serves clusters that are as old.

The fix replaces the key, or removes the toleration where the new taint is tolerated already.`},
	{NoTime, "no-time", Warning,
		"the taint is tolerated for 0 seconds or fewer",
		`Tolerated for 0 seconds, a taint lets the pod be put on the node and evicts it at once, again and again. Who does not want the pod there leaves the toleration out. The keys node.kubernetes.io/not-ready and node.kubernetes.io/unreachable are not told: leaving them out would bring their default of 300 seconds, so 0 is the way to ask for none. A negative number means 0, and is always told.

The fix writes 0 for a negative number, where that is enough.`},
	{UnneededToleration, "unneeded-toleration", Info,
		"no taint of the cluster can ever need the toleration",
		`No node has a taint that the toleration matches. Taints that come and go of themselves count as if some node had them: those of conditions, cordons, clouds and autoscalers. The toleration may be left over from nodes that are gone, or misspelt, or wait for nodes that are yet to come.`},
	{UntoleratedTaint, "untolerated-taint", Info,
		"no pod tolerates the taint by its key",
		`Some node has a NoSchedule or NoExecute taint that no toleration with its key matches. Nodes with it are open to pods alone that tolerate everything, which says nothing of what the nodes are for. They may be idle, waiting, or kept free by hand; or somebody misspelt something. Taints that come and go of themselves are not told, nor PreferNoSchedule taints, which keep nobody away.`},
}

func (r Rule) about() *about {
	for i := range rules {
		if rules[i].rule == r {
			return &rules[i]
		}
	}
	return nil
}

// ParseRule returns the rule of that name, which is case-sensitive. On an
// error, which lists the names, it returns 0.
func ParseRule(name string) (Rule, error) { return parseRule("lint.ParseRule", name) }

func parseRule(caller, name string) (Rule, error) {
	for i := range rules {
		if rules[i].name == name {
			return rules[i].rule, nil
		}
	}
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].name
	}
	return 0, validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.Syntax, Allowed: names}}
}

// IsValid reports whether r is one of the rules.
func (r Rule) IsValid() bool { return r.about() != nil }

// Name returns the rule's name, such as "never-matches": it is as stable as the
// constant, to be stored and shown. It is "" for the zero Rule.
func (r Rule) Name() string { return r.String() }

// String returns the rule's name.
func (r Rule) String() string {
	if a := r.about(); a != nil {
		return a.name
	}
	if r == 0 {
		return ""
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}

// Severity returns how bad the rule's findings are, at their worst.
func (r Rule) Severity() Severity {
	if a := r.about(); a != nil {
		return a.severity
	}
	return 0
}

// Summary returns in one line what the rule finds; "" for no rule. The text may
// change.
func (r Rule) Summary() string {
	if a := r.about(); a != nil {
		return a.summary
	}
	return ""
}

// Doc returns what the rule finds, why that is bad, when it is not, and what
// the fix does: some sentences in paragraphs; "" for no rule. The text may
// change.
func (r Rule) Doc() string {
	if a := r.about(); a != nil {
		return a.doc
	}
	return ""
}

// AppendText appends the rule's name to b. It fails on a number that is no
// rule, and returns b unchanged.
func (r Rule) AppendText(b []byte) ([]byte, error) {
	if r != 0 && !r.IsValid() {
		_, err := parseRule("lint.Rule.AppendText", r.String())
		return b, err
	}
	return append(b, r.String()...), nil
}

// MarshalText returns the rule's name, and fails as AppendText does.
func (r Rule) MarshalText() ([]byte, error) { return r.AppendText(nil) }

// UnmarshalText sets r to the rule of that name; empty text gives the zero
// Rule. On an error r is unchanged.
func (r *Rule) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = 0
		return nil
	}
	parsed, err := parseRule("lint.Rule.UnmarshalText", string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// String returns the severity's name: "info", "warning" or "error", and "" for
// the zero Severity.
func (s Severity) String() string {
	switch {
	case s == 0:
		return ""
	case int(s) <= len(severityNames):
		return severityNames[s-1]
	}
	return "Severity(" + strconv.Itoa(int(s)) + ")"
}

// ParseSeverity returns the severity of that name, which is case-sensitive. On
// an error, which lists the names, it returns 0.
func ParseSeverity(name string) (Severity, error) {
	return parseSeverity("lint.ParseSeverity", name)
}

func parseSeverity(caller, name string) (Severity, error) {
	if i := slices.Index(severityNames, name); i >= 0 {
		return Severity(i + 1), nil
	}
	return 0, validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.Syntax, Allowed: severityNames}}
}

// AppendText appends the severity's name to b. It fails on a number that is no
// severity, and returns b unchanged.
func (s Severity) AppendText(b []byte) ([]byte, error) {
	if s > Error {
		_, err := parseSeverity("lint.Severity.AppendText", s.String())
		return b, err
	}
	return append(b, s.String()...), nil
}

// MarshalText returns the severity's name, and fails as AppendText does.
func (s Severity) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets s to the severity of that name; empty text gives the zero
// Severity. On an error s is unchanged.
func (s *Severity) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*s = 0
		return nil
	}
	parsed, err := parseSeverity("lint.Severity.UnmarshalText", string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// Rules is a set of rules. The zero Rules is the empty set. It is comparable,
// and as text it is the rules' names with commas between.
type Rules struct{ bits uint64 }

// NewRules returns the set of the rules. What is no rule is left out.
func NewRules(rules ...Rule) Rules {
	var s Rules
	for _, r := range rules {
		if r.IsValid() {
			s.bits |= 1 << r
		}
	}
	return s
}

// AllRules returns the set of all rules.
func AllRules() Rules {
	var s Rules
	for i := range rules {
		s.bits |= 1 << rules[i].rule
	}
	return s
}

// Has reports whether the rule is in the set.
func (s Rules) Has(r Rule) bool { return s.bits>>r&1 != 0 }

// With returns the set with the rules added.
func (s Rules) With(rules ...Rule) Rules { return Rules{s.bits | NewRules(rules...).bits} }

// Without returns the set with the rules taken out.
func (s Rules) Without(rules ...Rule) Rules { return Rules{s.bits &^ NewRules(rules...).bits} }

// All returns an iterator over the rules of the set, in the order of their
// constants.
func (s Rules) All() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for i := range rules {
			if s.Has(rules[i].rule) && !yield(rules[i].rule) {
				return
			}
		}
	}
}

// String returns the names of the rules, with commas between.
func (s Rules) String() string {
	b, _ := s.AppendText(nil)
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil.
func (s Rules) AppendText(b []byte) ([]byte, error) {
	first := true
	for r := range s.All() {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, r.String()...)
	}
	return b, nil
}

// MarshalText returns what String returns.
func (s Rules) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// ParseRules returns the set of the rules whose names the text holds, with
// commas between; the empty text is the empty set. On an error, which tells
// every name that is not known, it returns the empty set.
func ParseRules(s string) (Rules, error) { return parseRules("lint.ParseRules", s) }

func parseRules(caller, s string) (Rules, error) {
	var (
		set Rules
		ps  validate.Problems
	)
	if s == "" {
		return Rules{}, nil
	}
	i := 0
	for name := range strings.SplitSeq(s, ",") {
		r, err := parseRule("", name)
		ps = validate.Append(ps, validate.Index("", i), err)
		set = set.With(r)
		i++
	}
	if len(ps) > 0 {
		for _, p := range ps {
			p.Func = caller
		}
		return Rules{}, ps
	}
	return set, nil
}

// UnmarshalText sets s to what [ParseRules] reads. On an error s is unchanged.
func (s *Rules) UnmarshalText(text []byte) error {
	parsed, err := parseRules("lint.Rules.UnmarshalText", string(text))
	if err == nil {
		*s = parsed
	}
	return err
}
