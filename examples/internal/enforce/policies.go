package enforce

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
)

// textOf is a text of the toleration t in CEL. Two tolerations differ at most in seconds if their
// texts are equal.
const textOf = `(has(t.key) ? t.key : "") + (has(t.value) ? "=" + t.value : "") + (has(t.effect) ? ":" + t.effect : "") +
  (has(t.operator) ? " op=" + t.operator : "")`

// secondsOf is for how long the toleration t tolerates: without seconds, forever.
const secondsOf = `!has(t.tolerationSeconds) ? 9223372036854775807 : t.tolerationSeconds < 0 ? 0 : t.tolerationSeconds`

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
	templates              bool // it is for templates of pods, to which rules for some users do not apply
	mutates                bool // it is for what new pods get
	variables, validations []Object
	failures               []string // lists of the clauses that refuse, in CEL
}

// each yields the rules that can apply.
func (p *program) each(yield func(int, rules.Rule) bool) {
	for i, r := range p.rules {
		if p.templates && r.Restricted() || p.mutates && r.Tolerations == nil && r.NodeSelector == nil {
			continue
		}
		if !yield(i, r) {
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
	if p.templates {
		p.let("spec", "", `request.kind.kind == "CronJob" ? dyn(object).spec.jobTemplate.spec.template.spec : dyn(object).spec.template.spec`)
		p.let("path", "", `request.kind.kind == "CronJob" ? "spec.jobTemplate.spec.template.spec." : "spec.template.spec."`)
	} else {
		p.let("spec", "", "object.spec")
		p.let("path", "", `"spec."`)
	}
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
	warn := p.setting("false", func(_ int, r rules.Rule) string {
		if r.Warn == nil {
			return ""
		}
		return strconv.FormatBool(*r.Warn)
	})
	if warn != "" && !p.templates {
		p.let("warn", "rules: warn", warn)
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
	x.add("ValidatingAdmissionPolicy", suffix, spec)
	x.add("ValidatingAdmissionPolicyBinding", suffix, Object{"policyName": x.Name + suffix, "validationActions": actions})
}

// requester is the list of the user and its groups, as subjectsOf returns them.
const requester = `(["user:" + request.userInfo.username] + (has(request.userInfo.groups) ? request.userInfo.groups.map(g, "group:" + g) : []))`

// subjectsOf returns the users and groups of a rule.
func subjectsOf(r rules.Rule) (all []string) {
	for _, user := range r.Users {
		all = append(all, "user:"+user)
	}
	for _, group := range r.Groups {
		all = append(all, "group:"+group)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// selected returns whether the labels l of a namespace meet the requirements.
func selected(s rules.Selector) string {
	var all []string
	for _, r := range s {
		expression := quote(r.Key) + " in l"
		if r.Operator == "In" || r.Operator == "NotIn" {
			expression += fmt.Sprintf(" && l[%s] in %s", quote(r.Key), list(quoted(r.Values)))
		}
		if r.Operator == "NotIn" || r.Operator == "DoesNotExist" {
			expression = "!(" + expression + ")"
		}
		all = append(all, expression)
	}
	return strings.Join(all, " && ")
}

// label reports whether the selector only requires one of some values of a label, as those of many
// teams do. The rules are then looked up by the value.
func label(s rules.Selector) bool { return len(s) == 1 && s[0].Operator == "In" }

// choose adds the variables for the numbers of the rules that apply.
func (p *program) choose() {
	var everywhere, restricted, selecting, numbers, selectors []string
	namespaces, subjects, ids := map[string][]string{}, map[string][]string{}, map[string]int{}
	byLabel := map[string]map[string][]string{} // by key and value
	groups, users := 0, map[string]int{}        // that the rules list; the rules that list a user
	for i, r := range p.each {
		id := strconv.Itoa(i)
		if r.Restricted() {
			restricted, groups = append(restricted, id), groups+len(r.Groups)
			for _, s := range subjectsOf(r) {
				subjects[s] = append(subjects[s], id)
			}
			for _, user := range r.Users {
				users[user]++
			}
		}
		switch {
		case label(r.Selector):
			key := r.Selector[0].Key
			if byLabel[key] == nil {
				byLabel[key] = map[string][]string{}
			}
			for _, value := range slices.Compact(slices.Sorted(slices.Values(r.Selector[0].Values))) {
				byLabel[key][value] = append(byLabel[key][value], id)
			}
		case r.Selector != nil:
			selecting = append(selecting, id)
			numbers = append(numbers, fmt.Sprintf("%d: %d", i, number(&selectors, ids, selected(r.Selector))))
		case r.Everywhere():
			everywhere = append(everywhere, id)
		}
		for _, namespace := range slices.Compact(slices.Sorted(slices.Values(r.Namespaces))) {
			namespaces[namespace] = append(namespaces[namespace], id)
		}
	}
	var applying []string
	if everywhere != nil {
		applying = append(applying, list(everywhere))
	}
	if len(namespaces) > 0 {
		p.let("namespaces", "rules: namespaces", numbered(namespaces))
		applying = append(applying, "(request.namespace in variables.namespaces ? variables.namespaces[request.namespace] : [])")
	}
	if n := len(selectors) + len(byLabel); n > maxSelectors {
		p.exceed(fmt.Errorf("rules: %d different selectors of namespaces; at most %d fit, and those that only require a value of one label count once for each label", n, maxSelectors))
	}
	if len(selectors)+len(byLabel) > 0 {
		p.let("namespaceLabels", "", "has(namespaceObject.metadata.labels) ? namespaceObject.metadata.labels : {}")
	}
	if len(byLabel) > 0 {
		var entries []string
		for _, key := range sortedKeys(byLabel) {
			entries = append(entries, quote(key)+": "+numbered(byLabel[key]))
			applying = append(applying, fmt.Sprintf("(%s in variables.namespaceLabels && variables.namespaceLabels[%[1]s] in variables.byLabel[%[1]s] ? variables.byLabel[%[1]s][variables.namespaceLabels[%[1]s]] : [])", quote(key)))
		}
		p.let("byLabel", "rules: namespaceSelector", table(entries))
	}
	if selecting != nil {
		p.let("selected", "rules: namespaceSelector", "[variables.namespaceLabels].map(l, "+lines(selectors)+")[0]")
		applying = append(applying, fmt.Sprintf("%s.filter(r, variables.selected[{%s}[r]])", list(selecting), strings.Join(numbers, ", ")))
	}
	expression := cmp.Or(strings.Join(applying, " + "), "[]") // no rule is for templates
	if restricted != nil {
		p.let("subjects", "rules: users and groups", numbered(subjects))
		p.let("allowed", "rules", requester+".filter(s, s in variables.subjects).map(s, variables.subjects[s])")
		expression = fmt.Sprintf("(%s).filter(r, !(r in %s) || variables.allowed.exists(all, r in all))", expression, list(restricted))
		if n := groups + slices.Max(append(slices.Collect(maps.Values(users)), 0)); len(restricted)*n > maxGroups {
			p.exceed(fmt.Errorf("rules: %d rules for some users, which list a user in all groups %d times, cost too much; their product can be %d", len(restricted), n, maxGroups))
		}
	}
	p.let("rules", "rules", expression)
}

// numbered returns a map to lists of numbers.
func numbered(m map[string][]string) string {
	var entries []string
	for _, key := range sortedKeys(m) {
		entries = append(entries, quote(key)+": "+list(m[key]))
	}
	return table(entries)
}

// setting returns an expression for the value of a setting, that of the first rule that applies
// and has it, or none. The function returns the value in CEL, "" for a rule without it. If
// no rule has the setting, the expression is "".
func (p *program) setting(none string, value func(i int, r rules.Rule) string) string {
	var having []string
	entries := []string{fmt.Sprintf("%d: %s", len(p.rules), none)}
	for i, r := range p.each {
		if v := value(i, r); v != "" {
			having, entries = append(having, strconv.Itoa(i)), append(entries, fmt.Sprintf("%d: %s", i, v))
		}
	}
	if having == nil {
		return ""
	}
	return fmt.Sprintf("%s[(variables.rules.filter(r, r in %s) + [%d]).min()]", table(entries), list(having), len(p.rules))
}

// onCreation returns an expression that holds for updates too, if p is for pods.
func (p *program) onCreation(expression string) string {
	if p.templates {
		return expression
	}
	return `request.operation != "CREATE" || ` + expression
}

var most = strconv.Itoa(rules.MaxTolerations)

// number adds the variable for the tolerations, and limits their number.
func (p *program) number() {
	p.let("tolerations", "", "has(variables.spec.tolerations) && size(variables.spec.tolerations) <= "+most+" ? variables.spec.tolerations : []")
	expression := "!has(variables.spec.tolerations) || size(variables.spec.tolerations) <= " + most
	if p.templates {
		expression = fmt.Sprintf(`(has(variables.spec.tolerations) ? size(variables.spec.tolerations) : 0) + (request.kind.kind == "DaemonSet" ? %d : %d)`, rules.Added(true), rules.Added(false))
		if own := p.setting("0", func(_ int, r rules.Rule) string {
			if r.Tolerations == nil {
				return ""
			}
			return strconv.Itoa(len(r.Tolerations))
		}); own != "" {
			p.let("added", "rules", own)
			expression += " + variables.added"
		}
		expression += " <= " + most
	}
	p.validate(expression, "more than "+most+" tolerations, with those that are added, are too many", "", `["tolerations"]`)
}

// selector requires the labels of the rule.
func (p *program) selector() {
	want := p.setting("{}", func(_ int, r rules.Rule) string { return labels(r) })
	if want == "" {
		return
	}
	p.let("labels", "rules: nodeSelector", want)
	p.let("labelsAt", "rules: nodeSelector", p.setting(`""`, func(_ int, r rules.Rule) string {
		if r.NodeSelector == nil {
			return ""
		}
		return quote(r.SelectorAt)
	}))
	p.let("labelText", "rules: nodeSelector", p.setting(`""`, func(_ int, r rules.Rule) string {
		if r.NodeSelector == nil {
			return ""
		}
		var all []string
		for _, label := range sortedKeys(r.NodeSelector) {
			all = append(all, label+"="+r.NodeSelector[label])
		}
		return quote(plain(strings.Join(all, ", "), maxText))
	}))
	absent := "false"
	if p.templates && !p.NoMutation {
		absent = `request.kind.kind != "DaemonSet"`
	}
	p.validate(p.onCreation("variables.labels.all(k, has(variables.spec.nodeSelector) && k in variables.spec.nodeSelector ?\n  variables.spec.nodeSelector[k] == variables.labels[k] : "+absent+")"),
		"the node selector lacks a label of the rules, or has another value", `variables.path + "nodeSelector must have " + variables.labelText + ", by " + variables.labelsAt`, `[variables.labelsAt]`)
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
		p.let("nodeName", "rules: denyNodeName", clause)
		p.validate(p.onCreation(`variables.nodeName == "" || !has(variables.spec.nodeName)`), message,
			`variables.path + "`+message+`, by " + variables.nodeName`, `[variables.nodeName]`)
	}
}

// policy judges each toleration: verdicts are the numbers of the clauses that refuse them, or 0.
func (p *program) policy() {
	policy := p.setting("0", func(i int, _ rules.Rule) string { return p.policies[i] })
	if policy == "" {
		return
	}
	accepts := p.setting("0", func(i int, _ rules.Rule) string { return p.accepts[i] })
	daemon := `request.userInfo.username in ["system:serviceaccount:kube-system:daemon-set-controller", "system:kube-controller-manager"]`
	if p.templates {
		daemon = `request.kind.kind == "DaemonSet"`
	}
	p.let("rows", "rules: policy", lines(p.rows))
	p.let("clauses", "rules: policy", lines(p.clauses))
	p.let("reasons", "rules: policy", lines(p.reasons))
	p.let("policy", "rules: policy", lines(p.policyTables)+"["+policy+"]")
	p.let("accepts", "rules: tolerations", lines(p.acceptTables)+"["+cmp.Or(accepts, "0")+"]")
	p.let("others", "rules", p.acceptTables[0])
	p.let("variant", "", "!("+daemon+") ? 0 : has(variables.spec.hostNetwork) && variables.spec.hostNetwork ? 8 : 4")
	p.let("cells", "", `variables.tolerations.map(t, !has(t.key) ? "" : has(t.operator) && t.operator != "Equal" ? t.key : t.key + "=" + (has(t.value) ? t.value : ""))`)
	p.let("values", "", `variables.tolerations.map(t, (has(t.key) ? t.key : "") + "=*")`)
	p.let("effects", "", `variables.tolerations.map(t, has(t.effect) ? {"NoSchedule": 1, "PreferNoSchedule": 2, "NoExecute": 3}[t.effect] : 0)`)
	p.let("seconds", "", "variables.tolerations.map(t, "+secondsOf+")")
	var all []string
	for i := range rules.MaxTolerations {
		all = append(all, strconv.Itoa(i))
	}
	p.let("indexes", "", list(all)+".filter(i, i < size(variables.tolerations))")
	accepted := "variables.seconds[i] <= variables.rows[" + row("accepts", "others") + "][variables.variant + variables.effects[i]]"
	if !p.templates {
		p.kept(list(all))
		accepted += " || variables.kept[i]"
	}
	p.let("answers", "", "variables.indexes.map(i, "+accepted+" ? 0 : variables.rows["+row("policy")+"][variables.effects[i]])")
	verdicts := "variables.answers"
	if len(p.timed) > 0 {
		const seconds = `(variables.tolerations[i].tolerationSeconds < 0 ? 0 : variables.tolerations[i].tolerationSeconds)`
		p.let("timed", "rules: policy", lines(p.timed))
		verdicts = `variables.indexes.map(i, variables.answers[i] >= 0 ? variables.answers[i] : [variables.timed[-1 - variables.answers[i]]].map(limits,
  !has(variables.tolerations[i].tolerationSeconds) || ` + seconds + ` > limits[0] ? limits[1] :
  ` + seconds + ` > limits[2] ? limits[3] : 0)[0])`
	}
	p.let("verdicts", "", verdicts)
	p.let("refused", "", "variables.indexes.filter(i, variables.verdicts[i] != 0)")
	p.let("reported", "", list(all[:reported])+".filter(n, n < size(variables.refused)).map(n, variables.refused[n])")
	p.let("text", "", `variables.reported.map(i, variables.path + "tolerations[" + string(i) + "]" + (
  has(variables.tolerations[i].key) && has(variables.tolerations[i].effect) && (!has(variables.tolerations[i].operator) || variables.tolerations[i].operator == "Equal") ?
  " " + variables.tolerations[i].key + (has(variables.tolerations[i].value) ? "=" + variables.tolerations[i].value : "") + ":" + variables.tolerations[i].effect : "") +
  ": " + variables.clauses[variables.verdicts[i]] + " " + variables.reasons[variables.verdicts[i]]).join("; ")`)
	p.validate("size(variables.refused) == 0", "the rules refuse tolerations of the pod",
		fmt.Sprintf(`(size(variables.text) > %d ? variables.text.substring(0, %[1]d) + "…" : variables.text) +
  (size(variables.refused) > %d ? "; and " + string(size(variables.refused) - %[2]d) + " more" : "")`, maxText, reported),
		"variables.reported.map(i, variables.clauses[variables.verdicts[i]])")
}

// row returns the number of the row for the toleration i, from the first of the tables that has its
// cell.
func row(tables ...string) (expression string) {
	for _, table := range tables {
		for _, cell := range []string{"variables.cells[i]", "variables.values[i]", `"*"`} {
			expression += fmt.Sprintf("%s in variables.%s ? variables.%[2]s[%[1]s] :\n  ", cell, table)
		}
	}
	return expression + "0" // the last table has "*"
}

// kept adds the variable for what the pod had before an update, for as long.
func (p *program) kept(all string) {
	p.let("old", "", "oldObject != null && has(oldObject.spec.tolerations) && size(oldObject.spec.tolerations) <= "+most+" ? oldObject.spec.tolerations : []")
	p.let("oldTexts", "", "variables.old.map(t, ["+textOf+"])") // lists, since "in" costs less than ==
	p.let("oldSeconds", "", "variables.old.map(t, "+secondsOf+")")
	p.let("oldIndexes", "", all+".filter(i, i < size(variables.old))")
	p.let("texts", "", "variables.tolerations.map(t, "+textOf+")")
	p.let("kept", "", "variables.indexes.map(i, variables.oldIndexes.exists(j, variables.texts[i] in variables.oldTexts[j] && variables.oldSeconds[j] >= variables.seconds[i]))")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
