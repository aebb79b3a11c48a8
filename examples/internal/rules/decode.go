package rules

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
// be an omitted one. It returns the names of all fields.
func (r *reader) members(path string, object apijson.Field, names []string, each func(name, path string, value apijson.Field)) (fields []string) {
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
			r.add(field, errNull)
		default:
			each(name, field, value)
		}
		seen[name] = true
		fields = append(fields, name)
	}
	return fields
}

// errNull is the problem of a field that is null.
var errNull = errors.New("must not be null; to have no such setting, omit it")

// text reads a string, and reports whether it is one.
func (r *reader) text(path string, value apijson.Field) (text string, ok bool) {
	found := len(r.problems)
	text, r.problems = value.AsString(path, r.problems)
	return text, len(r.problems) == found
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
	if r.problems == nil && len(c.Rules) == 0 {
		r.add("rules", errors.New("has no rule: such a file would refuse nothing"))
	}
	if r.problems != nil {
		return nil, r.problems
	}
	return c, nil
}

// rules reads the list of rules. A setting that never applies, a rule without settings, and a
// policy that does not apply to all pods, are problems: each can open what was to be closed.
func (r *reader) rules(path string, value apijson.Field) (rules []Rule) {
	list, err := apijson.OpenList([]byte(value.Raw()), path)
	r.add("", err)
	general := map[string]string{} // setting: the rule that has it for all pods
	names := map[string]bool{}
	policies, misspelt := false, false
	for i := 0; err == nil && list.More(); i++ {
		at := problem.Index(path, i)
		read, fields, unknown := r.rule(at, list.Value())
		var settings []string
		for _, name := range fields {
			if slices.Contains(settingNames, name) {
				settings = append(settings, name)
			}
		}
		for _, name := range settings {
			if first, ok := general[name]; ok {
				r.add(at+"."+name, fmt.Errorf("never applies, since %s.%s is for all pods; move the general rule to the end", first, name))
			} else if !unknown && !slices.ContainsFunc(scopeNames, func(scope string) bool { return slices.Contains(fields, scope) }) {
				general[name] = at
			}
			policies = policies || name == "policy"
		}
		if misspelt = misspelt || unknown; !unknown && (len(settings) == 0 || slices.Equal(settings, []string{"warn"})) {
			r.add(at, errors.New("has no setting except warn: it would refuse and add nothing; add "+strings.Join(settingNames[:4], ", ")))
		}
		if read.Name != "" && names[read.Name] {
			r.add(at+".name", fmt.Errorf("%q is the name of another rule", read.Name))
		}
		names[read.Name] = true
		rules = append(rules, read)
	}
	if _, ok := general["policy"]; policies && !ok && !misspelt {
		r.add(path, errors.New("no policy is for all pods; add one, without "+strings.Join(scopeNames, ", ")+", in a last rule"))
	}
	return rules
}

// The most labels, requirements and tolerations of a rule: expressions have limits of nesting and
// cost.
const maxLabels, maxAdded = 100, 50

const noPattern = "patterns are not supported; the service accounts of a namespace are the group system:serviceaccounts:NAMESPACE"

// controllers are the groups of the controllers of the control plane.
var controllers = []string{"system:authenticated", "system:serviceaccounts", "system:serviceaccounts:kube-system"}

var namespace = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// The fields of a rule.
var (
	scopeNames   = []string{"namespaces", "namespaceSelector", "users", "groups"}
	settingNames = []string{"tolerations", "nodeSelector", "policy", "denyNodeName", "warn"}
	ruleNames    = slices.Concat([]string{"name"}, scopeNames, settingNames)
)

// rule reads a rule. It returns the fields that it has, and whether it is not known to which pods
// it applies.
func (r *reader) rule(path string, value apijson.Field) (read Rule, fields []string, unknown bool) {
	found := len(r.problems)
	fields = r.members(path, value, ruleNames, func(name, path string, value apijson.Field) {
		data := []byte(value.Raw())
		switch name {
		case "name":
			var ok bool
			if read.Name, ok = r.text(path, value); ok && (read.Name == "" || validate.Value(read.Name) != nil) {
				r.add(path, fmt.Errorf("%.80q must have 1 to 63 letters, digits, -, _ and ., and begin and end with a letter or digit", read.Name))
			}
		case "namespaces":
			read.Namespaces = r.texts(path, value)
			for i, name := range read.Namespaces {
				if name != "" && !namespace.MatchString(name) { // such a rule would never apply
					r.add(problem.Index(path, i), fmt.Errorf("%.80q is not the name of a namespace", name))
				}
			}
		case "namespaceSelector":
			read.Selector = r.selector(path, value)
		case "users":
			read.Users = r.texts(path, value)
			for i, name := range read.Users {
				account, isAccount := strings.CutPrefix(name, "system:serviceaccount:")
				switch at := problem.Index(path, i); {
				case strings.Contains(name, "*"):
					r.add(at, errors.New(noPattern))
				case strings.HasPrefix(name, "system:serviceaccounts"):
					r.add(at, fmt.Errorf("%.80q is a group; write it in groups", name))
				case isAccount && strings.Count(account, ":") != 1:
					r.add(at, fmt.Errorf("%.80q must be system:serviceaccount:NAMESPACE:NAME", name))
				case strings.HasPrefix(account, "kube-system:") && isAccount || name == "system:kube-controller-manager":
					r.add(at, errors.New("such accounts create the pods of workloads, so the rule would be for everybody who can create workloads"))
				}
			}
		case "groups":
			read.Groups = r.texts(path, value)
			for i, name := range read.Groups {
				switch at := problem.Index(path, i); {
				case strings.Contains(name, "*"):
					r.add(at, errors.New(noPattern))
				case strings.HasPrefix(name, "system:serviceaccount:"):
					r.add(at, fmt.Errorf("%.80q is a user; write it in users", name))
				case slices.Contains(controllers, name):
					r.add(at, fmt.Errorf("the controllers that create the pods of workloads are in %s, so the rule would be for everybody who can create workloads", name))
				}
			}
		case "tolerations":
			r.nulls(path, data)
			list, _, err := toleration.Decode(data, toleration.DecodeOptions{Path: path, Strict: true})
			r.add("", err)
			var raw []rawToleration
			_ = json.Unmarshal(data, &raw) // even if there are other mistakes
			r.numeric(path, raw)
			if len(raw) > maxAdded {
				r.add(path, fmt.Errorf("more than %d are too many for a pod", maxAdded))
			}
			for i, u := range raw {
				if n := u.TolerationSeconds; n > 1<<53 || n < -1<<53 { // the API server reads the patch as a float64
					r.add(problem.Index(path, i)+".tolerationSeconds", errors.New("must be at least -2^53 and at most 2^53; to have no limit, omit it"))
				}
			}
			read.Tolerations = append(toleration.List{}, list...) // not nil
		case "nodeSelector":
			if read.NodeSelector = r.labels(path, value); len(read.NodeSelector) > maxLabels {
				r.add(path, fmt.Errorf("more than %d labels are too many", maxLabels))
			}
		case "policy":
			r.nulls(path, data)
			p, err := policy.Decode(data)
			r.add(path, err)
			var spec struct {
				Allow, Deny []struct{ Taints, Except []rawToleration }
			}
			_ = json.Unmarshal(data, &spec)
			for i, c := range slices.Concat(spec.Allow, spec.Deny) {
				at := problem.Index(path+".allow", i)
				if n := len(spec.Allow); i >= n {
					at = problem.Index(path+".deny", i-n)
				}
				r.numeric(at+".taints", c.Taints)
				r.numeric(at+".except", c.Except)
			}
			read.Policy = &p
		case "denyNodeName":
			read.DenyNodeName = r.truth(path, value)
		case "warn":
			read.Warn = r.truth(path, value)
		}
	})
	for _, p := range r.problems[found:] {
		unknown = unknown || p.Path == path || slices.ContainsFunc(scopeNames, func(scope string) bool { return p.Path == path+"."+scope })
	}
	if slices.Contains(fields, "namespaces") && slices.Contains(fields, "namespaceSelector") {
		r.add(path, errors.New("has namespaces and namespaceSelector; make two rules of it"))
	}
	at := cmp.Or(read.Name, path)
	read.SelectorAt, read.PolicyAt, read.NodeNameAt = at+".nodeSelector", at+".policy", at+".denyNodeName"
	return read, fields, unknown
}

// selector reads the selector of namespaces.
func (r *reader) selector(path string, value apijson.Field) (s Selector) {
	found := len(r.problems)
	r.members(path, value, []string{"matchLabels", "matchExpressions"}, func(name, path string, value apijson.Field) {
		if name == "matchLabels" {
			labels := r.labels(path, value)
			for _, key := range slices.Sorted(maps.Keys(labels)) {
				s = append(s, Requirement{key, "In", []string{labels[key]}})
			}
			return
		}
		list, err := apijson.OpenList([]byte(value.Raw()), path)
		r.add("", err)
		for i := 0; err == nil && list.More(); i++ {
			s = append(s, r.requirement(problem.Index(path, i), list.Value()))
		}
	})
	if len(s) > maxLabels {
		r.add(path, fmt.Errorf("more than %d requirements are too many", maxLabels))
	} else if len(s) == 0 && len(r.problems) == found {
		r.add(path, errors.New("must have matchLabels or matchExpressions; to select all namespaces, omit it"))
	}
	return s
}

// requirement reads an expression of a selector.
func (r *reader) requirement(path string, value apijson.Field) (read Requirement) {
	fields := r.members(path, value, []string{"key", "operator", "values"}, func(name, path string, value apijson.Field) {
		switch name {
		case "key":
			var ok bool
			if read.Key, ok = r.text(path, value); ok {
				r.add(path, validate.Key(read.Key))
			}
		case "operator":
			var ok bool
			read.Operator, ok = r.text(path, value)
			if ok && !slices.Contains([]string{"In", "NotIn", "Exists", "DoesNotExist"}, read.Operator) {
				r.add(path, fmt.Errorf("%.80q must be In, NotIn, Exists or DoesNotExist", read.Operator))
			}
		case "values":
			var err error
			read.Values, err = r.list(path, value, validate.Value)
			r.add("", err)
		}
	})
	for _, name := range []string{"key", "operator"} {
		if !slices.Contains(fields, name) {
			r.add(path+"."+name, errors.New("must be given"))
		}
	}
	switch read.Operator {
	case "In", "NotIn":
		if len(read.Values) == 0 && !slices.ContainsFunc(r.problems, func(p *validate.Problem) bool { return strings.HasPrefix(p.Path, path+".values") }) {
			r.add(path+".values", errors.New("must have a value for In and NotIn"))
		}
	case "Exists", "DoesNotExist":
		if len(read.Values) > 0 {
			r.add(path+".values", errors.New("must be omitted for Exists and DoesNotExist"))
		}
		read.Values = nil
	}
	return read
}

// nulls reports the fields that are null, which a template that renders nothing can leave: without
// its key, a toleration with Exists matches every taint.
func (r *reader) nulls(path string, data []byte) {
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if v[name] == nil {
					r.add(path+"."+name, errNull)
				}
				walk(path+"."+name, v[name])
			}
		case []any:
			for i, e := range v {
				walk(problem.Index(path, i), e)
			}
		}
	}
	var v any
	if json.Unmarshal(data, &v) == nil {
		walk(path, v)
	}
}

// A rawToleration has fields that are read even if others have mistakes.
type rawToleration struct {
	Operator          string
	TolerationSeconds int64
}

// numeric reports Lt and Gt: the API server of a cluster that has them switched off, as
// Kubernetes 1.38 has by default, accepts no pod with them.
func (r *reader) numeric(path string, list []rawToleration) {
	for i, u := range list {
		if u.Operator == "Lt" || u.Operator == "Gt" {
			r.add(problem.Index(path, i), fmt.Errorf("the operator %s is not supported in rules", u.Operator))
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

// labels reads labels: a node selector, or the matchLabels of a selector.
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
func (r *reader) texts(path string, value apijson.Field) []string {
	list, err := r.list(path, value, func(text string) error {
		if text == "" {
			return errors.New("must not be empty")
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		r.add(path, errors.New("must be a list of names; to select all pods, omit it"))
	}
	return list
}

// list reads a list of texts, and checks each that could be read.
func (r *reader) list(path string, value apijson.Field, check func(string) error) (list []string, err error) {
	elements, err := apijson.OpenList([]byte(value.Raw()), path)
	for i := 0; err == nil && elements.More(); i++ {
		at, element, text := problem.Index(path, i), elements.Value(), ""
		if element.Raw() == "null" {
			r.add(at, errors.New("must not be null"))
		} else if read, ok := r.text(at, element); ok {
			r.add(at, check(read))
			text = read
		}
		list = append(list, text)
	}
	return list, err
}
