// Whypending lists the pending pods of a cluster that cannot be scheduled because of
// taints: the nodes, the reason, and what to add to spec.tolerations.
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whypending
//
// Of the nodes, only those count that a pod selects by its node selector and required
// node affinity. Resources, volumes and everything else are not evaluated: pods that
// wait for them are listed apart.
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
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/examples/internal/selector"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

const most, maxWork = 3, 1 << 36 // names in a line; bytes of what differs between pods, times the size of the nodes

//go:embed sample.json
var sample string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	r := report{pools: map[string]*pool{}, pending: map[string]group{}}
	flags := flag.NewFlagSet("whypending", flag.ContinueOnError)
	return program.Program{Flags: flags, Sample: func() string { return sample }, Each: r.each, Report: r.write}.Run(args, in, out, errOut)
}

type report struct {
	pools                   map[string]*pool
	pending                 map[string]group
	order                   []*pool
	nodes, size, pods, work int // the size is 1 for a node and 100 for a taint of a pool, the work is the bytes of pending
}

// A pool is nodes with the same taints.
type pool struct {
	match.Node
	labels map[string]map[string]string // by the node's name
}

// A group is pods with the same tolerations that select the same nodes.
type group struct {
	tolerations toleration.List
	selector    selector.Selector
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
		}
		r.pools[key].labels[o.Name()] = o.Metadata.Labels
		r.nodes++
		r.size++
	case o.Kind == "Pod" && !o.Ended():
		if r.pods++; o.Spec.NodeName != "" {
			return
		}
		g := group{toleration.List(o.Spec.Tolerations), selector.Selector{Labels: o.Spec.NodeSelector, Affinity: o.Spec.Affinity}, nil}
		key, _ := json.Marshal([]any{g.tolerations, g.selector}) // what was read can be written
		if g.pods = append(r.pending[string(key)].pods, o.Name()); len(g.pods) == 1 {
			r.work += len(key)
		}
		r.pending[string(key)] = g
	}
}

// A section has the names of pods by what is written about them.
type section map[string][]string

func (r *report) write(w io.Writer, wrong int) error {
	if r.work > maxWork/r.size {
		return errors.New("the pending pods and the nodes are too many to compare")
	}
	prevented, unselected, others := section{}, section{}, section{}
	for _, g := range r.pending {
		fits, selected, nearest := r.nodesFor(g)
		among, to, text := program.Count(selected, "node"), others, ""
		if selected < r.nodes {
			among = "the " + among + " that the pod selects"
		}
		switch {
		case selected == 0:
			to, text = unselected, "nodes:  selects none of "+program.Count(r.nodes, "node")
		case len(fits) > 0:
			text = fmt.Sprintf("nodes:  %d of %s: %s", len(fits), among, short(fits))
		default:
			to, text = prevented, fmt.Sprintf("nodes:  none of %s; nearest: %s%v", among, short(nearest.nodes), nearest)
		}
		to[text] = append(to[text], g.pods...)
	}
	prevented.write(w, "cannot be scheduled because of taints")
	unselected.write(w, "cannot be scheduled because of a node selector or node affinity")
	others.write(w, "can be scheduled, as far as taints, node selectors and node affinity decide")
	fmt.Fprintf(w, "Input: %s, %s, %s\n", program.Count(r.nodes, "node"), program.Count(r.pods, "pod"), program.Count(wrong, "error"))
	return nil
}

// write writes the largest groups first.
func (s section) write(w io.Writer, title string) {
	all := slices.Concat(slices.Collect(maps.Values(s))...)
	fmt.Fprintf(w, "Pending pods: %d %s\n\n", len(all), title)
	bySize := func(t, u string) int { return cmp.Or(len(s[u])-len(s[t]), cmp.Compare(t, u)) }
	for _, text := range slices.SortedFunc(maps.Keys(s), bySize) {
		fmt.Fprintf(w, "%s\n  %s\n\n", short(s[text]), strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// short sorts the names and counts those after the first.
func short(names []string) string {
	slices.Sort(names)
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// nodesFor returns the nodes that the pods can be scheduled to, how many they select, and
// the nearest of the others.
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
			if !e.Blocks() {
				continue
			}
			o.taints = append(o.taints, e)
			if o.cost[1]++; nothing(e.Taint) != "" {
				o.cost[0]++
			}
			if e.Miss == match.OtherKey {
				o.cost[2]++
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

func (o obstacle) String() (text string) {
	for _, e := range o.taints {
		reason, _, _ := strings.Cut(e.String(), "; to add")
		text += "\nreason: " + reason + "\nto add: " + nothing(e.Taint)
		if nothing(e.Taint) == "" {
			add, _ := e.Addition().MarshalJSON() // what was read can be written
			text += string(add)
		}
	}
	return text
}

// nothing returns why the taint must not be tolerated.
func nothing(t taint.Taint) string {
	switch t.Key() {
	case "":
		return "nothing; the node has an error"
	case condition.Unschedulable:
		return "nothing; uncordon the node"
	case condition.ControlPlane, condition.Master:
		return "nothing; the node is not for usual pods"
	}
	if condition.Passing().Has(t) {
		return "nothing; the taint is temporary"
	}
	return ""
}
