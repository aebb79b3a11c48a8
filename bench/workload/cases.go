package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Case is the nodes of a fleet in random order, of which each tenth is cordoned, and a pod.
type Case struct {
	Name  string // as in the name of a benchmark
	Nodes []match.Node
	Pod   toleration.List
}

// Fleets and Pods are the names of fleets and pods, of which Cases has all pairs.
var (
	Fleets = []string{"usual", "one", "three", "own", "long", "untainted"}
	Pods   = []string{"none", "defaults", "five", "six", "twelve", "everything", "long"}
)

// fleets have the taints of a node by its number.
var fleets = map[string]func(i int) string{
	"usual": func(i int) string { // 85 % have no taints
		if i%20 >= 3 {
			return ""
		}
		return []string{"dedicated=gpu:NoSchedule", "spot=pool-1:NoSchedule", "node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/not-ready:NoSchedule"}[i%20]
	},
	"one": func(i int) string { return fmt.Sprintf("dedicated=team-%d:NoSchedule", i%10) },
	"three": func(i int) string {
		return fmt.Sprintf("dedicated=team-%d:NoSchedule,spot=pool-%d:NoExecute,batch=queue-%d:NoSchedule", i%10, i%3, i%2)
	},
	"own": func(int) string { return "dedicated=gpu:NoSchedule" },
	"long": func(i int) string {
		return fmt.Sprintf("capabilities.example.com/accelerator-%d=true:NoSchedule", i%10)
	},
	"untainted": func(int) string { return "" },
}

// pods have tolerations, after the two defaults for all except none, everything and long.
var pods = map[string]string{
	"none":       "",
	"defaults":   "",
	"five":       "dedicated=gpu:NoSchedule,spot=pool-1:NoExecute,batch=queue-1:NoSchedule",
	"six":        "dedicated op=Exists,spot op=Exists,batch op=Exists,node.kubernetes.io/unschedulable op=Exists",
	"twelve":     strings.Join(numbered("dedicated=team-%d:NoSchedule", 10), ","),
	"everything": "op=Exists",
	"long":       strings.Join(numbered("capabilities.example.com/interconnect-%d=true:NoSchedule", 5), ","),
}

const defaults = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"

func numbered(format string, n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf(format, i))
	}
	return texts
}

// Cases returns every pod against every fleet of 5,000 nodes.
func Cases() (cases []Case) {
	for _, fleet := range Fleets {
		nodes := make([]match.Node, 5000)
		for i := range nodes {
			nodes[i] = match.Node{Taints: taints(fleets[fleet](i)), Unschedulable: i%10 == 7}
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		for _, name := range Pods {
			text := pods[name]
			if name != "none" && name != "everything" && name != "long" {
				text = strings.TrimSuffix(defaults+","+text, ",")
			}
			cases = append(cases, Case{"nodes=" + fleet + "/pod=" + name, nodes, toleration.MustParseList(text)})
		}
	}
	return cases
}
