package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Case is the nodes of a fleet in random order, of which each tenth is cordoned, and a pod.
type Case struct {
	Name  string // as in the name of a benchmark
	Nodes []match.Node
	Pod   toleration.List
}

// fleets have the taints of a node by its number.
var fleets = []struct {
	name   string
	taints func(i int) string
}{
	{"usual", func(i int) string { // 85 % have no taints
		if i%20 >= 3 {
			return ""
		}
		return []string{"dedicated=gpu:NoSchedule", "spot=pool-1:NoSchedule", "node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/not-ready:NoSchedule"}[i%20]
	}},
	{"one", func(i int) string { return fmt.Sprintf("dedicated=team-%d:NoSchedule", i%10) }},
	{"three", func(i int) string {
		return fmt.Sprintf("dedicated=team-%d:NoSchedule,spot=pool-%d:NoExecute,batch=queue-%d:NoSchedule", i%10, i%3, i%2)
	}},
	{"own", func(int) string { return "dedicated=gpu:NoSchedule" }},
	{"long", func(i int) string {
		return fmt.Sprintf("capabilities.example.com/accelerator-%d=true:NoSchedule", i%10)
	}},
	{"untainted", func(int) string { return "" }},
}

const defaults = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"

var pods = []struct{ name, tolerations string }{
	{"none", ""},
	{"defaults", defaults},
	{"five", defaults + ",dedicated=gpu:NoSchedule,spot=pool-1:NoExecute,batch=queue-1:NoSchedule"},
	{"six", defaults + ",dedicated op=Exists,spot op=Exists,batch op=Exists,node.kubernetes.io/unschedulable op=Exists"},
	{"twelve", defaults + "," + numbered("dedicated=team-%d:NoSchedule", 10)},
	{"everything", "op=Exists"},
	{"long", numbered("capabilities.example.com/interconnect-%d=true:NoSchedule", 5)},
}

// numbered returns a list of n texts with the numbers from 0.
func numbered(format string, n int) string {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf(format, i))
	}
	return strings.Join(texts, ",")
}

// Cases returns every pod against every fleet of 5,000 nodes.
func Cases() (cases []Case) {
	for _, fleet := range fleets {
		nodes := make([]match.Node, 5000)
		for i := range nodes {
			nodes[i] = match.Node{Taints: taint.MustParseList(fleet.taints(i)), Unschedulable: i%10 == 7}
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		for _, pod := range pods {
			cases = append(cases, Case{"nodes=" + fleet.name + "/pod=" + pod.name, nodes, toleration.MustParseList(pod.tolerations)})
		}
	}
	return cases
}
