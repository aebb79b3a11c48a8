package lint_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// comesAndGoes matches the keys of taints that are there for a while.
var comesAndGoes = regexp.MustCompile(`^(node\.kubernetes\.io/(not-ready|unreachable|memory-pressure|disk-pressure|pid-pressure|network-unavailable|unschedulable|out-of-service)|` +
	`node\.cloudprovider\.kubernetes\.io/(uninitialized|shutdown)|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|` +
	`(startup|status|ignore)-taint\.cluster-autoscaler\.kubernetes\.io/.*|karpenter\.sh/(disrupted|unregistered)|readiness\.k8s\.io/.*|node\.cluster\.x-k8s\.io/uninitialized)$`)

// clusterReference finds what the rules say, each pod's tolerations against
// each node's taints: "rule what: first, count".
func clusterReference(nodes [][]taint.Taint, pods [][]toleration.Toleration) []string {
	var found []string
	count := func(n int, has func(int) bool) (first, count int) {
		for i := n - 1; i >= 0; i-- {
			if has(i) {
				first, count = i, count+1
			}
		}
		return first, count
	}
	told := map[any]bool{}
	for _, pod := range pods {
		for _, u := range pod {
			matches := func(t taint.Taint) bool { return u.Tolerates(t) }
			sameKey := func(t taint.Taint) bool { return t.Key() == u.Key() }
			all := slices.Concat(nodes...)
			if u.IsZero() || told[u.Canonical()] || !slices.ContainsFunc(space(pod), matches) || u.Key() == "" ||
				comesAndGoes.MatchString(u.Key()) || slices.ContainsFunc(all, matches) {
				continue
			}
			told[u.Canonical()] = true
			first, n := count(len(pods), func(i int) bool {
				return slices.ContainsFunc(pods[i], func(v toleration.Toleration) bool { return v.Canonical() == u.Canonical() })
			})
			found = append(found, fmt.Sprint("unneeded-toleration ", u, ": ", first, ", ", n, ", ", slices.ContainsFunc(all, sameKey)))
		}
	}
	for _, node := range nodes {
		for _, t := range node {
			if t.IsZero() || told[t.Canonical()] || t.Effect() == taint.PreferNoSchedule || comesAndGoes.MatchString(t.Key()) ||
				slices.ContainsFunc(slices.Concat(pods...), func(u toleration.Toleration) bool { return u.Key() != "" && u.Tolerates(t) }) {
				continue
			}
			told[t.Canonical()] = true
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
		if f.Rule == lint.UntoleratedTaint {
			what = f.Taint.String()
		}
		l = append(l, fmt.Sprint(f.Rule, " ", what, ": ", f.First.Owner, ", ", f.Count, ", ", f.Key))
	}
	return l
}

func clusterProperty(t *rapid.T) {
	more := rapid.SampledFrom([]taint.Taint{{}, taint.MustParse("node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
		taint.MustParse("node.kubernetes.io/not-ready:NoExecute"), taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule")})
	node := rapid.Custom(func(t *rapid.T) []taint.Taint {
		return append(gen.TaintsAndZeros().Draw(t, "taints"), more.Draw(t, "more"))
	})
	nodes := rapid.SliceOfN(node, 0, 4).Draw(t, "nodes")
	pods := rapid.SliceOfN(drawn(), 0, 4).Draw(t, "pods")
	var c lint.Cluster
	for _, n := range nodes {
		c.AddNode(n)
	}
	for _, pod := range pods {
		at := rapid.IntRange(0, len(pod)).Draw(t, "split") // in two lists
		c.AddPod(pod[:at], pod[at:])
	}
	findings := c.Findings(lint.Options{})
	if got, want := clusterLines(findings), clusterReference(nodes, pods); !slices.Equal(got, want) {
		t.Errorf("nodes %v, pods %v:\n got %q\nwant %q", nodes, pods, got, want)
	}
	if again := c.Findings(lint.Options{}); !slices.Equal(again, findings) {
		t.Errorf("Findings = %v, and then %v", findings, again)
	}
	for r := range lint.AllRules().All() {
		want := slices.DeleteFunc(slices.Clone(findings), func(f lint.ClusterFinding) bool { return f.Rule == r })
		if got := c.AppendFindings(nil, lint.Options{Skip: lint.NewRules(r)}); !slices.Equal(got, want) {
			t.Errorf("without %v: %v, want %v", r, got, want)
		}
	}
	for _, f := range findings {
		if f.Severity != lint.Info || f.Message() == "" {
			t.Errorf("%v has severity %v and message %q", f, f.Severity, f.Message())
		}
	}
}

func TestCluster_property(t *testing.T) { rapid.Check(t, clusterProperty) }

func nodes(texts ...string) [][]taint.Taint {
	var all [][]taint.Taint
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
		nodes [][]taint.Taint
		pods  [][]toleration.Toleration
		want  []string
	}{
		{"R5_empty", nil, nil, nil},
		{"R5_unneeded_toleration/gone", nodes(""), [][]toleration.Toleration{list("a op=Exists"), list("b", "a op=Exists", "a op=Exists")},
			[]string{"unneeded-toleration a op=Exists: 0, 2, false", "unneeded-toleration b: 1, 1, false"}},
		{"R5_unneeded_toleration/another_value", nodes("a=x:NoSchedule"), [][]toleration.Toleration{list("a=y"), list("a=x:NoSchedule")},
			[]string{"unneeded-toleration a=y: 0, 1, true"}},
		{"R5_unneeded_toleration/another_effect", nodes("a=x:NoSchedule"), [][]toleration.Toleration{list("a=x:NoExecute"), list("a=x:NoSchedule")},
			[]string{"unneeded-toleration a=x:NoExecute: 0, 1, true"}},
		{"R5_unneeded_toleration/needed_once", nodes("", "a=x:PreferNoSchedule"), [][]toleration.Toleration{list("a=x")}, nil},
		{"R5_unneeded_toleration/a_wildcard_may_be_needed", nodes(""), [][]toleration.Toleration{list("op=Exists", ":PreferNoSchedule op=Exists")}, nil},
		{"R5_unneeded_toleration/conditions_come_and_go", nodes(""), [][]toleration.Toleration{list("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
			"node.kubernetes.io/unschedulable:NoSchedule op=Exists", "node.cloudprovider.kubernetes.io/shutdown op=Exists",
			"startup-taint.cluster-autoscaler.kubernetes.io/x op=Exists", "ToBeDeletedByClusterAutoscaler op=Exists", "node.kubernetes.io/out-of-service op=Exists")}, nil},
		{"R5_unneeded_toleration/control_planes_do_not", nodes(""), [][]toleration.Toleration{list("node-role.kubernetes.io/control-plane op=Exists")},
			[]string{"unneeded-toleration node-role.kubernetes.io/control-plane op=Exists: 0, 1, false"}},
		{"R5_unneeded_toleration/never_matches_is_told_elsewhere", nodes(""), [][]toleration.Toleration{list("a=0 op=Lt", "zero")}, nil},
		{"R5_unneeded_toleration/as_first_written", nodes(""), [][]toleration.Toleration{list("a=x"), list("a=x op=Equal")},
			[]string{"unneeded-toleration a=x: 0, 2, false"}},
		{"R5_untolerated_taint/nobody", nodes("a=x:NoSchedule", "", "a=x:NoSchedule,b:NoExecute"), [][]toleration.Toleration{list("a=y:NoSchedule")},
			[]string{"unneeded-toleration a=y:NoSchedule: 0, 1, true", "untolerated-taint a=x:NoSchedule: 0, 2, false", "untolerated-taint b:NoExecute: 2, 1, false"}},
		{"R5_untolerated_taint/wildcards_do_not_count", nodes("a=x:NoSchedule"), [][]toleration.Toleration{list("op=Exists")},
			[]string{"untolerated-taint a=x:NoSchedule: 0, 1, false"}},
		{"R5_untolerated_taint/somebody", nodes("a=5:NoSchedule"), [][]toleration.Toleration{nil, list("a=4 op=Gt")}, nil},
		{"R5_untolerated_taint/PreferNoSchedule_keeps_nobody_away", nodes("a=x:PreferNoSchedule"), nil, nil},
		{"R5_untolerated_taint/cordons_come_and_go", nodes("node.kubernetes.io/unschedulable:NoSchedule,node.kubernetes.io/not-ready:NoExecute,karpenter.sh/disrupted:NoSchedule"), nil, nil},
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

// Times added make no other taint, and the place is told in full.
func TestCluster_places(t *testing.T) {
	a := taint.MustParse("a:NoSchedule")
	at, err := a.WithTimeAdded(time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	var c lint.Cluster
	c.AddNode(nil)
	c.AddNode([]taint.Taint{{}, a, at})
	c.AddNode([]taint.Taint{at})
	c.AddPod()
	c.AddPod(nil, list("zero", "b"))
	first := c.Findings(lint.Options{})
	want := []lint.ClusterFinding{
		{Rule: lint.UnneededToleration, Severity: lint.Info, Toleration: toleration.MustParse("b"),
			First: lint.Place{Owner: 1, Position: match.Position{List: 1, Index: 1}}, Count: 1},
		{Rule: lint.UntoleratedTaint, Severity: lint.Info, Taint: a,
			First: lint.Place{Owner: 1, Position: match.Position{Index: 1}}, Count: 2},
	}
	if !slices.Equal(first, want) {
		t.Errorf("got %+v\nwant %+v", first, want)
	}
	// What comes later counts too.
	c.AddPod(list("a op=Exists"))
	c.AddNode([]taint.Taint{taint.MustParse("b:NoExecute")})
	if got := c.Findings(lint.Options{}); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if got := (lint.ClusterFinding{}).Message(); got != "" {
		t.Errorf("the zero ClusterFinding's message is %q", got)
	}
}
