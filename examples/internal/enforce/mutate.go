package enforce

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// mutating adds the policies that complete new pods, one for each rule and setting. What they
// match is exact, since the API server refuses all pods that they match until it has read
// its own schema.
func (x *compiler) mutating() {
	for i, r := range x.rules {
		if len(r.Tolerations) > 0 {
			x.mutation(i, "tolerations", addTolerations(r.Tolerations), func(r rules.Rule) bool { return r.Tolerations != nil })
		}
		if len(r.NodeSelector) > 0 {
			x.mutation(i, "labels", addLabels(r), func(r rules.Rule) bool { return r.NodeSelector != nil })
		}
	}
}

// mutation adds the policy for a setting of a rule, which patches pods of which this rule is
// the first that has it.
func (x *compiler) mutation(i int, setting, patch string, has func(rules.Rule) bool) {
	all := []string{"no-mirror-pod", notMirror}
	if is := applies(x.rules[i]); is != "" {
		all = append(all, "rule", x.cel(at(i), is))
	}
	var earlier []string
	for j, r := range x.rules[:i] {
		if has(r) && overlap(r, x.rules[i]) {
			earlier = append(earlier, fmt.Sprintf("!(%s)", applies(x.rules[j])))
		}
	}
	if earlier != nil {
		all = append(all, "no-earlier-rule", x.cel(at(i), strings.Join(earlier, " &&\n")))
	}
	x.add("MutatingAdmissionPolicy", fmt.Sprintf("-rule-%d-%s", i, setting), Object{
		"failurePolicy":      "Fail",
		"reinvocationPolicy": "IfNeeded",
		"matchConstraints":   Object{"resourceRules": []Object{resources("", []string{"CREATE"}, "pods")}},
		"matchConditions":    conditions(all...),
		"mutations":          []Object{{"patchType": "JSONPatch", "jsonPatch": Object{"expression": x.cel(at(i), patch)}}},
	}, Object{})
}

// applies returns whether a rule applies, or "" if it always does.
func applies(r rules.Rule) string {
	var all []string
	if r.Namespaces != nil {
		all = append(all, "request.namespace in "+list(quoted(r.Namespaces)))
	}
	if r.Groups != nil {
		all = append(all, "has(request.userInfo.groups) && request.userInfo.groups.exists(g, g in "+list(quoted(r.Groups))+")")
	}
	return strings.Join(all, " && ")
}

// overlap reports whether two rules can apply to pods of the same namespace.
func overlap(r, s rules.Rule) bool {
	return r.Namespaces == nil || s.Namespaces == nil || slices.ContainsFunc(r.Namespaces, func(n string) bool { return slices.Contains(s.Namespaces, n) })
}

// names are those of a toleration's fields in JSON. In CEL they have no quotes.
var names = regexp.MustCompile(`"(\w+)":`)

// addTolerations returns a JSON patch that appends those of the tolerations that none of the
// pod covers, as cover.Merge does: Lt and Gt cover nothing here. A pod that has too many gets
// none, since its size is not limited yet.
func addTolerations(tolerations toleration.List) string {
	const first = `(has(object.spec.tolerations) ? [] : [JSONPatch{op: "add", path: "/spec/tolerations", value: []}])`
	parts := []string{first}
	for _, u := range cover.Merge(tolerations[:0], tolerations) {
		parts = append(parts, fmt.Sprintf("(has(object.spec.tolerations) && object.spec.tolerations.exists(t, %s) ? [] :\n  [JSONPatch{op: \"add\", path: \"/spec/tolerations/-\", value: Object.spec.tolerations%s}])", covering(u), names.ReplaceAll(u.AppendJSON(nil), []byte("$1: "))))
	}
	return fmt.Sprintf("has(object.spec.tolerations) && size(object.spec.tolerations) > %d ? [] : // is refused\n", rules.MaxTolerations) + strings.Join(parts, " +\n")
}

// covering returns whether the toleration t covers u, which has no Lt and Gt.
func covering(u toleration.Toleration) string {
	same := func(field, value string) string {
		if value == "" {
			return "!has(t." + field + ")"
		}
		return fmt.Sprintf("(!has(t.%s) || t.%[1]s == %s)", field, quote(value))
	}
	parts := []string{same("key", u.Key()), `has(t.operator) && t.operator == "Exists"`, same("effect", u.Effect().String())}
	if u.Operator() != toleration.Exists {
		equal := fmt.Sprintf(`has(t.key) && (!has(t.operator) || t.operator == "Equal") && (has(t.value) ? t.value : "") == %s`, quote(u.Value()))
		parts[1] = "(" + parts[1] + " || " + equal + ")"
	}
	if n, timed := u.Seconds(); !timed {
		parts = append(parts, "!has(t.tolerationSeconds)")
	} else if n > 0 {
		parts = append(parts, fmt.Sprintf("(!has(t.tolerationSeconds) || t.tolerationSeconds >= %d)", n))
	}
	return strings.Join(parts, " && ")
}

// addLabels returns a JSON patch that adds those of the rule's labels that the pod's node
// selector lacks.
func addLabels(r rules.Rule) string {
	parts := []string{`(has(object.spec.nodeSelector) ? [] : [JSONPatch{op: "add", path: "/spec/nodeSelector", value: {}}])`}
	for _, label := range sortedKeys(r.NodeSelector) {
		parts = append(parts, fmt.Sprintf("(has(object.spec.nodeSelector) && %s in object.spec.nodeSelector ? [] :\n  [JSONPatch{op: \"add\", path: \"/spec/nodeSelector/\" + jsonpatch.escapeKey(%[1]s), value: %s}])", quote(label), quote(r.NodeSelector[label])))
	}
	return strings.Join(parts, " +\n")
}
