package enforce

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// mutating adds the policy that completes new pods, and its bindings. Rules for some users have the
// same policy once more, with a condition about the user. Until the API server has read its own
// schema, it refuses all pods that a binding matches. So bindings match no namespace for which no rule
// adds something; they do not consider that an earlier rule with a selector or users has the setting, and
// one for several rules excludes the names that none of them reaches.
func (x *compiler) mutating() {
	p := &program{compiler: x, mutates: true}
	patch := x.cel("rules", p.patch())
	if x.errs != nil { // the scopes of rules that do not fit would take long
		return
	}
	for _, users := range []string{"", "-users"} {
		scopes := x.scopes(users != "")
		if len(scopes) == 0 {
			continue
		}
		spec := Object{
			"failurePolicy":      "Fail",
			"reinvocationPolicy": "IfNeeded",
			"matchConstraints":   Object{"resourceRules": []Object{resources("", []string{"CREATE"}, "pods")}},
			"matchConditions":    conditions("no-mirror-pod", notMirror),
			"variables":          p.variables,
			"mutations":          []Object{{"patchType": "JSONPatch", "jsonPatch": Object{"expression": patch}}},
		}
		if users != "" {
			spec["matchConditions"] = conditions("no-mirror-pod", notMirror, "user", x.cel("rules: users and groups", x.users()))
		}
		x.add("MutatingAdmissionPolicy", users, spec)
		for _, suffix := range sortedKeys(scopes) {
			binding := Object{"policyName": x.Name + users}
			if selector := scopes[suffix].selector(); selector != nil {
				binding["matchResources"] = Object{"namespaceSelector": Object{"matchExpressions": selector}}
			}
			x.add("MutatingAdmissionPolicyBinding", users+suffix, binding)
		}
	}
}

// A scope is what a binding matches: the namespaces that meet the requirements of a rule or, since
// bindings cost time, have one of the values of a label that several rules require.
type scope struct {
	requirements rules.Selector
	excluded     []string // names of namespaces
}

// selector returns the scope as matchExpressions.
func (s *scope) selector() (all []Object) {
	requirements := s.requirements
	if len(s.excluded) > 0 {
		requirements = append(slices.Clone(requirements), rules.Requirement{Key: namespaceName, Operator: "NotIn", Values: s.excluded})
	}
	for _, r := range requirements {
		e := Object{"key": r.Key, "operator": r.Operator}
		if r.Values != nil {
			e["values"] = slices.Compact(slices.Sorted(slices.Values(r.Values)))
		}
		all = append(all, e)
	}
	return all
}

// scopes returns which namespaces have rules that add something, by the suffix of the binding's
// name. A name is excluded if earlier rules have all settings there. Bindings are written one after the
// other, so whether one matches a namespace depends on nothing but the rules that apply there.
func (x *compiler) scopes(restricted bool) map[string]*scope {
	scopes := map[string]*scope{}
	named, first := x.first()
	reaches := func(i int, name string) bool {
		r, f := x.rules[i], first[name]
		return r.Restricted() == restricted && (len(r.Tolerations) > 0 && i <= f[0] || len(r.NodeSelector) > 0 && i <= f[1])
	}
	adding, all := map[string]bool{}, false // by rules without a selector
	for i, r := range x.rules {
		names := r.Namespaces
		if r.Everywhere() {
			names = named
			all = all || r.Restricted() == restricted && len(r.Tolerations)+len(r.NodeSelector) > 0
		}
		for _, name := range names {
			adding[name] = adding[name] || reaches(i, name)
		}
	}
	var in, out []string
	for _, name := range named {
		if adding[name] {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	if all {
		scopes[""] = &scope{excluded: out}
	} else if in != nil {
		scopes["-names"] = &scope{requirements: rules.Selector{{Key: namespaceName, Operator: "In", Values: in}}}
	}
	for i, r := range x.rules {
		if r.Restricted() != restricted || r.Selector == nil || len(r.Tolerations)+len(r.NodeSelector) == 0 {
			continue
		}
		excluded := slices.DeleteFunc(slices.Clone(named), func(name string) bool { return reaches(i, name) })
		if all && !slices.ContainsFunc(out, func(name string) bool { return reaches(i, name) }) {
			continue // those for all namespaces match the rest
		}
		key := selected(r.Selector)
		if label(r.Selector) {
			key = r.Selector[0].Key
		}
		sum := sha256.Sum256([]byte(key))
		suffix := "-selector-" + hex.EncodeToString(sum[:8])
		s := scopes[suffix]
		if s == nil {
			scopes[suffix] = &scope{slices.Clone(r.Selector), excluded}
			continue
		}
		s.excluded = slices.DeleteFunc(s.excluded, func(name string) bool { return reaches(i, name) })
		if label(r.Selector) {
			s.requirements[0].Values = slices.Concat(s.requirements[0].Values, r.Selector[0].Values)
		}
	}
	return scopes
}

// namespaceName is the label with the name of a namespace.
const namespaceName = "kubernetes.io/metadata.name"

// first returns the namespaces that are named, and for each the first rules with tolerations and
// with a node selector that always apply there.
func (x *compiler) first() (named []string, first map[string][2]int) {
	first = map[string][2]int{}
	for _, r := range x.rules {
		for _, name := range r.Namespaces {
			first[name] = [2]int{len(x.rules), len(x.rules)}
		}
	}
	note := func(name string, i int, r rules.Rule) {
		f := first[name]
		if r.Tolerations != nil {
			f[0] = min(f[0], i)
		}
		if r.NodeSelector != nil {
			f[1] = min(f[1], i)
		}
		first[name] = f
	}
	for i, r := range x.rules {
		switch {
		case r.Restricted() || r.Selector != nil || r.Tolerations == nil && r.NodeSelector == nil:
		case r.Namespaces == nil:
			for name := range first {
				note(name, i, r)
			}
		default:
			for _, name := range r.Namespaces {
				note(name, i, r)
			}
		}
	}
	return slices.Sorted(maps.Keys(first)), first
}

// users returns whether a rule for the user adds something, as far as it depends on the name of
// the namespace.
func (x *compiler) users() string {
	subjects := map[string][]string{}
	for _, r := range x.rules {
		if !r.Restricted() || len(r.Tolerations)+len(r.NodeSelector) == 0 {
			continue
		}
		names := r.Namespaces
		if names == nil {
			names = []string{"*"}
		}
		for _, s := range subjectsOf(r) {
			subjects[s] = append(subjects[s], names...)
		}
	}
	var entries []string
	for _, s := range sortedKeys(subjects) {
		slices.Sort(subjects[s])
		entries = append(entries, quote(s)+": "+list(quoted(slices.Compact(subjects[s]))))
	}
	return fmt.Sprintf("[%s].exists(subjects, %s.exists(s, s in subjects && (\"*\" in subjects[s] || request.namespace in subjects[s])))", table(entries), requester)
}

// patch returns a JSON patch that appends those of the rule's tolerations that none of the pod
// covers, as cover.Merge does: Lt and Gt cover nothing here. It adds those of the rule's labels
// that the pod's node selector lacks. A pod that has too many tolerations gets neither, since its
// size is not limited yet.
func (p *program) patch() string {
	p.choose()
	p.let("many", "", "has(object.spec.tolerations) && size(object.spec.tolerations) > "+most) // such a pod is refused
	var parts []string
	if add := p.setting("[]", additions); add != "" {
		p.let("add", "rules: tolerations", add)
		p.let("tolerations", "", "has(object.spec.tolerations) && !variables.many ? object.spec.tolerations : []")
		p.let("missing", "", "variables.many ? [] : variables.add.filter(a, !variables.tolerations.exists(t, "+covers+"))")
		parts = append(parts, `(has(object.spec.tolerations) || size(variables.missing) == 0 ? [] : [JSONPatch{op: "add", path: "/spec/tolerations", value: []}])`,
			`variables.missing.map(a, JSONPatch{op: "add", path: "/spec/tolerations/-", value: Object.spec.tolerations{
  ?key: optional.ofNonZeroValue(a[0]), ?operator: optional.ofNonZeroValue(a[1]), ?value: optional.ofNonZeroValue(a[2]),
  ?effect: optional.ofNonZeroValue(a[3]), ?tolerationSeconds: optional.ofNonZeroValue(a[4]).optMap(s, int(s))}})`)
	}
	if labels := p.setting("{}", func(_ int, r rules.Rule) string { return labels(r) }); labels != "" {
		p.let("labels", "rules: nodeSelector", "variables.many ? {} : "+labels)
		parts = append(parts, `(has(object.spec.nodeSelector) || size(variables.labels) == 0 ? [] : [JSONPatch{op: "add", path: "/spec/nodeSelector", value: {}}])`,
			`variables.labels.filter(k, !(has(object.spec.nodeSelector) && k in object.spec.nodeSelector)).map(k,
  JSONPatch{op: "add", path: "/spec/nodeSelector/" + jsonpatch.escapeKey(k), value: variables.labels[k]})`)
	}
	return strings.Join(parts, " +\n")
}

// covers is whether the toleration t of a pod covers the addition a.
const covers = `(!has(t.key) || t.key == a[0]) && (!has(t.effect) || t.effect == a[3]) &&
  (has(t.operator) && t.operator == "Exists" || a[1] != "Exists" && has(t.key) &&
    (!has(t.operator) || t.operator == "Equal") && (has(t.value) ? t.value : "") == a[2]) &&
  (!has(t.tolerationSeconds) || a[4] != "" && (int(a[4]) <= 0 || t.tolerationSeconds >= int(a[4])))`

// additions returns the tolerations of a rule, each as key, operator, value, effect and seconds.
func additions(_ int, r rules.Rule) string {
	if r.Tolerations == nil {
		return ""
	}
	var all []string
	for _, u := range cover.Merge(nil, r.Tolerations) {
		seconds := ""
		if n, timed := u.Seconds(); timed {
			seconds = strconv.FormatInt(n, 10)
		}
		all = append(all, list(quoted([]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds})))
	}
	return list(all)
}

// labels returns the labels of a rule.
func labels(r rules.Rule) string {
	if r.NodeSelector == nil {
		return ""
	}
	var all []string
	for _, label := range sortedKeys(r.NodeSelector) {
		all = append(all, quote(label)+": "+quote(r.NodeSelector[label]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}
