// Package rules reads a file of rules about the tolerations and node selectors of pods,
// and judges pods by it. The webhook in examples applies it to pods that are created and
// updated; kubectl tolerate lint, to manifests and to the pods of a cluster.
//
//	c, err := rules.Decode(file)
//	if err != nil {
//		return err // all mistakes of the file
//	}
//	pod, err := rules.DecodePod(object, "")
//	refused := c.For("shop", nil).Judge(pod)
//
// # Files
//
// A file is JSON:
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
// A rule applies to a pod if the pod is in one of its namespaces, and the user who creates
// or updates the pod is in one of its groups. A rule without namespaces, or without groups,
// applies to all. A rule has up to four settings: tolerations and labels of nodes, which a
// new pod gets; a policy, in the form of package policy; and warn, which makes all refusals
// warnings. A pod has each setting of the first rule that applies and has it. The last
// policy must be for all pods.
//
// These are errors: unknown, repeated and null fields, a setting that never applies, and a
// policy with mistakes.
//
// # Verdicts
//
// A pod is completed first: it gets the tolerations that Kubernetes' admission adds (300
// seconds for nodes that are not ready or unreachable, memory-pressure unless it is
// BestEffort, the extended resources that it requests), and those and the labels of its
// rule. Then it is refused if
//
//   - its node selector has another value for a label of its rule,
//   - it has more than 200 tolerations, or
//   - its policy refuses one of them. Those that every pod of its namespace, group and
//     quality of service gets, and those that it had before an update, are accepted.
//
// # Without a user
//
// Who creates a pod can be unknown, as for a manifest. Without groups, rules with groups do
// not apply: the verdict is that on pods of a Deployment, whose creator is a controller of
// the control plane. So a pod that only the members of a group may create is refused. A
// policy that restricts a group is not applied; a Deployment would bypass it, so restrict
// namespaces instead.
package rules

import (
	"cmp"
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

// MaxTolerations is the largest number of tolerations of a pod that is complete.
const MaxTolerations = 200

const (
	tolerationsPath = "spec.tolerations"
	selectorPath    = "spec.nodeSelector"
)

// A Config holds the rules of a file. The zero Config has none.
type Config struct{ rules []rule }

type rule struct {
	namespaces, groups []string // nil: all
	Settings
}

// Settings are those for a pod. The zero Settings add what Kubernetes adds, and refuse
// only pods with too many tolerations.
type Settings struct {
	tolerations  toleration.List
	nodeSelector map[string]string
	policy       *policy.Policy
	warn         *bool

	selectorAt, policyAt string // where these are in the file
}

// For returns the settings for the pods of a namespace that a user in these groups creates
// or updates.
func (c *Config) For(namespace string, groups []string) (s Settings) {
	inGroup := func(group string) bool { return slices.Contains(groups, group) }
	for _, r := range c.rules {
		if r.namespaces != nil && !slices.Contains(r.namespaces, namespace) || r.groups != nil && !slices.ContainsFunc(r.groups, inGroup) {
			continue
		}
		if s.tolerations == nil {
			s.tolerations = r.tolerations
		}
		if s.nodeSelector == nil {
			s.nodeSelector, s.selectorAt = r.nodeSelector, r.selectorAt
		}
		if s.policy == nil {
			s.policy, s.policyAt = r.policy, r.policyAt
		}
		s.warn = cmp.Or(s.warn, r.warn)
	}
	return s
}

// Namespaced reports whether the settings depend on the namespace.
func (c *Config) Namespaced() bool {
	return slices.ContainsFunc(c.rules, func(r rule) bool { return r.namespaces != nil })
}

// Warn reports whether refusals are only warnings.
func (s Settings) Warn() bool { return s.warn != nil && *s.warn }

// A Pod holds what is judged. Use DecodePod to make one; for a list of tolerations whose
// pod is unknown, use the quality of service BestEffort.
type Pod struct {
	admission.PodSpec
	NodeSelector map[string]string
	Update       bool            // the pod exists, so its node selector is not judged
	Old          toleration.List // what it had before the update
}

// DecodePod returns the pod of an object or of a template. path is its place, such as
// "spec.template", for the problems.
func DecodePod(data []byte, path string) (p Pod, err error) {
	if p.PodSpec, _, err = admission.DecodePod(data, path); err != nil {
		return Pod{}, err
	}
	selector := apijson.Field{Kind: apijson.Other, Text: string(data)}
	for _, name := range []string{"spec", "nodeSelector"} {
		field := make([]apijson.Field, 1)
		if s, err := apijson.NewScanner([]byte(selector.Raw())); err == nil {
			s.Object([]string{name}, field, false, nil) // null has no fields
		}
		selector = field[0]
	}
	if selector.Kind != apijson.Absent {
		var r reader
		if p.NodeSelector = r.labels(selectorPath, selector); r.problems != nil {
			return Pod{}, problem.Append(nil, path, r.problems)
		}
	}
	return p, nil
}

// A Refusal is a reason to refuse a pod.
type Refusal struct {
	Problem *validate.Problem
	// Index is that of the toleration, beyond the pod's own for an added one; -1 if it is
	// not about one.
	Index int
	// Clause is the place in the file, such as rules[2].policy.deny[1] or, if the clause has
	// a name, rules[2].policy.gpu. It is empty for a pod with too many tolerations.
	Clause string
}

// Judge returns why a pod is refused that has not been completed, such as that of a
// manifest.
func (s Settings) Judge(p Pod) []Refusal {
	tolerations, labels := s.Missing(p)
	selector := map[string]string{}
	maps.Copy(selector, p.NodeSelector)
	maps.Copy(selector, labels)
	p.Tolerations, p.NodeSelector = slices.Concat(p.Tolerations, tolerations), selector
	return s.Check(p)
}

// Missing returns what to add to a pod: nothing if it would have too many tolerations, and
// no label of which it has another value. Check refuses these pods.
func (s Settings) Missing(p Pod) (tolerations toleration.List, labels map[string]string) {
	tolerations, err := s.missing(p)
	if err != nil {
		return nil, nil
	}
	labels = map[string]string{}
	for label, value := range s.nodeSelector {
		if _, ok := p.NodeSelector[label]; !ok && !p.Update { // it cannot be changed later
			labels[label] = value
		}
	}
	return tolerations, labels
}

func (s Settings) plan() admission.Plan {
	return admission.Plan{Restriction: admission.Restriction{Defaults: s.tolerations}}
}

func (s Settings) missing(p Pod) (list toleration.List, err error) {
	if p.Update {
		list, err = s.plan().OnUpdate(p.PodSpec)
	} else {
		list, err = s.plan().OnCreate(p.PodSpec)
	}
	if err == nil && len(p.Tolerations)+len(list) > MaxTolerations {
		err = fmt.Errorf("more than %d, with those that are added, are too many", MaxTolerations)
	}
	return list, err
}

// Check returns why a pod is refused that is complete.
func (s Settings) Check(p Pod) (refused []Refusal) {
	if p.Update {
		s.nodeSelector = nil
	}
	for _, label := range slices.Sorted(maps.Keys(s.nodeSelector)) {
		has, ok := p.NodeSelector[label]
		r, want := &validate.Problem{Path: selectorPath + "[" + label + "]", Value: has}, s.nodeSelector[label]
		switch {
		case !ok:
			r.Err = fmt.Errorf("must be %q, which /mutate adds; is the mutating webhook configured and running?", want)
		case has != want:
			r.Err = fmt.Errorf("pods of this namespace or group are for nodes with the label %s=%s; omit the field or use %q", label, want, want)
		default:
			continue
		}
		refused = append(refused, Refusal{r, -1, s.selectorAt})
	}
	if _, err := s.missing(p); err != nil {
		return append(refused, Refusal{&validate.Problem{Path: tolerationsPath, Err: err}, -1, ""})
	}
	if s.policy == nil {
		return refused
	}
	added, _ := s.plan().OnCreate(admission.PodSpec{QOS: p.QOS}) // without a whitelist, every pod is accepted
	accepted := slices.Concat(p.Old, added)
	for i, u := range p.Tolerations {
		v := s.policy.Judge(u)
		if v.Allowed || slices.Contains(accepted, u) {
			continue
		}
		for _, r := range problem.Append(nil, "", s.policy.Check(p.Tolerations[i:i+1], "")) {
			r.Path = problem.Index(tolerationsPath, i)
			clause := cmp.Or(v.Clause, "allow")
			refused = append(refused, Refusal{r, i, s.policyAt + "." + clause})
		}
	}
	return refused
}
