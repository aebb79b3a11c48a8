package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// checkFix holds the fix of pods that may run nowhere against a plain search
// over all nodes, and tries it out: with what it adds the pods may run on as
// many nodes as it says.
func checkFix(t *testing.T, nodes []*node, j *judge, p *podClass) {
	t.Helper()
	known := 0
	type candidate struct {
		missing                taint.List
		passing, far, misspelt int
		nodes                  int
	}
	right := make(map[string]bool) // the keys of taints
	for _, n := range nodes {
		for e := range n.taints.Explanations(toleration.First) {
			right[e.Taint.Key()] = right[e.Taint.Key()] || n.because == ""
		}
	}
	candidates := make(map[string]*candidate)
	for _, n := range nodes {
		if n.because != "" {
			continue
		}
		known++
		c := new(candidate)
		for e := range n.taints.Explanations(toleration.First, p.tolerations) {
			if !e.Blocks() {
				continue
			}
			c.missing = append(c.missing, e.Taint.Canonical())
			if strings.HasPrefix(e.Taint.Key(), "node.kubernetes.io/") {
				c.passing++
			}
			if e.Toleration.IsZero() {
				if slices.ContainsFunc(p.tolerations, func(u toleration.Toleration) bool {
					return !right[u.Key()] && similar(u.Key(), e.Taint.Key())
				}) {
					c.misspelt++
				} else {
					c.far++
				}
			}
		}
		slices.SortFunc(c.missing, taint.Taint.Compare)
		text := c.missing.String()
		if candidates[text] == nil {
			candidates[text] = c
		}
		candidates[text].nodes++
	}
	if known == 0 || candidates[""] != nil {
		return // there is a node for them, or none at all
	}
	var best *candidate
	for _, c := range candidates {
		if best == nil || cmp.Or(
			cmp.Compare(len(c.missing), len(best.missing)), cmp.Compare(c.passing, best.passing), cmp.Compare(c.far, best.far),
			cmp.Compare(c.misspelt, best.misspelt), cmp.Compare(best.nodes, c.nodes), slices.CompareFunc(c.missing, best.missing, taint.Taint.Compare),
		) < 0 {
			best = c
		}
	}
	f := j.fix(p)
	var missing taint.List
	with := slices.Clone(p.tolerations)
	for _, e := range j.explain(p, f.taints) {
		missing = append(missing, e.Taint)
		with = append(with, e.Addition())
	}
	if !slices.Equal(missing, best.missing) || f.nodes != best.nodes {
		t.Fatalf("fix of %v: %v for %d nodes, want %v for %d", p.tolerations, missing, f.nodes, best.missing, best.nodes)
	}
	open := 0
	for _, n := range nodes {
		if n.because == "" && n.taints.Filter(with).Schedulable() {
			open++
		}
	}
	if open != f.nodes {
		t.Fatalf("with %v %d nodes take the pod, want %d", with, open, f.nodes)
	}
}

func TestFix(t *testing.T) {
	for _, test := range []struct {
		name  string
		nodes []string // taints; "!" before those of a cordoned one
		pod   []string
		add   string
		of    int // nodes
	}{
		{"R4_exactly_what_is_missing", []string{"a=1:NoSchedule"}, nil, "a=1:NoSchedule op=Equal", 1},
		{"R4_no_value", []string{"a:NoExecute"}, nil, "a:NoExecute op=Equal", 1},
		{"R4_the_fewest", []string{"a:NoSchedule,b:NoSchedule", "a:NoSchedule,b:NoSchedule", "c:NoSchedule"}, nil, "c:NoSchedule op=Equal", 1},
		{"R4_what_is_soft_needs_nothing", []string{"a:NoSchedule,b:PreferNoSchedule"}, nil, "a:NoSchedule op=Equal", 1},
		{"R4_what_is_tolerated_needs_nothing", []string{"a:NoSchedule,b:NoExecute", "c:NoSchedule,d:NoSchedule"}, []string{"b"}, "a:NoSchedule op=Equal", 1},
		{"no passing taints", []string{"node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoSchedule", "!", "a:NoSchedule"}, nil, "a:NoSchedule op=Equal", 1},
		{"but fewer before that", []string{"!", "a:NoSchedule,b:NoSchedule"}, nil, "node.kubernetes.io/unschedulable:NoSchedule op=Equal", 1},
		{"R4_what_was_meant", []string{"a=1:NoSchedule", "b=1:NoSchedule", "a=1:NoSchedule"}, []string{"b=B"}, "b=1:NoSchedule op=Equal", 1},
		{"the default 300 s mean nothing", []string{"node.kubernetes.io/not-ready:NoSchedule", "a:NoSchedule"}, []string{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"}, "a:NoSchedule op=Equal", 1},
		{"a wildcard has every key", []string{"a:NoExecute", "b:NoSchedule", "a:NoExecute"}, []string{":PreferNoSchedule op=Exists"}, "a:NoExecute op=Equal", 2},
		{"the most nodes", []string{"a:NoSchedule", "b:NoSchedule", "c:NoSchedule", "b:NoSchedule"}, nil, "b:NoSchedule op=Equal", 2},
		{"whatever else is soft on them", []string{"a:NoSchedule", "b:NoSchedule,c:PreferNoSchedule", "b:NoSchedule"}, nil, "b:NoSchedule op=Equal", 2},
		{"a misspelt key", []string{"gpu:NoSchedule", "a:NoSchedule", "a:NoSchedule"}, []string{"gpus op=Exists"}, "gpu:NoSchedule op=Equal", 1},
		{"the right key before a misspelt one", []string{"gpu:NoSchedule", "zone:NoSchedule"}, []string{"gpus op=Exists", "zone=1"}, "zone:NoSchedule op=Equal", 1},
		{"right and misspelt is right", []string{"gpu:NoSchedule", "zone:NoSchedule"}, []string{"gpus op=Exists", "gpu=1", "zone=1"}, "gpu:NoSchedule op=Equal", 1},
		{"no key of a taint is misspelt", []string{"gpu:NoSchedule", "a:NoSchedule", "gpus:NoSchedule,b:NoSchedule"}, []string{"gpus op=Exists"}, "a:NoSchedule op=Equal", 1},
		{"the first", []string{"b:NoSchedule", "a:NoSchedule"}, nil, "a:NoSchedule op=Equal", 1},
		{"two", []string{"b:NoSchedule,a=1:NoExecute", "a=1:NoExecute,b:NoSchedule"}, nil, "a=1:NoExecute op=Equal, b:NoSchedule op=Equal", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c cluster
			for _, text := range test.nodes {
				bare, cordoned := strings.CutPrefix(text, "!")
				list, err := taint.ParseList(bare)
				if err != nil {
					t.Fatal(err)
				}
				c.nodes = append(c.nodes, &node{taints: match.Node{Taints: list, Unschedulable: cordoned}})
			}
			c.classify()
			var pod toleration.List
			for _, text := range test.pod {
				pod = append(pod, toleration.MustParse(text))
			}
			j, p := newJudge(c.classes, 0), newPodClass(pod)
			f := j.fix(p)
			var add []string
			for _, e := range j.explain(p, f.taints) {
				add = append(add, e.Addition().String())
			}
			if got := strings.Join(add, ", "); got != test.add || f.nodes != test.of {
				t.Errorf("add %s for %d nodes, want %s for %d", got, f.nodes, test.add, test.of)
			}
			checkFix(t, c.nodes, j, p)
		})
	}
}

func TestSimilar(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"nvidia.com/gpus", "nvidia.com/gpu", true},
		{"gpus", "gpu", true},
		{"gpu", "nvidia.com/gpu", true},
		{"nvida.com/gpu", "nvidia.com/gpu", true},
		{"nvidai.com/gpus", "nvidia.com/gpu", false},
		{"Dedicated", "dedicated", true},
		{"dedicatet", "dedicated", true},
		{"edicated", "dedicated", true},
		{"ddedicated", "dedicated", true},
		{"dedicate", "dedication", false},
		{"team1", "team2", false},
		{"team", "team2", false},
		{"cpu", "gpu", false},
		{"a", "b", false},
		{"aa", "aaa", false},
		{"aaa", "aaaa", true},
		{"example.com/team", "example.com/spot", false},
	} {
		if similar(test.a, test.b) != test.want || similar(test.b, test.a) != test.want {
			t.Errorf("similar(%q, %q), either way: want %v", test.a, test.b, test.want)
		}
	}
}

// A misspelt toleration is reported where there is none of the taint's key, and
// only there.
func TestMisspelt(t *testing.T) {
	list, err := taint.ParseList("gpu=a:NoSchedule,team=b:NoSchedule,zone:NoExecute")
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{nodes: []*node{{taints: match.Node{Taints: list}}}}
	c.classify()
	gpus, teams := toleration.MustParse("gpus op=Exists"), toleration.MustParse("teams op=Exists")
	p := newPodClass(toleration.List{teams, gpus, toleration.MustParse("x.io/gpu"), toleration.MustParse("team=a")})
	j := newJudge(c.classes, 0)
	got := make(map[string]toleration.Toleration)
	for _, m := range j.explain(p, j.fix(p).taints) {
		got[m.Taint.Key()] = m.similar
	}
	if len(got) != 3 || got["gpu"] != gpus || !got["team"].IsZero() || !got["zone"].IsZero() {
		t.Errorf("misspelt: %v", got)
	}
}
