// Package cluster reads the nodes and pods of a cluster: from its API server, from files,
// or from a sample.
package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/validate"
)

// A Cluster is what was read of a cluster.
type Cluster struct {
	Nodes []*Node
	Pods  []*Pod

	NodesErr error   // why the nodes could not be listed; there are none then
	Problems []error // of what could not be read
	Warnings []error // of what was read, such as fields that are ignored
	sample   bool
}

// A Node is a node of the cluster.
type Node struct {
	Name string
	match.Node
	Labels map[string]string
	Err    error // why the taints are unknown
}

// A Pod is a pod of the cluster.
type Pod struct {
	kubejson.Pod
	Owner     string     // such as "ReplicaSet web-5d8f"; empty if there is none
	QOS       string     // Guaranteed, Burstable, BestEffort, or empty
	Started   time.Time  // on its node; zero if that is unknown
	Placement *Placement // of equal pods the same; never nil
	Err       error      // why the tolerations or the placement are unknown

	SchedulerName string    // empty means the default
	Gates         []string  // the names of its scheduling gates
	Condition     Condition // PodScheduled
}

// A Condition is what the scheduler last wrote of a pod that waits.
type Condition struct {
	Reason  string `json:"reason"` // such as Unschedulable
	Message string `json:"message"`
}

// FullName returns the name, with the namespace and a slash before it when there is one.
func (p *Pod) FullName() string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

// Waits reports whether the pod still waits for a node.
func (p *Pod) Waits() bool { return p.Node == "" && !p.Terminating && !p.Finished() }

// NameField is the field of a node that a required affinity can use instead of a label.
const NameField = metav1.ObjectNameField

// A Placement is the node selector of a pod and the node affinity that it requires.
type Placement struct {
	Text     string          // for people, such as "pool=gpu"; empty if there is neither
	JSON     json.RawMessage // nodeSelector and requiredDuringSchedulingIgnoredDuringExecution
	Keys     []string        // of the labels that it depends on, and NameField
	Node     string          // the only node that can be admitted, by its name; empty for any
	required nodeaffinity.RequiredNodeAffinity
}

// Cost is what one call of Admits costs, in labels that are compared.
func (p *Placement) Cost() int { return 1 + len(p.JSON)/64 }

// Admits reports whether the node has the labels that the pod requires. An invalid
// affinity admits no node.
func (p *Placement) Admits(n *Node) bool {
	if p.JSON == nil {
		return true
	}
	ok, err := p.required.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}})
	return ok && err == nil
}

// Read reads the cluster. Objects that cannot be read are among the problems of the
// Cluster; the error is of the whole. What expires while it is listed is listed again, once.
func Read(ctx context.Context, env *cli.Env, opts *Options) (*Cluster, error) {
	paths := more
	if opts.Seen != nil && !opts.Live() {
		paths = []string{"metadata", "spec", "status"}
	}
	for again := false; ; again = true {
		objects, err := opts.objects(ctx, env, paths)
		if err != nil {
			return nil, err
		}
		c, err := opts.read(ctx, env, objects)
		if again || !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return c, err
		} // reading took longer than the API server keeps a version
	}
}

func (o *Options) read(ctx context.Context, env *cli.Env, objects iter.Seq2[*kubejson.Object, error]) (*Cluster, error) {
	selector, err := labels.Parse(o.Selector)
	if err != nil {
		return nil, err
	}
	bar := env.Progress(-1, "reading")
	defer bar.Finish()
	r := newReader()
	r.sample, r.namespace, r.selector = o.Sample, o.Namespace, selector
	if !o.Live() {
		r.seen = o.Seen
	}
	for o, err := range objects {
		_ = bar.Add(1)
		if err := r.object(o, err); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.Nodes) == 0 && r.NodesErr == nil {
		_ = r.Report(env)
		return nil, errors.New("the input has no nodes")
	}
	return r.Cluster, nil
}

// Decode reads the objects in a JSON text, such as a part of a file that begins at line.
func Decode(source string, line int, text []byte) (*Cluster, error) {
	r := newReader()
	for o, err := range objectsAt(source, line, text, more) {
		if err := r.object(o, err); err != nil {
			return nil, err
		}
	}
	return r.Cluster, nil
}

// Report writes the warnings and problems to standard error, and returns an error if
// there are problems, so that the exit status is not 0.
func (c *Cluster) Report(env *cli.Env) error {
	for _, err := range c.Warnings {
		fmt.Fprintln(env.ErrOut, "warning:", err)
	}
	for _, err := range c.Problems {
		fmt.Fprintln(env.ErrOut, "error:", err)
	}
	if len(c.Problems) > 0 {
		return &cli.Exit{Status: 1}
	}
	return nil
}

// more are the paths that are read besides those of package kubejson.
var more = []string{"metadata.labels", "metadata.ownerReferences", "spec.nodeSelector", "spec.affinity.nodeAffinity",
	"spec.schedulerName", "spec.schedulingGates", "status.qosClass", "status.startTime", "status.conditions"}

// own is what is decoded besides taints and tolerations.
type own struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
		Owners []struct {
			Kind       string `json:"kind"`
			Name       string `json:"name"`
			Controller bool   `json:"controller"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		NodeSelector map[string]string `json:"nodeSelector"`
		Affinity     struct {
			NodeAffinity *corev1.NodeAffinity `json:"nodeAffinity"`
		} `json:"affinity"`
		SchedulerName string `json:"schedulerName"`
		Gates         []struct {
			Name string `json:"name"`
		} `json:"schedulingGates"`
	} `json:"spec"`
	Status struct {
		QOS        string    `json:"qosClass"`
		Started    time.Time `json:"startTime"`
		Conditions []struct {
			Type string `json:"type"`
			Condition
		} `json:"conditions"`
	} `json:"status"`
}

type reader struct {
	*Cluster
	seen       func(*kubejson.Object) bool
	nodes      map[string]*Node
	pods       map[string]*Pod
	placements map[string]*Placement
	namespace  string
	selector   labels.Selector
}

func newReader() *reader {
	return &reader{Cluster: &Cluster{}, nodes: make(map[string]*Node), pods: make(map[string]*Pod), placements: make(map[string]*Placement),
		selector: labels.Everything()}
}

// object adds an object, or the problem that is there instead. It returns an error if the
// rest cannot be read.
func (r *reader) object(o *kubejson.Object, err error) error {
	var p *kubejson.Problem
	var nodes *nodesError
	used := err == nil && r.seen != nil && r.seen(o)
	switch {
	case errors.As(err, &p):
		r.Problems = r.report(r.Problems, err)
	case errors.As(err, &nodes):
		r.NodesErr = nodes.error
	case err != nil:
		return err
	case o.Is("Node"):
		r.node(o)
	case o.Is("Pod"):
		if r.namespace == "" || o.Namespace == "" || r.namespace == o.Namespace {
			r.pod(o)
		}
	case (o.Kind == "Node" || o.Kind == "Pod") && !strings.Contains(o.APIVersion, "/"):
		_ = r.err(o, nil, fmt.Errorf("apiVersion: unknown version %q, must be v1", o.APIVersion))
	case !used:
		r.Warnings = r.report(r.Warnings, o.Problems(fmt.Errorf("objects of kind %s are ignored", kubejson.Printable(o.Kind)))...)
	}
	return nil
}

// most is how many problems are kept; a file can have millions.
const most = 1000

func (r *reader) report(to []error, errs ...error) []error {
	to = append(to, errs...)
	if len(to) > most {
		to = append(to[:most], fmt.Errorf("more than %d; the others are not listed", most))
	}
	return to
}

// err reports the problems of an object, and returns them as one error.
func (r *reader) err(o *kubejson.Object, ignored validate.Problems, errs ...error) error {
	r.Warnings = r.report(r.Warnings, o.Problems(ignored.Err())...)
	for _, err := range errs {
		r.Problems = r.report(r.Problems, o.Problems(err)...)
	}
	return errors.Join(errs...)
}

var (
	errNoName = errors.New("metadata.name: missing")
	errDiffer = errors.New("the object is in the input more than once, with different contents")
)

func named(o *kubejson.Object) error {
	if o.Name == "" {
		return errNoName
	}
	return nil
}

func (r *reader) node(o *kubejson.Object) {
	var own own
	read, err := o.Node()
	err = r.err(o, read.Ignored, err, o.Decode(&own), named(o))
	n := &Node{Name: read.Name, Node: match.Node{Taints: read.Taints, Unschedulable: read.Unschedulable}, Labels: own.Metadata.Labels, Err: err}
	if before := r.nodes[n.Name]; before != nil {
		if !reflect.DeepEqual(before, n) {
			before.Err = r.err(o, nil, errDiffer)
		}
		return
	}
	r.nodes[n.Name] = n
	r.Nodes = append(r.Nodes, n)
}

func (r *reader) pod(o *kubejson.Object) {
	var own own
	var p Pod
	var err, placement error
	p.Pod, err = o.Pod()
	ownErr := o.Decode(&own)
	if ownErr == nil && !r.selector.Matches(labels.Set(own.Metadata.Labels)) {
		return
	}
	p.Placement, placement = r.placement(&own)
	p.Err = r.err(o, p.Ignored, err, ownErr, placement, named(o))
	p.Ignored, p.QOS, p.Started = nil, own.Status.QOS, own.Status.Started
	for _, owner := range own.Metadata.Owners {
		if owner.Controller {
			p.Owner = owner.Kind + " " + owner.Name
		}
	}
	p.SchedulerName = own.Spec.SchedulerName
	for _, gate := range own.Spec.Gates {
		p.Gates = append(p.Gates, gate.Name)
	}
	for _, c := range own.Status.Conditions {
		if p.Waits() && c.Type == string(corev1.PodScheduled) {
			p.Condition = c.Condition
		}
	}
	name := p.FullName()
	if before := r.pods[name]; before != nil && !strings.HasSuffix(name, "*") { // several can be made of that one
		if !reflect.DeepEqual(before, &p) {
			before.Err = r.err(o, nil, errDiffer)
			before.Node, before.Phase = "", "" // unknown too
		}
		return
	}
	r.pods[name] = &p
	r.Pods = append(r.Pods, &p)
}

// placement returns the placement that the fields describe, one for all that are equal.
func (r *reader) placement(own *own) (*Placement, error) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: own.Spec.NodeSelector}}
	var required *corev1.NodeSelector
	if a := own.Spec.Affinity.NodeAffinity; a != nil {
		required = a.RequiredDuringSchedulingIgnoredDuringExecution
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: a}
	}
	var text []byte
	var err error
	if len(own.Spec.NodeSelector) > 0 || required != nil {
		text, err = json.Marshal(struct {
			NodeSelector map[string]string    `json:"nodeSelector,omitempty"`
			Required     *corev1.NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
		}{own.Spec.NodeSelector, required})
	}
	p := r.placements[string(text)]
	if p == nil {
		p = &Placement{JSON: text, required: nodeaffinity.GetRequiredNodeAffinity(pod), Keys: slices.Collect(maps.Keys(own.Spec.NodeSelector))}
		p.describe(own.Spec.NodeSelector, required)
		r.placements[string(text)] = p
	}
	if required != nil && err == nil {
		_, err = nodeaffinity.NewNodeSelector(required, field.WithPath(field.NewPath("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")))
	}
	return p, err
}

// describe sets the Text, the Keys and the Node.
func (p *Placement) describe(selector map[string]string, required *corev1.NodeSelector) {
	var terms []string
	if required != nil {
		for _, term := range required.NodeSelectorTerms {
			var parts []string
			for _, q := range slices.Concat(term.MatchExpressions, term.MatchFields) {
				text := q.Key + " " + string(q.Operator)
				if len(q.Values) > 0 {
					text += " (" + strings.Join(q.Values, ", ") + ")"
				}
				parts = append(parts, text)
				p.Keys = append(p.Keys, q.Key)
			}
			if f := term.MatchFields; len(required.NodeSelectorTerms) == 1 && len(f) == 1 && f[0].Operator == corev1.NodeSelectorOpIn && len(f[0].Values) == 1 {
				p.Node = f[0].Values[0]
			}
			terms = append(terms, strings.Join(parts, " and "))
		}
	}
	p.Text = strings.Join(slices.DeleteFunc([]string{labels.FormatLabels(selector), strings.Join(terms, " or ")}, func(s string) bool { return s == "" || s == "<none>" }), "; ")
	if p.Text == "" && p.JSON != nil {
		p.Text = "no node: the node affinity has no terms"
	}
}
