package enforce_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	compiler "github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/lint"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
)

// shipped is the example of a file of rules.
const shipped = "../../rules.yaml"

// run runs a command with standard input.
func run(command func(*cli.Env) *cobra.Command, in string, args ...string) (out, errOut string) {
	var stdout, stderr bytes.Buffer
	env := cli.NewEnv(strings.NewReader(in), &stdout, &stderr)
	c := command(env)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	env.Status(c.Execute())
	return stdout.String(), stderr.String()
}

func mustRun(t *testing.T, in string, args ...string) string {
	t.Helper()
	out, errOut := run(enforce.NewCommand, in, args...)
	if strings.Contains(errOut, "error: ") || strings.Contains(out, `expression: ""`) { // which the API server refuses
		t.Fatal(errOut, out)
	}
	return out
}

// settings returns those of the pods of a namespace.
func settings(c *rules.Config, namespace string, groups ...string) rules.Settings {
	s, _ := c.For(rules.Request{Namespace: namespace, Labels: map[string]string{}, Groups: groups})
	return s
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The shipped file refuses what its comments say.
func TestShipped(t *testing.T) {
	c, _, err := enforce.Read(nil, shipped, compiler.Options{Name: "tolerate"})
	if err != nil {
		t.Fatal(err)
	}
	const platform, gpu = "rules[5].policy.control-plane", "rules[5].policy.gpu"
	admins, users := []string{"system:masters"}, []string{"system:authenticated", "gpu-users"}
	for _, tt := range []struct {
		toleration, namespace string
		groups                []string
		refused               string
	}{
		{"node-role.kubernetes.io/control-plane op=Exists", "shop", nil, platform},
		{"node-role.kubernetes.io/master:NoSchedule op=Exists", "shop", nil, platform},
		{"node-role.kubernetes.io/infra op=Exists", "shop", nil, ""},
		{"nvidia.com/gpu op=Exists", "shop", nil, ""},
		{"op=Exists", "shop", nil, platform},
		{"op=Exists", "kube-system", nil, ""},
		{"op=Exists", "shop", admins, ""},
		{"op=Exists", "ml", admins, ""},
		{"op=Exists", "shop", users, "rules[3].policy.control-plane"},
		{"op=Exists", "ml", nil, "rules[2].policy.control-plane"},
		{"dedicated=gpu", "shop", nil, gpu},
		{"dedicated op=Exists", "shop", nil, gpu},
		{"dedicated=web", "shop", nil, ""},
		{"dedicated=gpu", "shop", users, ""},
		{"dedicated=gpu:NoSchedule", "ml", nil, ""},
	} {
		pod := rules.Pod{Tolerations: toleration.List{toleration.MustParse(tt.toleration)}, Manifest: true, NodeName: "node1"}
		got := ""
		for _, r := range settings(c, tt.namespace, tt.groups...).Check(pod) {
			got += r.Clause
		}
		if got = strings.TrimPrefix(got, "rules[5].denyNodeName"); got != tt.refused {
			t.Errorf("%s in %s of %v: refused by %q, want %q", tt.toleration, tt.namespace, tt.groups, got, tt.refused)
		}
	}
	for namespace, want := range map[string]rules.Settings{
		"shop": {},
		"ml":   {Tolerations: toleration.List{toleration.MustParse("dedicated=gpu")}, NodeSelector: map[string]string{"dedicated": "gpu"}},
	} {
		for _, groups := range [][]string{nil, admins} {
			got := settings(c, namespace, groups...)
			if diff := cmp.Diff([]any{want.Tolerations, want.NodeSelector, false}, []any{got.Tolerations, got.NodeSelector, got.Warns()}); diff != "" {
				t.Errorf("%s of %v: mismatch (-want +got):\n%s", namespace, groups, diff)
			}
		}
	}
	// Administrators debug nodes.
	pod := rules.Pod{NodeName: "node1"}
	if refused := settings(c, "shop").Check(pod); len(refused) != 1 || refused[0].Clause != "rules[5].denyNodeName" {
		t.Errorf("%+v", refused)
	}
	if refused := settings(c, "shop", admins...).Check(pod); refused != nil {
		t.Errorf("of an administrator: %+v", refused)
	}
}

var kinds = map[string]func() any{
	"ValidatingAdmissionPolicy":        func() any { return new(admissionv1.ValidatingAdmissionPolicy) },
	"ValidatingAdmissionPolicyBinding": func() any { return new(admissionv1.ValidatingAdmissionPolicyBinding) },
	"MutatingAdmissionPolicy":          func() any { return new(admissionv1.MutatingAdmissionPolicy) },
	"MutatingAdmissionPolicyBinding":   func() any { return new(admissionv1.MutatingAdmissionPolicyBinding) },
}

// objects returns the kinds and names of the objects that were printed, which have no fields
// that the API does not have.
func objects(t *testing.T, out string) (names []string) {
	t.Helper()
	for _, document := range strings.Split(out, "\n---\n")[1:] {
		var meta struct {
			Kind     string
			Metadata struct{ Name string }
		}
		err := yaml.Unmarshal([]byte(document), &meta)
		make := kinds[meta.Kind]
		if err != nil || make == nil {
			t.Fatalf("kind %q, %v", meta.Kind, err)
		}
		if err := yaml.UnmarshalStrict([]byte(document), make()); err != nil {
			t.Errorf("%s %s: %v", meta.Kind, meta.Metadata.Name, err)
		}
		names = append(names, meta.Kind+" "+meta.Metadata.Name)
	}
	return names
}

// hostile are texts of strangers, which are not part of the output's YAML.
const hostile = "\n---\nkind: Pod\n\x00\x1b[2J\u202e\u2028'\"\\`{{}}# ✂ 汚染\t"

func TestCommand_objects(t *testing.T) {
	both := func(name string) []string {
		return []string{strings.Replace(name, " ", "Policy ", 1), strings.Replace(name, " ", "PolicyBinding ", 1)}
	}
	named := func(name string) []string {
		return slices.Concat(both("ValidatingAdmission "+name), both("ValidatingAdmission "+name+"-templates"))
	}
	mutating := []string{"MutatingAdmissionPolicy tolerate", "MutatingAdmissionPolicyBinding tolerate-names"}
	stranger, err := json.Marshal(map[string]any{"rules": []any{map[string]any{"namespaces": []string{"shop"}, "groups": []string{hostile}, "warn": true, "denyNodeName": true},
		map[string]any{"policy": map[string]any{"allow": []any{map[string]any{"name": hostile, "message": hostile, "taints": []any{map[string]any{"operator": "Exists", "effect": "NoExecute"}}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in   string
		args []string
		want []string
	}{
		"shipped":     {read(t, shipped), nil, slices.Concat(mutating, named("tolerate"))},
		"no mutation": {read(t, shipped), []string{"--no-mutation"}, named("tolerate")},
		"name":        {"rules: [{denyNodeName: true}]", []string{"--name", "gpu-2"}, named("gpu-2")},
		"warn":        {"rules: [{groups: [a], warn: true, denyNodeName: true}]", nil, slices.Insert(named("tolerate"), 2, both("ValidatingAdmission tolerate-warn")...)},
		"strangers":   {string(stranger), nil, slices.Insert(named("tolerate"), 2, both("ValidatingAdmission tolerate-warn")...)},
	} {
		got := objects(t, mustRun(t, tt.in, append(tt.args, "-f", "-")...))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
		}
	}
}

var ofDigest = regexp.MustCompile(`kubectl-tolerate/digest(: |!=)([0-9a-f]{16})\b`)

// digest returns the digest of the output, which is the same in all its labels and commands.
func digest(t *testing.T, out string) string {
	t.Helper()
	all := ofDigest.FindAllStringSubmatch(out, -1)
	if len(all) < 4 {
		t.Fatal(out)
	}
	for _, found := range all {
		if found[2] != all[0][2] {
			t.Errorf("digests %s and %s", all[0][2], found[2])
		}
	}
	return all[0][2]
}

// The same rules have the same output, in JSON too.
func TestCommand_digest(t *testing.T) {
	text := read(t, shipped)
	out := mustRun(t, text, "-f", "-")
	asJSON, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"JSON":        string(asJSON),
		"description": "description: another\n" + text,
		"separators":  "---\n" + text + "\n...\n",
		"comments":    regexp.MustCompile(`(?m)#.*`).ReplaceAllString(text, ""),
	} {
		if diff := cmp.Diff(out, mustRun(t, in, "-f", "-")); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(out, mustRun(t, "", "-f", shipped)); diff != "" {
		t.Errorf("a file: mismatch (-want +got):\n%s", diff)
	}
	seen := map[string]string{digest(t, out): "the file"}
	for name, other := range map[string]string{
		"a message":     mustRun(t, strings.Replace(text, "platform's own", "platform's", 1), "-f", "-"),
		"a namespace":   mustRun(t, strings.Replace(text, "[ml]", "[ml2]", 1), "-f", "-"),
		"warn":          mustRun(t, strings.Replace(text, "warn: false", "warn: true", 1), "-f", "-"),
		"--name":        mustRun(t, text, "-f", "-", "--name", "other"),
		"--no-mutation": mustRun(t, text, "-f", "-", "--no-mutation"),
	} {
		if same := seen[digest(t, other)]; same != "" {
			t.Errorf("%s: the digest of %s", name, same)
		}
		seen[digest(t, other)] = name
	}
}

// The first lines have the version and the commands, which standard error has too.
func TestCommand_header(t *testing.T) {
	for version, args := range map[string][]string{
		"# Made by kubectl tolerate enforce, for Kubernetes 1.36 or later. To apply it:\n":                                                               nil,
		"# Made by kubectl tolerate enforce, for Kubernetes 1.30 or later; before 1.36, omit the commands that delete mutating policies. To apply it:\n": {"--no-mutation"},
	} {
		out, errOut := run(enforce.NewCommand, "", append(args, "-f", shipped, "--name", "gpu")...)
		header, _, _ := strings.Cut(out, "---\n")
		const all = "app.kubernetes.io/managed-by=kubectl-tolerate,app.kubernetes.io/instance=gpu"
		want := `Then delete what older rules left:
  kubectl delete mutatingadmissionpolicies,mutatingadmissionpolicybindings -l 'ALL,kubectl-tolerate/digest!=DIGEST'
  kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings -l 'ALL,kubectl-tolerate/digest!=DIGEST'
To refuse no pod for now, and warn and audit instead (what is added to new pods stays; GitOps reverts it or fails):
  kubectl patch validatingadmissionpolicybinding gpu --type=merge -p '{"spec":{"validationActions":["Warn","Audit"]}}'
To refuse pods again (do this before the next apply):
  kubectl patch validatingadmissionpolicybinding gpu --type=merge -p '{"spec":{"validationActions":["Deny"]}}'
To delete everything (no policy can refuse this):
  kubectl delete validatingadmissionpolicies,validatingadmissionpolicybindings -l 'ALL'
  kubectl delete mutatingadmissionpolicies,mutatingadmissionpolicybindings -l 'ALL'
`
		want = strings.NewReplacer("ALL", all, "DIGEST", digest(t, out)).Replace(want)
		if diff := cmp.Diff(want, errOut); diff != "" {
			t.Errorf("standard error: mismatch (-want +got):\n%s", diff)
		}
		want = version + "#\n#   kubectl apply --server-side -f -\n#\n# " + strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\n# ") + "\n"
		if diff := cmp.Diff(want, header); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	}
}

// What the rules leave open is on standard error.
func TestCommand_open(t *testing.T) {
	const all, deny = "policy: {allow: [{taints: [{operator: Exists}]}]}", "policy: {allow: [{taints: [{operator: Exists}]}], deny: [{taints: [{key: gpu, operator: Exists}]}]}"
	const refusesNone, avoided = "warning: the rules refuse no toleration\n", ": NoSchedule taints do not repel a pod that names its node in spec.nodeName; to refuse it, add there"
	several := ""
	for i := range 7 {
		several += fmt.Sprintf("- {namespaces: [n%d], %s}\n", i, deny)
	}
	for rules, want := range map[string]string{
		"- {" + all + "}":                                           refusesNone,
		"- {tolerations: [{key: a}]}":                               refusesNone,
		"- {denyNodeName: true, " + deny + "}":                      "",
		"- {" + deny + "}":                                          "warning: rules[0]" + avoided + ":\n  denyNodeName: true\n",
		"- {name: others, " + deny + "}":                            "warning: others" + avoided + ":\n  denyNodeName: true\n",
		"- {denyNodeName: false, " + deny + "}":                     "warning: rules[0]: with denyNodeName: false, NoSchedule taints do not repel a pod that names its node in spec.nodeName\n",
		"- {namespaces: [a], " + deny + "}\n- {" + all + "}":        "warning: rules[0]" + avoided + ", or once to rules[1], which is for all pods:\n  denyNodeName: true\n",
		"- {" + deny + "}\n- {namespaces: [a], denyNodeName: true}": "warning: rules[0]" + avoided + ", and omit it in later rules:\n  denyNodeName: true\n",
		several + "- {denyNodeName: true, " + deny + "}":            "",
		several + "- {" + deny + "}":                                "warning: rules[0], rules[1], rules[2], rules[3], rules[4] and 3 more" + avoided + ", or once to rules[7], which is for all pods:\n  denyNodeName: true\n",
	} {
		if _, errOut := run(enforce.NewCommand, "rules:\n"+rules, "-f", "-"); !strings.HasPrefix(errOut, want+"Then delete") {
			t.Errorf("%s:\n%s, want\n%s", rules, errOut, want)
		}
	}
}

// A hundred teams have as many objects as one, by name and by label. Too many for an expression are
// refused with the number.
func TestCommand_teams(t *testing.T) {
	t.Run("names", func(t *testing.T) { manyTeams(t, "namespaces: [team-%d]") })
	t.Run("labels", func(t *testing.T) { manyTeams(t, "namespaceSelector: {matchLabels: {team: team-%d}}") })
}

func manyTeams(t *testing.T, which string) {
	file := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- {"+which+", tolerations: [{key: dedicated, value: team-%[1]d}], nodeSelector: {dedicated: team-%[1]d}, policy: {allow: [{taints: [{operator: Exists}], except: [{key: dedicated, operator: Exists}]}, {taints: [{key: dedicated, value: team-%[1]d}]}]}}\n", i)
		}
		return "rules:\n" + b.String() + "- policy: {allow: [{taints: [{operator: Exists}]}], deny: [{taints: [{key: dedicated, operator: Exists}]}]}\n"
	}
	one := objects(t, mustRun(t, file(1), "-f", "-"))
	if diff := cmp.Diff(one, objects(t, mustRun(t, file(100), "-f", "-"))); diff != "" || len(one) > 10 {
		t.Errorf("%d objects, mismatch (-one +hundred):\n%s", len(one), diff)
	}
	out, errOut := run(enforce.NewCommand, file(2000), "-f", "-")
	if want := "error: standard input: rules: tolerations: compiles to an expression of "; out != "" || !strings.HasPrefix(errOut, want) {
		t.Errorf("%.100s, %s", out, errOut)
	}
}

// The objects of an earlier version stay, whatever rule is inserted; their tables and selectors change.
func TestCommand_inserted(t *testing.T) {
	text := read(t, shipped)
	before := objects(t, mustRun(t, text, "-f", "-"))
	after := objects(t, mustRun(t, strings.Replace(text, "rules:\n", "rules:\n- {namespaces: [new], tolerations: [{key: a}], nodeSelector: {a: b}}\n", 1), "-f", "-"))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("mismatch (-before +after):\n%s", diff)
	}
}

// With labels, each different selector has one object, but those that only require a value of one
// label have one for the label; users have two more.
func TestCommand_selectors(t *testing.T) {
	const text = `rules:
- {namespaceSelector: {matchLabels: {team: a}}, tolerations: [{key: a}]}
- {namespaceSelector: {matchLabels: {team: b}}, tolerations: [{key: b}]}
- {namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [b, c]}]}, nodeSelector: {b: c}}
- {namespaceSelector: {matchLabels: {team: b}, matchExpressions: [{key: tier, operator: Exists}]}, nodeSelector: {c: d}}
- {users: [ann], namespaces: [c], nodeSelector: {c: d}}
- {namespaces: [d], tolerations: []}
- {tolerations: [{key: d}]}
`
	var got []string
	for _, name := range objects(t, mustRun(t, text, "-f", "-")) {
		if strings.HasPrefix(name, "Mutating") {
			got = append(got, ofHash.ReplaceAllString(strings.TrimPrefix(name, "MutatingAdmission"), "-selector-N"))
		}
	}
	want := []string{"Policy tolerate", "PolicyBinding tolerate", "PolicyBinding tolerate-selector-N", "PolicyBinding tolerate-selector-N", "Policy tolerate-users", "PolicyBinding tolerate-users-names"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// A namespace for which a rule adds something is matched by one binding, since the policy is evaluated
// for each, unless rules with a selector match it, too; one whose rule adds nothing by none.
func TestCommand_bindings(t *testing.T) {
	const text = `rules:
- {namespaces: [named], tolerations: [{key: a}]}
- {namespaces: [exempt], tolerations: [], nodeSelector: {}}
- {namespaceSelector: {matchLabels: {team: a}}, tolerations: [{key: b}]}
- {namespaceSelector: {matchLabels: {team: b}}, tolerations: [{key: c}]}
- {namespaceSelector: {matchExpressions: [{key: tier, operator: Exists}]}, nodeSelector: {c: d}}
`
	for name, test := range map[string]struct {
		namespace labels.Set
		all, some int // with a last rule for all namespaces, and without
	}{
		"named":    {labels.Set{"team": "a"}, 1, 1},
		"exempt":   {labels.Set{"team": "a", "tier": ""}, 0, 0},
		"labelled": {labels.Set{"team": "b"}, 1, 1},
		"two":      {labels.Set{"team": "a", "tier": "x"}, 1, 2},
		"plain":    {nil, 1, 0},
	} {
		test.namespace = labels.Merge(test.namespace, labels.Set{"kubernetes.io/metadata.name": name})
		for last, want := range map[string]int{"": test.some, "- {tolerations: [{key: d}]}\n": test.all} {
			got := 0
			for _, document := range strings.Split(mustRun(t, text+last, "-f", "-"), "\n---\n") {
				var b admissionv1.MutatingAdmissionPolicyBinding
				if yaml.Unmarshal([]byte(document), &b) != nil || b.Kind != "MutatingAdmissionPolicyBinding" {
					continue
				}
				s := labels.Everything()
				if b.Spec.MatchResources != nil {
					s = problem.Must(metav1.LabelSelectorAsSelector(b.Spec.MatchResources.NamespaceSelector))
				}
				if s.Matches(test.namespace) {
					got++
				}
			}
			if got != want {
				t.Errorf("%s, %q: %d bindings match, want %d", name, last, got, want)
			}
		}
	}
}

// A rule that did not change adds what it adds at every moment of an apply, which writes one object after
// the other: a binding matches its namespaces, whatever other rules come and go.
func TestCommand_applied(t *testing.T) {
	scopes := []string{"namespaces: [p]", "namespaces: [p, q]", "namespaces: [r]", "namespaceSelector: {matchLabels: {team: a}}", "namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [a, b]}]}",
		"namespaceSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}", "users: [ann]", "users: [bob], namespaces: [q]", ""}
	settings := []string{"tolerations: [{key: a}]", "nodeSelector: {a: b}", "tolerations: []", "tolerations: [], nodeSelector: {}", "tolerations: [{key: a}], nodeSelector: {a: b}"}
	d, checked := rand.New(rand.NewPCG(1, 52)), 0
	number := 0
	rule := func() string {
		number++
		scope := scopes[d.IntN(len(scopes))]
		if scope != "" {
			scope += ", "
		}
		return fmt.Sprintf("- {name: r%d, %s%s}\n", number, scope, settings[d.IntN(len(settings))])
	}
	compile := func(list []string) (*rules.Config, map[string]labels.Selector, []string) {
		c, err := rules.Decode(problem.Must(yaml.YAMLToJSON([]byte("rules:\n" + strings.Join(list, "")))))
		if err != nil {
			return nil, nil, nil
		}
		bindings, order := map[string]labels.Selector{}, []string(nil)
		for _, o := range problem.Must(compiler.Compile(c, compiler.Options{Name: "t"})).List {
			var b admissionv1.MutatingAdmissionPolicyBinding
			if err := json.Unmarshal(problem.Must(json.Marshal(o)), &b); err != nil || b.Kind != "MutatingAdmissionPolicyBinding" {
				continue
			}
			bindings[b.Name], order = labels.Everything(), append(order, b.Name)
			if b.Spec.MatchResources != nil {
				bindings[b.Name] = problem.Must(metav1.LabelSelectorAsSelector(b.Spec.MatchResources.NamespaceSelector))
			}
		}
		return c, bindings, order
	}
	for checked < 20_000 {
		list := make([]string, d.IntN(5)+1)
		for i := range list {
			list[i] = rule()
		}
		at := d.IntN(len(list))
		next := slices.Concat(list[:at], []string{rule()}, list[at+d.IntN(2):]) // it is inserted, or replaces one
		if d.IntN(2) == 0 {
			list, next = next, list
		}
		before, state, _ := compile(list)
		after, bindings, order := compile(next)
		if before == nil || after == nil {
			continue
		}
		for written := -1; written < len(order); written++ {
			if written >= 0 {
				state[order[written]] = bindings[order[written]]
			}
			for _, name := range []string{"p", "q", "r", "s"} {
				for _, set := range []labels.Set{{"tier": ""}, {"team": "a"}, {"team": "b", "tier": ""}} {
					set = labels.Merge(set, labels.Set{"kubernetes.io/metadata.name": name})
					was, is := added(before, set), added(after, set)
					for rule, users := range was {
						if _, ok := is[rule]; !ok {
							continue
						}
						matched := false
						for binding, s := range state {
							matched = matched || strings.HasPrefix(binding, "t-users") == users && s.Matches(set)
						}
						if checked++; !matched {
							t.Fatalf("%s adds nothing in %v after %d of %d bindings of\n%s\nto\n%s", rule, set, written+1, len(order), strings.Join(list, ""), strings.Join(next, ""))
						}
					}
				}
			}
		}
	}
}

// added returns the rules that add something in a namespace, with whether they are for some users,
// unless earlier rules for all pods of the namespace have the setting.
func added(c *rules.Config, namespace labels.Set) map[string]bool {
	all, tolerations, selector := map[string]bool{}, false, false
	for _, r := range c.Rules {
		if !r.Everywhere() && !slices.Contains(r.Namespaces, namespace["kubernetes.io/metadata.name"]) && (r.Selector == nil || !r.Selector.Matches(namespace)) {
			continue
		}
		if len(r.Tolerations) > 0 && !tolerations || len(r.NodeSelector) > 0 && !selector {
			all[r.Name] = r.Restricted()
		}
		if !r.Restricted() && r.Selector == nil {
			tolerations, selector = tolerations || r.Tolerations != nil, selector || r.NodeSelector != nil
		}
	}
	return all
}

var ofHash = regexp.MustCompile(`-selector-[0-9a-f]{16}$`)

var ofSize = regexp.MustCompile(`of [0-9]{6,7} `)

// lint and enforce refuse the same files with the same text.
func TestRead_refused(t *testing.T) {
	const all = "policy: {allow: [{taints: [{operator: Exists}]}]}"
	clauses := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{taints: [{key: %s/key-%d, operator: Exists}]}, ", strings.Repeat("x", 230), i)
		}
		return "policy: {allow: [" + b.String() + "]}"
	}
	policies := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- {namespaces: [n%d], %s}\n", i, clauses(300))
		}
		return b.String()
	}
	repeat := func(n int, format string) (all string) {
		for i := range n {
			all += fmt.Sprintf(format, i)
		}
		return all
	}
	texts := func() string { // of four bytes a character, and labels
		var b strings.Builder
		fmt.Fprintf(&b, "rules:\n- {groups: [%s], denyNodeName: true}\n", repeat(24, "\"%d"+strings.Repeat("🙂", 4000)+"\", "))
		for i := range 25 {
			fmt.Fprintf(&b, "- {namespaces: [n%d], nodeSelector: {%s}}\n", i, repeat(55, "label-number-%d: "+strings.Repeat("v", 40)+", "))
		}
		b.WriteString("- policy:\n    allow: [{taints: [{operator: Exists}]}]\n    deny:\n")
		for i := range 1500 {
			fmt.Fprintf(&b, "    - {name: %04d%s, message: %s, taints: [{key: k%[1]d, operator: Exists}]}\n", i, strings.Repeat("🙂", 15), strings.Repeat("🙂", 60))
		}
		return b.String()
	}
	for name, tt := range map[string]struct{ file, want string }{
		"many groups":             {"rules:\n" + repeat(150, "- {groups: [g%d], denyNodeName: true}\n") + "- " + all, "FILE: rules: 150 rules for some users, which list a user in all groups 150 times, cost too much; their product can be 20000"},
		"many selectors":          {"rules:\n" + repeat(60, "- {namespaceSelector: {matchLabels: {t%d: a}}, policy: {}}\n") + repeat(41, "- {namespaceSelector: {matchExpressions: [{key: t%d, operator: Exists}]}, policy: {}}\n") + "- {" + all + "}", "FILE: rules: 101 different selectors of namespaces; at most 100 fit, and those that only require a value of one label count once for each label"},
		"many cells":              {"rules: [{policy: {allow: [{taints: [" + repeat(4000, "{key: k%d, value: v},") + "]}]}}]", "FILE: rules[0].policy: has 8000 keys and values; at most 5000 fit"},
		"many tolerations":        {"rules: [{policy: {allow: [{taints: [" + repeat(4097, "{key: k%d},") + "]}]}}]", "FILE: rules[0].policy: is invalid in a policy: has more than 4096 tolerations in its clauses"},
		"many labels":             {"rules: [{nodeSelector: {" + repeat(101, "k%d: v,") + "}}]", "FILE: rules[0].nodeSelector: more than 100 labels are too many"},
		"empty":                   {"", "FILE: has no rules: it is empty"},
		"no rules":                {"rules: []", "FILE: rules: has no rule: such a file would refuse nothing"},
		"nothing":                 {"{}", "FILE: rules: has no rule: such a file would refuse nothing"},
		"a description":           {"description: for nobody", "FILE: rules: has no rule: such a file would refuse nothing"},
		"a rule without settings": {"rules: [{namespaces: [a]}, {" + all + "}]", "FILE: rules[0]: has no setting except warn: it would refuse and add nothing; add tolerations, nodeSelector, policy, denyNodeName"},
		"only a comment":          {"# rules\n", "FILE: has no rules: it is empty"},
		"null":                    {"~", "FILE: must not be null"},
		"a text":                  {"rules", `FILE: "rules": must be an object`},
		"a list":                  {"[]", "FILE: []: must be an object"},
		"two documents":           {"rules: []\n---\nrules: []\n", "FILE: more than one YAML document; a line --- separates those of a manifest"},
		"two JSON documents":      {`{"rules": []} {"rules": []}`, "FILE: must be JSON: " + json.Unmarshal([]byte(`{} {}`), new(any)).Error()},
		"a repeated key":          {"rules: [{" + all + "}]\nrules: []\n", "FILE: line 2: key \"rules\" already set in map"},
		"in JSON":                 {`{"rules": [], "rules": []}`, "FILE: rules []: must be given only once"},
		"in a rule":               {"rules:\n- " + all + "\n  warn: true\n  warn: false\n", "FILE: line 4: key \"warn\" already set in map"},
		"by a merge":              {"rules: [{warn: false, " + all + ", <<: {warn: true}}]\n", "FILE: yaml: unmarshal errors:\n  line 1: key \"warn\" already set in map"},
		"an anchor beside":        {"all: &all {" + all + "}\nrules: [*all]\n", `FILE: unknown field "all" (allowed: description, rules)`},
		"a cycle of aliases":      {"rules: &a [*a]", "FILE: line 1: the document has more than 1000 levels, or with its aliases resolved more than 64 MiB"},
		"an unknown field":        {"rules: [{warning: true}]", `FILE: rules[0]: unknown field "warning" (allowed: name, namespaces, namespaceSelector, users, groups, tolerations, nodeSelector, policy, denyNodeName, warn)`},
		"a number":                {"rules: [{policy: {allow: [{taints: [{key: a, value: 1}]}]}}]", "FILE: rules[0].policy.allow[0].taints[0].value 1: must be a string, so put it in quotes"},
		"Lt":                      {"rules: [{policy: {allow: [{taints: [{key: a, operator: Lt, value: '1'}]}]}}]", "FILE: rules[0].policy.allow[0].taints[0]: the operator Lt is not supported in rules"},
		"Gt":                      {"rules: [{tolerations: [{key: a, operator: Gt, value: '1'}]}]", "FILE: rules[0].tolerations[0]: the operator Gt is not supported in rules"},
		"no YAML":                 {"rules: [\n", "FILE: line 1: did not find expected node content"},
		"two mistakes":            {"rules: [{warn: 1}, {groups: []}]", "FILE: rules[0].warn: must be true or false\nrules[0]: has no setting except warn: it would refuse and add nothing; add tolerations, nodeSelector, policy, denyNodeName\nrules[1].groups: must be a list of names; to select all pods, omit it"},
		"too long":                {"# " + strings.Repeat("x", 4<<20), "FILE: more than 4 MiB"},
		"a long policy": {"rules:\n- {groups: [a], " + all + "}\n- " + clauses(600) + "\n",
			"FILE: rules: policy: compiles to an expression of N characters; the API server accepts at most 100000"},
		"long policies": {"rules:\n" + policies(15) + "- " + all + "\n", "FILE: rules: policy: compiles to an expression of N characters; the API server accepts at most 100000"},
		"long texts":    {texts(), "FILE: rules: compile to an object of N bytes; at most 1000000 fit"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rules")
			if err := os.WriteFile(file, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			want := "error: " + strings.Replace(tt.want, "FILE", file, 1) + "\n"
			for command, refuse := range map[string]func() (string, string){
				"enforce": func() (string, string) { return run(enforce.NewCommand, "", "-f", file) },
				"lint":    func() (string, string) { return run(lint.NewCommand, "kind: Pod", "-f", "-", "--rules", file) },
			} {
				out, errOut := refuse()
				if errOut = ofSize.ReplaceAllString(errOut, "of N "); out != "" || errOut != want {
					t.Errorf("%s: %.300q, %.300q, want %.300q", command, out, errOut, want)
				}
			}
		})
	}
}

// Anchors, aliases and merges are resolved, as by kubectl.
func TestRead_anchors(t *testing.T) {
	const anchors = "rules:\n- {namespaces: [a], <<: &q {warn: true, policy: &p {allow: [{taints: [{operator: Exists}]}]}}}\n- {<<: *q, namespaces: [b]}\n- {policy: *p}\n"
	const plain = `{"rules": [{"namespaces": ["a"], "warn": true, "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}},
		{"namespaces": ["b"], "warn": true, "policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}, {"policy": {"allow": [{"taints": [{"operator": "Exists"}]}]}}]}`
	if diff := cmp.Diff(mustRun(t, plain, "-f", "-"), mustRun(t, anchors, "-f", "-")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestCommand_refused(t *testing.T) {
	for args, want := range map[string]string{
		"-f -":                             "error: standard input: []: must be an object\n",
		"":                                 `required flag(s) "filename" not set`,
		"-f a -f b":                        "can be given only once",
		"-f nowhere":                       "error: open nowhere: no such file or directory\n",
		"-f " + shipped + " rest":          `unknown command "rest"`,
		"-f " + shipped + " --name A":      `name "A": must have 1 to 40 lower-case letters, digits and -`,
		"-f " + shipped + " --name -":      "must have 1 to 40",
		"-f " + shipped + " --name a-warn": "not end like",
		"-f " + shipped + " --name=":       "must have 1 to 40",
		"-f " + shipped + " --name a" + strings.Repeat("b", 40): "must have 1 to 40",
	} {
		if out, errOut := run(enforce.NewCommand, "[]", strings.Fields(args)...); out != "" || !strings.Contains(errOut, want) {
			t.Errorf("%s: %q, %q, want %q", args, out, errOut, want)
		}
	}
}
