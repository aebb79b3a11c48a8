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
	"github.com/go-tolerate/tolerate/internal/nearest"
)

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
