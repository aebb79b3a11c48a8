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

// textOf is the text of the toleration t in CEL, as text returns it. Two tolerations are equal
// if their texts are.
const textOf = `(has(t.key) ? t.key : "") + (has(t.value) ? "=" + t.value : "") + (has(t.effect) ? ":" + t.effect : "") +
  (has(t.operator) ? " op=" + t.operator : "") + (has(t.tolerationSeconds) ? " for " + string(t.tolerationSeconds) + "s" : "")`

func text(u toleration.Toleration) string {
	s := u.Key()
	for _, part := range [][2]string{{"=", u.Value()}, {":", u.Effect().String()}, {" op=", u.Operator().String()}} {
		if part[1] != "" {
			s += part[0] + part[1]
		}
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

// Those of a policy for templates.
const (
	notControlled   = `!has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller)`
	changedTemplate = `oldObject == null || (request.kind.kind == "CronJob" ?
  dyn(object).spec.jobTemplate.spec.template != dyn(oldObject).spec.jobTemplate.spec.template :
  dyn(object).spec.template != dyn(oldObject).spec.template)`
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
	templates              bool // it is for templates of pods, to which groups do not apply
	variables, validations []Object
	failures               []string // lists of the clauses that refuse, in CEL
}

// each yields the rules that can apply.
func (p *program) each(yield func(int, rules.Rule) bool) {
	for i, r := range p.rules {
		if (r.Groups == nil || !p.templates) && !yield(i, r) {
			return
		}
	}
}

// let adds a variable, which comes from the place in the file.
func (p *program) let(name, at, expression string) {
	p.variables = append(p.variables, Object{"name": name, "expression": p.cel(at, expression)})
}

// validate adds a validation, whose message text is an expression. refusing is the list of the
// clauses that refuse, in CEL.
func (p *program) validate(expression, message, text, refusing string) {
	v := Object{"expression": p.cel("rules", expression), "message": message, "reason": "Forbidden"}
	if text != "" {
		v["messageExpression"] = p.cel("rules", text)
	}
	p.validations = append(p.validations, v)
	p.failures = append(p.failures, "("+expression+" ? [] : "+refusing+")")
}

// validating adds the policy that judges pods, or, with the suffix -templates, those of
// workloads.
func (x *compiler) validating(suffix, failurePolicy string, actions ...string) {
	p := &program{compiler: x, templates: suffix == "-templates"}
	p.choose()
	p.number()
	p.selector()
	p.nodeName()
	p.policy()
	both := []string{"CREATE", "UPDATE"}
	spec := Object{
		"failurePolicy":    failurePolicy,
		"matchConstraints": Object{"resourceRules": []Object{resources("", both, "pods")}},
		"matchConditions":  conditions("not-deleted", notDeleted, "changed", changed, "no-mirror-pod", notMirror),
	}
	if p.templates {
		spec["matchConstraints"] = Object{"resourceRules": []Object{
			resources("apps", both, "deployments", "statefulsets", "daemonsets", "replicasets"),
			resources("batch", both, "jobs", "cronjobs"),
			resources("", both, "replicationcontrollers"),
		}}
		spec["matchConditions"] = conditions("no-controller", notControlled, "changed", changedTemplate)
	}
	if warn := p.setting("false", func(_ int, r rules.Rule) string {
		if r.Warn == nil {
			return ""
		}
		return strconv.FormatBool(*r.Warn)
	}); warn != "" && !p.templates {
		p.let("warn", "rules", warn)
		unless := "variables.warn || "
		if suffix == "-warn" {
			unless = "!" + unless
			p.let("failures", "rules", strings.Join(p.failures, " +\n"))
			spec["auditAnnotations"] = []Object{{"key": "refused", "valueExpression": `variables.warn ? variables.failures.join(", ") : ""`}}
		}
		for _, v := range p.validations {
			v["expression"] = unless + v["expression"].(string)
		}
	}
	spec["variables"], spec["validations"] = p.variables, p.validations
	x.add("ValidatingAdmissionPolicy", suffix, spec, Object{"validationActions": actions})
}

// choose adds the variables for what is judged, and for the rules that apply.
func (p *program) choose() {
	if p.templates {
		p.let("spec", "", `request.kind.kind == "CronJob" ? dyn(object).spec.jobTemplate.spec.template.spec : dyn(object).spec.template.spec`)
		p.let("path", "", `request.kind.kind == "CronJob" ? "spec.jobTemplate.spec.template.spec." : "spec.template.spec."`)
	} else {
		p.let("spec", "", "object.spec")
		p.let("path", "", `"spec."`)
	}
	var everywhere, members []string // rules for all namespaces; the groups of rules
	groups := map[string]bool{}
	namespaces := map[string][]string{} // and their rules
	for _, r := range p.each {
		for _, namespace := range r.Namespaces {
			namespaces[namespace] = nil
		}
	}
	for i, r := range p.each {
		if r.Groups != nil {
			var set []string
			for _, group := range r.Groups {
				groups[group], set = true, append(set, quote(group)+": true")
			}
			slices.Sort(set)
			members = append(members, fmt.Sprintf("%d: {%s}", i, strings.Join(slices.Compact(set), ", ")))
		}
		if r.Namespaces == nil {
			everywhere = append(everywhere, strconv.Itoa(i))
		}
		for namespace := range namespaces {
			if r.Namespaces == nil || slices.Contains(r.Namespaces, namespace) {
				namespaces[namespace] = append(namespaces[namespace], strconv.Itoa(i))
			}
		}
	}
	applying := list(everywhere)
	if len(namespaces) > 0 {
		var entries []string
		for _, namespace := range sortedKeys(namespaces) {
			entries = append(entries, quote(namespace)+": "+list(namespaces[namespace]))
		}
		p.let("namespaces", "rules", table(entries))
		applying = "(request.namespace in variables.namespaces ? variables.namespaces[request.namespace] : " + applying + ")"
	}
	if members != nil {
		p.let("groups", "rules", "!has(request.userInfo.groups) ? [] : request.userInfo.groups.filter(g, g in "+list(quoted(sortedKeys(groups)))+")")
		p.let("members", "rules", table(members))
		applying += ".filter(r, !(r in variables.members) || variables.groups.exists(g, g in variables.members[r]))"
		if len(members)*len(groups) > maxGroups {
			p.fail(fmt.Errorf("rules: %d rules with %d groups cost too much for a user in all groups; their product can be %d", len(members), len(groups), maxGroups))
		}
	}
	p.let("rules", "rules", applying)
}

// setting returns an expression for the value of a setting, that of the first rule that applies
// and has it, or none. The function returns the value in CEL, "" for a rule without it. If
// no rule has the setting, the expression is "".
func (p *program) setting(none string, value func(i int, r rules.Rule) string) string {
	var having []string
	entries := []string{"-1: " + none}
	for i, r := range p.each {
		if v := value(i, r); v != "" {
			having, entries = append(having, strconv.Itoa(i)), append(entries, fmt.Sprintf("%d: %s", i, v))
		}
	}
	if having == nil {
		return ""
	}
	return table(entries) + "[(variables.rules.filter(r, r in " + list(having) + ") + [-1])[0]]"
}

// onCreation returns an expression that holds for updates too, if p is for pods.
func (p *program) onCreation(expression string) string {
	if p.templates {
		return expression
	}
	return `request.operation != "CREATE" || ` + expression
}

var most = strconv.Itoa(rules.MaxTolerations)

// number adds the variables for the tolerations, and those that are accepted, and limits their
// number.
func (p *program) number() {
	p.let("tolerations", "", "has(variables.spec.tolerations) && size(variables.spec.tolerations) <= "+most+" ? variables.spec.tolerations : []")
	p.let("texts", "", "variables.tolerations.map(t, "+textOf+")")
	expression := "!has(variables.spec.tolerations) || size(variables.spec.tolerations) <= " + most
	daemon := `request.userInfo.username in ["system:serviceaccount:kube-system:daemon-set-controller", "system:kube-controller-manager"]`
	if p.templates {
		expression = "(" + expression + ") && size(variables.texts) + size(variables.accepted.filter(a, !(a in variables.texts))) <= " + most
		daemon = `request.kind.kind == "DaemonSet"`
	}
	accepted := []string{texts(rules.Defaults)}
	if own := p.setting("[]", func(_ int, r rules.Rule) string {
		if r.Tolerations == nil {
			return ""
		}
		return texts(r.Tolerations)
	}); own != "" {
		accepted = append(accepted, own)
	}
	accepted = append(accepted, fmt.Sprintf("(!(%s) ? [] : has(variables.spec.hostNetwork) && variables.spec.hostNetwork ?\n  %s :\n  %s)", daemon,
		texts(admission.Daemon(admission.DaemonOptions{HostNetwork: true}, nil)), texts(admission.Daemon(admission.DaemonOptions{}, nil))))
	if !p.templates {
		accepted = append(accepted, "(oldObject == null || !has(oldObject.spec.tolerations) || size(oldObject.spec.tolerations) > "+most+" ? [] :\n  oldObject.spec.tolerations.map(t, "+textOf+"))")
	}
	p.let("accepted", "rules", strings.Join(accepted, " +\n"))
	p.validate(expression, "more than "+most+" tolerations, with those that are added, are too many", "", `["tolerations"]`)
}

// selector requires the labels of the rule.
func (p *program) selector() {
	labels := func(between string, quote func(string) string) func(int, rules.Rule) string {
		return func(_ int, r rules.Rule) string {
			var all []string
			for _, label := range sortedKeys(r.NodeSelector) {
				all = append(all, quote(label)+between+quote(r.NodeSelector[label]))
			}
			switch {
			case r.NodeSelector == nil:
				return ""
			case between == "=":
				return strconv.Quote(plain(strings.Join(all, ", ")+", by "+r.SelectorAt, maxText))
			}
			return "{" + strings.Join(all, ", ") + "}"
		}
	}
	want := p.setting("{}", labels(": ", quote))
	if want == "" {
		return
	}
	p.let("labels", "rules", want)
	p.let("labelText", "rules", p.setting(`""`, labels("=", strings.Clone)))
	absent := "false"
	if p.templates && !p.NoMutation {
		absent = `request.kind.kind != "DaemonSet"`
	}
	p.validate(p.onCreation("variables.labels.all(k, has(variables.spec.nodeSelector) && k in variables.spec.nodeSelector ?\n  variables.spec.nodeSelector[k] == variables.labels[k] : "+absent+")"),
		"the node selector lacks a label of the rules, or has another value", `variables.path + "nodeSelector must have " + variables.labelText`, `["nodeSelector"]`)
}

// nodeName refuses spec.nodeName.
func (p *program) nodeName() {
	clause := p.setting(`""`, func(_ int, r rules.Rule) string {
		switch {
		case r.DenyNodeName == nil:
			return ""
		case *r.DenyNodeName:
			return quote(r.NodeNameAt)
		}
		return `""`
	})
	if clause != "" {
		const message = "nodeName must be omitted, so that the pod is scheduled and NoSchedule taints repel it"
		p.let("nodeName", "rules", clause)
		p.validate(p.onCreation(`variables.nodeName == "" || !has(variables.spec.nodeName)`), message,
			`variables.path + "`+message+`, by " + variables.nodeName`, `[variables.nodeName]`)
	}
}

// policy judges each toleration: verdicts are the numbers of the clauses that refuse them, or 0.
func (p *program) policy() {
	policy := p.setting("{}", func(i int, r rules.Rule) string {
		if r.Policy == nil {
			return ""
		}
		p.let(fmt.Sprintf("policy%d", i), at(i)+".policy", p.policies[i])
		return fmt.Sprintf("variables.policy%d", i)
	})
	if policy == "" {
		return
	}
	p.let("policy", "rules", policy)
	p.let("rows", "rules", lines(p.rows))
	p.let("clauses", "rules", lines(p.clauses))
	p.let("reasons", "rules", lines(p.reasons))
	p.let("cells", "", `variables.tolerations.map(t, !has(t.key) ? "" : has(t.operator) && t.operator != "Equal" ? t.key : t.key + "=" + (has(t.value) ? t.value : ""))`)
	var indexes []string
	for i := range rules.MaxTolerations {
		indexes = append(indexes, strconv.Itoa(i))
	}
	p.let("indexes", "", list(indexes)+".filter(i, i < size(variables.tolerations))")
	p.let("answers", "", `variables.indexes.map(i, variables.texts[i] in variables.accepted ? 0 : variables.rows[
  variables.cells[i] in variables.policy ? variables.policy[variables.cells[i]] :
  variables.tolerations[i].key + "=*" in variables.policy ? variables.policy[variables.tolerations[i].key + "=*"] :
  variables.policy["*"]
][has(variables.tolerations[i].effect) ? {"NoSchedule": 1, "PreferNoSchedule": 2, "NoExecute": 3}[variables.tolerations[i].effect] : 0])`)
	verdicts := "variables.answers"
	if len(p.timed) > 0 {
		const seconds = `(variables.tolerations[i].tolerationSeconds < 0 ? 0 : variables.tolerations[i].tolerationSeconds)`
		p.let("timed", "rules", lines(p.timed))
		verdicts = `variables.indexes.map(i, variables.answers[i] >= 0 ? variables.answers[i] : [variables.timed[-1 - variables.answers[i]]].map(limits,
  !has(variables.tolerations[i].tolerationSeconds) || ` + seconds + ` > limits[0] ? limits[1] :
  ` + seconds + ` > limits[2] ? limits[3] : 0)[0])`
	}
	p.let("verdicts", "", verdicts)
	p.let("refused", "", "variables.indexes.filter(i, variables.verdicts[i] != 0)")
	p.let("reported", "", list(indexes[:reported])+".filter(n, n < size(variables.refused)).map(n, variables.refused[n])")
	p.let("text", "", `variables.reported.map(i, variables.path + "tolerations[" + string(i) + "]" + (
  has(variables.tolerations[i].key) && has(variables.tolerations[i].effect) && (!has(variables.tolerations[i].operator) || variables.tolerations[i].operator == "Equal") ?
  " " + variables.tolerations[i].key + (has(variables.tolerations[i].value) ? "=" + variables.tolerations[i].value : "") + ":" + variables.tolerations[i].effect : "") +
  ": " + variables.clauses[variables.verdicts[i]] + " " + variables.reasons[variables.verdicts[i]]).join("; ")`)
	p.validate("size(variables.refused) == 0", "the rules refuse tolerations of the pod",
		fmt.Sprintf(`(size(variables.text) > %d ? variables.text.substring(0, %[1]d) + "…" : variables.text) +
  (size(variables.refused) > %d ? "; and " + string(size(variables.refused) - %[2]d) + " more" : "")`, maxText, reported),
		"variables.reported.map(i, variables.clauses[variables.verdicts[i]])")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
