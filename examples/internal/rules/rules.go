// Package rules reads a file of rules about the tolerations and node selectors of pods,
// and judges pods by it. kubectl tolerate lint applies it to manifests and to the pods of
// a cluster; kubectl tolerate enforce compiles it to admission policies of the API server.
//
//	c, err := rules.Decode(file)
//	if err != nil {
//		return err // all mistakes of the file
//	}
//	pod, err := rules.DecodePod(object, "")
//	refused := c.For("shop", nil).Check(pod)
//
// # Files
//
// A file is JSON. The commands also read YAML.
//
//	{
//	  "description": "for people",
//	  "rules": [
//	    {"namespaces": ["ml"],
//	     "tolerations": [{"key": "dedicated", "value": "gpu"}], "nodeSelector": {"dedicated": "gpu"}},
//	    {"groups": ["gpu-users"],
//	     "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
//	    {"warn": true,
//	     "policy": {"allow": [{"taints": [{"operator": "Exists"}]}],
//	                "deny": [{"message": "join gpu-users", "taints": [{"key": "dedicated", "value": "gpu"}]}]}}
//	  ]
//	}
//
// A rule applies to the pods of its namespaces that users of its groups create or update. A
// rule without namespaces applies to all namespaces, and one without groups to all users. It
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
// These are errors: unknown, repeated and null fields; a setting that never applies, since an
// earlier rule has it for all pods; a mistake in a policy; and the operators Lt and Gt, which
// are off by default in Kubernetes 1.38.
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
// A policy does not judge a toleration that equals one of these: those that the pod had before
// an update; those that its rule adds; those that Kubernetes adds to pods, which are 300
// seconds for nodes that are not ready or unreachable, and memory-pressure; and, if the
// DaemonSet controller creates the pod, those that it adds. The tolerations that runtime
// classes and extended resources add, and default seconds other than 300, need a clause.
//
// # Without a user
//
// Who creates a pod can be unknown, as for a manifest. Then rules with groups do not apply.
// The verdict is that on the pods of a Deployment, which a controller of the control plane
// creates: groups that such controllers are in, such as system:serviceaccounts, are mistakes
// in a file. So a pod that only the members of a group can create is refused. To restrict a
// user, restrict namespaces: a policy that restricts a group does not apply to the
// Deployments of its members.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
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
	Namespaces, Groups []string // nil: all
	Settings
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

// For returns the settings for the pods of a namespace that a user in these groups creates
// or updates.
func (c *Config) For(namespace string, groups []string) (s Settings) {
	inGroup := func(group string) bool { return slices.Contains(groups, group) }
	for _, r := range c.Rules {
		if r.Namespaces != nil && !slices.Contains(r.Namespaces, namespace) || r.Groups != nil && !slices.ContainsFunc(r.Groups, inGroup) {
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

// Namespaced reports whether the settings depend on the namespace.
func (c *Config) Namespaced() bool {
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return r.Namespaces != nil })
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
	accepted := slices.Concat(Defaults, s.Tolerations) // and what is added to the pod
	n := len(p.Tolerations)
	if p.Daemon {
		accepted = slices.Concat(accepted, admission.Daemon(admission.DaemonOptions{HostNetwork: p.HostNetwork}, nil))
	}
	if p.Manifest {
		for _, u := range accepted {
			if !slices.Contains(p.Tolerations, u) {
				n++
			}
		}
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
	if len(p.Old) <= MaxTolerations {
		accepted = slices.Concat(accepted, p.Old)
	}
	for i, u := range p.Tolerations {
		if slices.Contains(accepted, u) {
			continue
		}
		if v := s.Policy.Judge(widened(u)); !v.Allowed {
			p := &validate.Problem{Path: problem.Index("spec.tolerations", i), Value: u.String(), Rule: validate.NotAllowed, Want: "is not allowed by the policy", Err: errors.New(v.String())}
			refused = append(refused, Refusal{p, i, s.Clause(v), Reason(v)})
		}
	}
	return refused
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
