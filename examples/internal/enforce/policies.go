package enforce

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// textOf is the text of the toleration t in CEL, by which tolerations are compared. It is
// that of text.
const textOf = `(has(t.key) ? t.key : "") + (has(t.value) ? "=" + t.value : "") + (has(t.effect) ? ":" + t.effect : "") +
  (has(t.operator) ? " op=" + t.operator : "") + (has(t.tolerationSeconds) ? " for " + string(t.tolerationSeconds) + "s" : "")`

func text(u toleration.Toleration) string {
	s := u.Key()
	if u.Value() != "" {
		s += "=" + u.Value()
	}
	if u.Effect() != 0 {
		s += ":" + u.Effect().String()
	}
	if u.Operator() != 0 {
		s += " op=" + u.Operator().String()
	}
	if n, timed := u.Seconds(); timed {
		s += fmt.Sprintf(" for %ds", n)
	}
	return s
}

// texts returns the list of the tolerations' texts in CEL.
func texts(tolerations toleration.List) string {
	var all []string
	for _, u := range tolerations {
		all = append(all, text(u))
	}
	return list(quoted(all))
}

// Conditions under which a policy for pods is evaluated.
const (
	notDeleted = `oldObject == null || !has(oldObject.metadata.deletionTimestamp)`
	changed    = `oldObject == null || has(object.spec.tolerations) != has(oldObject.spec.tolerations) ||
  has(object.spec.tolerations) && object.spec.tolerations != oldObject.spec.tolerations`
	notMirror = `!(has(request.userInfo.groups) && "system:nodes" in request.userInfo.groups && has(object.metadata.annotations) &&
  "kubernetes.io/config.mirror" in object.metadata.annotations && has(object.spec.nodeName) &&
  request.userInfo.username == "system:node:" + object.spec.nodeName)`
)

// conditions returns matchConditions.
func conditions(namesAndExpressions ...string) (all []Object) {
	for i := 0; i < len(namesAndExpressions); i += 2 {
		all = append(all, Object{"name": namesAndExpressions[i], "expression": namesAndExpressions[i+1]})
	}
	return all
}

// resources returns a rule of matchConstraints.
func resources(group string, operations []string, names ...string) Object {
	return Object{"apiGroups": []string{group}, "apiVersions": []string{"v1"}, "operations": operations, "resources": names}
}

// A program is the variables and validations of a policy.
type program struct {
	*compiler
	templates              bool // it is for templates of pods
	variables, validations []Object
	failures               []string // lists of the clauses that refuse, in CEL
}

func (p *program) let(at, name, expression string) {
	p.variables = append(p.variables, Object{"name": name, "expression": p.cel(at, expression)})
}

// validating adds the policy that judges pods, or, with the suffix -templates, those of
// workloads.
func (x *compiler) validating(suffix, failurePolicy string, actions ...string) {
	p := &program{compiler: x, templates: suffix == "-templates"}
	p.choose()
	p.judge()
	spec := Object{"failurePolicy": failurePolicy}
	if both := []string{"CREATE", "UPDATE"}; p.templates {
		spec["matchConstraints"] = Object{"resourceRules": []Object{
			resources("apps", both, "deployments", "statefulsets", "daemonsets", "replicasets"),
			resources("batch", both, "jobs", "cronjobs"),
			resources("", both, "replicationcontrollers"),
		}}
		spec["matchConditions"] = conditions(
			"no-controller", `!has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller)`,
			"changed", `oldObject == null || (request.kind.kind == "CronJob" ?
  dyn(object).spec.jobTemplate.spec.template != dyn(oldObject).spec.jobTemplate.spec.template :
  dyn(object).spec.template != dyn(oldObject).spec.template)`)
	} else {
		spec["matchConstraints"] = Object{"resourceRules": []Object{resources("", both, "pods")}}
		spec["matchConditions"] = conditions("not-deleted", notDeleted, "changed", changed, "no-mirror-pod", notMirror)
	}
	warned := slices.ContainsFunc(x.rules, func(r rules.Rule) bool { return r.Warns() })
	for i, v := range p.validations {
		if warned && !p.templates {
			p.validations[i]["expression"] = map[bool]string{false: "variables.warn || ", true: "!variables.warn || "}[suffix == "-warn"] + v["expression"].(string)
		}
	}
	if suffix == "-warn" {
		p.let("rules", "failures", strings.Join(p.failures, " +\n"))
		spec["auditAnnotations"] = []Object{{"key": "refused", "valueExpression": `variables.warn ? variables.failures.join(", ") : ""`}}
	}
	spec["variables"], spec["validations"] = p.variables, p.validations
	x.add("ValidatingAdmissionPolicy", suffix, spec, Object{"validationActions": actions})
}

// choose adds the variables for what is judged, and the rules that apply: a setting is that of
// the first of these that has it.
func (p *program) choose() {
	p.let("", "spec", "object.spec")
	if p.templates {
		p.variables = nil
		p.let("", "spec", `request.kind.kind == "CronJob" ? dyn(object).spec.jobTemplate.spec.template.spec : dyn(object).spec.template.spec`)
		p.let("", "path", `request.kind.kind == "CronJob" ? "spec.jobTemplate.spec.template.spec." : "spec.template.spec."`)
	}
	var all []string // the rules for all namespaces
	inNamespace := map[string][]string{}
	for _, r := range p.rules {
		for _, namespace := range r.Namespaces {
			inNamespace[namespace] = nil
		}
	}
	var members []string // of rules with groups
	groups := map[string]bool{}
	for i, r := range p.rules {
		if r.Groups != nil && p.templates {
			continue
		}
		if r.Groups != nil {
			members = append(members, fmt.Sprintf("%d: %s", i, list(quoted(r.Groups))))
		}
		for _, group := range r.Groups {
			groups[group] = true
		}
		if r.Namespaces == nil {
			all = append(all, strconv.Itoa(i))
		}
		for namespace := range inNamespace {
			if r.Namespaces == nil || slices.Contains(r.Namespaces, namespace) {
				inNamespace[namespace] = append(inNamespace[namespace], strconv.Itoa(i))
			}
		}
	}
	applying := list(all)
	if len(inNamespace) > 0 {
		var entries []string
		for _, namespace := range sortedKeys(inNamespace) {
			entries = append(entries, quote(namespace)+": "+list(inNamespace[namespace]))
		}
		p.let("rules", "namespaces", table(entries))
		applying = "(request.namespace in variables.namespaces ? variables.namespaces[request.namespace] : " + applying + ")"
	}
	if len(members) > 0 {
		p.let("rules", "groups", "!has(request.userInfo.groups) ? [] : request.userInfo.groups.filter(g, g in "+list(quoted(sortedKeys(groups)))+")")
		p.let("rules", "members", table(members))
		applying += ".filter(r, !(r in variables.members) || variables.members[r].exists(g, g in variables.groups))"
	}
	p.let("rules", "rules", applying)
}

// setting returns an expression for the value of a setting: of each rule, of returns it in
// CEL, or "" if the rule does not have it. It returns "" if no rule has it.
func (p *program) setting(none string, of func(i int, r rules.Rule) string) string {
	var having []string
	entries := []string{"-1: " + none}
	for i, r := range p.rules {
		if value := of(i, r); value != "" && !(r.Groups != nil && p.templates) {
			having, entries = append(having, strconv.Itoa(i)), append(entries, fmt.Sprintf("%d: %s", i, value))
		}
	}
	if having == nil {
		return ""
	}
	return table(entries) + "[(variables.rules.filter(r, r in " + list(having) + ") + [-1])[0]]"
}

// validate adds a validation. refusing is the list of the clauses that refuse, in CEL.
func (p *program) validate(expression, message, text, refusing string) {
	v := Object{"expression": p.cel("rules", expression), "message": message, "reason": "Forbidden"}
	if text != "" {
		v["messageExpression"] = p.cel("rules", text)
	}
	p.validations = append(p.validations, v)
	p.failures = append(p.failures, "("+expression+" ? [] : "+refusing+")")
}

// judge adds the other variables, and the validations.
func (p *program) judge() {
	path := `"spec."`
	creating := `request.operation != "CREATE" || `
	daemon := `request.userInfo.username in ["system:serviceaccount:kube-system:daemon-set-controller", "system:kube-controller-manager"]`
	if p.templates {
		path, creating, daemon = "variables.path", "", `request.kind.kind == "DaemonSet"`
	}
	warn := p.setting("false", func(_ int, r rules.Rule) string {
		if r.Warn == nil {
			return ""
		}
		return strconv.FormatBool(*r.Warn)
	})
	if warn != "" && !p.templates {
		p.let("rules", "warn", warn)
	}
	most := strconv.Itoa(rules.MaxTolerations)
	fewer := "!has(variables.spec.tolerations) || size(variables.spec.tolerations) <= " + most
	p.let("", "tolerations", "has(variables.spec.tolerations) && size(variables.spec.tolerations) <= "+most+" ? variables.spec.tolerations : []")
	p.let("", "texts", "variables.tolerations.map(t, "+textOf+")")
	daemons := admission.Daemon(admission.DaemonOptions{})
	onHost := admission.Daemon(admission.DaemonOptions{HostNetwork: true})
	accepted := texts(rules.Defaults)
	if of := p.setting("[]", func(_ int, r rules.Rule) string {
		if r.Tolerations == nil {
			return ""
		}
		return texts(r.Tolerations)
	}); of != "" {
		accepted += " +\n" + of
	}
	accepted += " +\n(!(" + daemon + ") ? [] : has(variables.spec.hostNetwork) && variables.spec.hostNetwork ?\n  " + texts(onHost) + " :\n  " + texts(daemons) + ")"
	if p.templates {
		fewer = "(" + fewer + ") && size(variables.texts) + size(variables.accepted.filter(a, !(a in variables.texts))) <= " + most
	} else {
		accepted += " +\n(oldObject == null || !has(oldObject.spec.tolerations) || size(oldObject.spec.tolerations) > " + most + " ? [] :\n  oldObject.spec.tolerations.map(t, " + textOf + "))"
	}
	p.let("rules", "accepted", accepted)
	p.validate(fewer, "more than "+most+" tolerations, with those that are added, are too many", "", `["tolerations"]`)

	if labels := p.setting("{}", func(_ int, r rules.Rule) string {
		if r.NodeSelector == nil {
			return ""
		}
		return "{" + strings.Join(labelsOf(r, ": ", quote), ", ") + "}"
	}); labels != "" {
		p.let("rules", "labels", labels)
		p.let("rules", "labelText", p.setting(`""`, func(_ int, r rules.Rule) string {
			if r.NodeSelector == nil {
				return ""
			}
			return quote(plain(strings.Join(labelsOf(r, "=", func(s string) string { return s }), ", ")+", by "+r.SelectorAt, 2000))
		}))
		absent := "false"
		if p.templates && !p.NoMutation {
			absent = `request.kind.kind != "DaemonSet"`
		}
		p.validate(creating+"variables.labels.all(k, has(variables.spec.nodeSelector) && k in variables.spec.nodeSelector ?\n  variables.spec.nodeSelector[k] == variables.labels[k] : "+absent+")",
			"the node selector lacks a label of the rules, or has another value", path+` + "nodeSelector must have " + variables.labelText`, `["nodeSelector"]`)
	}
	if at := p.setting(`""`, func(_ int, r rules.Rule) string {
		switch {
		case r.DenyNodeName == nil:
			return ""
		case *r.DenyNodeName:
			return quote(r.NodeNameAt)
		}
		return `""`
	}); at != "" {
		p.let("rules", "nodeName", at)
		p.validate(creating+`variables.nodeName == "" || !has(variables.spec.nodeName)`, "spec.nodeName must be omitted, so that the pod is scheduled and NoSchedule taints repel it",
			path+` + "nodeName must be omitted, so that the pod is scheduled and NoSchedule taints repel it, by " + variables.nodeName`, `[variables.nodeName]`)
	}
	policy := p.setting("{}", func(i int, r rules.Rule) string {
		if r.Policy == nil {
			return ""
		}
		return fmt.Sprintf("variables.policy%d", i)
	})
	if policy == "" {
		return
	}
	p.lookUp(policy)
	p.validate("size(variables.refused) == 0", "the rules refuse tolerations of the pod", fmt.Sprintf(`(size(variables.text) > 3000 ? variables.text.substring(0, 3000) + "…" : variables.text) +
  (size(variables.refused) > %d ? "; and " + string(size(variables.refused) - %[1]d) + " more" : "")`, reported),
		"variables.reported.map(i, variables.clauses[variables.verdicts[i]])")
	p.let("rules", "text", `variables.reported.map(i, `+path+` + "tolerations[" + string(i) + "]" + (
  has(variables.tolerations[i].key) && has(variables.tolerations[i].effect) && (!has(variables.tolerations[i].operator) || variables.tolerations[i].operator == "Equal") ?
  " " + variables.tolerations[i].key + (has(variables.tolerations[i].value) ? "=" + variables.tolerations[i].value : "") + ":" + variables.tolerations[i].effect : "") +
  ": " + variables.clauses[variables.verdicts[i]] + " " + variables.reasons[variables.verdicts[i]]).join("; ")`)
}

// reported is how many refused tolerations a message lists.
const reported = 10

// lookUp adds the variables that judge each toleration: verdicts are the numbers of the clauses
// that refuse them, or 0.
func (p *program) lookUp(policy string) {
	for i, entries := range p.policies {
		if entries != "" && !(p.rules[i].Groups != nil && p.templates) {
			p.let(at(i)+".policy", fmt.Sprintf("policy%d", i), entries)
		}
	}
	p.let("rules", "policy", policy)
	p.let("rules", "rows", lines(p.rows))
	p.let("rules", "clauses", lines(p.clauses))
	p.let("rules", "reasons", lines(p.reasons))
	p.let("", "cells", `variables.tolerations.map(t, !has(t.key) ? "" : has(t.operator) && t.operator != "Equal" ? t.key : t.key + "=" + (has(t.value) ? t.value : ""))`)
	var indexes []string
	for i := range rules.MaxTolerations {
		indexes = append(indexes, strconv.Itoa(i))
	}
	p.let("", "indexes", list(indexes)+".filter(i, i < size(variables.tolerations))")
	answers := `variables.indexes.map(i, variables.texts[i] in variables.accepted ? 0 : variables.rows[
  variables.cells[i] in variables.policy ? variables.policy[variables.cells[i]] :
  variables.tolerations[i].key in variables.policy ? variables.policy[variables.tolerations[i].key + "=*"] :
  variables.policy["*"]
][has(variables.tolerations[i].effect) ? ` + effectIndexes + `[variables.tolerations[i].effect] : 0])`
	if len(p.timed) == 0 {
		p.let("rules", "verdicts", answers)
	} else {
		const seconds = `(variables.tolerations[i].tolerationSeconds < 0 ? 0 : variables.tolerations[i].tolerationSeconds)`
		p.let("rules", "timed", lines(p.timed))
		p.let("rules", "answers", answers)
		p.let("rules", "verdicts", `variables.indexes.map(i, variables.answers[i] >= 0 ? variables.answers[i] : [variables.timed[-1 - variables.answers[i]]].map(limits,
  !has(variables.tolerations[i].tolerationSeconds) || `+seconds+` > limits[0] ? limits[1] :
  `+seconds+` > limits[2] ? limits[3] : 0)[0])`)
	}
	p.let("rules", "refused", "variables.indexes.filter(i, variables.verdicts[i] != 0)")
	p.let("rules", "reported", list(indexes[:reported])+".filter(n, n < size(variables.refused)).map(n, variables.refused[n])")
}

// labelsOf returns the labels of a rule.
func labelsOf(r rules.Rule, between string, quote func(string) string) (all []string) {
	for _, label := range sortedKeys(r.NodeSelector) {
		all = append(all, quote(label)+between+quote(r.NodeSelector[label]))
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
