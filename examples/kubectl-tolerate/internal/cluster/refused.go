package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
)

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
	last := e.LastTimestamp.Time
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
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
