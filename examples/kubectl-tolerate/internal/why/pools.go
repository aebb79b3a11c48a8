package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/internal/nearest"
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
		t.when(len(x.Startup) > 0 && (t.wide || t.named > 0),
			"      its nodes start with %s, until another program removes it", cli.Cut(x.Startup.String(), maxMessage))
	}
	t.when(g.OtherPools > 0, "    and %s", other)
}

// maxValues is how many values of a label are listed.
const maxValues = 5

// An Unmet is a requirement of the pods that no node meets.
type Unmet struct {
	Requires string `json:"requires"` // such as "pool=gpus"
	Because  string `json:"because"`  // such as "no node has it; 2 nodes have pool=gpu"
}

// unmet returns the requirements of pods that select no node, and what the nodes have instead:
// all nodes, or those that the pods name.
func (j *judge) unmet(g *PodGroup) (list []Unmet, err error) {
	p, nodes := g.pods[0].Placement, j.c.Nodes
	if p.Node != "" {
		nodes = nil
		for _, p := range g.pods {
			if n := j.byName[p.Placement.Node]; n != nil {
				nodes = append(nodes, n)
			}
		}
	}
	terms, ok := p.Terms()
	if !ok || len(terms) != 1 || len(nodes) == 0 {
		return nil, nil
	}
	for _, q := range terms[0] {
		if err := j.spend(labelWork * len(nodes)); err != nil {
			return nil, err
		}
		values := make(map[string]int)
		if q.Field || slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
			if value, ok := n.Labels[q.Key]; ok {
				values[value]++
			}
			return q.Meets(n.Labels)
		}) {
			continue
		}
		because := "no node meets it"
		if q.Operator == corev1.NodeSelectorOpIn {
			because = "no node has it"
		}
		sorted := slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Or(values[b]-values[a], strings.Compare(a, b)) })
		some := q.Values[:min(len(q.Values), maxValues)]
		if err := j.spend(labelWork * len(sorted) * len(some)); err != nil {
			return nil, err
		}
		for _, value := range some {
			if near := nearest.Name(value, sorted); near != "" { // this one first
				i := slices.Index(sorted, near)
				sorted = slices.Insert(slices.Delete(sorted, i, i+1), 0, near)
			}
		}
		for i, value := range sorted[:min(len(sorted), maxValues)] {
			have := "nodes have"
			if values[value] == 1 {
				have = "node has"
			}
			because += fmt.Sprintf("%s %d %s %s=%s", map[bool]string{true: ";", false: ","}[i == 0], values[value], have, q.Key, value)
		}
		if more := len(sorted) - maxValues; more > 0 {
			because += fmt.Sprintf(" and %s", cli.Count(more, "more value"))
		}
		if len(values) == 0 {
			because = "no node has the label " + q.Key
			key, err := j.nearKey(q.Key, nodes)
			if err != nil {
				return nil, err
			}
			if key != "" {
				because += ", but some have " + key
			}
		}
		list = append(list, Unmet{q.String(), because})
	}
	if len(list) == 0 && len(terms[0]) > 1 && p.Node == "" {
		list = []Unmet{{p.Text, "each of these is on a node, but no node has all"}}
	}
	return list, nil
}

// nearKey returns the key of a label that was probably meant.
func (j *judge) nearKey(key string, nodes []*cluster.Node) (string, error) {
	keys := make(map[string]bool)
	for _, n := range nodes {
		if err := j.spend(1 + 2*len(n.Labels)); err != nil {
			return "", err
		}
		for k := range n.Labels {
			keys[k] = true
		}
	}
	return nearest.Name(key, slices.Sorted(maps.Keys(keys))), j.spend(labelWork * len(keys))
}
