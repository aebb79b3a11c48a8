// Capacity counts, for each pod of a stream, the nodes that it can be scheduled to,
// while nodes become not ready and ready again. It shows the index of package fleet,
// by default with 100,000 nodes and 1,000 pods that are made for it.
//
//	go run ./examples/capacity
//	kubectl get nodes,pods -A -o json | go run ./examples/capacity
//
// A writer changes the index in rounds: in each of the first five, one more tenth of the
// nodes fails; then they return, a tenth in each round. A reader queries a snapshot for every pod while the
// writer prepares the next one, without a lock. At the end, answers are compared with
// those of match.Filter, node by node; a difference is an error. All but the last line
// is the same in each run of the same input.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

const (
	rounds   = 10
	compared = 20      // pods
	maxWork  = 1 << 26 // tolerations of pods times lists of taints
)

var notReady = taint.MustParseList("node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	var s stream
	flags := flag.NewFlagSet("capacity", flag.ContinueOnError)
	return program.Program{Flags: flags, Sample: sample, Each: s.each, Report: s.report}.Run(args, in, out, errOut)
}

// sample makes a fleet of 100 teams, with some GPUs, and pods of 130 teams.
func sample() string {
	var b strings.Builder
	b.WriteString(`{"kind": "List", "items": [`)
	for i := range 100_000 {
		taints := ""
		if i%7 == 0 {
			taints = `, {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}`
		}
		fmt.Fprintf(&b, `{"kind": "Node", "metadata": {"name": "node-%d"}, "spec": {"taints": [{"key": "dedicated", "value": "team-%d", "effect": "NoSchedule"}%s]}},`, i, i%100, taints)
	}
	for i := range 1000 {
		fmt.Fprintf(&b, `{"kind": "Pod", "metadata": {"name": "pod-%d"}, "spec": {"tolerations": [{"key": "dedicated", "value": "team-%d"}]}},`, i, i%130)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

type stream struct {
	nodes []match.Node
	pods  []pod
}

type pod struct {
	name        string
	tolerations toleration.List
}

func (s *stream) each(o *cluster.Object) {
	switch {
	case o.Kind == "Node":
		s.nodes = append(s.nodes, match.Node{Taints: taint.List(o.Spec.Taints), Unschedulable: o.Spec.Unschedulable})
	case o.Kind == "Pod" && !o.Ended():
		s.pods = append(s.pods, pod{o.Name(), toleration.List(o.Spec.Tolerations)})
	}
}

func (s *stream) report(w io.Writer, wrong int) error {
	var index fleet.Index[int]
	for i, n := range s.nodes {
		index.Put(i, n)
	}
	parts := 0
	for _, p := range s.pods {
		parts += 1 + len(p.tolerations)
	}
	first, lists := index.Snapshot(), 0
	var a fleet.Answer[int]
	first.Query(&a)
	for range a.AllGroups() {
		lists++
	}
	if parts > maxWork/(1+lists) {
		return errors.New("the pods have too many tolerations to compare with so many taints")
	}
	fmt.Fprintf(w, "%s with %d different sets of taints, %s, %s in the input\n",
		program.Count(len(s.nodes), "node"), lists, program.Count(len(s.pods), "pod"), program.Count(wrong, "error"))
	snapshots := make(chan *fleet.Snapshot[int])
	go func() {
		defer close(snapshots)
		for round := range rounds {
			for i := range s.nodes {
				index.Put(i, s.node(i, round)) // cheap if nothing changes
			}
			snapshots <- index.Snapshot()
		}
	}()
	last, took := first, time.Duration(0)
	for snapshot := range snapshots {
		start := time.Now()
		sum, nowhere, more := 0, 0, 0
		for _, p := range s.pods {
			snapshot.Query(&a, p.tolerations)
			sum += a.Schedulable()
			if a.Schedulable() == 0 {
				nowhere++
			}
			for d := range a.Changes(last) {
				if d.After > d.Before { // a waiting pod could be tried again
					more++
					break
				}
			}
		}
		last, took = snapshot, took+time.Since(start)
		fmt.Fprintf(w, "nodes for a pod, on average: %d, pods without a node: %d, pods with new nodes: %d\n", sum/max(len(s.pods), 1), nowhere, more)
	}
	for _, p := range s.pods {
		if last.Query(&a, p.tolerations); a.Schedulable() == 0 {
			fmt.Fprintf(w, "%s can be scheduled to no node, among the reasons:\n", p.name)
			for _, reason := range a.TopReasons(3) {
				fmt.Fprintf(w, "    %s\n", reason)
			}
			break
		}
	}
	if err := s.compare(last); err != nil {
		return err
	}
	fmt.Fprintf(w, "match.Filter agrees; %d queries took %v\n", rounds*len(s.pods), took.Round(time.Microsecond))
	return nil
}

// node returns a node in a round, in which up to five tenths are not ready.
func (s *stream) node(i, round int) match.Node {
	n := s.nodes[i]
	if i%rounds < min(round+1, rounds-1-round) {
		n.Taints = slices.Concat(n.Taints, notReady)
	}
	return n
}

// compare compares the answers after the last round with those for each node.
func (s *stream) compare(last *fleet.Snapshot[int]) error {
	var a fleet.Answer[int]
	for _, p := range s.pods[:min(len(s.pods), compared)] {
		last.Query(&a, p.tolerations)
		matcher := match.Compile(p.tolerations)
		for i := range s.nodes {
			want := matcher.Filter(s.node(i, rounds-1))
			if got, ok := a.Node(i); !ok || got.Schedulable() != want.Schedulable() || got.Preferred() != want.Preferred() {
				return fmt.Errorf("node %d, pod %s: the index has %v, match.Filter %v", i, p.name, got, want)
			}
		}
	}
	return nil
}
