// Scheduler schedules the pending pods of a cluster, by priority and then in order:
// it filters the nodes, scores the others, and chooses the best.
//
//	kubectl get nodes,pods -A -o json | go run ./examples/scheduler
//
// A node needs room for the pod's requests and overhead, the labels of its node
// selector and required node affinity (In, NotIn, Exists, DoesNotExist), and no
// untolerated NoSchedule or NoExecute taint. The score of a node is 3 times its score for
// taints (100 without untolerated PreferNoSchedule taints), plus the share of CPU and
// memory that remains free, 0 to 100. Affinity between pods, spreading, ports and volumes are ignored.
// Nothing is scheduled if the input has an error.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

const maxWork = 1 << 26 // parts of pods times taints of nodes

//go:embed sample.json
var sample string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	s := scheduler{nodes: map[string]*node{}}
	flags, sample := flag.NewFlagSet("scheduler", flag.ContinueOnError), func() string { return sample }
	return cluster.Program{Flags: flags, Sample: sample, Each: s.each, Report: s.schedule}.Run(args, in, out, errOut)
}

type scheduler struct {
	nodes map[string]*node
	order []*node
	pods  []*pod
}

type node struct {
	cluster.Node
	labels      map[string]string
	total, used cluster.Amounts
}

type pod struct {
	cluster.Pod
	requests cluster.Amounts
	selector map[string]string
	affinity affinity
	priority int32
	refused  []string
	size     int // of what is compared with each node
}

func (s *scheduler) each(o *cluster.Object) {
	if o.Kind == "Node" {
		n := &node{o.Node(), cluster.Get[map[string]string](o, "metadata.labels"), cluster.Get[cluster.Amounts](o, "status.allocatable"), cluster.Amounts{}}
		s.nodes[n.Name] = n
		s.order = append(s.order, n)
		return
	}
	p := &pod{
		Pod:      o.Pod(),
		requests: o.Requests(),
		selector: cluster.Get[map[string]string](o, "spec.nodeSelector"),
		affinity: cluster.Get[affinity](o, "spec.affinity"),
		priority: cluster.Get[int32](o, "spec.priority"),
	}
	p.size = 1 + len(p.Tolerations) + len(p.selector) + len(p.requests) + len(cluster.Get[json.RawMessage](o, "spec.affinity"))/16
	for _, path := range []string{"spec.schedulingGates", "spec.resources"} {
		if cluster.Get[any](o, path) != nil {
			p.refused = append(p.refused, path+" is not evaluated")
		}
	}
	if deleted := cluster.Get[string](o, "metadata.deletionTimestamp") != ""; !p.Ended || deleted && p.Node != "" { // it still has its room
		s.pods = append(s.pods, p)
	}
}

func (s *scheduler) schedule(w io.Writer, wrong int) (status int, err error) {
	if wrong > 0 {
		return 2, errors.New("nothing is scheduled, because of the errors in the input")
	}
	var pending []*pod
	parts, taints := 0, 0
	for _, n := range s.order {
		taints += 1 + len(n.Taints)
	}
	for _, p := range s.pods {
		if n := s.nodes[p.Node]; n != nil {
			n.used.Add(p.requests)
		} else if p.Node == "" {
			pending = append(pending, p)
			parts += p.size
		}
	}
	if parts > maxWork/taints {
		return 2, fmt.Errorf("%s and %s are too many to compare", cluster.Count(len(pending), "pending pod"), cluster.Count(len(s.order), "node"))
	}
	slices.SortStableFunc(pending, func(p, q *pod) int { return cmp.Compare(q.priority, p.priority) })
	for _, p := range pending {
		s.place(w, p)
	}
	fmt.Fprintf(w, "%s, %s, of which %d pending\n", cluster.Count(len(s.order), "node"), cluster.Count(len(s.pods), "pod"), len(pending))
	return 0, nil
}

// place filters and scores the nodes.
func (s *scheduler) place(w io.Writer, p *pod) {
	var candidates []*node
	var preferences []int64
	reasons := map[string]int{}
	matcher := match.Compile(p.Tolerations)
	for _, n := range s.order {
		why, preference := n.lacks(p), int64(0)
		for _, t := range matcher.Untolerated(n.Node.Node) {
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
		fmt.Fprintf(w, "%s: none of %s\n", p.Name, cluster.Count(len(s.order), "node"))
		byCount := func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) }
		for _, reason := range slices.SortedFunc(maps.Keys(reasons), byCount) {
			fmt.Fprintf(w, "    %d: %s\n", reasons[reason], reason)
		}
		return
	}
	scores := match.Scores(preferences)
	best, score := 0, int64(-1)
	for i, n := range candidates {
		if total := 3*scores[i] + n.room(p); total > score {
			best, score = i, total
		}
	}
	n := candidates[best]
	fmt.Fprintf(w, "%s: %s, score %d (%d for taints, %d for room), of %s\n", p.Name, n.Name, score, 3*scores[best], n.room(p), cluster.Count(len(candidates), "node"))
	n.used.Add(p.requests)
}

// lacks returns why the pod cannot be scheduled to the node, except for taints.
func (n *node) lacks(p *pod) []string {
	why := slices.Clone(p.refused)
	for key, value := range p.selector {
		if got, ok := n.labels[key]; !ok || got != value {
			why = append(why, fmt.Sprintf("no label %.100q", key+"="+value))
		}
	}
	for name, q := range p.requests {
		if q > 0 && n.used[name].Plus(q) > n.total[name] {
			why = append(why, fmt.Sprintf("not enough %.100q", name))
		}
	}
	if reason := p.affinity.repels(n); reason != "" {
		why = append(why, reason)
	}
	return why
}

// room is the share of CPU and memory that would remain free, 0 to 100.
func (n *node) room(p *pod) (share int64) {
	for _, name := range []string{"cpu", "memory"} {
		if total := n.total[name]; total > 0 {
			share += int64(50 * float64(total-n.used[name].Plus(p.requests[name])) / float64(total))
		}
	}
	return max(share, 0)
}
