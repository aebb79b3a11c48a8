package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An input is the fleet, and the tolerations of the pods to come.
type input struct {
	names     []string
	nodes     []match.Node
	workloads []toleration.List
	problems  []error
}

var (
	notReady     = mustTaints("node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute")
	pressure     = mustTaints("node.kubernetes.io/memory-pressure:NoSchedule")
	gpu          = mustTaints("nvidia.com/gpu=present:NoSchedule")
	spot         = mustTaints("example.com/spot=true:PreferNoSchedule")
	controlPlane = mustTaints("node-role.kubernetes.io/control-plane:NoSchedule")

	defaults = toleration.List{
		toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
		toleration.MustParse("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"),
	}
)

func mustTaints(text string) taint.List {
	list, err := taint.ParseList(text)
	if err != nil {
		panic(err)
	}
	return list
}

func poolTaint(pool int) taint.Taint {
	return taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", pool))
}

// generate makes the fleet and the pods from the flags.
func (f *input) generate(o options) {
	rng := rand.New(rand.NewPCG(o.seed, 0))
	pools := make(taint.List, o.pools)
	for i := range pools {
		pools[i] = poolTaint(i)
	}
	for i := range o.nodes {
		f.names = append(f.names, fmt.Sprintf("node-%07d", i))
		var n match.Node
		if rng.Float64() < o.tainted {
			n.Taints = generateTaints(rng, pools)
			n.Unschedulable = rng.IntN(500) == 0
		}
		f.nodes = append(f.nodes, n)
	}
	f.generateWorkloads(o, rng)
}

func generateTaints(rng *rand.Rand, pools taint.List) (list taint.List) {
	switch p := rng.IntN(100); {
	case p < 70:
		list = append(list, pools[rng.IntN(len(pools))])
		if p < 7 {
			list = append(list, gpu...)
		}
	case p < 82:
		list = append(list, gpu...)
	case p < 96:
		list = append(list, spot...)
	default:
		list = append(list, controlPlane...)
	}
	if rng.IntN(100) == 0 {
		list = append(list, pressure...)
	}
	return list
}

// generateWorkloads makes tolerations such as are usual: none of their own, a
// team's pool, GPUs, a daemon's.
func (f *input) generateWorkloads(o options, rng *rand.Rand) {
	for range o.workloads {
		list := slices.Clone(defaults)
		switch p := rng.IntN(100); {
		case p < 40:
		case p < 80:
			list = append(list, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", rng.IntN(o.pools))))
			if p < 55 {
				list = append(list, toleration.MustParse("nvidia.com/gpu:NoSchedule op=Exists"))
			}
		case p < 90:
			list = append(list, toleration.MustParse("example.com/spot=true"), toleration.MustParse("nvidia.com/gpu op=Exists"))
		case p < 97:
			list = append(list, toleration.MustParse("dedicated op=Exists"), toleration.MustParse(":NoExecute op=Exists"))
		default:
			list = toleration.List{toleration.MustParse("op=Exists")}
		}
		f.workloads = append(f.workloads, list)
	}
}

// read reads the fleet, and the pods if there are any. What is wrong with
// single objects is kept in problems.
func (f *input) read(o options, stdin io.Reader, p *progress) error {
	name, r := "standard input", stdin
	if o.file != "-" {
		file, err := os.Open(o.file)
		if err != nil {
			return err
		}
		defer file.Close() // it was only read
		name, r = o.file, file
	}
	seen := map[string]bool{} // nodes
	known := map[string]bool{}
	for object, err := range kubejson.Objects(name, r) {
		switch {
		case err != nil:
			f.problems = append(f.problems, err)
		case object.Is("Node"):
			n, err := object.Node()
			if err == nil && seen[n.Name] {
				err = fmt.Errorf("a node of this name has been read already")
			}
			if err != nil {
				f.report(object, err)
				continue
			}
			seen[n.Name] = true
			f.names = append(f.names, n.Name)
			f.nodes = append(f.nodes, match.Node{Taints: n.Taints, Unschedulable: n.Unschedulable})
		case object.Is("Pod"):
			pod, err := object.Pod()
			if err != nil {
				f.report(object, err)
				continue
			}
			if text := fmt.Sprint(pod.Tolerations); !known[text] && !pod.Finished() {
				known[text] = true
				f.workloads = append(f.workloads, pod.Tolerations)
			}
		}
		p.show("%d nodes read", len(f.nodes))
	}
	if len(f.workloads) == 0 {
		f.generateWorkloads(o, rand.New(rand.NewPCG(o.seed, 0)))
	}
	return nil
}

func (f *input) report(object *kubejson.Object, err error) {
	for _, problem := range object.Problems(err) {
		f.problems = append(f.problems, problem)
	}
}
