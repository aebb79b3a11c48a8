// Scheduler schedules the pending pods of a cluster, by priority and then in order: it
// filters the nodes, scores the others, and draws one of the best.
//
//	kubectl get nodes,pods,runtimeclasses -A -o json | go run ./examples/scheduler
//
// A node needs room for the pod's requests and overhead, the labels of its node selector
// and required node affinity, and no untolerated NoSchedule or NoExecute taint. The score
// of a node is 3 times its score for taints (100 without untolerated PreferNoSchedule
// taints), plus the share of CPU and memory that remains free, 0 to 100. The overhead of
// a pod without one is that of its RuntimeClass. Affinity between pods, spreading, ports
// and volumes are ignored. Nothing is scheduled if the input has an error.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/examples/internal/resource"
	"github.com/go-tolerate/tolerate/examples/internal/selector"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

const maxWork int64 = 1 << 36 // bytes of pods, times taints of nodes

//go:embed sample.json
var sample string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	s := scheduler{nodes: map[string]*node{}, classes: map[string]cluster.Object{}}
	flags := flag.NewFlagSet("scheduler", flag.ContinueOnError)
	flags.Uint64Var(&s.seed, "seed", 1, "of the draw between equal nodes")
	return program.Program{Flags: flags, Sample: sample, Each: s.each, Report: s.schedule}.Run(args, in, out, errOut)
}

type scheduler struct {
	seed    uint64
	nodes   map[string]*node
	order   []*node
	pods    []*pod
	classes map[string]cluster.Object
}

type node struct {
	*cluster.Object
	match.Node
	used resource.Amounts
}

type pod struct {
	*cluster.Object
	requests resource.Amounts
	refused  []string
}

func (s *scheduler) each(o *cluster.Object) {
	switch {
	case o.Kind == "Node":
		n := &node{o, match.Node{Taints: taint.List(o.Spec.Taints), Unschedulable: o.Spec.Unschedulable}, resource.Amounts{}}
		s.nodes[o.Name()] = n
		s.order = append(s.order, n)
	case o.Kind == "RuntimeClass":
		s.classes[o.Name()] = *o
	case !o.Ended() || o.Metadata.DeletionTimestamp != "" && o.Spec.NodeName != "": // a deleted pod still has its room
		s.pods = append(s.pods, &pod{o, resource.Requests(o.Spec.InitContainers, o.Spec.Containers), nil})
	}
}

// admit adds the overhead to what the pod requests, and refuses what is not evaluated.
func (s *scheduler) admit(p *pod) {
	class := s.classes[p.Spec.RuntimeClassName]
	if p.Spec.Overhead == nil {
		p.Spec.Overhead = class.Overhead.PodFixed
	}
	p.requests.Add(p.Spec.Overhead)
	for name, v := range map[string]any{"spec.schedulingGates": p.Spec.SchedulingGates, "spec.resources": p.Spec.Resources, "scheduling of the runtime class": class.Scheduling} {
		if v != nil {
			p.refused = append(p.refused, name+" is not evaluated")
		}
	}
}

func (s *scheduler) schedule(w io.Writer, wrong int) error {
	if wrong > 0 {
		return errors.New("nothing is scheduled, because of the errors in the input")
	}
	var pending []*pod
	size, taints := 0, 0
	for _, n := range s.order {
		taints += 1 + len(n.Taints)
	}
	for _, p := range s.pods {
		s.admit(p)
		if n := s.nodes[p.Spec.NodeName]; n != nil {
			n.used.Add(p.requests)
		} else if p.Spec.NodeName == "" {
			pending = append(pending, p)
			size += p.Size
		}
	}
	if int64(size) > maxWork/int64(taints) {
		return fmt.Errorf("%s and %s are too many to compare", program.Count(len(pending), "pending pod"), program.Count(len(s.order), "node"))
	}
	slices.SortStableFunc(pending, func(p, q *pod) int { return cmp.Compare(q.Spec.Priority, p.Spec.Priority) })
	draw := rand.New(rand.NewPCG(s.seed, 0))
	for _, p := range pending {
		s.place(w, p, draw)
	}
	fmt.Fprintf(w, "%s, %s, of which %d pending\n", program.Count(len(s.order), "node"), program.Count(len(s.pods), "pod"), len(pending))
	return nil
}

// place filters and scores the nodes, and draws one of the best.
func (s *scheduler) place(w io.Writer, p *pod, draw *rand.Rand) {
	var candidates []*node
	var preferences []int64
	reasons := map[string]int{}
	matcher := match.Compile(toleration.List(p.Spec.Tolerations))
	for _, n := range s.order {
		why, preference := n.lacks(p), int64(0)
		for _, t := range matcher.Untolerated(n.Node) {
			if t.Effect() == taint.PreferNoSchedule {
				preference++
			} else {
				why = append(why, "untolerated "+t.String())
			}
		}
		for _, reason := range why {
			reasons[reason]++
		}
		if len(why) == 0 {
			candidates = append(candidates, n)
			preferences = append(preferences, preference)
		}
	}
	if len(candidates) == 0 {
		fmt.Fprintf(w, "%s: none of %s\n", p.Name(), program.Count(len(s.order), "node"))
		byCount := func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) }
		for _, reason := range slices.SortedFunc(maps.Keys(reasons), byCount) {
			fmt.Fprintf(w, "    %d: %s\n", reasons[reason], reason)
		}
		return
	}
	scores := match.Scores(preferences)
	var best []int
	top := int64(-1)
	for i, n := range candidates {
		if score := 3*scores[i] + n.room(p); score > top {
			best, top = []int{i}, score
		} else if score == top {
			best = append(best, i)
		}
	}
	i, how := best[draw.IntN(len(best))], "the best"
	if len(best) > 1 {
		how = fmt.Sprintf("drawn from the best %d", len(best))
	}
	n := candidates[i]
	fmt.Fprintf(w, "%s: %s, score %d (%d for taints, %d for room), %s of %s\n", p.Name(), n.Name(), top, 3*scores[i], n.room(p), how, program.Count(len(candidates), "node"))
	n.used.Add(p.requests)
}

// lacks returns why the pod cannot be scheduled to the node, except for taints.
func (n *node) lacks(p *pod) []string {
	why := slices.Clone(p.refused)
	for name, q := range p.requests {
		if q > 0 && n.used[name]+q > n.Status.Allocatable[name] {
			why = append(why, fmt.Sprintf("not enough %.100q", name))
		}
	}
	if !(selector.Selector{Labels: p.Spec.NodeSelector, Affinity: p.Spec.Affinity}).Selects(n.Name(), n.Metadata.Labels) {
		why = append(why, "not selected by the node selector or node affinity")
	}
	return why
}

// room is the share of CPU and memory that would remain free, 0 to 100.
func (n *node) room(p *pod) (share int64) {
	for _, name := range []string{"cpu", "memory"} {
		if total := n.Status.Allocatable[name]; total > 0 {
			share += int64(50 * max((total-n.used[name]-p.requests[name])/total, 0))
		}
	}
	return share
}
