package cluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

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
