// Whypending lists the pending pods of a cluster that cannot be scheduled because of
// taints: the nodes, the reason, and what to add to spec.tolerations.
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whypending
//
// Only the nodes count that a pod selects by its node selector and required affinity.
// Resources, volumes and so on are not evaluated; pods that wait for them are apart.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/examples/internal/selector"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

const most, maxWork = 3, int64(1) << 36 // names in a line; bytes of what differs between pods, times the size of the nodes

//go:embed sample.json
var sample string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	r := report{pools: map[string]*pool{}, pending: map[string]group{}, valued: map[string]bool{}}
	p := program.Program{Flags: flag.NewFlagSet("whypending", flag.ContinueOnError), Sample: sample, Each: r.each, Report: r.write}
	return p.Run(args, in, out, errOut)
}

type report struct {
	pools                   map[string]*pool // by the taints
	order                   []*pool
	pending                 map[string]group // by what differs between pods
	valued                  map[string]bool  // keys of taints, if some node has the key with a value
	nodes, size, pods, work int              // the size is 100 for a taint of a pool, the work is the bytes of pending
}

// A pool is nodes with the same taints.
type pool struct {
	match.Node
	labels map[string]map[string]string // by the node's name
}

// A group is pods with the same tolerations that select the same nodes and remove the same taints.
type group struct {
	tolerations toleration.List
	selector    selector.Selector
	program     *remover.Program
	pods        []string
}

func (r *report) each(o *cluster.Object) {
	switch {
	case o.Kind == "Node":
		n := match.Node{Taints: taint.List(o.Spec.Taints), Unschedulable: o.Spec.Unschedulable}
		key := fmt.Sprint(n)
		if r.pools[key] == nil {
			r.pools[key] = &pool{n, map[string]map[string]string{}}
			r.order = append(r.order, r.pools[key])
			r.size += 100 * (1 + len(n.Taints))
			for _, t := range n.Taints {
				r.valued[t.Key()] = r.valued[t.Key()] || t.Value() != ""
			}
		}
		r.pools[key].labels[o.Name()] = o.Metadata.Labels
		r.nodes++
	case o.Kind == "Pod" && !o.Ended() && o.Spec.NodeName == "":
		r.pods++
		g := group{toleration.List(o.Spec.Tolerations), selector.Selector{Labels: o.Spec.NodeSelector, Affinity: o.Spec.Affinity}, nil, nil}
		for _, owner := range o.Metadata.OwnerReferences {
			if owner.Controller {
				g.program = remover.Running(owner.Kind, owner.Name)
			}
		}
		key, _ := json.Marshal([]any{g.tolerations, g.selector, g.program}) // what was read can be written
		if g.pods = append(r.pending[string(key)].pods, o.Name()); len(g.pods) == 1 {
			r.work += len(key)
		}
		r.pending[string(key)] = g
	}
}

func (r *report) write(w io.Writer, wrong int) error {
	if int64(r.work) > maxWork/int64(r.nodes+r.size) {
		return fmt.Errorf("the pending pods and the nodes are too many to compare")
	}
	sections := []map[string][]string{{}, {}, {}} // the names of pods by what is written about them
	first := map[string]int{}                     // -1 for pods that remove a taint that keeps them, and others, from nodes
	for _, g := range r.pending {
		fits, selected, nearest := r.nodesFor(g)
		section, text, among := 0, "", program.Count(selected, "node")
		if selected < r.nodes {
			among = "the " + among + " that the pod selects"
		}
		switch {
		case selected == 0:
			section, text = 1, "nodes:  selects none of "+program.Count(r.nodes, "node")
		case len(fits) > 0:
			section, text = 2, fmt.Sprintf("nodes:  %d of %s: %s", len(fits), among, short(fits))
		default:
			text = fmt.Sprintf("nodes:  none of %s; nearest: %s%v", among, short(nearest.nodes), r.explain(nearest.taints, g.program))
			if slices.ContainsFunc(nearest.taints, func(e match.Explanation) bool { return g.program.Removes(e.Taint) }) {
				first[text] = -1
			}
		}
		sections[section][text] = append(sections[section][text], g.pods...)
	}
	for i, title := range []string{
		"cannot be scheduled because of taints",
		"cannot be scheduled because of a node selector or node affinity",
		"can be scheduled, as far as taints, node selectors and node affinity decide",
	} {
		s := sections[i]
		fmt.Fprintf(w, "Pending pods: %d %s\n\n", len(slices.Concat(slices.Collect(maps.Values(s))...)), title)
		bySize := func(t, u string) int { return cmp.Or(first[t]-first[u], len(s[u])-len(s[t]), cmp.Compare(t, u)) }
		for _, text := range slices.SortedFunc(maps.Keys(s), bySize) {
			fmt.Fprintf(w, "%s\n  %s\n\n", short(s[text]), strings.ReplaceAll(text, "\n", "\n  "))
		}
	}
	fmt.Fprintf(w, "Input: %s, %s, %s\n", program.Count(r.nodes, "node"), program.Count(r.pods, "pending pod"), program.Count(wrong, "error"))
	return nil
}

// short sorts the names and counts those after the first.
func short(names []string) string {
	slices.Sort(names)
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// nodesFor returns the nodes that the pods fit, how many they select, and the nearest others.
func (r *report) nodesFor(g group) (fits []string, selected int, nearest obstacle) {
	for _, p := range r.order {
		var names []string
		for name, labels := range p.labels {
			if g.selector.Selects(name, labels) {
				names = append(names, name)
			}
		}
		selected += len(names)
		if len(names) == 0 || p.Filter(g.tolerations).Schedulable() {
			fits = append(fits, names...)
			continue
		}
		o := obstacle{nodes: names, cost: []int{0, 0, 0, -len(names)}}
		for e := range p.Explanations(toleration.First, g.tolerations) {
			if e.Blocks() {
				o.taints = append(o.taints, e)
				if o.cost[1]++; g.program.Reason(e.Taint) != "" {
					o.cost[0]++
				}
				if e.Mismatch == match.OtherKey {
					o.cost[2]++
				}
			}
		}
		if nearest.nodes == nil || slices.Compare(o.cost, nearest.cost) < 0 {
			nearest = o
		}
	}
	return fits, selected, nearest
}

// An obstacle is what prevents pods from being scheduled to some nodes.
type obstacle struct {
	nodes  []string
	taints []match.Explanation
	cost   []int // taints that are temporary, all taints, those whose key no toleration has, minus the nodes
}

// explain returns why the taints are not tolerated, and what to add.
func (r *report) explain(taints []match.Explanation, by *remover.Program) (text string) {
	for _, e := range taints {
		reason, _, _ := strings.Cut(e.String(), "; to add")
		add, _ := remover.Addition(e, r.valued[e.Taint.Key()]).MarshalJSON() // what was read can be written
		if why := by.Reason(e.Taint); why != "" {
			add = []byte("nothing; " + why)
		}
		text += "\nreason: " + reason + "\nto add: " + string(add)
	}
	return text
}
