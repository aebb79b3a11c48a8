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

// unmet returns the requirements that none of the nodes meets, and what they have instead.
func (j *judge) unmet(p *cluster.Placement, nodes []*cluster.Node) (list []Unmet, err error) {
	terms := p.Terms()
	if len(terms) != 1 || len(nodes) == 0 {
		return nil, nil
	}
	for _, q := range terms[0] {
		if err := j.spend(labelWork * len(nodes)); err != nil {
			return nil, err
		}
		values := make(map[string]int)
		if !q.OfLabels() || slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
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
		for _, value := range q.Values {
			if near := nearest.Name(value, sorted); near != "" { // this one first
				i := slices.Index(sorted, near)
				sorted = slices.Insert(slices.Delete(sorted, i, i+1), 0, near)
			}
		}
		for i, value := range sorted[:min(len(sorted), maxValues)] {
			because += fmt.Sprintf("%s %s have %s=%s", map[bool]string{true: ";", false: ","}[i == 0], cli.Count(values[value], "node"), q.Key, value)
		}
		if more := len(sorted) - maxValues; more > 0 {
			because += fmt.Sprintf(" and %s", cli.Count(more, "more value"))
		}
		if len(values) == 0 {
			because = "no node has the label " + q.Key
			if key := nearKey(q.Key, nodes); key != "" {
				because += ", but some have " + key
			}
		}
		list = append(list, Unmet{q.String(), strings.ReplaceAll(because, "1 node have", "1 node has")})
	}
	if len(list) == 0 && len(terms[0]) > 1 && p.Node == "" {
		list = []Unmet{{p.Text, "each of these is on a node, but no node has all"}}
	}
	return list, nil
}

// nearKey returns the key of a label that was probably meant.
func nearKey(key string, nodes []*cluster.Node) string {
	keys := make(map[string]bool)
	for _, n := range nodes {
		for k := range n.Labels {
			keys[k] = true
		}
	}
	return nearest.Name(key, slices.Sorted(maps.Keys(keys)))
}
