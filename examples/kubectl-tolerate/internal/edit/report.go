package edit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A Report is what a change does. Fields may be added.
type Report struct {
	Time     time.Time `json:"time"`              // for which everything is evaluated
	Cluster  string    `json:"cluster,omitempty"` // with the context; empty for files
	Applied  bool      `json:"applied"`           // whether all objects are changed
	Nodes    int       `json:"nodes"`             // how many nodes of the cluster are known
	Warnings []string  `json:"warnings,omitempty"`
	Ended    int       `json:"ended"`   // pods that ran to their end, which are deleted too
	Pods     []Pod     `json:"pods"`    // that are affected, by effect and time
	Objects  []*Change `json:"objects"` // to be changed
}

// A Change is the change of one object.
type Change struct {
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Outcome   string          `json:"outcome"`           // such as "tainted"; "unchanged" if there is nothing to do
	Applied   bool            `json:"applied"`           // it is changed, perhaps in part
	Error     string          `json:"error,omitempty"`   // why it is not changed as a whole
	Changes   []string        `json:"changes,omitempty"` // of taints and labels
	Patch     json.RawMessage `json:"patch,omitempty"`   // a merge patch for this version of the object
	Nodes     []string        `json:"nodes,omitempty"`   // of a MachineSet; they keep their taints
}

// A Pod is a pod that is affected.
type Pod struct {
	Namespace   string    `json:"namespace,omitempty"`
	Name        string    `json:"name"`
	Owner       string    `json:"owner,omitempty"`
	Node        string    `json:"node,omitempty"` // where it runs
	Effect      Effect    `json:"effect"`
	At          time.Time `json:"at,omitzero"`     // when it is evicted, at most in the year 9999
	Taint       string    `json:"taint,omitempty"` // that decides
	Fits        int       `json:"fits"`            // to how many nodes it can be scheduled with the change
	FitsWithout int       `json:"fitsWithout"`
}

// An Effect is what the change does to a pod.
type Effect string

const (
	EvictedNow   Effect = "evicted now"
	EvictedLater Effect = "evicted later"
	NotEvicted   Effect = "no longer evicted"
	Stays        Effect = "staying" // the pod could no longer be scheduled to its node, or to any
	Waits        Effect = "waiting" // the pod can be scheduled to more, fewer or other nodes
)

var effects = []Effect{EvictedNow, EvictedLater, NotEvicted, Stays, Waits} // in the order of the report

func (p *Pod) fullName() string {
	return objects.Printable(strings.TrimPrefix(p.Namespace+"/"+p.Name, "/"))
}

// label names pods of a controller, of which p is the first, or a pod without one.
func (p *Pod) label(pods int) string {
	if pods == 1 {
		return p.fullName()
	}
	return fmt.Sprintf("%d pods of %s", pods, objects.Printable(strings.Replace(p.Owner, " ", " "+p.Namespace+"/", 1)))
}

// A node is a node without and with the change.
type node struct {
	impact.NodeChange
	before, after *cluster.Node // for their labels
	index         int
}

// A judge evaluates changes of nodes.
type judge struct {
	*Report
	nodes     []*node
	byName    map[string]*node
	now       []impact.NodeChange // of nodes, without those of their MachineSets
	evictions *impact.Analysis    // of now

	placement  *cluster.Placement // of the last pod
	placements *impact.Analysis   // of such pods
	work       int                // nodes of all analyses
}

// judge adds to the report what the changes of the objects do to the pods.
func (r *Report) judge(ctx context.Context, c *cluster.Cluster, opts *options) error {
	j := judge{Report: r, byName: make(map[string]*node)}
	for _, n := range c.Nodes {
		if n.Err != nil {
			continue
		}
		x := &node{NodeChange: impact.NodeChange{Before: n.Node, After: n.Node}, before: n, after: n, index: len(j.nodes)}
		j.byName[n.Name], j.nodes, j.now = x, append(j.nodes, x), append(j.now, x.NodeChange)
		j.now[x.index].Observed = cluster.Observed(n.Taints, r.Time)
	}
	r.Nodes = len(j.nodes)
	for _, o := range opts.list { // nodes are first
		before, after := o.taints[0], o.taints[1]
		for _, name := range o.Nodes { // as if the machines of the MachineSet were replaced
			if n := j.byName[name]; n != nil {
				n.After.Taints = taint.Propagate(n.After.Taints, before, after)
			}
		}
		n := j.byName[o.Name]
		if !o.isNode() || n == nil { // one that cannot be read is a problem of the cluster
			continue
		}
		n.After.Taints, j.now[n.index].After.Taints = after, after
		n.after = &cluster.Node{Name: o.Name, Labels: o.last.GetLabels()}
		r.controlPlane(o)
	}
	r.undone(opts.list)
	j.evictions = impact.New(j.Time, j.now...)
	pods := slices.Clone(c.Pods)
	slices.SortStableFunc(pods, func(a, b *cluster.Pod) int { return strings.Compare(a.Placement.Text, b.Placement.Text) })
	for _, p := range pods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if j.pod(p); j.work > mostWork {
			return errors.New("the pods have too many different node selectors and affinities for this number of nodes")
		}
	}
	slices.SortFunc(r.Pods, func(a, b Pod) int {
		order := cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect))
		return cmp.Or(order, a.At.Compare(b.At), cmp.Compare(min(a.Fits, 1), min(b.Fits, 1)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	if r.Ended == 1 {
		r.Warnings = append(r.Warnings, "1 ended pod is deleted too, with its logs")
	} else if r.Ended > 1 {
		r.Warnings = append(r.Warnings, cli.Count(r.Ended, "ended pod")+" are deleted too, with their logs")
	}
	r.destroyed()
	r.nowhere(opts.list)
	r.absent(opts)
	return nil
}

// nowhere warns, before all else, of pods that no node is left for: the largest workloads
// first, those of one node for each pod, as DaemonSets, last.
func (r *Report) nowhere(changed []*item) {
	byWorkload, all := make(map[string][]*Pod), 0
	for i := range r.Pods {
		if p := &r.Pods[i]; p.Fits == 0 && p.FitsWithout > 0 && !slices.ContainsFunc(changed, p.replacedBy) {
			key := p.Namespace + "/" + cmp.Or(p.Owner, p.Name)
			byWorkload[key] = append(byWorkload[key], p)
			all++
		}
	}
	var list []string
	for _, pods := range slices.SortedFunc(maps.Values(byWorkload), func(a, b []*Pod) int {
		return cmp.Or(min(b[0].FitsWithout, 2)-min(a[0].FitsWithout, 2), len(b)-len(a), cmp.Compare(a[0].fullName(), b[0].fullName()))
	}) {
		list = append(list, pods[0].label(len(pods)))
	}
	if all > 0 {
		r.Warnings = slices.Insert(r.Warnings, 0, fmt.Sprintf("no node is left to start or restart %s on: %s", cli.Count(all, "pod"), cli.Names(list, len(list))))
	}
}

// replacedBy reports whether the pod is one of a workload that is changed, and so replaced.
// Its controller can have the name of the workload and a suffix, as that of a Deployment.
func (p *Pod) replacedBy(o *item) bool {
	kind, name, _ := strings.Cut(p.Owner, " ")
	base := name[:max(0, strings.LastIndex(name, "-"))]
	return !o.isNode() && o.Namespace == p.Namespace && (o.Kind == kind && o.Name == name || o.Kind != kind && o.Name == base)
}

// absent warns of removals that no object needs: they are done, or mistyped.
func (r *Report) absent(opts *options) {
	has := make(map[string]bool)
	for _, o := range opts.list {
		for _, t := range o.taints[0] {
			has[t.Key()], has[t.Key()+":"+t.Effect().String()] = true, true
		}
	}
	var list []string
	for _, e := range opts.edits {
		if name := strings.TrimSuffix(e.String(), "-"); e.IsRemoval() && !has[name] {
			list = append(list, name)
		}
	}
	if list != nil {
		r.Warnings = append(r.Warnings, "no object has the taint to remove: "+cli.Names(list, len(list)))
	}
	if slices.Contains(list, condition.Master) && has[condition.ControlPlane] {
		r.Warnings = append(r.Warnings, "since Kubernetes 1.25, control planes have "+condition.ControlPlane+" instead: "+condition.ControlPlane+"-")
	}
}

// undone warns of changes that a controller undoes, and of those that new nodes lack.
func (r *Report) undone(list []*item) {
	nodes := make(map[string][]string) // by warning
	var order []string
	warn := func(o *item, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if nodes[text] == nil {
			order = append(order, text)
		}
		if !slices.Contains(nodes[text], o.Name) {
			nodes[text] = append(nodes[text], o.Name)
		}
	}
	for _, o := range list {
		if !o.isNode() {
			continue
		}
		machine := strings.Split(o.GetAnnotations()["cluster.x-k8s.io/taints-from-machine"], ",") // such as k:NoSchedule
		diff := taint.Difference(o.taints[0], o.taints[1])
		for _, c := range diff {
			t := cmp.Or(c.After, c.Before)
			switch key := t.Key(); {
			case key == condition.Unschedulable:
				warn(o, "the node lifecycle controller undoes this; use kubectl cordon or kubectl uncordon")
			case conditions.Has(t):
				warn(o, "the node lifecycle controller sets %s by the node's conditions, and undoes this; repair the node", key)
			case key == condition.OutOfService && !c.After.IsZero():
				warn(o, "pods are deleted by force, and their volumes detached: only for a node that is shut down")
			case slices.ContainsFunc(machine, func(text string) bool {
				name, effect, _ := strings.Cut(text, ":")
				name, _, _ = strings.Cut(name, "=")
				return name == key && (effect == "" || effect == t.Effect().String())
			}):
				warn(o, "Cluster API sets %s:%v by the node's Machine, and undoes this; change the taints of the Machine's template", key, t.Effect())
			}
		}
		if len(diff) > 0 {
			for _, p := range pools {
				if pool := o.GetLabels()[p.label]; pool != "" {
					warn(o, "new nodes of %s %s get the pool's taints; change them there, too", p.name, pool)
				}
			}
		}
	}
	for _, text := range order {
		r.Warnings = append(r.Warnings, cli.Names(nodes[text], len(nodes[text]))+": "+text)
	}
}

// conditions are the taints that the node lifecycle controller sets (rules T2 and T3).
var conditions = taint.MustParseSelector(strings.Join([]string{condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure, condition.NetworkUnavailable}, ","))

// pools are the labels of nodes with the name of their pool, whose taints new nodes get:
// karpenter.sh/docs/concepts/nodepools, docs.aws.amazon.com/eks (managed node groups),
// cloud.google.com/kubernetes-engine (node taints), learn.microsoft.com/azure/aks (use-node-taints).
var pools = []struct{ label, name string }{
	{"karpenter.sh/nodepool", "Karpenter's NodePool"},
	{"eks.amazonaws.com/nodegroup", "the EKS node group"},
	{"cloud.google.com/gke-nodepool", "the GKE node pool"},
	{"kubernetes.azure.com/agentpool", "the AKS node pool"},
}

// destroyed warns of what evictions destroy, the worst first.
func (r *Report) destroyed() {
	var bare, system []string
	evicted := false
	for _, p := range r.Pods {
		name := p.fullName()
		if p.Effect != EvictedNow && p.Effect != EvictedLater {
			continue
		}
		evicted = true
		if p.Owner == "" {
			bare = append(bare, name)
		}
		if strings.HasPrefix(p.Namespace, "kube-") || strings.HasPrefix(p.Namespace, "openshift-") {
			system = append(system, name)
		}
	}
	var worst []string
	if bare != nil {
		worst = append(worst, fmt.Sprintf("no controller will recreate %s: %s", cli.Count(len(bare), "evicted pod"), cli.Names(bare, len(bare))))
	}
	if evicted {
		worst = append(worst, "evictions by taints ignore disruption budgets; kubectl drain respects them")
	}
	if system != nil {
		worst = append(worst, "pods of the cluster itself are evicted: "+cli.Names(system, len(system)))
	}
	r.Warnings = append(worst, r.Warnings...)
}

// controlPlane warns of a control-plane node without its taint.
func (r *Report) controlPlane(o *item) {
	protects := func(t taint.Taint) bool {
		return (t.Key() == condition.ControlPlane || t.Key() == condition.Master) && t.Effect() != taint.PreferNoSchedule
	}
	for _, role := range []string{condition.ControlPlane, condition.Master} {
		if _, ok := o.GetLabels()[role]; ok && !slices.ContainsFunc(o.taints[1], protects) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s runs the control plane without the taint %s:NoSchedule, so any pod can be scheduled there", o, role))
		}
	}
}

// pod adds the pod to the report if it is affected.
func (j *judge) pod(p *cluster.Pod) {
	n := j.byName[p.Node]
	x := Pod{Namespace: p.Namespace, Name: p.Name, Owner: p.Owner, Node: p.Node}
	switch {
	case p.Err == nil && p.Finished() && !p.Terminating && !p.Static && n != nil: // Kubernetes does not check the phase
		if k := j.evictions.Eviction(n.index, eviction.Options{Arrived: p.Started}, p.Tolerations).Kind; k != eviction.Unchanged && k != eviction.Cancelled {
			j.Ended++
		}
		return
	case p.Err != nil || p.Finished() || p.Terminating || p.Static || p.Node != "" && n == nil:
		return // a kubelet runs static pods whatever the taints
	case p.Waits():
		if w := j.place(p, &x); w.Gained == 0 && w.Lost == 0 && w.Repelled == 0 {
			return
		}
		x.Effect = Waits
	default:
		if !j.running(p, n, &x) {
			return
		}
	}
	j.Pods = append(j.Pods, x)
}

// running evaluates a pod with a node, and reports whether it is affected.
func (j *judge) running(p *cluster.Pod, n *node, x *Pod) bool {
	now := &j.now[n.index]
	e := j.evictions.Eviction(n.index, eviction.Options{Arrived: p.Started}, p.Tolerations)
	decision, taints := e.After, now.After.Taints
	switch {
	case e.Kind == eviction.Cancelled:
		x.Effect, decision, taints = NotEvicted, e.Before, now.Before.Taints
	case e.Kind == eviction.Unchanged:
		return decision.Kind() == eviction.Never && j.stays(p, n, x)
	case decision.Kind() == eviction.Due:
		x.Effect = EvictedNow
	default:
		x.Effect = EvictedLater
	}
	if i, ok := decision.Taint(); ok {
		x.Taint = taints[i].String()
	}
	if at, ok := e.After.Deadline(); ok && x.Effect == EvictedLater {
		if x.At = at; at.After(latest) {
			x.At = latest
		}
	}
	j.place(p, x)
	return true
}

// stays evaluates a pod that stays, and reports whether it is affected.
func (j *judge) stays(p *cluster.Pod, n *node, x *Pod) bool {
	t, repelled := match.Node{Taints: n.After.Taints}.Blocking(p.Tolerations) // without its cordon
	if repelled {
		x.Taint = t.String()
	} else if !n.After.Unschedulable && p.Placement.Admits(n.after) {
		return false
	}
	x.Effect = Stays
	w := j.place(p, x)
	return w.Before > 0 && w.After == 0 || repelled && n.Before.Filter(p.Tolerations).Schedulable()
}

var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) // in JSON

// mostWork limits the work for pods with different labels that they require: some ten
// seconds.
const mostWork = 1 << 25

// place sets to how many nodes the pod can be scheduled with and without the change. Only
// nodes whose labels admit the pod count.
func (j *judge) place(p *cluster.Pod, x *Pod) impact.Placement {
	if j.placement != p.Placement {
		candidates := j.nodes
		if n := j.byName[p.Placement.Node]; n != nil { // of a DaemonSet, say
			candidates = []*node{n}
		}
		if j.work += len(candidates) * p.Placement.Cost(); j.work > mostWork {
			return impact.Placement{} // the caller refuses the whole
		}
		closed := match.Node{Taints: taint.List{{}}} // repels every pod
		var nodes []impact.NodeChange
		for _, n := range candidates {
			change, before, after := n.NodeChange, p.Placement.Admits(n.before), p.Placement.Admits(n.after)
			if !before {
				change.Before = closed
			}
			if !after {
				change.After = closed
			}
			if before || after {
				nodes = append(nodes, change)
			}
		}
		j.placement, j.placements = p.Placement, impact.New(j.Time, nodes...)
	}
	w := j.placements.Placement(p.Tolerations)
	x.Fits, x.FitsWithout = w.After, w.Before
	return w
}

// most is how many rows the text has.
const most = 20

// text writes the report for people.
func (r *Report) text(w io.Writer) error {
	var b bytes.Buffer
	alike := make(map[string][]string) // objects with the same changes
	for pass := range 2 {
		for _, o := range r.Objects {
			changes := cmp.Or(strings.Join(o.Changes, ", "), o.Outcome)
			if pass == 0 {
				alike[changes] = append(alike[changes], strings.ToLower(o.Kind)+"/"+o.Name)
			} else if list := alike[changes]; list != nil {
				fmt.Fprintf(&b, "Change of %s: %s\n", cli.Names(list, len(list)), cmp.Or(cli.Names(o.Changes, len(o.Changes)), o.Outcome))
				delete(alike, changes)
			}
		}
	}
	counts := make(map[Effect]int)
	for _, p := range r.Pods {
		counts[p.Effect]++
	}
	var parts []string
	for _, effect := range effects {
		if n := counts[effect]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, effect))
		}
	}
	text := fmt.Sprintf("\nAffected pods: %d (%s)", len(r.Pods), strings.Join(parts, ", "))
	fmt.Fprintln(&b, strings.TrimSuffix(text, " ()"))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	if len(r.Pods) > 0 {
		r.table(&b)
	}
	for _, o := range r.Objects {
		if err := o.text(&b); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}

// A row is the pods of a controller to which the same happens, or one pod without.
type row struct {
	Pod                   // the first
	pods  int             // how many
	nodes map[string]bool // of all
	until time.Time       // when the last is evicted
}

// table writes the pods, in rows.
func (r *Report) table(b *bytes.Buffer) {
	groups := make(map[Pod]*row)
	var rows []*row
	for _, p := range r.Pods {
		k := p
		if k.At, k.Node = (time.Time{}), ""; p.Owner != "" {
			k.Name = ""
		}
		if groups[k] == nil {
			groups[k] = &row{Pod: p, nodes: make(map[string]bool)}
			rows = append(rows, groups[k])
		}
		g := groups[k]
		g.pods, g.nodes[p.Node], g.until = g.pods+1, true, p.At
	}
	t := tabwriter.NewWriter(b, 6, 4, 3, ' ', tabwriter.RememberWidths) // as kubectl's
	fmt.Fprintln(t, "\nPOD\tNODE\tRESULT\tTAINT\tCAN BE SCHEDULED TO\tWITHOUT THE CHANGE")
	for _, g := range rows[:min(len(rows), most)] {
		node := g.Node
		if len(g.nodes) > 1 {
			node = cli.Count(len(g.nodes), "node")
		}
		effect, fits := string(g.Effect), fmt.Sprintf("%d of %s\t%d", g.Fits, cli.Count(r.Nodes, "node"), g.FitsWithout)
		if g.Effect == EvictedLater {
			effect = "evicted in " + duration.HumanDuration(g.At.Sub(r.Time))
			if last := duration.HumanDuration(g.until.Sub(r.Time)); !strings.HasSuffix(effect, " "+last) {
				effect += " to " + last
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", g.label(g.pods), node, effect, g.Taint, fits)
	}
	_ = t.Flush() // b is a buffer
	if len(rows) > most {
		fmt.Fprintf(b, "and %d more rows; -o json has all pods\n", len(rows)-most)
	}
}

// text writes the change of a workload as a patch, and what to know of a MachineSet.
func (c *Change) text(b *bytes.Buffer) error {
	object := strings.ToLower(c.Kind) + " " + c.Name
	if c.Namespace != "" {
		object += " -n " + c.Namespace
	}
	switch {
	case c.Kind == "MachineSet":
		fmt.Fprintf(b, "\nNew machines get these taints. Nodes that keep theirs until their machines are replaced: %s\n"+
			"To replace them: oc scale --replicas=0 %s; when the machines are gone, scale it up again\n", cmp.Or(cli.Names(c.Nodes, len(c.Nodes)), "none"), object)
	case c.Kind != "Node" && c.Outcome != unchanged:
		text, err := yaml.JSONToYAML(c.Patch)
		fmt.Fprintf(b, "\n# kubectl patch %s --type merge --patch-file FILE\n%s", object, text)
		return err
	}
	return nil
}
