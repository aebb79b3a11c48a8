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
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A Report is what a change does. Fields may be added.
type Report struct {
	Time     time.Time `json:"time"`    // for which everything is evaluated
	Applied  bool      `json:"applied"` // whether all objects are changed
	Nodes    int       `json:"nodes"`   // how many nodes of the cluster are known
	Warnings []string  `json:"warnings,omitempty"`
	Unknown  []string  `json:"unknown,omitempty"` // pods and nodes that cannot be judged
	Pods     []Pod     `json:"pods"`              // that are affected, by effect and time
	Objects  []Change  `json:"objects"`           // to be changed

	blocked bool // what the change can affect is unknown
}

// A Change is the change of one object.
type Change struct {
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Outcome   string          `json:"outcome"`         // such as "tainted"; "unchanged" if there is nothing to do
	Applied   bool            `json:"applied"`         // it is changed, perhaps in part
	Diff      string          `json:"diff,omitempty"`  // of the YAML
	Patch     json.RawMessage `json:"patch,omitempty"` // a merge patch for this version of the object
	Nodes     []string        `json:"nodes,omitempty"` // of a MachineSet; they keep their taints
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
	Toleration  string    `json:"toleration,omitempty"`
	Fits        int       `json:"fits"` // to how many nodes it can be scheduled with the change
	FitsWithout int       `json:"fitsWithout"`
}

// An Effect is what the change does to a pod.
type Effect string

const (
	EvictedNow   Effect = "evicted now"
	EvictedLater Effect = "evicted later"
	NotEvicted   Effect = "no longer evicted"
	EvictedAlso  Effect = "evicted anyway" // with or without the change
	Stays        Effect = "staying"        // the pod could no longer be scheduled to its node
	Waits        Effect = "waiting"        // the pod can be scheduled to more, fewer or other nodes
)

var effects = []Effect{EvictedNow, EvictedLater, NotEvicted, EvictedAlso, Stays, Waits} // in the order of the report

func (p *Pod) fullName() string {
	return kubejson.Printable(strings.TrimPrefix(p.Namespace+"/"+p.Name, "/"))
}

// A node is a node without and with the change.
type node struct {
	impact.NodeChange
	before, after *cluster.Node // for their labels
	index         int           // for evictions; negative if the taints of the node do not change now
}

// A judge evaluates changes of nodes.
type judge struct {
	*Report
	nodes     []*node
	byName    map[string]*node
	options   impact.Options
	evictions *impact.Analysis
	system    []string // pods of the cluster itself that are evicted

	placement  *cluster.Placement // of the last pod
	placements *impact.Analysis   // of such pods
	work       int                // nodes of all analyses
}

// judge adds to the report what the changes of the objects do to the pods.
func (r *Report) judge(ctx context.Context, c *cluster.Cluster, list []*item) error {
	j := judge{Report: r, byName: make(map[string]*node)}
	j.options = impact.Options{Now: r.Time, Eviction: eviction.Options{Start: eviction.FromAdded}}
	known := make(map[string]bool) // the objects that are reported as unknown
	for _, n := range c.Nodes {
		if n.Err != nil {
			r.Unknown = append(r.Unknown, "node/"+kubejson.Printable(n.Name))
			known["Node "+n.Name] = true
			continue
		}
		x := &node{NodeChange: impact.NodeChange{Before: n.Node, After: n.Node}, before: n, after: n, index: -1}
		j.byName[n.Name], j.nodes = x, append(j.nodes, x)
	}
	r.Nodes = len(j.nodes)
	var now []impact.NodeChange
	for _, o := range list { // nodes are first
		before, after := o.taints[0], o.taints[1]
		for _, name := range o.nodes { // as if the machines of the MachineSet were replaced
			if n := j.byName[name]; n != nil && n.index < 0 {
				n.After.Taints = taint.Propagate(n.Before.Taints, before, after)
			}
		}
		if !o.isNode() {
			continue
		}
		n := j.byName[o.GetName()]
		if n == nil {
			return fmt.Errorf("%s: it is not in the list of nodes, or cannot be read there; run the command again", o)
		}
		n.Before.Taints, n.After.Taints, n.index = before, after, len(now)
		n.after = &cluster.Node{Name: n.before.Name, Labels: o.last().GetLabels()}
		now = append(now, n.NodeChange)
		r.controlPlane(o)
		r.cordoned(o)
	}
	j.evictions = impact.New(j.options, now...)
	pods := slices.Clone(c.Pods)
	slices.SortStableFunc(pods, func(a, b *cluster.Pod) int { return strings.Compare(a.Placement.Text, b.Placement.Text) })
	for _, p := range pods {
		if known["Pod "+p.FullName()] = p.Err != nil; ctx.Err() != nil {
			return ctx.Err()
		}
		if j.pod(p); j.work > mostWork {
			return errors.New("the pods have too many different node selectors and affinities for this number of nodes")
		}
	}
	for _, err := range c.Problems { // of objects that are not even listed as unknown
		var p *kubejson.Problem
		r.blocked = r.blocked || !errors.As(err, &p) || !known[p.Object]
	}
	slices.SortFunc(r.Pods, func(a, b Pod) int {
		order := cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect))
		return cmp.Or(order, a.At.Compare(b.At), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	if len(j.system) > 0 {
		slices.Sort(j.system)
		r.Warnings = append(r.Warnings, "pods of the cluster itself are evicted: "+names(j.system))
	}
	return nil
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

// cordoned warns of a node that stays cordoned without the taint of its cordon.
func (r *Report) cordoned(o *item) {
	ofCordon := func(t taint.Taint) bool { return t.Key() == condition.Unschedulable }
	cordoned, _, _ := unstructured.NestedBool(o.last().Object, "spec", "unschedulable")
	if cordoned && slices.ContainsFunc(o.taints[0], ofCordon) && !slices.ContainsFunc(o.taints[1], ofCordon) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s is still cordoned; use kubectl uncordon", o))
	}
}

// pod adds the pod to the report if it is affected.
func (j *judge) pod(p *cluster.Pod) {
	n := j.byName[p.Node]
	x := Pod{Namespace: p.Namespace, Name: p.Name, Owner: p.Owner, Node: p.Node}
	switch {
	case p.Finished() || p.Terminating || p.Static || p.Node != "" && (n == nil || n.index < 0):
		return // a kubelet runs static pods whatever the taints
	case p.Err != nil:
		j.Unknown = append(j.Unknown, "pod/"+x.fullName())
		j.blocked = true
		return
	case p.Waits():
		if j.place(p, &x).Kind() == impact.Same {
			return
		}
		x.Effect = Waits
	default:
		if !j.running(p, n, &x) {
			return
		}
	}
	j.Pods = append(j.Pods, x)
	if evicted := x.Effect == EvictedNow || x.Effect == EvictedLater; evicted && (strings.HasPrefix(p.Namespace, "kube-") || strings.HasPrefix(p.Namespace, "openshift-")) {
		j.system = append(j.system, x.fullName())
	}
}

// running evaluates a pod on a node that changes, and reports whether it is affected.
func (j *judge) running(p *cluster.Pod, n *node, x *Pod) bool {
	e := j.evictions.Eviction(impact.Pod{Node: n.index}, p.Tolerations)
	decision, taints := e.After, n.After.Taints
	switch {
	case e.Kind == eviction.Cancelled:
		x.Effect, decision, taints = NotEvicted, e.Before, n.Before.Taints
	case e.Kind == eviction.Unchanged && decision.Kind() == eviction.Now:
		x.Effect = EvictedAlso
	case e.Kind == eviction.Unchanged:
		i, repelled := match.Filter(taints, p.Tolerations).First(taint.NoSchedule, taint.NoExecute)
		if repelled = repelled && n.Before.Filter(p.Tolerations).Schedulable(); repelled {
			x.Effect, x.Taint = Stays, taints[i].String()
		}
		return repelled
	case decision.Kind() == eviction.Now:
		x.Effect = EvictedNow
	default:
		x.Effect = EvictedLater
	}
	if i, ok := decision.Taint(); ok {
		x.Taint = taints[i].String()
	}
	if at, ok := decision.Toleration(); ok {
		x.Toleration = p.Tolerations[at.Index].String()
	}
	if at, ok := e.After.Deadline(); ok && at.After(latest) {
		x.At = latest
	} else if ok && x.Effect == EvictedLater {
		x.At = at
	}
	if strings.HasPrefix(p.Owner, "DaemonSet ") { // it can run on this node alone
		fits := map[bool]int{true: 1}
		x.Fits, x.FitsWithout = fits[n.After.Filter(p.Tolerations).Schedulable()], fits[n.Before.Filter(p.Tolerations).Schedulable()]
	} else {
		j.place(p, x)
	}
	return true
}

var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) // in JSON

// mostWork limits the work for pods with different labels that they require: some ten
// seconds.
const mostWork = 1 << 25

// place sets to how many nodes the pod can be scheduled with and without the change. Only
// nodes whose labels admit the pod count.
func (j *judge) place(p *cluster.Pod, x *Pod) impact.Placement {
	if j.placement != p.Placement {
		if j.work += len(j.nodes) * p.Placement.Cost(); j.work > mostWork {
			return impact.Placement{} // the caller refuses the whole
		}
		closed := match.Node{Taints: taint.List{{}}} // repels every pod
		var nodes []impact.NodeChange
		for _, n := range j.nodes {
			change, before := n.NodeChange, p.Placement.Admits(n.before)
			after := before
			if n.after != n.before {
				after = p.Placement.Admits(n.after)
			}
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
		j.placement, j.placements = p.Placement, impact.New(j.options, nodes...)
	}
	w := j.placements.Placement(p.Tolerations)
	x.Fits, x.FitsWithout = w.After(), w.Before
	return w
}

const unchanged = "unchanged"

// change returns the change of an object.
func (o *item) change() (Change, error) {
	var done []string
	for i, s := range o.steps {
		if !reflect.DeepEqual(o.state(i).Object, s.after.Object) {
			done = append(done, s.outcome)
		}
	}
	c := Change{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Nodes: o.nodes}
	if c.Outcome = cmp.Or(strings.Join(done, " and "), unchanged); done == nil {
		return c, nil
	}
	before, err := text(o.Unstructured)
	after, err2 := text(o.last())
	if err := errors.Join(err, err2); err != nil {
		return c, err
	}
	c.Diff = udiff.Unified(o.String()+" now", o.String()+" changed", before, after)
	c.Patch, err = patch(o.Unstructured, o.last(), o.GetResourceVersion())
	return c, err
}

// text returns the YAML of an object without its status.
func text(u *unstructured.Unstructured) (string, error) {
	object := maps.Clone(u.Object)
	delete(object, "status")
	b, err := yaml.Marshal(object)
	return string(b), err
}

// most is how many elements of a list the text has.
const most = 20

// text writes the report for people.
func (r *Report) text(w io.Writer) error {
	var b bytes.Buffer
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
	fmt.Fprintf(&b, "Affected pods: %d", len(r.Pods))
	if len(parts) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(parts, ", "))
	}
	b.WriteByte('\n')
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "Unknown: %s\n", names(r.Unknown))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	if len(r.Pods) > 0 {
		t := printers.GetNewTabWriter(&b)
		fmt.Fprintln(t, "\nPOD\tNODE\tRESULT\tTAINT\tCAN BE SCHEDULED TO\tWITHOUT THE CHANGE")
		word := "nodes"
		if r.Nodes == 1 {
			word = "node"
		}
		for _, p := range r.Pods[:min(len(r.Pods), most)] {
			effect, fits := string(p.Effect), fmt.Sprintf("%d of %d %s\t%d", p.Fits, r.Nodes, word, p.FitsWithout)
			if p.Effect == EvictedLater {
				effect = "evicted in " + duration.HumanDuration(p.At.Sub(r.Time))
			} else if p.Effect == Stays {
				fits = ""
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.fullName(), p.Node, effect, p.Taint, fits)
		}
		_ = t.Flush() // b is a buffer
		if len(r.Pods) > most {
			fmt.Fprintf(&b, "and %d more pods; -o json has all\n", len(r.Pods)-most)
		}
	}
	for _, o := range r.Objects[:min(len(r.Objects), most)] {
		if err := o.text(&b); err != nil {
			return err
		}
	}
	if len(r.Objects) > most {
		fmt.Fprintf(&b, "and %d more objects; -o json has all\n", len(r.Objects)-most)
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// text writes the change for people: of a workload as a patch.
func (c *Change) text(b *bytes.Buffer) error {
	object := strings.ToLower(c.Kind) + " " + c.Name
	if c.Namespace != "" {
		object += " -n " + c.Namespace
	}
	switch {
	case c.Outcome == unchanged:
	case c.Kind != "Node" && c.Kind != "MachineSet":
		text, err := yaml.JSONToYAML(c.Patch)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n# kubectl patch %s --type merge --patch-file FILE\n%s", object, text)
	default:
		fmt.Fprintf(b, "\n%s", c.Diff)
	}
	if c.Kind == "MachineSet" {
		fmt.Fprintf(b, "\nNew machines get these taints. Nodes that keep theirs until their machines are replaced: %s\n"+
			"To replace them: oc scale --replicas=0 %s; when the machines are gone, scale it up again\n", names(c.Nodes), object)
	}
	return nil
}

// names returns the beginning of a list of names.
func names(list []string) string {
	switch {
	case len(list) == 0:
		return "none"
	case len(list) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
