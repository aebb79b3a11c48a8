package policies

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Each mistake in the objects is found by the comparison with the rules.
func TestPolicies_mistakes(t *testing.T) {
	t.Parallel()
	text := files(t)["many"]
	d := newDrawer(4, newSubject(t, text, completing, nil).rules)
	d.long = 100
	drawn := make([]request, 4000)
	for i := range drawn {
		drawn[i] = d.request()
	}
	mistakes := map[string][2]string{ // a regular expression for the JSON text
		"effects swapped":                   {`NoSchedule\\": 1, \\"PreferNoSchedule\\": 2`, `NoSchedule\": 2, \"PreferNoSchedule\": 1`},
		"no effect is an effect":            {`\[t\.effect\] : 0\)`, `[t.effect] : 1)`},
		"seconds off by one":                {`\[3600, (\d+), 3600`, `[3601, $1, 3601`},
		"seconds exclusive":                 {`> limits\[0\]`, `>= limits[0]`},
		"negative seconds":                  {`tolerationSeconds < 0 \? 0 : variables`, `tolerationSeconds < 0 ? 99999 : variables`},
		"no seconds are few":                {`!has\(variables\.tolerations\[i\]\.tolerationSeconds\) \|\|`, `has(variables.tolerations[i].tolerationSeconds) &&`},
		"seconds of kept tolerations":       {`oldSeconds\[j\] >= `, `oldSeconds[j] >= -1 + `},
		"kept for no less":                  {`oldSeconds\[j\] >= `, `oldSeconds[j] == `},
		"kept tolerations whatever seconds": {`variables\.oldSeconds\[j\] >= variables\.seconds\[i\]`, `true`},
		"kept tolerations whatever effect":  {` \+ \(has\(t\.effect\) \? \\":\\" \+ t\.effect : \\"\\"\)`, ``},
		"kept tolerations cover":            {`(has\(t\.operator\) \? )\\" op=\\" \+ t\.operator`, `$1\"\"`},
		"the old object ignored":            {`oldObject != null && has\(oldObject\.spec\.tolerations\) &&`, `false &&`},
		"a long old list kept":              {`size\(oldObject\.spec\.tolerations\) <= 200`, `size(oldObject.spec.tolerations) <= 2000`},
		"updates accepted":                  {`"oldObject == null \|\| has\(object\.spec\.tolerations\) !=[^"]*"`, `"oldObject == null"`},
		"a group's rule never":              {`\\"group:admins\\": \[0, 1\]`, `\"group:admins\": [1]`},
		"another namespace":                 {`\\"trial\\": \[5\]`, `\"trial\": []`},
		"without the group":                 {`variables\.allowed\.exists\(all, r in all\)`, `true`},
		"without the user":                  {`\\"user:ann\\": \[6\]`, `\"user:ann2\": [6]`},
		"a user's condition":                {`\\"user:ann\\": \[\\"\*\\"\]`, `\"user:ann\": [\"ml\"]`},
		"the last rule first":               {`\]\)\.min\(\)`, `]).filter(r, r < 10).max()`},
		"another label of a namespace":      {`l\[\\"team\\"\] in \[\\"a\\"\]`, `l[\"team\"] in [\"other\"]`},
		"NotIn is In":                       {`!\(\\"tier\\" in l &&`, `(\"tier\" in l &&`},
		"Exists is not":                     {`,\\n  \\"tier\\" in l\\n`, `,\n  !(\"tier\" in l)\n`},
		"another selector":                  {`\{6: 0, 7: 1\}`, `{6: 1, 7: 0}`},
		"a binding's label":                 {`"key":"tier","operator":"Exists"`, `"key":"tier","operator":"DoesNotExist"`},
		"a label's value looked up":         {`\\"b\\": \[8\]`, `\"b\": []`},
		"a binding's values":                {`"values":\["","b"\]`, `"values":["b"]`},
		"a binding's names":                 {`"operator":"In","values":\["data","ml"\]`, `"operator":"In","values":["data"]`},
		"a label omitted":                   {`\\"example\.com/disk\\": \\"ssd\\", `, ``},
		"a label's value":                   {`\\"pool\\": \\"users\\"`, `\"pool\": \"user\"`},
		"a label not added":                 {`!\(has\(object\.spec\.nodeSelector\) && k in`, `!(has(object.spec.nodeSelector) || k in`},
		"labels on updates":                 {`request\.operation != \\"CREATE\\" \|\| variables\.labels`, `variables.labels`},
		"nodeName on updates":               {`request\.operation != \\"CREATE\\" \|\| variables\.nodeName`, `variables.nodeName`},
		"nodeName allowed":                  {`5: \\"trial\.denyNodeName\\"`, `5: \"\"`},
		"a name":                            {`trial\.denyNodeName`, `rules[5].denyNodeName`},
		"nothing of Kubernetes accepted":    {`\\"node\.kubernetes\.io/unreachable=\*\\": 5`, `\"node.kubernetes.io/unreachable=*\": 1`},
		"its seconds":                       {`\[-1, -1, -1, 300,`, `[-1, -1, -1, 301,`},
		"accepted for less":                 {`\[-1, -1, -1, 60,`, `[-1, -1, -1, 59,`},
		"memory pressure":                   {`\\"node\.kubernetes\.io/memory-pressure=\*\\": 3`, `\"node.kubernetes.io/memory-pressure=*\": 2`},
		"daemons on the host":               {`hostNetwork \? 8 : 4`, `hostNetwork ? 4 : 4`},
		"daemons of nobody":                 {`\) \? 0 : has\(variables\.spec\.hostNetwork\)`, `) ? 4 : has(variables.spec.hostNetwork)`},
		"another controller":                {`system:serviceaccount:kube-system:daemon-set-controller`, `system:serviceaccount:shop:daemon-set-controller`},
		"what the rule adds":                {`\\"gpu=\\": 7`, `\"gpu=\": 1`},
		"covered by several":                {`\[-1, -1, -1, 9223372036854775807, -1, 9223372036854775807,`, `[-1, -1, -1, -1, -1, 9223372036854775807,`},
		"what another rule adds":            {`7: 5\\n`, `7: 4\n`},
		"rows swapped":                      {`\\"pool=ml\\": 18`, `\"pool=ml\": 16`},
		"a row":                             {`-3\]`, `-2]`},
		"other values":                      {`\\"gpu=\*\\": 15`, `\"gpu=*\": 14`},
		"the empty value":                   {`\(has\(t\.value\) \? t\.value : \\"\\"\)\)"`, `(has(t.value) ? t.value : \"shared\"))"`},
		"other keys":                        {`\\"\*\\": 14`, `\"*\": 0`},
		"all keys":                          {`!has\(t\.key\) \? \\"\\" :`, `!has(t.key) ? \"*\" :`},
		"Lt is Equal":                       {`t\.operator != \\"Equal\\" \? t\.key`, `t.operator == \"Exists\" ? t.key`},
		"a clause":                          {`\\"rules\[9\]\.policy\.gpu\\"`, `\"rules[9].policy.gpus\"`},
		"a reason":                          {`join users`, `join the users`},
		"an index":                          {`string\(i\)`, `string(i+1)`},
		"ten":                               {`\[0, 1, 2, 3, 4, 5, 6, 7, 8, 9\]\.filter`, `[0, 1, 2, 3, 4, 5, 6, 7, 8].filter`},
		"200":                               {`<= 200`, `<= 201`},
		"warnings swapped":                  {`3: true`, `3: false`},
		"pods being deleted":                {`!has\(oldObject\.metadata\.deletionTimestamp\)`, `true`},
		"every node's mirror pods":          {`request\.userInfo\.username == \\"system:node:\\" \+ object\.spec\.nodeName`, `true`},
		"anybody's mirror pods":             {`\\"system:nodes\\" in request\.userInfo\.groups`, `true`},
		"mirror pods judged":                {`config\.mirror`, `config.mirrors`},
		"an earlier rule adds too":          {`2: \[\[\\"gpu\\", \\"\\", \\"\\", \\"\\", \\"\\"\], `, `2: [[\"gpu\", \"Exists\", \"\", \"\", \"\"], `},
		"added twice":                       {`!variables\.tolerations\.exists\(t, `, `!variables.tolerations.exists(t, false && `},
		"covered for longer":                {`t\.tolerationSeconds >= int`, `t.tolerationSeconds > int`},
		"covered by less":                   {`int\(a\[4\]\) <= 0 \|\|`, `int(a[4]) <= 60 ||`},
		"added without its value":           {`\?value: optional\.ofNonZeroValue\(a\[2\]\)`, `?value: optional.none()`},
		"another clause noted":              {`variables\.clauses\[variables\.verdicts\[i\]\]\)\)`, `variables.clauses[0]))`},
		"denied by nothing":                 {`"validationActions":\["Deny"\]`, `"validationActions":["Audit"]`},
	}
	for i, name := range slices.Sorted(maps.Keys(mistakes)) {
		if testing.Short() && i%3 != 0 {
			continue
		}
		change := mistakes[name]
		s := newSubject(t, text, completing, func(objects string) string {
			changed := regexp.MustCompile(change[0]).ReplaceAllString(objects, change[1])
			if changed == objects {
				t.Errorf("%s: the objects have nothing like %s", name, change[0])
			}
			return changed
		})
		found := false
		for i := 0; i < len(drawn) && !found; i++ {
			found = s.compare(t, drawn[i]) != ""
		}
		if !found {
			t.Errorf("%s: not found", name)
		}
	}
}

// strangers are texts that would leave a string of CEL, or mean something in one.
var strangers = []string{
	`"`, `\`, `\"`, `'`, "`", `" + "`, `"] == [] || true || ["`, `" || true || "`, `\" || true || \"`, `{{.}}`, `${x}`, `}}`, `/*`, `//`, "#",
	"a\nb", "a\rb", "a\tb", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\u202e", "\ufeff", "\u00a0", "日本語", "🙂", "\\u0022", "\\x22", "%s%d", "\U0010ffff", strings.Repeat("字", 300),
}

// Names of strangers stay in their strings: the policies compile, judge as the rules, and what
// they say has no control characters.
func TestPolicies_strangers(t *testing.T) {
	t.Parallel()
	for i, name := range strangers {
		if testing.Short() && i%4 != 0 {
			continue
		}
		group := strings.TrimSuffix(name, "*") // a pattern is refused
		s := newSubject(t, string(problem.Must(json.Marshal(fields{"rules": []fields{
			{"namespaces": []string{"shop"}, "groups": []string{group}, "warn": true, "denyNodeName": false},
			{"groups": []string{group + group}, "policy": fields{}},
			{"policy": fields{
				"allow": []fields{{"taints": []fields{{"key": "ours", "operator": "Exists"}}}},
				"deny":  []fields{{"name": name, "message": name, "taints": []fields{{"key": "ours", "value": "x"}}}}}},
		}}))), completing, nil)
		for _, groups := range [][]string{nil, {group}, {group + group}, {"other"}} {
			for _, u := range []corev1.Toleration{{Key: "ours", Value: "x", Effect: "NoSchedule"}, {Key: "ours", Value: "y"}, {Key: "theirs"}} {
				given := s.server.admit(t.Context(), newPod("shop", groups, u))
				settings, _ := s.rules.For(rules.Request{Namespace: "shop", Groups: groups})
				refused := len(settings.Check(rules.Pod{Tolerations: problem.Must(kube.Tolerations([]corev1.Toleration{u}))})) > 0
				said := strings.Join(given.warnings, "")
				if given.err != nil {
					said = given.err.Error()
				}
				if (given.err != nil) != (refused && !settings.Warns()) || (given.warnings != nil) != (refused && settings.Warns()) {
					t.Errorf("%q, groups %q, %v: %v, %q", name, groups, u, given.err, given.warnings)
				}
				if strings.ContainsFunc(said, unicode.IsControl) || len(said) > celconfig.MaxEvaluatedMessageExpressionSizeBytes || refused && !strings.Contains(said, "spec.tolerations[0]") {
					t.Errorf("%q: says %q", name, said)
				}
			}
		}
	}
}

// timed returns the tolerations with seconds.
func timed(list []corev1.Toleration, seconds int64) []corev1.Toleration {
	for i := range list {
		list[i].Effect, list[i].TolerationSeconds = "NoExecute", &seconds
	}
	return list
}

// values returns tolerations of a key that differ in the value.
func values(key string, n int) (list []corev1.Toleration) {
	for i := range n {
		list = append(list, corev1.Toleration{Key: key, Operator: "Equal", Value: fmt.Sprint(i)})
	}
	return list
}

func newPod(namespace string, groups []string, list ...corev1.Toleration) call {
	object := problem.Must(decoded(fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "p"}, "spec": fields{"tolerations": list}}))
	return call{Namespace: namespace, User: users[0], Groups: groups, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Object: object}
}

// What the policies cost for the worst pods: little of the budgets, and hardly more for a
// thousand clauses than for ten.
func TestPolicies_cost(t *testing.T) {
	t.Parallel()
	for _, clauses := range []int{10, 100, 1000} {
		var allow, deny, add []fields
		var groups []string
		for i := range clauses {
			taint := fields{"key": fmt.Sprint("pool-", i), "value": "x", "effect": "NoExecute"}
			if allow = append(allow, fields{"name": fmt.Sprint("team-", i), "message": "ask the platform team", "taints": []fields{taint}, "maxSeconds": 300 + i}); i%2 == 0 {
				deny = append(deny, fields{"taints": []fields{taint}, "maxSeconds": i})
			}
			if groups = append(groups, fmt.Sprint("group-", i)); len(add) < 50 {
				add = append(add, fields{"key": "pool-0", "value": fmt.Sprint("added-", i)})
			}
		}
		s := newSubject(t, string(problem.Must(json.Marshal(fields{"rules": []fields{
			{"namespaces": []string{"trial"}, "warn": true, "denyNodeName": false}, {"namespaces": []string{"ml"}, "tolerations": add, "nodeSelector": fields{"pool": "ml"}, "denyNodeName": true},
			{"groups": groups, "nodeSelector": fields{"pool": "users"}}, {"policy": fields{"allow": allow, "deny": deny}}}}))), completing, nil)
		t.Logf("%d clauses are %d bytes", clauses, len(problem.Must(json.Marshal(s.objects))))
		accepted := longest(200)
		for i := range accepted {
			accepted[i] = corev1.Toleration{Key: fmt.Sprint("pool-", i%clauses), Value: "x", Effect: "NoExecute", TolerationSeconds: new(int64)}
		}
		var member []string
		for i := range 200 { // the last is named
			member = append(member, fmt.Sprint("group-", clauses+198-i))
		}
		for _, tt := range []struct {
			name      string
			list, old []corev1.Toleration
		}{
			{"200 refused", longest(200), nil},
			{"200 accepted", accepted, nil},
			{"200 other refused", longest(400)[200:], longest(200)},
			{"199 kept", append(longest(199), accepted[0]), longest(200)},
			{"200 for longer", timed(longest(200), 2), timed(longest(200), 1)},
			{"200 of a key", values("pool-0", 200), nil},
			{"2,000", longest(2000), nil},
			{"39,000", longest(39_000), nil},
			{"39,000 unchanged", longest(39_000), longest(39_000)},
		} {
			if len(tt.list) > 200 && clauses < 1000 {
				continue
			}
			var most units
			for _, c := range s.server.costs {
				*c = units{}
			}
			for _, namespace := range []string{"shop", "trial", "ml"} {
				c := newPod(namespace, member, tt.list...)
				if tt.old != nil {
					c.Old = newPod(namespace, nil, tt.old...).Object
				}
				s.server.admit(t.Context(), c)
			}
			for name, c := range s.server.costs {
				if c.match > celconfig.RuntimeCELCostBudgetMatchConditions/4 || c.dearest > celconfig.PerCallLimit/2 || max(c.validate+c.message, c.annotate) > celconfig.RuntimeCELCostBudget/4 {
					t.Errorf("%d clauses, %s: %s costs %+v", clauses, tt.name, name, *c)
				}
				most = units{max(most.match, c.match), max(most.validate, c.validate), max(most.message, c.message), max(most.annotate, c.annotate), max(most.dearest, c.dearest), max(most.all, c.all)}
			}
			t.Logf("%17s: %+v", tt.name, most)
		}
	}
}

// As many selectors as fit cost little in a namespace that all select, and bindings for them compile.
func TestPolicies_selectors(t *testing.T) {
	t.Parallel()
	const n = 100
	all, labels := []fields{{"namespaces": []string{"ml"}, "nodeSelector": fields{"pool": "ml"}}}, map[string]string{}
	for i := range n {
		label := fmt.Sprint("label-", i)
		labels[label] = ""
		all = append(all, fields{"namespaceSelector": fields{"matchExpressions": []fields{{"key": label, "operator": "Exists"}}}, "tolerations": []fields{{"key": label}}, "nodeSelector": fields{"pool": label}, "policy": fields{}})
	}
	s := newSubject(t, string(problem.Must(json.Marshal(fields{"rules": append(all, fields{"policy": fields{}})}))), completing, nil)
	pod := newPod("shop", nil)
	pod.Labels = labels
	given := s.server.admit(t.Context(), pod)
	if got := podOf(given.object).Spec; given.err != nil || len(got.Tolerations) != 1 || got.NodeSelector["pool"] != "label-0" {
		t.Errorf("%v, %+v", given.err, got)
	}
	for name, c := range s.server.costs {
		if c.dearest > celconfig.PerCallLimit/4 {
			t.Errorf("%s costs %+v", name, *c)
		}
	}
}

// A pod costs with the policies of a hundred teams at most 1.5 times what it costs with those of one.
func TestPolicies_teams(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"name", "label"} {
		for _, inside := range []bool{false, true} {
			var sums []int64
			for _, n := range []int{1, 100} {
				s := newSubject(t, teams(n, by), completing, nil)
				pod := newPod("shop", nil)
				if inside {
					pod.Namespace = fmt.Sprint("team-", n-1)
				}
				pod.Labels = map[string]string{corev1.LabelMetadataName: pod.Namespace, "team": pod.Namespace}
				if given := s.server.admit(t.Context(), pod); given.err != nil || (podOf(given.object).Spec.NodeSelector != nil) != inside {
					t.Fatal(given.err, podOf(given.object).Spec)
				}
				sum := int64(0)
				for name, c := range s.server.costs {
					if sum += c.all; inside && c.all == 0 && name != "tolerate-templates" {
						t.Errorf("%s costs nothing", name)
					}
				}
				sums = append(sums, sum)
			}
			if t.Logf("by %s, of a team: %v: %d units, with 100 teams %d", by, inside, sums[0], sums[1]); sums[0] == 0 || 2*sums[1] > 3*sums[0] {
				t.Error("more than 1.5 times as many")
			}
		}
	}
}

// As many groups as fit cost little for a user in all of them.
func TestPolicies_groups(t *testing.T) {
	t.Parallel()
	const n = 141 // squared, what enforce accepts
	var all []fields
	user := call{User: users[0], Namespace: "shop", Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}}
	for i := range n {
		user.Groups = append(user.Groups, fmt.Sprint("group-", i))
		all = append(all, fields{"groups": []string{fmt.Sprint("group-", n-1-i)}, "denyNodeName": false})
	}
	file, err := json.Marshal(fields{"rules": append(all, fields{"policy": fields{}})})
	if err != nil {
		t.Fatal(err)
	}
	s := newSubject(t, string(file), completing, nil)
	user.Object = problem.Must(decoded(fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "p"}, "spec": fields{}}))
	if answer := s.server.admit(t.Context(), user); answer.err != nil {
		t.Error(answer.err)
	}
	for name, c := range s.server.costs {
		if c.dearest > celconfig.PerCallLimit/4 {
			t.Errorf("%s costs %+v", name, *c)
		}
	}
}
