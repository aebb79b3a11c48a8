package workload

import (
	"fmt"
	"math/rand/v2"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Case is the nodes of a fleet in random order, and a pod.
type Case struct {
	Name  string // as in the name of a benchmark
	Nodes []taint.List
	Pod   toleration.List
}

// Cases returns pods against 5,000 nodes: of a usual fleet, and of fleets in which every
// node has one taint or two.
func Cases() (cases []Case) {
	usual := []string{
		"", "", "", "", "", "", "dedicated=gpu:NoSchedule", "dedicated=team:NoSchedule",
		"node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/not-ready:NoSchedule", "spot=true:NoSchedule",
	}
	fleets := map[string]func(i int) string{
		"usual": func(i int) string { return usual[i%len(usual)] },
		"one":   func(i int) string { return fmt.Sprintf("dedicated=team-%d:NoSchedule", i%10) },
		"two": func(i int) string {
			return fmt.Sprintf("dedicated=team-%d:NoSchedule,spot=pool-%d:NoExecute", i%10, i%3)
		},
	}
	const defaults = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	for _, c := range []struct{ fleet, pod, tolerations string }{
		{"usual", "none", ""},
		{"usual", "defaults", defaults},
		{"usual", "three", defaults + ",dedicated=gpu:NoSchedule"},
		{"usual", "tolerated", defaults + ",dedicated op=Exists,spot op=Exists,node.kubernetes.io/not-ready:NoSchedule op=Exists"},
		{"one", "three", defaults + ",dedicated=team-3:NoSchedule"},
		{"one", "tolerated", defaults + ",dedicated op=Exists"},
		{"two", "three", defaults + ",dedicated=team-3:NoSchedule"},
		{"two", "tolerated", defaults + ",dedicated op=Exists,spot op=Exists"},
		{"two", "everything", "op=Exists"},
	} {
		nodes := make([]taint.List, 5000)
		for i := range nodes {
			nodes[i] = taints(fleets[c.fleet](i))
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		pod, err := toleration.ParseList(c.tolerations)
		if err != nil {
			panic(err)
		}
		cases = append(cases, Case{"nodes=" + c.fleet + "/pod=" + c.pod, nodes, pod})
	}
	return cases
}
