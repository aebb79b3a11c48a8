package match_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A candidate is a node that a pod can be scheduled to, with its score.
type candidate struct {
	name  string
	score int64
}

// rank returns the nodes that the pod can be scheduled to, the best first.
func rank(nodes map[string]match.Node, pod toleration.List) []candidate {
	var candidates []candidate
	var counts []int64
	for name, node := range nodes {
		if r := node.Filter(pod); r.Schedulable() {
			candidates = append(candidates, candidate{name: name})
			counts = append(counts, int64(r.Count(taint.PreferNoSchedule)))
		}
	}
	for i, score := range match.Scores(counts) {
		candidates[i].score = score
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name))
	})
	return candidates
}

// A scheduler filters the nodes and prefers those with the fewest untolerated
// PreferNoSchedule taints.
func Example_rank() {
	nodes := map[string]match.Node{
		"plain":    {},
		"cordoned": {Unschedulable: true},
		"spot":     {Taints: taint.MustParseList("example.com/spot=true:PreferNoSchedule")},
		"old-spot": {Taints: taint.MustParseList("example.com/spot=true:PreferNoSchedule,example.com/old:PreferNoSchedule")},
		"gpu":      {Taints: taint.MustParseList("nvidia.com/gpu=present:NoSchedule")},
	}
	for _, c := range rank(nodes, toleration.MustParseList("example.com/spot op=Exists")) {
		fmt.Println(c.name, c.score)
	}
	// Output:
	// plain 100
	// spot 100
	// old-spot 0
}
