package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/internal/nearest"
)

// maxValues is how many values of a label are listed.
const maxValues = 5

// A Label is a requirement of the pods that no node meets.
type Label struct {
	Requires string `json:"requires"` // such as "pool=gpus"
	Because  string `json:"because"`  // such as "no node has it; 2 nodes have pool=gpu"
}

// labels returns the requirements that none of the nodes meets, and what they have instead.
func (j *judge) labels(p *cluster.Placement, nodes []*cluster.Node) (list []Label, err error) {
	for _, q := range p.Requirements() {
		if len(nodes) == 0 {
			break
		}
		if err := j.spend(labelWork * len(nodes)); err != nil {
			return nil, err
		}
		values := make(map[string]int)
		if slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
			if value, ok := n.Labels[q.Key]; ok {
				values[value]++
			}
			return q.Meets(n.Labels)
		}) {
			continue
		}
		because := "no node has it"
		sorted := slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Or(values[b]-values[a], strings.Compare(a, b)) })
		near := ""
		if len(q.Values) > 0 {
			near = nearest.Name(q.Values[0], sorted)
		}
		switch {
		case len(values) == 0:
			because = "no node has the label " + q.Key
			if key := nearKey(q.Key, nodes); key != "" {
				because += ", but some have " + key
			}
		case near != "" && len(values) > maxValues:
			because += fmt.Sprintf("; %s %s=%s", have(values[near]), q.Key, near)
		case len(values) > maxValues:
			because += fmt.Sprintf("; %s has %d other values", q.Key, len(values))
		default:
			for i, value := range sorted {
				because += fmt.Sprintf("%s %s %s=%s", map[bool]string{true: ";", false: ","}[i == 0], have(values[value]), q.Key, value)
			}
		}
		list = append(list, Label{q.String(), because})
	}
	return list, nil
}

func have(nodes int) string {
	if nodes == 1 {
		return "1 node has"
	}
	return cli.Count(nodes, "node") + " have"
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
