package why

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// A Pool is a pool without nodes, and whether its nodes would admit pods.
type Pool struct {
	Name    string         `json:"name"` // such as "NodePool gpu"
	Admits  cluster.Answer `json:"admits"`
	Labels  cluster.Answer `json:"labels"`            // whether the pods select its nodes
	Because string         `json:"because,omitempty"` // why that is not yes
	Taints  []Taint        `json:"taints,omitempty"`  // that are untolerated
	Startup taint.List     `json:"startupTaints,omitempty"`

	cost []int
}

// pools adds the pools without nodes, those that admit the pods first.
func (j *judge) pools(g *PodGroup) error {
	p := g.pods[0]
	if p.Placement.Node != "" || p.Node != "" {
		return nil
	}
	m := match.Compile(p.Tolerations)
	for _, pool := range j.c.Pools {
		if err := j.spend(labelWork*(p.Placement.Cost()+len(pool.Taints)) + listWork); err != nil {
			return err
		}
		if pool.Nodes > 0 {
			continue
		}
		x := &Pool{Name: pool.Name, Startup: pool.Startup}
		x.Labels, x.Because = p.Placement.Selects(pool)
		switch x.Admits = x.Labels; {
		case x.Labels == cluster.No:
			x.Because = "its nodes do not have " + x.Because
		case x.Labels == cluster.Perhaps:
			x.Because += " is unknown"
		case pool.Unread != "":
			x.Admits, x.Because = cluster.Perhaps, pool.Unread+" are not read"
		}
		var list taint.List
		for _, t := range m.Untolerated(match.Node{Taints: pool.Taints}) {
			if t.Effect() != taint.PreferNoSchedule {
				list = append(list, t)
			}
		}
		if len(list) > 0 && x.Labels != cluster.No {
			n := &NodeGroup{}
			j.explain(n, g, list)
			x.Admits, x.Taints, x.cost = cluster.No, n.Taints, n.cost
		}
		g.Pools = append(g.Pools, x)
	}
	order := []cluster.Answer{cluster.Yes, cluster.Perhaps, cluster.No}
	slices.SortStableFunc(g.Pools, func(a, b *Pool) int {
		return cmp.Or(slices.Index(order, a.Admits)-slices.Index(order, b.Admits), slices.Index(order, a.Labels)-slices.Index(order, b.Labels), slices.Compare(a.cost, b.cost))
	})
	return nil
}

// pools describes the pools whose labels the pods select, or perhaps select.
func (t *text) pools(g *PodGroup) {
	if e := g.Autoscaler; e != nil {
		t.line("  %s (%s)%s: %s", objects.Printable(e.Reason), objects.Printable(e.Source), t.at(e.At), cut(e.Message, maxMessage))
	}
	for i, x := range g.Pools {
		switch {
		case x.Labels == cluster.No && !t.wide && i == 0:
			t.line("  %s without nodes, with other labels", cli.Count(len(g.Pools), "pool"))
			return
		case x.Labels == cluster.No && !t.wide:
			t.line("    and %s with other labels", cli.Count(len(g.Pools)-i, "pool"))
			return
		case i == maxNodeGroups && !t.wide:
			t.line("    and %s; -o wide lists all", cli.Count(len(g.Pools)-i, "more pool"))
			return
		case i == 0:
			t.line("  pools without nodes:")
		}
		verdict := string(x.Admits)
		if x.Labels != cluster.No && x.Because != "" {
			verdict = "perhaps, as " + objects.Printable(x.Because)
		} else if x.Because != "" {
			verdict = "no, " + objects.Printable(x.Because)
		}
		if len(x.Taints) > 0 {
			verdict += ", but these taints are not tolerated:"
		}
		if len(x.Taints) > 0 && x.Because == "" {
			verdict = "no, these taints are not tolerated:"
		}
		t.line("    %s: %s", objects.Printable(x.Name), verdict)
		t.taints(x.Taints)
		if len(x.Startup) > 0 && (t.wide || t.named > 0) {
			t.line("      its nodes start with %s, until another program removes it", cut(x.Startup.String(), maxMessage))
		}
	}
}
