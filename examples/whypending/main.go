// Whypending lists why the pods of a cluster cannot be scheduled and what to add, which
// pods are evicted, and on which nodes the others can run. Only taints and tolerations
// are evaluated: resources, affinity and volumes may prevent more.
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whypending
//
// The seconds until an eviction are counted from the time of the taint, or else from now.
package main

import (
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

const most, maxWork = 3, 1 << 23 // listed of each kind; tolerations times taints compared
var now = time.Now

//go:embed sample.json
var sampleJSON string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	var r report
	flags := flag.NewFlagSet("whypending", flag.ContinueOnError)
	flags.BoolVar(&r.fail, "fail", false, "exit with status 1 if a pending pod can be scheduled to no node")
	return cluster.Program{Flags: flags, Sample: func() string { return sampleJSON }, Each: r.Each, Report: r.write}.Run(args, in, out, errOut)
}

type report struct {
	cluster.Objects
	fail bool
}

// A section has the names of the pods with each text.
type section map[string][]string

func (r *report) write(w io.Writer, wrong int) (status int, err error) {
	var index fleet.Index[string]
	nodes, pods := map[string]cluster.Node{}, map[string][]cluster.Pod{} // pods by tolerations
	for _, n := range r.Nodes {
		nodes[n.Name] = n
		index.Put(n.Name, n.Node)
	}
	for _, p := range r.Pods {
		key := p.Tolerations.Canonical().String()
		pods[key] = append(pods[key], p)
	}
	var a fleet.Answer[string]
	s := index.Snapshot()
	s.Query(&a)
	taints, placed, without, work := 1, 0, 0, int64(0)
	for g := range a.AllGroups() {
		taints += 1 + len(slices.Collect(g.Taints()))
	}
	nowhere, evicted, others, bound := section{}, section{}, section{}, section{}
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		alike := pods[key]
		tolerations, compared := alike[0].Tolerations, taints
		for _, p := range alike {
			compared += len(nodes[p.Node].Taints)
		}
		if work += int64(1+len(tolerations)) * int64(compared); work > maxWork {
			return 2, fmt.Errorf("the pods have too many tolerations to compare with so many taints")
		}
		s.Query(&a, tolerations)
		fits, reasons := evaluate(&a, tolerations)
		for _, p := range alike {
			switch {
			case p.Node != "":
				bound[fits] = append(bound[fits], p.Name)
				if text := evicts(nodes[p.Node], p); text != "" {
					evicted[text] = append(evicted[text], p.Name)
				}
				placed++
			case reasons != "":
				nowhere[reasons] = append(nowhere[reasons], p.Name)
				without++
			default:
				others[fits] = append(others[fits], p.Name)
			}
		}
	}
	fmt.Fprintf(w, "Pending: %s, of which %d can be scheduled to no node. Input: %s, %s, %s.\n", cluster.Count(len(r.Pods)-placed, "pod"), without,
		cluster.Count(len(r.Nodes), "node"), cluster.Count(len(r.Pods), "pod"), cluster.Count(wrong, "error"))
	nowhere.write(w, "Pending pods that can be scheduled to no node")
	evicted.write(w, "Pods that are evicted, or are on an unknown node")
	others.write(w, "Pending pods that taints do not prevent, by their nodes")
	bound.write(w, "Other pods, by the nodes that they could be scheduled to again")
	if r.fail && without > 0 {
		return 1, nil
	}
	return 0, nil
}

// write writes the largest groups first.
func (s section) write(w io.Writer, title string) {
	if len(s) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	bySize := func(t, u string) int { return cmp.Or(len(s[u])-len(s[t]), cmp.Compare(t, u)) }
	for _, text := range slices.SortedFunc(maps.Keys(s), bySize) {
		fmt.Fprintf(w, "  %d: %s\n      %s\n", len(s[text]), short(s[text], ", "), strings.ReplaceAll(text, "\n", "\n      "))
	}
}

// short joins the texts of the first values, and counts the others.
func short[T any](all []T, separator string) string {
	var texts []string
	for _, v := range all[:min(len(all), most)] {
		texts = append(texts, fmt.Sprint(v))
	}
	if more := len(all) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, separator)
}

// evaluate returns the nodes that the pod can be scheduled to, or why there are none.
func evaluate(a *fleet.Answer[string], pod toleration.List) (nodes, reasons string) {
	if a.Schedulable() == 0 {
		return "no node", short(a.TopReasons(a.Total()), "\n") + "\n" + nearest(a, pod)
	}
	var groups []fleet.Group[string]
	for g := range a.Groups() {
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(g, h fleet.Group[string]) int { return h.Len() - g.Len() })
	return fmt.Sprintf("%d of %s (%s)", a.Schedulable(), cluster.Count(a.Total(), "node"), short(groups, "; ")), ""
}

// nearest describes the nodes with the fewest taints that repel the pod, first those
// whose taints are not temporary and resemble a toleration.
func nearest(a *fleet.Answer[string], pod toleration.List) string {
	var best []string
	var least []int
	for g := range a.AllGroups() {
		var blocking []string
		temporary, foreign := 0, 0
		for e := range (match.Node{Taints: slices.Collect(g.Taints())}).Explanations(toleration.First, pod) {
			if !e.Blocks() {
				continue
			}
			key, hint := e.Taint.Key(), ""
			switch {
			case key == condition.ControlPlane || key == condition.Master:
				temporary, hint = temporary+2, " (not for usual workloads)"
			case key == condition.Unschedulable:
				temporary, hint = temporary+1, " (or uncordon the node)"
			case key == "" || condition.Passing().Has(e.Taint):
				temporary++
			}
			blocking = append(blocking, e.String()+hint)
			if e.Miss == match.OtherKey && !slices.ContainsFunc(pod, func(u toleration.Toleration) bool {
				return u.Key() != "" && (strings.HasPrefix(u.Key(), key) || strings.HasPrefix(key, u.Key()))
			}) {
				foreign++
			}
		}
		if cost := []int{temporary, len(blocking), foreign, -g.Len()}; least == nil || slices.Compare(cost, least) < 0 {
			best, least = blocking, cost
		}
	}
	return fmt.Sprintf("nearest, %d of %s: %s", -least[3], cluster.Count(a.Total(), "node"), short(best, "; "))
}

// evicts describes when a node evicts the pod, and is empty if it does not.
func evicts(n cluster.Node, p cluster.Pod) string {
	if n.Name == "" || n.Wrong {
		return fmt.Sprintf("unknown: node %.260q is not in the input, or wrong", p.Node)
	}
	at := now()
	d := eviction.Decide(eviction.Observe(nil, n.Taints, at), at, eviction.Options{Start: eviction.FromAdded}, p.Tolerations)
	i, ok := d.Taint()
	if !ok {
		return ""
	}
	when := "now"
	if deadline, _ := d.Deadline(); d.Kind() == eviction.At {
		when = "in " + deadline.Sub(at).Round(time.Second).String()
	}
	return when + ": " + match.Explain(n.Taints[i], toleration.First, p.Tolerations).String()
}
