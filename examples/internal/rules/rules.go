// Package rules reads a file of rules about the tolerations and node selectors of pods,
// and judges pods by it. kubectl tolerate lint applies it to manifests and to the pods of
// a cluster; kubectl tolerate enforce compiles it to admission policies of the API server.
//
//	c, err := rules.Decode(file)
//	if err != nil {
//		return err // all mistakes of the file
//	}
//	pod, err := rules.DecodePod(object, "")
//	settings, _ := c.For(rules.Request{Namespace: "shop"})
//	refused := settings.Check(pod)
//
// # Files
//
// A file is JSON. The commands also read YAML.
//
//	{
//	  "description": "for people",
//	  "rules": [
//	    {"name": "ml", "namespaces": ["ml"],
//	     "tolerations": [{"key": "dedicated", "value": "gpu"}], "nodeSelector": {"dedicated": "gpu"}},
//	    {"groups": ["gpu-users"],
//	     "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
//	    {"warn": true,
//	     "policy": {"allow": [{"taints": [{"operator": "Exists"}]}],
//	                "deny": [{"message": "join gpu-users", "taints": [{"key": "dedicated", "value": "gpu"}]}]}}
//	  ]
//	}
//
// A rule applies to the pods of its namespaces that its users, or users in its groups, create or
// update. Namespaces are given by their names, or by their labels in a namespaceSelector with
// matchLabels and matchExpressions. A rule with neither applies to all namespaces, and one without
// users and groups to all users. Its name, which is optional, is shown instead of its place. It
// has up to five settings:
//
//   - policy: which tolerations are allowed, as in package policy;
//   - tolerations: these are added to new pods;
//   - nodeSelector: these labels of nodes are added to the node selectors of new pods, and a
//     pod with another value is refused;
//   - denyNodeName: with true, new pods that name their node in spec.nodeName are refused.
//     Such a pod is not scheduled, so no NoSchedule taint repels it;
//   - warn: with true, what would be refused is only a warning.
//
// For each setting, the first rule counts that applies to the pod and has the setting. If
// there are policies, the last must be for all pods.
//
// These are errors: unknown, repeated and null fields; a file without rules; a rule without
// settings, or with warn alone; a setting that never applies, since an earlier rule has it for
// all pods; a mistake in a policy; and the operators Lt and Gt, which are off by default in
// Kubernetes 1.38.
//
// # Verdicts
//
// A pod that is being deleted, the mirror pod of a static pod, and an update that does not
// change the list of tolerations are always accepted. Otherwise, a pod is refused if
//
//   - it has more than 200 tolerations, with those that Kubernetes and its rule add,
//   - it is new, and its node selector lacks a label of its rule or has another value,
//   - it is new, and names its node although its rule denies this, or
//   - its policy refuses one of its tolerations. Lt and Gt are judged as Exists.
//
// A policy does not judge a toleration that these cover, one or several together: those that are
// added to the pod by its rule; those that Kubernetes adds to pods, which are 300 seconds for nodes
// that are not ready or unreachable, and memory-pressure; and, if the DaemonSet controller creates the
// pod, those that it adds. Nor does it judge one that the pod had before an update, if its seconds are
// not longer now. The tolerations that runtime classes and extended resources add, and default
// seconds above 300, need a clause.
//
// # Without a user
//
// Who creates a pod can be unknown, as for a manifest. Then rules with users or groups do not
// apply. The verdict is that on the pods of a Deployment, which a controller of the control plane
// creates: such controllers, and groups that they are in, such as system:serviceaccounts, are
// mistakes in a file, as are patterns, which would match nobody. So a pod that only the members of a group can create is refused. To
// restrict a user, restrict namespaces: a policy that restricts a group does not apply to the
// Deployments of its members.
//
// A user who may label a namespace can give it the rules of a namespaceSelector. NotIn and
// DoesNotExist select every new namespace, too.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// MaxTolerations is the largest number of tolerations that a pod may have.
const MaxTolerations = 200

// A Config holds the rules of a file. The zero Config has none.
type Config struct{ Rules []Rule }

// A Rule holds the settings of some pods.
type Rule struct {
	Name          string // or empty
	Namespaces    []string
	Selector      Selector // of namespaces; without it and Namespaces: all
	Users, Groups []string // without both: all users
	Settings
}

// Place returns the name of the rule, or its place in the file.
func (r *Rule) Place(i int) string { return cmp.Or(r.Name, problem.Index("rules", i)) }

// Everywhere reports whether the rule applies to all namespaces.
func (r *Rule) Everywhere() bool { return r.Namespaces == nil && r.Selector == nil }

// Restricted reports whether the rule applies only to some users.
func (r *Rule) Restricted() bool { return r.Users != nil || r.Groups != nil }

// A Selector selects the namespaces whose labels meet all requirements.
type Selector []Requirement

// A Requirement is an expression about a label. The operator is In, NotIn, Exists or DoesNotExist.
type Requirement struct {
	Key, Operator string
	Values        []string
}

// Matches reports whether the labels meet all requirements.
func (s Selector) Matches(labels map[string]string) bool {
	for _, r := range s {
		value, ok := labels[r.Key]
		if r.Operator == "In" || r.Operator == "NotIn" {
			ok = ok && slices.Contains(r.Values, value)
		}
		if ok != (r.Operator == "In" || r.Operator == "Exists") {
			return false
		}
	}
	return true
}

// Settings are those for a pod. A nil field is not set. The zero Settings refuse only pods
// with too many tolerations.
type Settings struct {
	Tolerations  toleration.List
	NodeSelector map[string]string
	Policy       *policy.Policy
	DenyNodeName *bool
	Warn         *bool

	SelectorAt, PolicyAt, NodeNameAt string // where these are in the file
}

// A Request is where a pod is created or updated, and by whom.
type Request struct {
	Namespace string
	Labels    map[string]string // of the namespace, or nil if they are not known
	User      string            // or empty
	Groups    []string
}

// For returns the settings for the pods of a request. It reports false if they depend on the
// labels of the namespace, which are not known.
func (c *Config) For(request Request) (s Settings, known bool) {
	inGroup := func(group string) bool { return slices.Contains(request.Groups, group) }
	known = true
	s = c.First(func(r *Rule) bool {
		switch {
		case r.Restricted() && !slices.Contains(r.Users, request.User) && !slices.ContainsFunc(r.Groups, inGroup):
			return false
		case r.Selector == nil:
			return r.Namespaces == nil || slices.Contains(r.Namespaces, request.Namespace)
		}
		known = known && request.Labels != nil
		return r.Selector.Matches(request.Labels)
	})
	return s, known
}

// First returns the settings if these rules apply.
func (c *Config) First(applies func(*Rule) bool) (s Settings) {
	for i := range c.Rules {
		r := &c.Rules[i]
		if s.has(r.Settings) || !applies(r) {
			continue
		}
		if s.Tolerations == nil {
			s.Tolerations = r.Tolerations
		}
		if s.NodeSelector == nil {
			s.NodeSelector, s.SelectorAt = r.NodeSelector, r.SelectorAt
		}
		if s.Policy == nil {
			s.Policy, s.PolicyAt = r.Policy, r.PolicyAt
		}
		if s.DenyNodeName == nil {
			s.DenyNodeName, s.NodeNameAt = r.DenyNodeName, r.NodeNameAt
		}
		s.Warn = cmp.Or(s.Warn, r.Warn)
	}
	return s
}

// has reports whether all settings of t are set in s.
func (s *Settings) has(t Settings) bool {
	return (s.Tolerations != nil || t.Tolerations == nil) && (s.NodeSelector != nil || t.NodeSelector == nil) &&
		(s.Policy != nil || t.Policy == nil) && (s.DenyNodeName != nil || t.DenyNodeName == nil) && (s.Warn != nil || t.Warn == nil)
}

// Namespaced reports whether the settings depend on the namespace.
func (c *Config) Namespaced() bool {
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return !r.Everywhere() })
}

// Selects reports whether the settings depend on the labels of namespaces.
func (c *Config) Selects() bool {
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return r.Selector != nil })
}

// RefusesNone reports whether the policies allow every toleration.
func (c *Config) RefusesNone() bool {
	return !slices.ContainsFunc(c.Rules, func(r Rule) bool { return r.Refuses(toleration.MustParse("op=Exists")) })
}

// Refuses reports whether the policy refuses a toleration.
func (s Settings) Refuses(u toleration.Toleration) bool {
	return s.Policy != nil && !s.Policy.Judge(u).Allowed
}

// Open returns the places of rules whose pods can avoid NoSchedule taints by naming their node,
// although a policy refuses them tolerations of such taints: the rules of these policies, if no
// rule denies it, and those with denyNodeName: false. It assumes that at most one selector selects a
// namespace, and at most one rule names a user or its groups.
func (c *Config) Open() (unset, off []string) {
	none := len(c.Rules)
	type first struct{ policy, deny int } // the first rules with policy and with denyNodeName
	both := func(a, b first) first { return first{min(a.policy, b.policy), min(a.deny, b.deny)} }
	of := func(firsts map[string]first, key string) first {
		if f, ok := firsts[key]; ok {
			return f
		}
		return first{none, none}
	}
	everywhere, names, selectors := of(nil, ""), map[string]first{}, map[string]first{}
	own, refuses, open := make([]first, none), make([]bool, none), make([]bool, none)
	text := func(s Selector) string { return fmt.Sprintf("%q", s) }
	for i, r := range c.Rules {
		own[i] = of(nil, "")
		if r.Policy != nil {
			own[i].policy, refuses[i] = i, r.Refuses(toleration.MustParse(":NoSchedule op=Exists"))
		}
		if r.DenyNodeName != nil {
			own[i].deny = i
		}
		switch {
		case r.Restricted():
		case r.Everywhere():
			everywhere = both(everywhere, own[i])
		case r.Selector != nil:
			selectors[text(r.Selector)] = both(of(selectors, text(r.Selector)), own[i])
		default:
			for _, name := range r.Namespaces {
				names[name] = both(of(names, name), own[i])
			}
		}
	}
	check := func(f first) {
		switch {
		case f.policy == none || !refuses[f.policy]:
		case f.deny == none:
			open[f.policy] = true
		case !*c.Rules[f.deny].DenyNodeName:
			open[f.deny] = true
		}
	}
	// Pods that no rule selects; then those of each rule, in namespaces that no other rule selects and
	// in those that one does.
	check(everywhere)
	named := map[first]bool{of(nil, ""): true}
	for _, f := range names {
		named[f] = true
	}
	for i, r := range c.Rules {
		f := both(everywhere, own[i])
		if r.Everywhere() {
			for _, s := range selectors {
				check(both(f, s))
			}
		}
		if r.Namespaces == nil {
			f = both(f, of(selectors, text(r.Selector)))
			for n := range named {
				check(both(f, n))
			}
		}
		for _, name := range r.Namespaces {
			check(both(f, of(names, name)))
		}
	}
	for i, r := range c.Rules {
		switch {
		case open[i] && r.DenyNodeName == nil:
			unset = append(unset, r.Place(i))
		case open[i]:
			off = append(off, r.Place(i))
		}
	}
	return unset, off
}

// Warns reports whether refusals are only warnings.
func (s Settings) Warns() bool { return s.Warn != nil && *s.Warn }

// A Pod holds what is judged. Use DecodePod to make one.
type Pod struct {
	Tolerations  toleration.List
	NodeSelector map[string]string
	NodeName     string
	HostNetwork  bool
	Update       bool            // the pod exists
	Old          toleration.List // what it had before the update
	Deleted      bool            // it is being deleted
	Mirror       bool            // a kubelet creates it for a static pod
	Daemon       bool            // the DaemonSet controller creates it
	Manifest     bool            // nothing was added to it yet: tolerations, labels
}

// DecodePod returns the pod of an object or of a template. path is its place, such as
// "spec.template", for the problems.
func DecodePod(data []byte, path string) (p Pod, err error) {
	decoded, _, err := admission.DecodePod(data, path)
	if err != nil {
		return Pod{}, err
	}
	p.Tolerations = decoded.Tolerations
	spec, names := make([]apijson.Field, 1), []string{"nodeSelector", "nodeName", "hostNetwork"}
	fields := make([]apijson.Field, len(names))
	if s, err := apijson.NewScanner(data); err == nil {
		s.Object([]string{"spec"}, spec, false, nil)
	}
	if s, err := apijson.NewScanner([]byte(spec[0].Raw())); err == nil {
		s.Object(names, fields, false, nil) // null has no fields
	}
	var r reader
	if fields[0].Kind != apijson.Absent {
		p.NodeSelector = r.labels("spec.nodeSelector", fields[0])
	}
	p.NodeName, r.problems = fields[1].AsString("spec.nodeName", r.problems)
	if fields[2].Kind != apijson.Absent {
		p.HostNetwork = *r.truth("spec.hostNetwork", fields[2])
	}
	if r.problems != nil {
		return Pod{}, problem.Append(nil, path, r.problems)
	}
	return p, nil
}

// A Refusal is a reason to refuse a pod.
type Refusal struct {
	Problem *validate.Problem
	Index   int // that of the toleration, or -1
	// Clause is the place in the file, such as rules[2].policy.deny[1] or, if the clause has
	// a name, rules[2].policy.gpu. It is empty for a pod with too many tolerations.
	Clause string
	Reason string // what the clause does: see Reason
}

// Defaults are the tolerations that Kubernetes adds to pods.
var Defaults = append(admission.DefaultSeconds(admission.SecondsOptions{}, nil), toleration.MustParse("node.kubernetes.io/memory-pressure:NoSchedule op=Exists"))

// Check returns why a pod is refused.
func (s Settings) Check(p Pod) (refused []Refusal) {
	if p.Deleted || p.Mirror || p.Update && slices.Equal(p.Tolerations, p.Old) {
		return nil
	}
	n := len(p.Tolerations)
	if p.Manifest {
		n += len(s.Tolerations) + Added(p.Daemon)
	}
	refuse := func(clause, path, value, reason string) {
		refused = append(refused, Refusal{&validate.Problem{Path: path, Value: value, Err: errors.New(reason)}, -1, clause, reason})
	}
	if n > MaxTolerations {
		refuse("", "spec.tolerations", "", fmt.Sprintf("more than %d, with those that are added, are too many", MaxTolerations))
	}
	if !p.Update {
		for _, label := range slices.Sorted(maps.Keys(s.NodeSelector)) {
			want := s.NodeSelector[label]
			if has, ok := p.NodeSelector[label]; ok && has != want || !ok && (!p.Manifest || p.Daemon) {
				refuse(s.SelectorAt, "spec.nodeSelector["+label+"]", has, fmt.Sprintf("must be %q: these pods are for nodes with the label %s=%s", want, label, want))
			}
		}
		if p.NodeName != "" && s.DenyNodeName != nil && *s.DenyNodeName {
			refuse(s.NodeNameAt, "spec.nodeName", p.NodeName, "must be omitted, so that the pod is scheduled and NoSchedule taints repel it")
		}
	}
	if len(p.Tolerations) > MaxTolerations || s.Policy == nil {
		return refused
	}
	accepts := Accepts(s.Tolerations, p.Daemon, p.HostNetwork)
	for i, u := range p.Tolerations {
		if seconds(u) <= Longest(accepts, widened(u)) || len(p.Old) <= MaxTolerations && slices.ContainsFunc(p.Old, func(old toleration.Toleration) bool {
			return old.WithoutSeconds() == u.WithoutSeconds() && seconds(u) <= seconds(old)
		}) {
			continue
		}
		if v := s.Policy.Judge(widened(u)); !v.Allowed {
			refusal := &validate.Problem{Path: problem.Index("spec.tolerations", i), Value: u.String(), Rule: validate.NotAllowed, Want: "is not allowed by the policy", Err: errors.New(v.String())}
			refused = append(refused, Refusal{refusal, i, s.Clause(v), Reason(v)})
		}
	}
	return refused
}

// Added returns the most tolerations that Kubernetes adds to a pod.
func Added(daemon bool) int {
	if daemon { // its controller's, which cover the defaults
		return len(admission.Daemon(admission.DaemonOptions{HostNetwork: true}, nil))
	}
	return len(Defaults)
}

// Accepts returns what is not judged: the tolerations that the rule and Kubernetes add, and what
// they cover.
func Accepts(tolerations toleration.List, daemon, hostNetwork bool) policy.Policy {
	accepted := slices.Concat(Defaults, tolerations)
	if daemon {
		accepted = slices.Concat(accepted, admission.Daemon(admission.DaemonOptions{HostNetwork: hostNetwork}, nil))
	}
	var spec policy.Spec
	bySeconds := map[int64]int{} // the clause
	for _, u := range accepted {
		n := seconds(u)
		at, ok := bySeconds[n]
		if !ok {
			at = len(spec.Allow)
			bySeconds[n], spec.Allow = at, append(spec.Allow, policy.Clause{})
			if n != forever {
				spec.Allow[at].MaxSeconds = &n
			}
		}
		if u = u.WithoutSeconds(); u.Operator() != toleration.Exists { // a clause needs the operator
			u = problem.Must(toleration.New(u.Key(), toleration.Equal, u.Value(), u.Effect()))
		}
		spec.Allow[at].Taints = append(spec.Allow[at].Taints, u)
	}
	return problem.Must(policy.New(spec)) // valid, since the tolerations are
}

const forever = math.MaxInt64

// seconds returns for how long a toleration tolerates: without seconds, forever.
func seconds(u toleration.Toleration) int64 {
	if n, timed := u.Seconds(); timed {
		return max(0, n)
	}
	return forever
}

// Longest returns the most seconds for which the policy allows a toleration, or -1.
func Longest(p policy.Policy, u toleration.Toleration) int64 {
	u = u.WithoutSeconds()
	v := p.Judge(u)
	switch {
	case v.Allowed:
		return forever
	case v.MaxSeconds != nil && u.Effect() == taint.NoExecute && p.Judge(problem.Must(u.WithSeconds(*v.MaxSeconds))).Allowed:
		return *v.MaxSeconds
	}
	return -1
}

// widened returns the toleration, of which Lt and Gt are Exists. It stays valid.
func widened(u toleration.Toleration) toleration.Toleration {
	if !u.IsNumeric() {
		return u
	}
	wide := problem.Must(toleration.New(u.Key(), toleration.Exists, "", u.Effect()))
	if n, timed := u.Seconds(); timed {
		wide = problem.Must(wide.WithSeconds(n))
	}
	return wide
}

// Clause returns the place of the clause that refuses a toleration.
func (s Settings) Clause(v policy.Verdict) string {
	return s.PolicyAt + "." + cmp.Or(v.Clause, "allow")
}

// Reason returns what the clause of a refusal does, and its message: "denies it: join
// gpu-users".
func Reason(v policy.Verdict) string {
	text := "has no clause for it"
	switch {
	case v.MaxSeconds != nil && v.Denied:
		text = fmt.Sprintf("denies more than %d seconds", *v.MaxSeconds)
	case v.MaxSeconds != nil:
		text = fmt.Sprintf("allows at most %d seconds", *v.MaxSeconds)
	case v.Denied:
		text = "denies it"
	}
	if v.Message != "" {
		text += ": " + v.Message
	}
	return text
}
