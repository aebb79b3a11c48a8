package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/liggitt/tabwriter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A Report is what a change does. Fields may be added.
type Report struct {
	Time     time.Time `json:"time"`              // for which everything is evaluated
	Cluster  string    `json:"cluster,omitempty"` // with the context; empty for files
	Applied  bool      `json:"applied"`           // whether all objects are changed
	Nodes    int       `json:"nodes"`             // how many nodes of the cluster are known
	Warnings warnings  `json:"warnings,omitempty"`
	Ended    int       `json:"ended"` // pods that ran to their end, which are deleted too

	Workloads []*Workload `json:"workloads,omitempty"` // whose templates are changed
	Pods      []Pod       `json:"pods"`                // that are affected, by effect and time
	Unjudged  int         `json:"unjudged,omitempty"`  // pods that differ too much
	NotJudged []string    `json:"notJudged,omitempty"` // of the pods that are affected
	Objects   []*Change   `json:"objects"`             // to be changed

	podsUnknown bool
	noPods      bool // in files
	partial     bool // not all is judged
}

// warnings are what to know before a change is made.
type warnings []string

// add adds a warning if is holds.
func (w *warnings) add(is bool, format string, args ...any) {
	if is {
		*w = append(*w, fmt.Sprintf(format, args...))
	}
}

// A Workload is a workload whose template is changed. Fits is the fewest nodes that one of its
// new pods can be scheduled to.
type Workload struct {
	Name        string `json:"name"`
	Replaced    int    `json:"replaced"`        // pods
	Later       string `json:"later,omitempty"` // why pods are not replaced now
	Fits        int    `json:"fits"`
	FitsWithout int    `json:"fitsWithout"`
	Stuck       int    `json:"stuck,omitempty"`   // of the replaced pods, those that no node is left for
	Nowhere     string `json:"nowhere,omitempty"` // what to do first if there is no node for some
}

// A Change is the change of one object.
type Change struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace,omitempty"`
	Name       string          `json:"name"`
	UID        types.UID       `json:"uid,omitempty"`
	Outcome    string          `json:"outcome"`           // such as "tainted"; "unchanged" if there is nothing to do
	Applied    bool            `json:"applied"`           // it is changed, perhaps in part
	Error      string          `json:"error,omitempty"`   // why it is not changed as a whole
	Changes    []string        `json:"changes,omitempty"` // of taints and labels
	Before     *State          `json:"before,omitempty"`  // what is changed, for undo
	After      *State          `json:"after,omitempty"`
	Kept       []string        `json:"kept,omitempty"`  // by undo, as it was changed since
	Patch      json.RawMessage `json:"patch,omitempty"` // a merge patch for this version of the object
	Nodes      []string        `json:"nodes,omitempty"` // of a MachineSet; they keep their taints
}

// A Pod is a pod that is affected.
type Pod struct {
	Namespace   string    `json:"namespace,omitempty"`
	Name        string    `json:"name"`
	Owner       string    `json:"owner,omitempty"`
	Node        string    `json:"node,omitempty"`     // where it runs
	Requires    string    `json:"requires,omitempty"` // labels of nodes
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
	Replaced     Effect = "replaced" // by its controller, as its template is changed
	Deleted      Effect = "deleted"  // by its DaemonSet, which no longer selects the node
	NotEvicted   Effect = "no longer evicted"
	Stays        Effect = "staying" // the pod could no longer be scheduled to its node, or to any
	Waits        Effect = "waiting" // the pod can be scheduled to more, fewer or other nodes
)

var effects = []Effect{EvictedNow, EvictedLater, Replaced, Deleted, NotEvicted, Stays, Waits} // in the order of the report

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

// nowhere returns a warning of pods that no node is left for: the largest workloads
// first, those of one node for each pod, as DaemonSets, last.
func (r *Report) nowhere() (found warnings) {
	byWorkload, all := make(map[string][]*Pod), 0
	for i := range r.Pods {
		if p := &r.Pods[i]; p.Fits == 0 && p.FitsWithout > 0 && p.Effect != Replaced && p.Effect != Deleted {
			key := p.Namespace + "/" + cmp.Or(p.Owner, p.Name)
			byWorkload[key] = append(byWorkload[key], p)
			all++
		}
	}
	var list []string
	for _, pods := range slices.SortedFunc(maps.Values(byWorkload), func(a, b []*Pod) int {
		return cmp.Or(min(b[0].FitsWithout, 2)-min(a[0].FitsWithout, 2), len(b)-len(a), cmp.Compare(a[0].fullName(), b[0].fullName()))
	}) {
		text := pods[0].label(len(pods))
		if requires := pods[0].Requires; requires != "" {
			text += " (" + cli.Cut(requires, 80) + ")"
		}
		list = append(list, text)
	}
	found.add(all > 0, "%s can no longer start or restart on any node: %s", cli.Count(all, "pod"), cli.Names(list, len(list)))
	return found
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
	r.Warnings.add(list != nil, "no object has the taint to remove: %s", cli.Names(list, len(list)))
	r.Warnings.add(slices.Contains(list, condition.Master) && has[condition.ControlPlane],
		"since Kubernetes 1.25, control planes have %s instead: %[1]s-", condition.ControlPlane)
}

// undone warns of changes that a controller undoes, and of those that new nodes lack.
func (r *Report) undone(list []*item) {
	nodes := make(map[string][]string) // by warning
	var order []string
	temporary := condition.Temporary()
	warn := func(o *item, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if nodes[text] == nil {
			order = append(order, text)
		}
		if names := nodes[text]; len(names) == 0 || names[len(names)-1] != o.Name {
			nodes[text] = append(names, o.Name)
		}
	}
	for _, o := range list {
		for _, text := range o.Kept {
			warn(o, "changed since, so it stays: %s", text)
		}
		if !o.isNode() {
			continue
		}
		machine := strings.Split(o.GetAnnotations()["cluster.x-k8s.io/taints-from-machine"], ",") // such as k:NoSchedule
		diff := taint.Difference(o.taints[0], o.taints[1])
		for _, c := range diff {
			t := cmp.Or(c.After, c.Before)
			switch key := t.Key(); {
			case key == condition.Unschedulable && t.Effect() == taint.NoSchedule:
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
			case temporary.Has(t) && key != condition.OutOfService:
				warn(o, "another program sets and removes %s, so it can undo this; %s", key, remover.Advice(t))
			}
		}
		if len(diff) > 0 {
			for _, p := range pools {
				if pool := o.GetLabels()[p.label]; pool != "" {
					warn(o, "new nodes of %s %s get the pool's taints; for a lasting change, change them there, too", p.name, pool)
				} else if p == pools[0] && slices.ContainsFunc(o.GetOwnerReferences(), isNodeClaim) {
					warn(o, "new nodes of %s get its taints; for a lasting change, change them there, too", p.name)
				}
			}
		}
	}
	for _, text := range order {
		r.Warnings.add(true, "%s: %s", cli.Names(nodes[text], len(nodes[text])), text)
	}
}

func isNodeClaim(owner metav1.OwnerReference) bool {
	return owner.Kind == "NodeClaim" && strings.HasPrefix(owner.APIVersion, "karpenter.sh/")
}

// conditions are the taints that the node lifecycle controller sets (rules T2 and T3).
var conditions = taint.MustParseSelector(strings.Join([]string{condition.NotReady, condition.Unreachable, condition.MemoryPressure + ":NoSchedule", condition.DiskPressure + ":NoSchedule", condition.PIDPressure + ":NoSchedule", condition.NetworkUnavailable + ":NoSchedule"}, ","))

// pools are the labels of nodes with the name of their pool, whose taints new nodes get:
// karpenter.sh/docs/concepts/nodepools, docs.aws.amazon.com/eks (managed node groups),
// cloud.google.com/kubernetes-engine (node taints), learn.microsoft.com/azure/aks (use-node-taints).
var pools = []struct{ label, name string }{
	{"karpenter.sh/nodepool", "Karpenter's NodePool"},
	{"eks.amazonaws.com/nodegroup", "the EKS node group"},
	{"cloud.google.com/gke-nodepool", "the GKE node pool"},
	{"kubernetes.azure.com/agentpool", "the AKS node pool"},
}

// destroyed returns warnings of what evictions destroy, the worst first.
func (r *Report) destroyed() (worst warnings) {
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
	worst.add(bare != nil, "no controller will recreate %s: %s", cli.Count(len(bare), "evicted pod"), cli.Names(bare, len(bare)))
	worst.add(evicted, "evictions by taints ignore disruption budgets; kubectl drain respects them")
	worst.add(system != nil, "pods of the cluster itself are evicted: %s", cli.Names(system, len(system)))
	return worst
}

// controlPlane warns of a control-plane node without its taint.
func (r *Report) controlPlane(o *item) {
	protects := func(t taint.Taint) bool {
		return (t.Key() == condition.ControlPlane || t.Key() == condition.Master) && t.Effect() != taint.PreferNoSchedule
	}
	for _, role := range []string{condition.ControlPlane, condition.Master} {
		_, ok := o.GetLabels()[role]
		r.Warnings.add(ok && !slices.ContainsFunc(o.taints[1], protects),
			"%s runs the control plane without the taint %s:NoSchedule, so any pod can be scheduled there", o, role)
	}
}

// most is how many rows the text has.
const most = 20

// text writes the report for people.
func (r *Report) text(w io.Writer) error {
	var b bytes.Buffer
	for _, w := range r.Workloads {
		if w.Nowhere != "" {
			some := "new pods"
			if w.Stuck < w.Replaced {
				some = fmt.Sprintf("%d of %d new pods", w.Stuck, w.Replaced)
			}
			fmt.Fprintf(&b, "No node is left for %s of %s: first %s\n\n", some, w.Name, w.Nowhere)
		}
	}
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
	switch {
	case r.podsUnknown:
		text = "\nAffected pods: unknown"
	case r.noPods:
		text = "\nAffected pods: 0, since the input has no pods"
	}
	if r.Unjudged > 0 {
		text = strings.Replace(text, ": ", ": at least ", 1)
	}
	fmt.Fprintln(&b, strings.TrimSuffix(text, " ()"))
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	for _, w := range r.Workloads {
		w.text(&b, r.Nodes)
	}
	if len(r.Pods) > 0 {
		r.table(&b)
	}
	if r.NotJudged != nil {
		fmt.Fprintf(&b, "Not judged: %s\n", strings.Join(r.NotJudged, ", "))
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
		if k.At, k.Node, k.Requires = (time.Time{}), "", ""; p.Owner != "" {
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

// text writes where new pods can be scheduled.
func (w *Workload) text(b *bytes.Buffer, nodes int) {
	text := "New pods of " + w.Name
	switch {
	case w.Later != "":
		text = fmt.Sprintf("Pods of %s are not replaced now, as %s; new ones", w.Name, w.Later)
	case w.Replaced == 1:
		text = fmt.Sprintf("1 pod of %s is replaced; the new one", w.Name)
	case w.Replaced > 1:
		text = fmt.Sprintf("%d pods of %s are replaced; new ones", w.Replaced, w.Name)
	}
	fmt.Fprintf(b, "%s can be scheduled to %d of %s (%d before)\n", text, w.Fits, cli.Count(nodes, "node"), w.FitsWithout)
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
