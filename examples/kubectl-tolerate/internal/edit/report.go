package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

	blocked bool // a pod on a node to be changed is unknown
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

// A node is a node that changes.
type node struct {
	impact.NodeChange
	labels map[string]string // after the change
	later  bool              // it changes when its machine is replaced
	index  int               // for evictions
}

// A judge evaluates changes of nodes.
type judge struct {
	*Report
	cluster   *cluster.Cluster
	nodes     map[string]*node
	options   impact.Options
	evictions *impact.Analysis
	system    []string // pods of the cluster itself that are evicted
	places    map[*cluster.Placement]*impact.Analysis
}

// judge adds to the report what the changes of the objects do to the pods.
func (r *Report) judge(ctx context.Context, c *cluster.Cluster, list []*item) error {
	j := judge{Report: r, cluster: c, nodes: make(map[string]*node), places: make(map[*cluster.Placement]*impact.Analysis)}
	j.options = impact.Options{Now: r.Time, Eviction: eviction.Options{Start: eviction.FromAdded}}
	byName := make(map[string]*cluster.Node)
	for _, n := range c.Nodes {
		if byName[n.Name] = n; n.Err != nil {
			r.Unknown = append(r.Unknown, "node/"+kubejson.Printable(n.Name))
		}
	}
	r.Nodes = len(c.Nodes) - len(r.Unknown)
	var now []impact.NodeChange
	for _, o := range list {
		before, after := o.taints[0], o.taints[1]
		for _, name := range o.nodes { // as if the machines of the MachineSet were replaced
			if n := byName[name]; n != nil && n.Err == nil && j.nodes[name] == nil {
				changed := match.Node{Taints: taint.Propagate(n.Taints, before, after), Unschedulable: n.Unschedulable}
				j.nodes[name] = &node{NodeChange: impact.NodeChange{Before: n.Node, After: changed}, labels: n.Labels, later: true}
			}
		}
		if !o.isNode() {
			continue
		}
		n := byName[o.GetName()]
		if n == nil || n.Err != nil {
			return fmt.Errorf("%s: it is not in the list of nodes, or cannot be read there; run the command again", o)
		}
		change := impact.NodeChange{Before: match.Node{Taints: before, Unschedulable: n.Unschedulable}, After: match.Node{Taints: after, Unschedulable: n.Unschedulable}}
		j.nodes[n.Name] = &node{NodeChange: change, labels: o.last().GetLabels(), index: len(now)}
		now = append(now, change)
		r.controlPlane(o)
	}
	j.evictions = impact.New(j.options, now...)
	for _, p := range c.Pods {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.pod(p)
	}
	slices.SortStableFunc(r.Pods, func(a, b Pod) int {
		order := cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect))
		return cmp.Or(order, a.At.Compare(b.At))
	})
	if len(j.system) > 0 {
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

// pod adds the pod to the report if it is affected.
func (j *judge) pod(p *cluster.Pod) {
	n := j.nodes[p.Node]
	x := Pod{Namespace: p.Namespace, Name: p.Name, Owner: p.Owner, Node: p.Node}
	switch {
	case p.Finished() || p.Terminating || p.Static || p.Node != "" && (n == nil || n.later):
		return // a kubelet runs static pods whatever the taints
	case p.Err != nil:
		j.Unknown = append(j.Unknown, "pod/"+x.fullName())
		j.blocked = j.blocked || n != nil
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
		if repelled = repelled && match.Filter(n.Before.Taints, p.Tolerations).Schedulable(); repelled {
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

// mostPlaces limits the analyses that are kept.
const mostPlaces = 64

// place sets to how many nodes the pod can be scheduled with and without the change. Only
// nodes whose labels admit the pod count.
func (j *judge) place(p *cluster.Pod, x *Pod) impact.Placement {
	a := j.places[p.Placement]
	if a == nil {
		closed := match.Node{Taints: taint.List{{}}} // repels every pod
		var nodes []impact.NodeChange
		for _, n := range j.cluster.Nodes {
			if n.Err != nil {
				continue
			}
			change, labels := impact.NodeChange{Before: n.Node, After: n.Node}, n.Labels
			if c := j.nodes[n.Name]; c != nil {
				change, labels = c.NodeChange, c.labels
			}
			before := p.Placement.Admits(n)
			after := before
			if !maps.Equal(labels, n.Labels) {
				after = p.Placement.Admits(&cluster.Node{Name: n.Name, Labels: labels})
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
		if len(j.places) >= mostPlaces {
			clear(j.places)
		}
		a = impact.New(j.options, nodes...)
		j.places[p.Placement] = a
	}
	w := a.Placement(p.Tolerations)
	x.Fits, x.FitsWithout = w.After(), w.Before
	return w
}

const unchanged = "unchanged"

// change returns the change of an object.
func (o *item) change() (Change, error) {
	c := Change{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Outcome: o.outcome, Nodes: o.nodes}
	before, err := text(o.Unstructured)
	after, err2 := text(o.last())
	if err := errors.Join(err, err2); err != nil || before == after {
		c.Outcome = unchanged
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
