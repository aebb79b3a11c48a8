package lint_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// temporary matches the keys of temporary taints.
var temporary = regexp.MustCompile(`^(node\.kubernetes\.io/(not-ready|unreachable|memory-pressure|disk-pressure|pid-pressure|network-unavailable|unschedulable|out-of-service)|` +
	`node\.cloudprovider\.kubernetes\.io/(uninitialized|shutdown)|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|` +
	`(startup|status|ignore)-taint\.cluster-autoscaler\.kubernetes\.io/.*|karpenter\.sh/(disrupted|unregistered)|readiness\.k8s\.io/.*|node\.cluster\.x-k8s\.io/uninitialized)$`)

// clusterReference returns the findings, "check value: first, count, keyInUse". It
// compares each toleration with each taint.
func clusterReference(nodes []taint.List, pods []toleration.List) []string {
	var found []string
	count := func(n int, has func(int) bool) (first, count int) {
		for i := n - 1; i >= 0; i-- {
			if has(i) {
				first, count = i, count+1
			}
		}
		return first, count
	}
	known := map[any]bool{}
	for _, pod := range pods {
		for _, u := range pod {
			matches := func(t taint.Taint) bool { return u.Tolerates(t) }
			sameKey := func(t taint.Taint) bool { return t.Key() == u.Key() }
			all := slices.Concat(nodes...)
			if u.IsZero() || known[u.Canonical()] || !slices.ContainsFunc(space(pod), matches) || u.Key() == "" ||
				temporary.MatchString(u.Key()) || slices.ContainsFunc(all, matches) {
				continue
			}
			known[u.Canonical()] = true
			first, n := count(len(pods), func(i int) bool {
				return slices.ContainsFunc(pods[i], func(v toleration.Toleration) bool { return v.Canonical() == u.Canonical() })
			})
			found = append(found, fmt.Sprint("unneeded-toleration ", u, ": ", first, ", ", n, ", ", slices.ContainsFunc(all, sameKey)))
		}
	}
	for _, node := range nodes {
		for _, t := range node {
			if t.IsZero() || known[t.Canonical()] || t.Effect() == taint.PreferNoSchedule || temporary.MatchString(t.Key()) ||
				slices.ContainsFunc(slices.Concat(pods...), func(u toleration.Toleration) bool { return u.Key() != "" && u.Tolerates(t) }) {
				continue
			}
			known[t.Canonical()] = true
			first, n := count(len(nodes), func(i int) bool {
				return slices.ContainsFunc(nodes[i], func(v taint.Taint) bool { return v.Canonical() == t.Canonical() })
			})
			found = append(found, fmt.Sprint("untolerated-taint ", t, ": ", first, ", ", n, ", false"))
		}
	}
	return found
}

func clusterLines(findings []lint.ClusterFinding) (l []string) {
	for _, f := range findings {
		what := f.Toleration.String()
		if f.Check == lint.UntoleratedTaint {
			what = f.Taint.String()
		}
		l = append(l, fmt.Sprint(f.Check, " ", what, ": ", f.First, ", ", f.Count, ", ", f.KeyInUse))
	}
	return l
}

// clusterProperty calls the methods of a Cluster in any order, and compares the
// findings with the reference.
func clusterProperty(t *rapid.T) {
	more := rapid.SampledFrom(taint.List{{}, taint.MustParse("node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
		taint.MustParse("node.kubernetes.io/not-ready:NoExecute"), taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule"),
		taint.MustParse("node-role.kubernetes.io/master:NoSchedule")})
	var (
		c     lint.Cluster
		nodes []taint.List
		pods  []toleration.List
	)
	find := func(t *rapid.T) {
		findings := c.Findings(lint.Options{})
		if got, want := clusterLines(findings), clusterReference(nodes, pods); !slices.Equal(got, want) {
			t.Fatalf("nodes %v, pods %v:\n got %q\nwant %q", nodes, pods, got, want)
		}
		for _, f := range findings {
			if f.Severity != lint.Info || f.Message() == "" {
				t.Fatalf("%v has severity %v and message %q", f, f.Severity, f.Message())
			}
		}
	}
	do := map[string]func(*rapid.T){
		"AddNode": func(t *rapid.T) {
			if len(nodes) >= 6 { // large enough; a Skip fails where fuzzed input draws nothing else
				return
			}
			n := append(gen.TaintsAndZeros().Draw(t, "taints"), more.Draw(t, "more"))
			nodes = append(nodes, n)
			c.AddNode(slices.Clone(n))
		},
		"AddPod": func(t *rapid.T) {
			if len(pods) >= 6 {
				return
			}
			pod := drawn().Draw(t, "pod")
			at := rapid.IntRange(0, len(pod)).Draw(t, "split") // in two lists
			pods = append(pods, pod)
			c.AddPod(slices.Clone(pod[:at]), slices.Clone(pod[at:]))
		},
		"again": func(t *rapid.T) { // only the counts change
			if len(pods) > 0 && len(nodes) > 0 && len(pods)+len(nodes) < 12 {
				pod, node := rapid.SampledFrom(pods).Draw(t, "pod"), rapid.SampledFrom(nodes).Draw(t, "node")
				pods, nodes = append(pods, pod), append(nodes, node)
				c.AddPod(pod)
				c.AddNode(node)
			}
		},
		"Findings": find,
		"skip": func(t *rapid.T) {
			r := rapid.SampledFrom(lint.Checks()).Draw(t, "without")
			var want []lint.ClusterFinding
			for _, f := range c.Findings(lint.Options{}) {
				if f.Check != r {
					want = append(want, f)
				}
			}
			if got := c.Findings(lint.Options{Skip: []lint.Check{r}}); !slices.Equal(got, want) {
				t.Fatalf("without %v: %v, want %v", r, got, want)
			}
		},
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(do)), func(name string) bool { return name[0] >= 'a' })
	if want := copies.Methods[lint.Cluster](); !slices.Equal(names, want) {
		t.Fatalf("the state machine calls %v, but the methods are %v", names, want)
	}
	t.Repeat(do)
	find(t)
}

func TestCluster_property(t *testing.T) { rapid.Check(t, clusterProperty) }

func nodes(texts ...string) []taint.List {
	var all []taint.List
	for _, text := range texts {
		l, err := taint.ParseList(text)
		if err != nil {
			panic(err)
		}
		all = append(all, l)
	}
	return all
}

func TestCluster(t *testing.T) {
	for _, tt := range []struct {
		name  string
		nodes []taint.List
		pods  []toleration.List
		want  []string
	}{
		{"R5_empty", nil, nil, nil},
		{"R5_unneeded_toleration/gone", nodes(""), []toleration.List{list("a op=Exists"), list("b", "a op=Exists", "a op=Exists")},
			[]string{"unneeded-toleration a op=Exists: 0, 2, false", "unneeded-toleration b: 1, 1, false"}},
		{"R5_unneeded_toleration/another_value", nodes("a=x:NoSchedule"), []toleration.List{list("a=y"), list("a=x:NoSchedule")},
			[]string{"unneeded-toleration a=y: 0, 1, true"}},
		{"R5_unneeded_toleration/another_effect", nodes("a=x:NoSchedule"), []toleration.List{list("a=x:NoExecute"), list("a=x:NoSchedule")},
			[]string{"unneeded-toleration a=x:NoExecute: 0, 1, true"}},
		{"R5_unneeded_toleration/needed_once", nodes("", "a=x:PreferNoSchedule"), []toleration.List{list("a=x")}, nil},
		{"R5_unneeded_toleration/a_wildcard_is_ignored", nodes(""), []toleration.List{list("op=Exists", ":PreferNoSchedule op=Exists")}, nil},
		{"R5_unneeded_toleration/temporary", nodes(""), []toleration.List{list("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
			"node.kubernetes.io/unschedulable:NoSchedule op=Exists", "node.cloudprovider.kubernetes.io/shutdown op=Exists",
			"startup-taint.cluster-autoscaler.kubernetes.io/x op=Exists", "ToBeDeletedByClusterAutoscaler op=Exists", "node.kubernetes.io/out-of-service op=Exists")}, nil},
		{"R5_unneeded_toleration/control_planes_are_not_temporary", nodes(""), []toleration.List{list("node-role.kubernetes.io/control-plane op=Exists")},
			[]string{"unneeded-toleration node-role.kubernetes.io/control-plane op=Exists: 0, 1, false"}},
		{"R5_unneeded_toleration/never_matches_is_ignored", nodes(""), []toleration.List{list("a=0 op=Lt", "zero")}, nil},
		{"R5_unneeded_toleration/as_added_first", nodes(""), []toleration.List{list("a=x"), list("a=x op=Equal")},
			[]string{"unneeded-toleration a=x: 0, 2, false"}},
		{"R5_untolerated_taint/nobody", nodes("a=x:NoSchedule", "", "a=x:NoSchedule,b:NoExecute"), []toleration.List{list("a=y:NoSchedule")},
			[]string{"unneeded-toleration a=y:NoSchedule: 0, 1, true", "untolerated-taint a=x:NoSchedule: 0, 2, false", "untolerated-taint b:NoExecute: 2, 1, false"}},
		{"R5_untolerated_taint/wildcards_do_not_count", nodes("a=x:NoSchedule"), []toleration.List{list("op=Exists")},
			[]string{"untolerated-taint a=x:NoSchedule: 0, 1, false"}},
		{"R5_untolerated_taint/somebody", nodes("a=5:NoSchedule"), []toleration.List{nil, list("a=4 op=Gt")}, nil},
		{"R5_untolerated_taint/PreferNoSchedule_is_ignored", nodes("a=x:PreferNoSchedule"), nil, nil},
		{"R5_untolerated_taint/temporary", nodes("node.kubernetes.io/unschedulable:NoSchedule,node.kubernetes.io/not-ready:NoExecute,karpenter.sh/disrupted:NoSchedule"), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c lint.Cluster
			for _, n := range tt.nodes {
				c.AddNode(n)
			}
			for _, pod := range tt.pods {
				c.AddPod(pod)
			}
			if got := clusterLines(c.Findings(lint.Options{})); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// The time added does not distinguish taints. Positions are complete.
func TestCluster_places(t *testing.T) {
	a := taint.MustParse("a:NoSchedule")
	at, err := a.WithTimeAdded(time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	var c lint.Cluster
	c.AddNode(nil)
	c.AddNode(taint.List{{}, a, at})
	c.AddNode(taint.List{at})
	c.AddPod()
	c.AddPod(nil, list("zero", "b"))
	first := c.Findings(lint.Options{})
	want := []lint.ClusterFinding{
		{Check: lint.UnneededToleration, Severity: lint.Info, Toleration: toleration.MustParse("b"),
			First: 1, Position: match.Position{List: 1, Index: 1}, Count: 1},
		{Check: lint.UntoleratedTaint, Severity: lint.Info, Taint: a,
			First: 1, Position: match.Position{Index: 1}, Count: 2},
	}
	if !slices.Equal(first, want) {
		t.Errorf("got %+v\nwant %+v", first, want)
	}
	// Nodes and pods that are added after Findings count too.
	c.AddPod(list("a op=Exists"))
	c.AddNode(taint.List{taint.MustParse("b:NoExecute")})
	if got := c.Findings(lint.Options{}); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if got := (lint.ClusterFinding{}).Message(); got != "" {
		t.Errorf("the zero ClusterFinding's message is %q", got)
	}
}
