package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// optional are the kinds that are not on every API server, with the versions that are read.
var optional = []struct {
	group    string
	versions []string
	kinds    []string
	ofPods   bool // they are in the namespaces of pods
}{
	{"resource.k8s.io", []string{"v1", "v1beta2"}, []string{"ResourceClaim", "ResourceClaimTemplate"}, true},
	{"resource.k8s.io", []string{"v1", "v1beta2"}, []string{"ResourceSlice"}, false},
	{"resource.k8s.io", []string{"v1", "v1beta2", "v1alpha3"}, []string{"DeviceTaintRule"}, false},
	{"karpenter.sh", []string{"v1", "v1beta1"}, []string{"NodePool"}, false},
	{"machine.openshift.io", []string{"v1beta1"}, []string{"MachineSet"}, false},
	{"cluster.x-k8s.io", []string{"v1beta2", "v1beta1"}, []string{"Machine", "MachineDeployment", "MachineSet"}, false}, // in this order
}

// optional adds an object of the kinds that are not on every API server, and reports whether
// it is one.
func (r *reader) optional(o *objects.Object) bool {
	group, version, _ := strings.Cut(o.APIVersion, "/")
	for _, k := range optional {
		switch {
		case !r.Waiting || k.group != group || !slices.Contains(k.versions, version) || !slices.Contains(k.kinds, o.Kind):
			continue
		case group == "resource.k8s.io":
			r.device(o)
		case o.Kind == "Machine":
			r.machine(o)
		default:
			r.pool(o)
		}
		return true
	}
	return r.Waiting && group == "resource.k8s.io" && o.Kind == "DeviceClass" // its selectors are not evaluated
}

// Limits of what is read of these kinds from the API server.
const (
	maxObjects = 50_000 // of a kind
	maxReading = 20 * time.Second
)

// limited calls read with a client of the API server, for so long at most. What it cannot read is a
// warning, so the error is that of the client or of the whole context.
func limited(whole context.Context, env *cli.Env, most time.Duration, read func(context.Context, rest.Interface)) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(whole, most)
	defer cancel()
	read(ctx, client)
	return whole.Err()
}

// waiting reads what pods wait for from the API server. What it does not list is one warning.
func (r *reader) waiting(ctx context.Context, client rest.Interface) {
	if !slices.ContainsFunc(r.Pods, (*Pod).Waits) {
		return
	}
	served, first := served(ctx, client)
	claims := slices.ContainsFunc(r.Pods, func(p *Pod) bool { return len(p.Claims) > 0 })
	for _, k := range optional {
		devices := k.group == "resource.k8s.io"
		if devices && !claims {
			continue
		}
		for _, kind := range k.kinds {
			path := "/" + strings.ToLower(kind) + "s"
			if k.ofPods && r.Namespace != "" {
				path = "/namespaces/" + r.Namespace + path
			}
			found, err := false, error(nil)
			for _, version := range k.versions {
				if name := k.group + "/" + version; !found && err == nil && (served == nil || served[name]) {
					found, err = r.list(ctx, client, "/apis/"+name+path, "")
				}
			}
			if devices && (err != nil || !found && kind != "DeviceTaintRule") {
				r.Devices.Incomplete = true
			}
			first = cmp.Or(first, err)
		}
	}
	short, cancel := context.WithTimeout(ctx, r.eventsTime())
	defer cancel()
	for _, fields := range autoscalerFields {
		if !r.noEvents {
			_, err := r.list(short, client, r.path("events"), fields)
			first = cmp.Or(first, err)
		}
	}
	if first != nil {
		r.Warnings = append(r.Warnings, fmt.Errorf("claims, devices, pools of nodes and events of autoscalers are not read completely: %w", first))
	}
}

// served returns the versions of groups that the API server has, nil if it does not list them.
func served(ctx context.Context, client rest.Interface) (map[string]bool, error) {
	var list metav1.APIGroupList
	result := client.Get().AbsPath("/apis").Do(ctx)
	err := result.Error()
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		text, _ := result.Raw()
		err = json.Unmarshal(text, &list)
	}
	names := make(map[string]bool)
	for _, group := range list.Groups {
		for _, version := range group.Versions {
			names[version.GroupVersion] = true
		}
	}
	return names, err
}

// list reads a list, and reports whether the API server has it.
func (r *reader) list(ctx context.Context, client rest.Interface, path, fields string) (bool, error) {
	n := 0
	for o, err := range pages(ctx, client, path, "", fields) {
		if apierrors.IsNotFound(err) && n == 0 {
			return false, nil
		}
		if n++; n > maxObjects {
			err = fmt.Errorf("%s: more than %d objects", path, maxObjects)
		}
		if err == nil || errors.As(err, new(*objects.Problem)) {
			err = r.object(o, err)
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// A Refusal is why a workload lacks pods: the API server refuses to create them.
type Refusal struct {
	Workload string    `json:"workload"`    // such as "ReplicaSet shop/web-5d8f"
	At       time.Time `json:"at,omitzero"` // the last time that is known
	Message  string    `json:"message"`
	of       corev1.ObjectReference
	pod      string // of a stateful set; empty if its name is unknown
}

// workloads are the kinds whose controllers report refusals by events, and their paths.
var workloads = map[string]string{
	"ReplicationController": "/api/v1", "ReplicaSet": "/apis/apps/v1", "StatefulSet": "/apis/apps/v1", "DaemonSet": "/apis/apps/v1", "Job": "/apis/batch/v1",
}

// maxWorkloads bounds the requests, one for each workload.
const maxWorkloads = 100

// replica matches the message about a pod of a stateful set.
var replica = regexp.MustCompile(`^create Pod (\S+) in StatefulSet `)

func (o *Options) eventsTime() time.Duration { return cmp.Or(o.EventsTime, 10*time.Second) }

// refused adds the refusals. Their events stay for an hour when the cause is gone; then
// the workload has this pod of a stateful set, or otherwise a newer one, or is gone, or has
// no condition ReplicaFailure. If this fails or takes too long, it is a warning.
func (r *reader) refused(ctx context.Context, client rest.Interface) {
	latest := make(map[string]*Refusal)
	for o, err := range pages(ctx, client, r.path("events"), "", "reason=FailedCreate") {
		var e corev1.Event
		switch {
		case err != nil:
			r.Warnings = append(r.Warnings, fmt.Errorf("workloads whose pods are refused are not listed: %w", err))
			r.noEvents = true
			return
		case o.Is("Event") && o.Decode(&e) == nil && workloads[e.InvolvedObject.Kind] != "":
			of := e.InvolvedObject
			x := &Refusal{of.Kind + " " + of.Namespace + "/" + of.Name, lastTime(&e), strings.TrimPrefix(e.Message, "(combined from similar events): "), of, ""}
			if m := replica.FindStringSubmatch(x.Message); m != nil && of.Kind == "StatefulSet" {
				x.pod = of.Namespace + "/" + m[1]
			}
			if last := latest[x.Workload+x.pod]; last == nil || last.At.Before(x.At) {
				latest[x.Workload+x.pod] = x
			}
		}
	}
	created := make(map[string]time.Time) // the last pod
	for _, p := range r.Pods {
		kind, name, _ := strings.Cut(p.Owner, " ")
		if owner := kind + " " + p.Namespace + "/" + name; p.Created.After(created[owner]) {
			created[owner] = p.Created
		}
	}
	byTime := func(a, b *Refusal) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Workload, b.Workload)) }
	var unread error
	for i, x := range slices.SortedFunc(maps.Values(latest), byTime) {
		if i == maxWorkloads {
			r.Warnings = append(r.Warnings, fmt.Errorf("more than %d workloads have events with FailedCreate; the others are not listed", i))
			break
		}
		var w appsv1.ReplicaSet // the others have the same fields, except the condition
		text, err := client.Get().AbsPath(workloads[x.of.Kind]).Namespace(x.of.Namespace).Resource(strings.ToLower(x.of.Kind) + "s").Name(x.of.Name).DoRaw(ctx)
		if apierrors.IsForbidden(err) || ctx.Err() != nil {
			unread = cmp.Or(unread, err)
		}
		over := apierrors.IsNotFound(err) || r.pods[x.pod] != nil || x.pod == "" && created[x.Workload].After(x.At)
		if err == nil && json.Unmarshal(text, &w) == nil {
			if strings.HasPrefix(x.of.Kind, "Replica") {
				over = !slices.ContainsFunc(w.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
					return c.Type == "ReplicaFailure" && c.Reason == "FailedCreate"
				})
			}
			over = over || w.Spec.Replicas != nil && *w.Spec.Replicas == 0 || !r.selector.Matches(labels.Set(w.Spec.Template.Labels))
		}
		listed := func(y *Refusal) bool { return y.Workload == x.Workload } // for another replica
		if !over && !slices.ContainsFunc(r.Refused, listed) {
			r.Refused = append(r.Refused, x)
		}
	}
	if unread != nil {
		r.Warnings = append(r.Warnings, fmt.Errorf("some of the refusals of pods can be over, as their workloads are not read: %w", unread))
	}
}

// lastTime returns when the event was last seen.
func lastTime(e *corev1.Event) time.Time {
	series := ptr.Deref(e.Series, corev1.EventSeries{})
	times := []time.Time{e.LastTimestamp.Time, e.EventTime.Time, series.LastObservedTime.Time}
	return slices.MaxFunc(times, time.Time.Compare)
}

// An Event is what an autoscaler last wrote about a pod that waits.
type Event struct {
	Source  string    `json:"source"` // such as cluster-autoscaler
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	At      time.Time `json:"at,omitzero"` // the last time that is known
}

// autoscalerFields select the events of autoscalers about pods.
var autoscalerFields = []string{"involvedObject.kind=Pod,source=cluster-autoscaler", "involvedObject.kind=Pod,source=karpenter"}

// event keeps the last event of an autoscaler about a pod.
func (r *reader) event(o *objects.Object) {
	var e corev1.Event
	if o.Decode(&e) != nil || e.InvolvedObject.Kind != "Pod" {
		return
	}
	x := &Event{cmp.Or(e.Source.Component, e.ReportingController), e.Reason, e.Message, lastTime(&e)}
	if x.Source != "cluster-autoscaler" && x.Source != "karpenter" {
		return
	}
	name := strings.TrimPrefix(e.InvolvedObject.Namespace+"/"+e.InvolvedObject.Name, "/")
	if last := r.events[name]; last == nil || last.At.Before(x.At) {
		r.events[name] = x
	}
}

// A PodClaim is a ResourceClaim that a pod needs.
type PodClaim struct {
	Name     string // empty until it is created
	Template string // the ResourceClaimTemplate that it is created from, if any
}

func podClaims(spec *corev1.PodSpec, status *corev1.PodStatus) (claims []PodClaim) {
	for _, c := range spec.ResourceClaims {
		name := c.ResourceClaimName
		at := slices.IndexFunc(status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool { return s.Name == c.Name })
		if at >= 0 {
			name = status.ResourceClaimStatuses[at].ResourceClaimName
		}
		if at < 0 || name != nil { // otherwise it needs none
			claims = append(claims, PodClaim{ptr.Deref(name, ""), ptr.Deref(c.ResourceClaimTemplateName, "")})
		}
	}
	return claims
}

// Devices is what was read of the group resource.k8s.io.
type Devices struct {
	Claims     map[string]*resourcev1.ResourceClaimSpec // by kind and name: claims, nil if allocated, and templates
	Slices     map[string]*Slice                        // by name
	Rules      map[string]*dra.Rule                     // by name
	Incomplete bool                                     // some could not be read
}

// A Slice is the spec of a ResourceSlice: its pool, and the names, nodes and taints of devices.
type Slice = resourcev1.ResourceSliceSpec

// device adds an object of the group resource.k8s.io.
func (r *reader) device(o *objects.Object) {
	claim := o.Kind + " " + o.Namespace + "/" + o.Name
	switch o.Kind {
	case "ResourceClaim":
		var v resourcev1.ResourceClaim
		err, spec := o.Decode(&v), &v.Spec
		if v.Status.Allocation != nil {
			spec = nil
		}
		add(r, o, err, r.Devices.Claims, claim, spec)
	case "ResourceClaimTemplate":
		var v resourcev1.ResourceClaimTemplate
		add(r, o, o.Decode(&v), r.Devices.Claims, claim, &v.Spec.Spec)
	case "ResourceSlice":
		var v resourcev1.ResourceSlice
		err := o.Decode(&v)
		for i, d := range v.Spec.Devices { // the rest is large
			v.Spec.Devices[i] = resourcev1.Device{Name: d.Name, Taints: d.Taints, NodeName: d.NodeName, NodeSelector: d.NodeSelector, AllNodes: d.AllNodes}
		}
		add(r, o, err, r.Devices.Slices, o.Name, &v.Spec)
	case "DeviceTaintRule":
		var old map[string]any // up to Kubernetes 1.34
		_ = o.Decode(&old)
		class, _, _ := unstructured.NestedFieldNoCopy(old, "spec", "deviceSelector", "deviceClassName")
		selectors, _, _ := unstructured.NestedSlice(old, "spec", "deviceSelector", "selectors")
		if class != nil || len(selectors) > 0 {
			r.Warnings = report(r.Warnings, o.Problem(errors.New("spec.deviceSelector: deviceClassName and selectors are not evaluated, so the rule is ignored")))
			r.Devices.Incomplete = true
			return
		}
		var v resourcev1.DeviceTaintRule
		err := o.Decode(&v)
		add(r, o, err, r.Devices.Rules, o.Name, &dra.Rule{Selector: (*dra.Selector)(v.Spec.DeviceSelector), Taint: v.Spec.Taint})
	}
}

// add adds what was decoded of an object.
func add[V any](r *reader, o *objects.Object, err error, to map[string]V, name string, v V) {
	if before, ok := to[name]; err == nil && ok && !reflect.DeepEqual(before, v) {
		err = errDiffer
	}
	if r.err(o, nil, err) != nil {
		r.Devices.Incomplete = true
	} else {
		to[name] = v
	}
}
