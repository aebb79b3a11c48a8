package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/policy"
	"github.com/go-tolerate/tolerate/validate"
)

// A reader collects the problems of a configuration file.
type reader struct{ problems validate.Problems }

func (r *reader) add(path string, err error) {
	r.problems = problem.Append(r.problems, path, err)
}

// members calls each for the fields of an object. Repeated fields, null, and fields
// that are not in names, unless it is nil, are problems: a misspelt policy must not
// be an omitted one.
func (r *reader) members(path string, object apijson.Field, names []string, each func(name, path string, value apijson.Field)) {
	s, err := apijson.NewScanner([]byte(object.Raw()))
	if err == nil && !s.Enter('{') {
		err = object.WrongType("", "must be an object")
	}
	r.add(path, err)
	seen := map[string]bool{}
	for err == nil && s.More() {
		name, value := s.Name(), s.Value()
		field := strings.TrimPrefix(path+"."+name, ".")
		if !slices.Contains(names, name) {
			field = fmt.Sprintf("%s[%q]", path, name)
		}
		switch {
		case seen[name]:
			r.add(field, &validate.Problem{Value: value.Raw(), Rule: validate.FieldRepeated})
		case names != nil && !slices.Contains(names, name):
			r.add(path, &validate.Problem{Value: name, Rule: validate.FieldUnknown, Allowed: names})
		case value.Kind == apijson.Absent:
			r.add(field, errors.New("must not be null; to have no such setting, omit it"))
		default:
			each(name, field, value)
		}
		seen[name] = true
	}
}

// Decode reads a file, or reports all mistakes in it. The error is validate.Problems.
func Decode(data []byte) (*Config, error) {
	c, r := new(Config), new(reader)
	r.members("", apijson.Field{Kind: apijson.Other, Text: string(data)}, []string{"description", "rules"}, func(name, path string, value apijson.Field) {
		if name == "rules" {
			c.Rules = r.rules(path, value)
		} else {
			_, r.problems = value.AsString(path, r.problems)
		}
	})
	if r.problems != nil {
		return nil, r.problems
	}
	return c, nil
}

// rules reads the list of rules. A setting that never applies, and a policy that does
// not apply to all pods, are problems: each can open what was to be closed.
func (r *reader) rules(path string, value apijson.Field) (rules []Rule) {
	list, err := apijson.OpenList([]byte(value.Raw()), path)
	r.add("", err)
	general := map[string]string{} // setting: the rule that has it for all pods
	policies := false
	for i := 0; err == nil && list.More(); i++ {
		at := problem.Index(path, i)
		read, settings := r.rule(at, list.Value())
		for _, name := range settings {
			if first, ok := general[name]; ok {
				r.add(at+"."+name, fmt.Errorf("never applies, since %s.%s is for all pods; move the general rule to the end", first, name))
			} else if read.Namespaces == nil && read.Groups == nil {
				general[name] = at
			}
			policies = policies || name == "policy"
		}
		rules = append(rules, read)
	}
	if _, ok := general["policy"]; policies && !ok {
		r.add(path, errors.New("no policy is for all pods; add one, without namespaces and groups, in a last rule"))
	}
	return rules
}

// maxLabels is the largest number of labels of a rule: CEL has a limit of nesting.
const maxLabels = 100

// controllers are the groups of the controllers of the control plane.
var controllers = []string{"system:authenticated", "system:serviceaccounts", "system:serviceaccounts:kube-system"}

var namespace = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// rule reads a rule, and returns the names of its settings.
func (r *reader) rule(path string, value apijson.Field) (read Rule, settings []string) {
	names := []string{"namespaces", "groups", "tolerations", "nodeSelector", "policy", "denyNodeName", "warn"}
	r.members(path, value, names, func(name, path string, value apijson.Field) {
		data := []byte(value.Raw())
		switch name {
		case "namespaces":
			read.Namespaces = r.texts(path, data)
			for i, name := range read.Namespaces {
				if !namespace.MatchString(name) { // such a rule would never apply
					r.add(problem.Index(path, i), fmt.Errorf("%.80q is not the name of a namespace", name))
				}
			}
			return
		case "groups":
			read.Groups = r.texts(path, data)
			for i, name := range read.Groups {
				if slices.Contains(controllers, name) {
					r.add(problem.Index(path, i), fmt.Errorf("the controllers that create the pods of workloads are in %s, so the rule would be for everybody who can create workloads", name))
				}
			}
			return
		case "tolerations":
			list, _, err := toleration.Decode(data, toleration.DecodeOptions{Path: path, Strict: true})
			r.add("", err)
			r.numeric(path, list)
			if len(list) > MaxTolerations {
				r.add(path, fmt.Errorf("more than %d are too many for a pod", MaxTolerations))
			}
			for i, u := range list {
				if n, _ := u.Seconds(); n > 1<<53 || n < -1<<53 { // the API server reads the patch as a float64
					r.add(problem.Index(path, i)+".tolerationSeconds", errors.New("must be at most 2^53; to have no limit, omit it"))
				}
			}
			read.Tolerations = append(toleration.List{}, list...) // not nil
		case "nodeSelector":
			if read.NodeSelector, read.SelectorAt = r.labels(path, value), path; len(read.NodeSelector) > maxLabels {
				r.add(path, fmt.Errorf("more than %d labels are too many", maxLabels))
			}
		case "policy":
			p, err := policy.Decode(data)
			r.add(path, err)
			spec := p.Spec()
			for i, c := range slices.Concat(spec.Allow, spec.Deny) {
				at := problem.Index(path+".allow", i)
				if n := len(spec.Allow); i >= n {
					at = problem.Index(path+".deny", i-n)
				}
				r.numeric(at+".taints", c.Taints)
				r.numeric(at+".except", c.Except)
			}
			read.Policy, read.PolicyAt = &p, path
		case "denyNodeName":
			read.DenyNodeName, read.NodeNameAt = r.truth(path, value), path
		case "warn":
			read.Warn = r.truth(path, value)
		}
		settings = append(settings, name)
	})
	return read, settings
}

// numeric reports Lt and Gt: the API server of a cluster that has them switched off, as
// Kubernetes 1.38 has by default, accepts no pod with them.
func (r *reader) numeric(path string, list toleration.List) {
	for i, u := range list {
		if u.IsNumeric() {
			r.add(problem.Index(path, i), fmt.Errorf("the operator %v is not supported in rules", u.Operator()))
		}
	}
}

// truth reads a boolean.
func (r *reader) truth(path string, value apijson.Field) *bool {
	is := value.Raw() == "true"
	if !is && value.Raw() != "false" {
		r.add(path, errors.New("must be true or false"))
	}
	return &is
}

// labels reads a node selector.
func (r *reader) labels(path string, value apijson.Field) map[string]string {
	labels := map[string]string{}
	r.members(path, value, nil, func(label, path string, value apijson.Field) {
		labels[label], r.problems = value.AsString(path, r.problems)
		r.add(path, validate.Key(label))
		r.add(path, validate.Value(labels[label]))
	})
	return labels
}

// texts reads what a rule selects.
func (r *reader) texts(path string, data []byte) (list []string) {
	if err := json.Unmarshal(data, &list); err != nil || len(list) == 0 || slices.Contains(list, "") {
		r.add(path, errors.New("must be a list of names; to select all pods, omit it"))
	}
	return list
}
