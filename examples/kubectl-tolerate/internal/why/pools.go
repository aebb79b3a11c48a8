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

// A Pool is a pool that has no node that pods select, and whether a new node would admit them.
type Pool struct {
	Name     string         `json:"name"` // such as "NodePool gpu"
	Admits   cluster.Answer `json:"admits"`
	Selected cluster.Answer `json:"selected"`          // whether the pods select its nodes
	Because  string         `json:"because,omitempty"` // why one of these is not yes, except for taints
	Taints   []Taint        `json:"taints,omitempty"`  // that are untolerated
	Startup  taint.List     `json:"startupTaints,omitempty"`

	known int // labels that the pods select and the pool has
	cost  []int
}

// addPools adds the pools: those that admit the pods are first. Unless all is set, those whose
// nodes the pods do not select are only counted.
func (j *judge) addPools(g *PodGroup, all bool) error {
	p := g.pods[0]
	if p.Placement.Node != "" || p.Node != "" || j.c.OneNode || len(j.c.Pools) == 0 {
		return nil
	}
	m := match.Compile(p.Tolerations)
	terms, ok := p.Placement.Terms()
	if !ok {
		return errWork
	}
	for _, pool := range j.c.Pools {
		if err := j.spend(labelWork * (1 + pool.Cost(terms) + len(pool.Taints) + len(pool.Nodes)*p.Placement.Cost())); err != nil {
			return err
		}
		if pool.Ready > 0 || slices.ContainsFunc(pool.Nodes, p.Placement.Admits) {
			continue
		}
		x := &Pool{Name: pool.Name, Startup: pool.Startup}
		x.Selected, x.Because, x.known = pool.Selected(terms)
		if x.Selected == cluster.No && !all {
			g.OtherPools++
			continue
		}
		switch x.Admits = x.Selected; {
		case pool.Closed != "":
			x.Admits, x.Because = cluster.No, pool.Closed
		case x.Selected == cluster.No:
			x.Because = "its nodes do not meet " + x.Because
		case x.Selected == cluster.Perhaps:
			x.Because = "its nodes can have " + x.Because + ", or not"
		case pool.Unread != "":
			x.Admits, x.Because = cluster.Perhaps, pool.Unread
		}
		admitted, list := admits(m, match.Node{Taints: pool.Taints})
		if !admitted && x.Selected != cluster.No {
			n := &NodeGroup{}
			j.explain(n, g, list)
			x.Admits, x.Taints, x.cost = cluster.No, n.Taints, n.cost
		}
		g.Pools = append(g.Pools, x)
		if err := j.spend(listWork * (1 + len(list))); err != nil {
			return err
		}
	}
	order := []cluster.Answer{cluster.Yes, cluster.Perhaps, cluster.No}
	slices.SortStableFunc(g.Pools, func(a, b *Pool) int {
		return cmp.Or(slices.Index(order, a.Admits)-slices.Index(order, b.Admits), slices.Index(order, a.Selected)-slices.Index(order, b.Selected), b.known-a.known, slices.Compare(a.cost, b.cost))
	})
	return nil
}

// pools describes the autoscaler's event and the pools.
func (t *text) pools(g *PodGroup) {
	if e := g.Autoscaler; e != nil {
		t.line("  %s (%s)%s: %s", objects.Printable(e.Reason), objects.Printable(e.Source), t.at(e.At), cli.Cut(e.Message, maxMessage))
	}
	other := cli.Count(g.OtherPools, "pool") + " with other labels"
	switch {
	case len(g.Pools) > 0 && t.unknown:
		t.line("  pools, by labels and taints:")
	case len(g.Pools) > 0:
		t.line("  pools without such nodes, by labels and taints:")
	case g.OtherPools > 0:
		t.line("  %s", other)
		return
	}
	for i, x := range g.Pools {
		if i == maxNodeGroups && !t.wide {
			t.line("    and %s; -o wide lists all", cli.Count(len(g.Pools)-i, "more pool"))
			break
		}
		verdict := string(x.Admits)
		if len(x.Taints) > 0 && x.Because != "" {
			verdict = "perhaps: " + x.Because + "; but these taints are not tolerated:"
		} else if len(x.Taints) > 0 {
			verdict = "no, these taints are not tolerated:"
		} else if x.Because != "" {
			verdict += ": " + x.Because
		}
		t.line("    %s: %s", cli.Cut(x.Name, 100), cli.Cut(verdict, maxMessage))
		t.taints(x.Taints)
		if len(x.Startup) > 0 && (t.wide || t.named > 0) {
			t.line("      its nodes start with %s, until another program removes it", cli.Cut(x.Startup.String(), maxMessage))
		}
	}
	if g.OtherPools > 0 {
		t.line("    and %s", other)
	}
}
