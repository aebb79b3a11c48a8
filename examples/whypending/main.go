// Whypending lists, for the pods of a cluster, why they cannot be scheduled and what
// to add, which are evicted, and on which nodes the others can run. Only taints and
// tolerations are evaluated: resources, affinity and volumes may prevent more.
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whypending
//	go run ./examples/whypending -sample
//
// Pods with the same result are listed together. The seconds until an eviction are
// counted from the time of the taint, or from now if it has none; Kubernetes counts
// anew when its controller restarts.
package main

import (
	"cmp"
	_ "embed"
	"errors"
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

const (
	most    = 3       // names, reasons and kinds of nodes that are listed; the rest is counted
	maxWork = 1 << 23 // tolerations times taints that are compared
)

var (
	//go:embed sample.json
	sample string
	now    = time.Now
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, in io.Reader, out, errOut io.Writer) int {
	r := report{nodes: map[string]cluster.Node{}, flags: flag.NewFlagSet("whypending", flag.ContinueOnError)}
	r.flags.BoolVar(&r.fail, "fail", false, "exit with status 1 if a pending pod can be scheduled to no node")
	sample := func() string { return sample }
	return cluster.Program{Flags: r.flags, Sample: sample, Each: r.each, Report: r.write}.Run(args, in, out, errOut)
}

type report struct {
	flags *flag.FlagSet
	fail  bool
	nodes map[string]cluster.Node
	pods  []cluster.Pod
	index fleet.Index[string]
}

func (r *report) each(o *cluster.Object) {
	if o.Kind == "Node" {
		n := o.Node()
		r.nodes[n.Name] = n
		r.index.Put(n.Name, n.Node)
	} else if p := o.Pod(); o.Err == nil && !p.Ended {
		r.pods = append(r.pods, p)
	}
}

// A section has the names of the pods with each text.
type section map[string][]string

func (r *report) write(w io.Writer, wrong int) (status int, err error) {
	var a fleet.Answer[string]
	s := r.index.Snapshot()
	s.Query(&a)
	taints, work := int64(1), int64(0)
	for g := range a.AllGroups() {
		taints += 1 + int64(len(slices.Collect(g.Taints())))
	}
	nowhere, evicted, others, bound := section{}, section{}, section{}, section{}
	results := map[string]result{} // by tolerations
	for _, p := range r.pods {
		key := p.Tolerations.Canonical().String()
		known, ok := results[key]
		work += int64(1+len(p.Tolerations)) * int64(len(r.nodes[p.Node].Taints))
		if !ok {
			work += int64(1+len(p.Tolerations)) * taints
		}
		if work > maxWork {
			return 2, errors.New("the pods have too many tolerations to compare with so many taints")
		}
		if !ok {
			s.Query(&a, p.Tolerations)
			known = evaluate(&a, p.Tolerations)
			results[key] = known
		}
		switch {
		case p.Node != "" && !known.schedulable:
			known.text = "no node"
			fallthrough
		case p.Node != "":
			bound.add(known.text, p.Name)
			evicted.add(r.eviction(p), p.Name)
		case known.schedulable:
			others.add(known.text, p.Name)
		default:
			nowhere.add(known.text, p.Name)
		}
	}
	fmt.Fprintf(w, "%d nodes, %d pods, %d errors in the input", len(r.nodes), len(r.pods), wrong)
	nowhere.write(w, "Pending pods that can be scheduled to no node")
	evicted.write(w, "Pods that are evicted")
	others.write(w, "Pending pods that taints do not prevent, by their nodes")
	bound.write(w, "Other pods, by the nodes that they could be scheduled to again")
	fmt.Fprintln(w)
	if r.fail && len(nowhere) > 0 {
		status = 1
	}
	return status, nil
}

func (s section) add(text, name string) {
	if text != "" {
		s[text] = append(s[text], name)
	}
}

// write writes the largest groups first.
func (s section) write(w io.Writer, title string) {
	if len(s) == 0 {
		return
	}
	fmt.Fprintf(w, "\n\n%s:", title)
	bySize := func(t, u string) int { return cmp.Or(len(s[u])-len(s[t]), cmp.Compare(t, u)) }
	for _, text := range slices.SortedFunc(maps.Keys(s), bySize) {
		fmt.Fprintf(w, "\n  %d: %s\n      %s", len(s[text]), short(s[text], ", "), strings.ReplaceAll(text, "\n", "\n      "))
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

// A result is that of all pods with the same tolerations: which nodes, or why none.
type result struct {
	schedulable bool
	text        string
}

func evaluate(a *fleet.Answer[string], pod toleration.List) result {
	if a.Schedulable() == 0 {
		return result{false, short(a.TopReasons(a.Total()), "\n") + "\n" + nearest(a, pod)}
	}
	var groups []fleet.Group[string]
	for g := range a.Groups() {
		groups = append(groups, g)
	}
	slices.SortStableFunc(groups, func(g, h fleet.Group[string]) int { return h.Len() - g.Len() })
	return result{true, fmt.Sprintf("%d of %d nodes (%s)", a.Schedulable(), a.Total(), short(groups, "; "))}
}

// nearest describes the nodes with the fewest taints that repel the pod, first those
// whose taints are not temporary and resemble a toleration.
func nearest(a *fleet.Answer[string], pod toleration.List) string {
	var best []match.Explanation
	var least []int
	passing := condition.Passing()
	for g := range a.AllGroups() {
		var blocking []match.Explanation
		cost := []int{0, 0, 0, -g.Len()}
		for e := range (match.Node{Taints: slices.Collect(g.Taints())}).Explanations(toleration.First, pod) {
			key := e.Taint.Key()
			alike := func(u toleration.Toleration) bool {
				return u.Key() != "" && (strings.HasPrefix(u.Key(), key) || strings.HasPrefix(key, u.Key()))
			}
			if !e.Blocks() {
				continue
			}
			if key == "" || passing.Has(e.Taint) || key == condition.ControlPlane {
				cost[0]++
			}
			if e.Miss == match.OtherKey && !slices.ContainsFunc(pod, alike) {
				cost[2]++
			}
			blocking = append(blocking, e)
			cost[1] = len(blocking)
		}
		if least == nil || slices.Compare(cost, least) < 0 {
			best, least = blocking, cost
		}
	}
	return fmt.Sprintf("nearest, %d of %d nodes: %s", -least[3], a.Total(), short(best, "; "))
}

// eviction describes when the pod is evicted from its node, and is empty if it is not.
func (r *report) eviction(p cluster.Pod) string {
	n, ok := r.nodes[p.Node]
	if !ok || n.Wrong {
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
