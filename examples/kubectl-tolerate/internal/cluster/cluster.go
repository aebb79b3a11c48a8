// Package cluster reads the nodes and pods of a cluster: from its API server, from files,
// or from a sample.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

// A Cluster is what was read of a cluster.
type Cluster struct {
	Nodes      []*Node
	Pods       []*Pod
	DaemonSets []*DaemonSet
	Pools      []*Pool
	FromServer bool            // the nodes were listed after the pods: the node of a pod is among them, or was deleted
	Valued     map[string]bool // keys of taints, if some node has the key with a value
	OneNode    bool            // the caller removed the other nodes
	Runs       map[Owner]bool  // controllers of pods that run, also of other names and labels

	Refused  []*Refusal // the last ones are first
	Devices  *Devices   // nil if they are not read
	NodesErr error      // why there are no nodes
	PodsErr  error      // why there are no pods
	Problems []error    // of what could not be read
	Warnings []error    // of what was read, such as fields that are ignored

	placements map[string]*Placement
	resources  map[string]corev1.ResourceList
	scratch    corev1.ResourceList
	storage    storage
}

// A Node is a node of the cluster.
type Node struct {
	Name string
	match.Node
	Labels      map[string]string
	Err         error // why the taints are unknown
	providerID  string
	allocatable corev1.ResourceList
}

// Observed returns taints from their times added, those without one from now.
func Observed(taints taint.List, now time.Time) []eviction.Observed {
	observed := eviction.Observe(nil, taints, now)
	for i, t := range taints {
		if at := t.TimeAdded(); !at.IsZero() {
			observed[i].Since = at
		}
	}
	return observed
}

// A Pod is a pod of the cluster.
type Pod struct {
	Namespace   string          // may be empty
	Name        string          // may end in "*" when it is still to be generated
	Node        string          // that it is bound to; empty while it waits for one
	Phase       string          // Pending, Running, Succeeded, Failed, Unknown, or empty
	Tolerations toleration.List // unknown if there is an Err
	Terminating bool            // it is being deleted
	Static      bool            // run by its kubelet, which wrote this mirror of it
	Owner       string          // such as "ReplicaSet web-5d8f"; empty if there is none
	Created     time.Time       // zero if that is unknown
	Started     time.Time       // on its node; zero if that is unknown
	Placement   *Placement      // of equal pods the same; never nil
	Err         error           // why the tolerations or the placement are unknown
	Claims      []PodClaim      // if it waits
	Requests    corev1.ResourceList
	NotJudged   Set
	Autoscaler  *Event // if it waits, and an autoscaler makes no node for it

	SchedulerName string    // empty means the default
	Gates         []string  // the names of its scheduling gates
	Condition     Condition // PodScheduled
	claims        []string  // of volumes
}

// An Owner is the controller of pods, such as {"shop", "ReplicaSet web-5d8f"}.
type Owner struct{ Namespace, Name string }

// A Condition is what the scheduler last wrote of a pod that waits.
type Condition struct {
	Reason  string `json:"reason"` // such as Unschedulable
	Message string `json:"message"`
}

// FullName returns the name, with the namespace and a slash before it when there is one.
func (p *Pod) FullName() string { return strings.TrimPrefix(p.Namespace+"/"+p.Name, "/") }

// Finished reports whether the pod has run to its end, so that it stays on its node in
// name only.
func (p *Pod) Finished() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// Waits reports whether the pod still waits for a node.
func (p *Pod) Waits() bool { return p.Node == "" && !p.Terminating && !p.Finished() }

// Read reads the cluster. Objects that cannot be read are among the problems of the
// Cluster; the error is of the whole. An unknown field of a taint or toleration is a problem
// in a file, and a warning from the API server, which may be newer. What expires while it is listed is listed again, once.
func Read(ctx context.Context, env *cli.Env, opts *Options) (*Cluster, error) {
	for again := false; ; again = true {
		objects, err := opts.objects(ctx, env)
		if err != nil {
			return nil, err
		}
		c, err := opts.read(ctx, env, objects)
		if again || !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return c, err
		} // reading took longer than the API server keeps a version
	}
}

func (o *Options) read(ctx context.Context, env *cli.Env, input iter.Seq2[*objects.Object, error]) (*Cluster, error) {
	selector, err := labels.Parse(o.Selector)
	if err != nil {
		return nil, err
	}
	r := &reader{Cluster: &Cluster{FromServer: o.Live(), Valued: make(map[string]bool), Runs: make(map[Owner]bool),
		placements: make(map[string]*Placement), resources: make(map[string]corev1.ResourceList),
		storage: storage{make(map[string]claim), make(map[string][]*demand), make(map[string]*demand), make(map[string][]corev1.NodeSelectorTerm), make(map[string]*demand), false}}, Options: o, selector: selector,
		nodes: make(map[string]*Node), pods: make(map[string]*Pod),
		daemonSets: make(map[string]*DaemonSet), daemonPods: make(map[string][]DaemonPod),
		pools: make(map[string]*Pool), clusters: make(map[string]bool), events: make(map[string]*Event)}
	var n atomic.Int64
	defer progress(env, &n)()
	if o.every = false; o.Daemons && o.Live() {
		if err := limited(ctx, env, maxReading, r.listDaemonSets); err != nil {
			return nil, err
		}
	}
	if o.Waiting {
		r.Devices = &Devices{make(map[string]*resourcev1.ResourceClaimSpec), make(map[string]*Slice), make(map[string]*dra.Rule), false}
	}
	for object, err := range input {
		if err := r.object(object, err); err != nil {
			return nil, err
		}
		n.Add(1)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.countDaemonPods()
	for _, more := range []struct {
		wanted bool
		limit  time.Duration
		read   func(context.Context, rest.Interface)
	}{{o.Refusals, r.eventsTime(), r.refused}, {o.Waiting, maxReading, r.waiting}, {o.Volumes, maxReading, r.listVolumes}} {
		if more.wanted && o.Live() {
			if err := limited(ctx, env, more.limit, more.read); err != nil {
				return nil, err
			}
		}
	}
	r.addPools()
	for _, p := range r.Pods {
		known := false
		if p.Placement, known = r.withVolumes(p.Placement, p.Namespace, p.claims); !known {
			p.NotJudged |= unread
		}
		if e := r.events[p.FullName()]; e != nil && p.Waits() && !e.At.Before(p.Created) { // not of an earlier pod
			p.Autoscaler = e
		}
	}
	if len(r.Nodes) == 0 && r.NodesErr == nil && !r.FromServer {
		r.NodesErr = errors.New("the input has no nodes")
	}
	return r.Cluster, nil
}

// progress writes the number on standard error after a second, and then every five, also
// while nothing is read. Stop ends this.
func progress(env *cli.Env, objects *atomic.Int64) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for seconds, wait := 1, time.Second; ; seconds, wait = seconds+5, 5*time.Second {
			select {
			case <-done:
				return
			case <-time.After(wait):
				fmt.Fprintf(env.ErrOut, "%d objects read in %d s\n", objects.Load(), seconds)
			}
		}
	}()
	return func() { close(done); <-ended }
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
		return &cli.Exit{Status: 2}
	}
	return nil
}

type reader struct {
	*Cluster
	*Options
	selector   labels.Selector
	nodes      map[string]*Node
	pods       map[string]*Pod
	daemonSets map[string]*DaemonSet
	daemonPods map[string][]DaemonPod // by the name of their DaemonSet
	pools      map[string]*Pool       // by group, kind and name
	clusters   map[string]bool        // of Cluster API, that are this one
	events     map[string]*Event      // of autoscalers, by pod
	noEvents   bool                   // they are not listed
	hasPods    bool                   // the input has pods, of any namespace
}

// object adds an object, or the problem that is there instead. It returns an error if the
// rest cannot be read.
func (r *reader) object(o *objects.Object, err error) error {
	var p *objects.Problem
	var list *listError
	used := err == nil && r.Seen != nil && r.Seen(o)
	switch {
	case errors.As(err, &p):
		r.Problems = report(r.Problems, err)
	case errors.As(err, &list) && list.nodes:
		r.NodesErr = list.error
	case errors.As(err, &list):
		r.PodsErr = list.error
	case err != nil:
		return err
	case o.Continue != "":
		r.Problems = report(r.Problems, o.Problem(objects.ErrPart))
	case o.Is("Node"):
		r.node(o)
	case o.Is("Pod"):
		r.hasPods = true
		if r.Namespace == "" || o.Namespace == "" || r.Namespace == o.Namespace {
			r.pod(o)
		}
	case r.Daemons && o.Kind == "DaemonSet" && (o.APIVersion == "" || strings.HasPrefix(o.APIVersion, "apps/")):
		if r.Namespace == "" || o.Namespace == "" || r.Namespace == o.Namespace {
			r.daemonSet(o)
		}
	case r.optional(o) || r.Volumes && r.volume(o):
	case r.Waiting && o.Is("Event"):
		r.event(o)
	case (o.Kind == "Node" || o.Kind == "Pod") && !strings.Contains(o.APIVersion, "/"):
		r.Problems = report(r.Problems, o.Problem(fmt.Errorf("apiVersion: unknown version %q, must be v1", o.APIVersion)))
	case o.Is("Status"):
		r.Problems = report(r.Problems, o.Problem(errors.New("the answer of an API server, without objects")))
	case o.Kind == "" && len(o.Raw) > len("{}"):
		r.Problems = report(r.Problems, o.Problem(errors.New("no kind; that of a list must precede its items")))
	case !used && !strings.HasSuffix(o.Kind, "List") && o.Kind != "":
		r.Warnings = report(r.Warnings, o.Problem(fmt.Errorf("objects of kind %s are ignored", objects.Printable(o.Kind))))
	}
	return nil
}

// most is how many problems are kept; a file can have millions.
const most = 1000

func report(to []error, err error) []error {
	if len(to) == most {
		err = fmt.Errorf("more than %d; the others are not listed", most)
	} else if len(to) > most {
		return to
	}
	return append(to, err)
}

// err reports the problems of an object, and returns them as one error.
func (r *reader) err(o *objects.Object, ignored validate.Problems, errs ...error) error {
	if o.Name == "" {
		errs = append(errs, errors.New("metadata.name: missing"))
	}
	if len(ignored) > 0 {
		r.Warnings = report(r.Warnings, o.Problem(ignored))
	}
	for _, err := range errs {
		if err != nil {
			r.Problems = report(r.Problems, o.Problem(err))
		}
	}
	return errors.Join(errs...)
}

var errDiffer = errors.New("the object is in the input more than once, with different contents")

// nodeFields and podFields are the API's, with taints and tolerations unchanged.
type nodeFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		corev1.NodeSpec
		Taints jsontext.Value `json:"taints"`
	} `json:"spec"`
	Status struct {
		Allocatable corev1.ResourceList `json:"allocatable"`
	} `json:"status"`
}

type podFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              podSpec          `json:"spec"`
	Status            corev1.PodStatus `json:"status"`
}

type podSpec struct {
	corev1.PodSpec
	Tolerations jsontext.Value `json:"tolerations"`
}

func (r *reader) node(o *objects.Object) {
	var v nodeFields
	err := o.Decode(&v)
	n := &Node{Name: o.Name, Labels: v.Labels, providerID: v.Spec.ProviderID, allocatable: r.shared(v.Status.Allocatable)}
	var ignored validate.Problems
	if n.Unschedulable = v.Spec.Unschedulable; err == nil && v.Spec.Taints != nil {
		n.Taints, ignored, err = taint.Decode(v.Spec.Taints, taint.DecodeOptions{Path: "spec.taints", Strict: !r.Live()})
	}
	n.Err = r.err(o, ignored, err)
	for _, t := range n.Taints {
		r.Valued[t.Key()] = r.Valued[t.Key()] || t.Value() != ""
	}
	if before := r.nodes[n.Name]; before == nil {
		r.nodes[n.Name] = n
		r.Nodes = append(r.Nodes, n)
	} else if !reflect.DeepEqual(before, n) {
		before.Err = r.err(o, nil, errDiffer)
	}
}

func (r *reader) pod(o *objects.Object) {
	var v podFields
	err := o.Decode(&v)
	if err == nil && r.Daemons {
		r.daemonPod(o, &v)
	}
	if owner := metav1.GetControllerOfNoCopy(&v); err == nil && owner != nil && v.Status.Phase == corev1.PodRunning && v.DeletionTimestamp == nil {
		r.Runs[Owner{o.Namespace, owner.Kind + " " + owner.Name}] = true
	}
	if err == nil && !r.selector.Matches(labels.Set(v.Labels)) {
		return
	}
	if err != nil {
		v = podFields{} // part of it is wrong
	}
	p := &Pod{Namespace: o.Namespace, Name: o.Name, Node: v.Spec.NodeName, Phase: string(v.Status.Phase), Created: v.CreationTimestamp.Time, Terminating: v.DeletionTimestamp != nil, SchedulerName: v.Spec.SchedulerName}
	p.Started = ptr.Deref(v.Status.StartTime, metav1.Time{}).Time
	if owner := metav1.GetControllerOfNoCopy(&v); owner != nil {
		p.Owner = owner.Kind + " " + owner.Name
	}
	_, p.Static = v.Annotations[corev1.MirrorPodAnnotationKey]
	for _, gate := range v.Spec.SchedulingGates {
		p.Gates = append(p.Gates, gate.Name)
	}
	for _, c := range v.Status.Conditions {
		if p.Waits() && c.Type == corev1.PodScheduled {
			p.Condition = Condition{c.Reason, c.Message}
		}
	}
	r.template(o, p, &v.Spec, "spec", err)
	if r.Options.Waiting && p.Waits() {
		p.Claims = podClaims(&v.Spec.PodSpec, &v.Status)
	}
	if r.Volumes && !p.Finished() {
		p.claims, p.NotJudged = claimsOf(&v.Spec.PodSpec, p.Name), notJudged(&v.Spec.PodSpec)
		p.Requests = r.requests(&corev1.Pod{Spec: v.Spec.PodSpec, Status: v.Status})
	}
	before := r.pods[p.FullName()]
	switch {
	case before == nil || strings.HasSuffix(p.Name, "*"): // several can be made of that one
		r.pods[p.FullName()] = p
		r.Pods = append(r.Pods, p)
	case !reflect.DeepEqual(before, p):
		before.Err = r.err(o, nil, errDiffer)
		before.Node, before.Phase = "", "" // unknown too
	}
}

// template sets the tolerations and the placement of a pod; err is why spec is unknown.
func (r *reader) template(o *objects.Object, p *Pod, spec *podSpec, path string, err error) {
	var ignored validate.Problems
	var placementErr error
	if err == nil && spec.Tolerations != nil {
		p.Tolerations, ignored, err = toleration.Decode(spec.Tolerations, toleration.DecodeOptions{Path: path + ".tolerations", Strict: !r.Live()})
	}
	p.Placement, placementErr = r.placement(&spec.PodSpec)
	p.Err = r.err(o, ignored, err, placementErr)
}

// A DaemonSet is a DaemonSet of the cluster. Its Pod has the name of the DaemonSet, and the
// tolerations and the placement by which its controller selects nodes.
type DaemonSet struct {
	Pod
	Pods   []DaemonPod
	Unread bool // its pods are not in the input

	uid       string
	scheduled bool // its status counts pods
}

// A DaemonPod is a pod of a DaemonSet, and the node that it is bound to or waits for.
type DaemonPod struct{ Name, Node, uid string }

type daemonFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template struct {
			metav1.ObjectMeta `json:"metadata"`
			Spec              podSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status appsv1.DaemonSetStatus `json:"status"`
}

// listDaemonSets reads the DaemonSets from the API server.
func (r *reader) listDaemonSets(ctx context.Context, client rest.Interface) {
	path := strings.Replace(r.path("daemonsets"), "/api/v1", "/apis/apps/v1", 1)
	found, err := r.list(ctx, client, path, "")
	if !found {
		err = errors.New("the API server does not list them")
	}
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Errorf("not all DaemonSets are read: %w", err))
	}
}

func (r *reader) daemonSet(o *objects.Object) {
	var v daemonFields
	err := o.Decode(&v)
	switch t := &v.Spec.Template; {
	case err != nil:
		v = daemonFields{} // part of it is wrong
	case !r.selector.Matches(labels.Set(t.Labels)):
		return
	case v.DeletionTimestamp != nil: // the controller creates no pods
		return
	}
	r.every = r.every || r.Selector != ""
	spec := &v.Spec.Template.Spec
	d := &DaemonSet{Pod: Pod{Namespace: o.Namespace, Name: o.Name, Owner: "DaemonSet " + o.Name}, uid: string(v.UID), scheduled: v.Status.CurrentNumberScheduled+v.Status.NumberMisscheduled > 0}
	if name := spec.NodeName; name != "" {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: named(spec.Affinity, name)}}
	}
	r.template(o, &d.Pod, spec, "spec.template.spec", err)
	d.Tolerations = admission.Daemon(admission.DaemonOptions{HostNetwork: spec.HostNetwork}, d.Tolerations)
	if before := r.daemonSets[d.FullName()]; before == nil {
		r.daemonSets[d.FullName()] = d
		r.DaemonSets = append(r.DaemonSets, d)
	} else if !reflect.DeepEqual(before, d) {
		before.Err = r.err(o, nil, errDiffer)
	}
}

// named returns the required affinity, if any, for this node alone.
func named(a *corev1.Affinity, node string) *corev1.NodeSelector {
	required := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	own := a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
	if own {
		required = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		if own && len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			continue // it selects no node
		}
		term.MatchFields = append(term.MatchFields, in(NameField, node))
	}
	return required
}

// daemonPod counts a pod if a DaemonSet controls it. One that is being deleted counts:
// the controller creates no other on its node.
func (r *reader) daemonPod(o *objects.Object, v *podFields) {
	owner := metav1.GetControllerOfNoCopy(v)
	if owner == nil || owner.Kind != "DaemonSet" || owner.APIVersion != "" && !strings.HasPrefix(owner.APIVersion, "apps/") ||
		(&Pod{Phase: string(v.Status.Phase)}).Finished() {
		return
	}
	node := v.Spec.NodeName
	if node == "" { // it waits for the node that its affinity names
		p, _ := r.placement(&v.Spec.PodSpec)
		node = p.Node
	}
	name := strings.TrimPrefix(o.Namespace+"/"+owner.Name, "/")
	r.daemonPods[name] = append(r.daemonPods[name], DaemonPod{o.Name, node, string(owner.UID)})
}

// countDaemonPods sets which pods the DaemonSets have: those with their UID, or in files
// with their name if one has no UID.
func (r *reader) countDaemonPods() {
	for _, d := range r.DaemonSets {
		for _, p := range r.daemonPods[d.FullName()] {
			if p.uid == d.uid || p.uid == "" || d.uid == "" {
				d.Pods = append(d.Pods, p)
			}
		}
		d.Unread = !r.FromServer && len(d.Pods) == 0 && (d.scheduled || !r.hasPods)
	}
}
