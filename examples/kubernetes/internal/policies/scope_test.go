package policies

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
)

var ofPatch = regexp.MustCompile(`"jsonPatch":\{"expression":"(?:[^"\\]|\\.)*"`)

// Until an API server has read its schema, it refuses the pods that mutating policies match. These
// are those for which a rule adds something, unless an earlier rule for all users of the namespace
// has the setting. A rule for some users can match those of another one, and one of several rules for
// a label those of a namespace that an earlier rule exempts.
func TestPolicies_matched(t *testing.T) {
	t.Parallel()
	n, matching, restricted := 60, 0, 0
	if testing.Short() {
		n = 20
	}
	for i := range n {
		var text string
		var c *rules.Config
		for d, err := newDrawer(uint64(1000+i), new(rules.Config)), error(nil); c == nil; {
			text = d.file()
			if c, err = rules.Decode([]byte(text)); err != nil {
				c = nil
			}
		}
		s := newSubject(t, text, completing, func(objects string) string {
			return ofPatch.ReplaceAllString(objects, `"jsonPatch":{"expression":"[JSONPatch{op: \"add\", path: \"/spec/hostname\", value: \"matched\"}]"`)
		})
		d := newDrawer(uint64(i), s.rules)
		for range 100 {
			r := d.request()
			for r.old != nil || r.judged(r.pod).Mirror {
				r = d.request()
			}
			want, other := adds(c, r)
			got := podOf(s.server.admit(t.Context(), r.call).object).Spec.Hostname != ""
			if got != want && !(got && other) {
				t.Fatalf("matched: %v, want %v\n%s\n%s", got, want, text, r)
			}
			if got {
				matching++
			}
			if got != want {
				restricted++
			}
		}
	}
	if t.Logf("%d pods, %d matched, %d of them by a rule for others", n*100, matching, restricted); matching < n*10 || restricted > n {
		t.Error("too few or too many for a conclusion")
	}
}

// adds returns whether a rule adds something to the pod, and whether a rule that can share its binding
// adds something to others.
func adds(c *rules.Config, r request) (adds, other bool) {
	var tolerations, selector bool // an earlier rule has it
	sharing := map[string]int{}    // rules that add something, by their label
	for _, rule := range c.Rules {
		if s := rule.Selector; len(s) == 1 && s[0].Operator == "In" && len(rule.Tolerations)+len(rule.NodeSelector) > 0 {
			sharing[s[0].Key]++
		}
	}
	for _, rule := range c.Rules {
		mine := slices.Contains(rule.Users, r.User) || slices.ContainsFunc(rule.Groups, func(g string) bool { return slices.Contains(r.Groups, g) })
		here := rule.Everywhere() || slices.Contains(rule.Namespaces, r.Namespace) || rule.Selector != nil && rule.Selector.Matches(r.Labels)
		if rule.Restricted() {
			other = other || mine && len(rule.Tolerations)+len(rule.NodeSelector) > 0
		}
		if s := rule.Selector; len(s) == 1 && sharing[s[0].Key] > 1 {
			other = other || s.Matches(r.Labels)
		}
		if !here || rule.Restricted() && !mine {
			continue
		}
		adds = adds || len(rule.Tolerations) > 0 && !tolerations || len(rule.NodeSelector) > 0 && !selector
		if !rule.Restricted() && rule.Selector == nil {
			tolerations, selector = tolerations || rule.Tolerations != nil, selector || rule.NodeSelector != nil
		}
	}
	return adds, other
}

// A selector matches as package labels does, which Kubernetes uses.
func TestSelector_Matches(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 52))
	draw := func() string { return []string{"", "a", "b"}[d.IntN(3)] }
	matched := 0
	for range 20_000 {
		var s rules.Selector
		want := labels.NewSelector()
		for range d.IntN(3) + 1 {
			q := rules.Requirement{Key: "k" + draw(), Operator: []string{"In", "NotIn", "Exists", "DoesNotExist"}[d.IntN(4)]}
			op := map[string]selection.Operator{"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist}[q.Operator]
			if op == selection.In || op == selection.NotIn {
				q.Values = []string{draw(), draw()}[d.IntN(2):]
			}
			requirement, err := labels.NewRequirement(q.Key, op, q.Values)
			if err != nil {
				t.Fatal(err)
			}
			s, want = append(s, q), want.Add(*requirement)
		}
		set := labels.Set{corev1.LabelMetadataName: "shop"}
		for range d.IntN(3) {
			set["k"+draw()] = draw()
		}
		if got := s.Matches(set); got != want.Matches(set) {
			t.Fatalf("%v of %v: %v", s, set, got)
		} else if got {
			matched++
		}
	}
	if matched < 2000 || matched > 18_000 {
		t.Error("too few for a conclusion:", matched)
	}
}
