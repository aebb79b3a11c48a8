package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// storage is what the claims of pods require of nodes, as the scheduler's plugins
// VolumeBinding and VolumeZone see it. The capacity of storage is not judged.
type storage struct {
	claims   map[string]claim    // by namespace/name
	volumes  map[string][]demand // by name
	classes  map[string]demand   // by name
	complete bool                // what is not here does not exist
}

type claim struct {
	volume, class string
	deleted       bool
}

// A demand is what a volume requires of a node: one of the terms.
type demand struct {
	text  string // for people
	terms []corev1.NodeSelectorTerm
}

// unbound is the demand of a claim that keeps its pods from every node.
var unbound = demand{text: "no node, as a claim is not bound"}

// claimsOf returns the names of the claims of a pod. An ephemeral one is the pod's own, so it
// says nothing of the pod that replaces a running one.
func claimsOf(spec *corev1.PodSpec, pod string) (names []string) {
	for _, v := range spec.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			names = append(names, v.PersistentVolumeClaim.ClaimName)
		case v.Ephemeral != nil && pod != "" && spec.NodeName == "":
			names = append(names, pod+"-"+v.Name)
		}
	}
	return names
}

// listVolumes reads the kinds from the API server. What it does not list is a warning.
func (r *reader) listVolumes(whole context.Context, env *cli.Env) error {
	if !slices.ContainsFunc(r.Pods, func(p *Pod) bool { return len(p.claims) > 0 && (p.Waits() || !r.Refusals) }) {
		return nil // the whole report compares only pods that wait
	}
	client, err := env.Client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(whole, maxReading)
	defer cancel()
	for _, path := range []string{r.path("persistentvolumeclaims"), "/api/v1/persistentvolumes", "/apis/storage.k8s.io/v1/storageclasses"} {
		found, err := r.list(ctx, client, path, "")
		if !found && err == nil {
			err = fmt.Errorf("%s: not found", path)
		}
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Errorf("volumes are not read: %w", err))
			return whole.Err()
		}
	}
	r.storage.complete = true
	return whole.Err()
}

// volume adds a claim, a volume or a storage class, and reports whether the object is one.
func (r *reader) volume(o *objects.Object) bool {
	var err error
	switch {
	default:
		return false
	case o.Is("PersistentVolumeClaim"):
		var v corev1.PersistentVolumeClaim
		err = o.Decode(&v)
		c := claim{v.Spec.VolumeName, v.Annotations[corev1.BetaStorageClassAnnotation], v.DeletionTimestamp != nil}
		if c.class == "" && v.Spec.StorageClassName != nil {
			c.class = *v.Spec.StorageClassName
		}
		if c.volume != "" && v.Status.Phase == corev1.ClaimPending {
			c.volume, c.class = "", "" // bound to it later, whatever its class
		}
		r.storage.claims[o.Namespace+"/"+o.Name] = c
	case o.Is("PersistentVolume"):
		var v corev1.PersistentVolume
		if err = o.Decode(&v); err == nil {
			r.storage.volumes[o.Name], err = demandsOf(&v)
		}
	case o.Kind == "StorageClass" && (o.APIVersion == "" || o.APIVersion == "storage.k8s.io/v1"):
		var v storagev1.StorageClass
		err = o.Decode(&v)
		var d demand
		for _, t := range v.AllowedTopologies {
			var term corev1.NodeSelectorTerm
			for _, q := range t.MatchLabelExpressions {
				term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: q.Key, Operator: corev1.NodeSelectorOpIn, Values: q.Values})
			}
			d.add(term)
		}
		if v.VolumeBindingMode == nil || *v.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer {
			d = unbound
		}
		r.storage.classes[o.Name] = d
	}
	_ = r.err(o, nil, err)
	return true
}

// add adds an alternative, and its text.
func (d *demand) add(term corev1.NodeSelectorTerm) {
	var parts []string
	for _, q := range slices.Concat(term.MatchExpressions, term.MatchFields) {
		parts = append(parts, describe(q))
	}
	if d.text != "" {
		d.text += " or "
	}
	d.text, d.terms = d.text+strings.Join(parts, " and "), append(d.terms, term)
}

// zoneLabels are those by which old volumes name their zones, the newer ones behind them.
var zoneLabels = []string{corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// demandsOf returns what a volume requires: its node affinity, and the zones of its labels,
// of nodes that have any such label.
func demandsOf(v *corev1.PersistentVolume) (list []demand, err error) {
	if a := v.Spec.NodeAffinity; a != nil && a.Required != nil {
		if _, err = nodeaffinity.NewNodeSelector(a.Required); err != nil {
			return nil, fmt.Errorf("spec.nodeAffinity.required: %w", err)
		}
		var d demand
		any := false
		for _, term := range a.Required.NodeSelectorTerms {
			any = any || len(term.MatchExpressions) == 0 && len(term.MatchFields) > 0
			term.MatchFields = nil // the scheduler ignores those of volumes
			d.add(term)
		}
		if !any {
			list = append(list, demand{cmp.Or(d.text, "no node, as a volume's affinity has no terms"), d.terms})
		}
	}
	var none corev1.NodeSelectorTerm
	for _, key := range zoneLabels {
		none.MatchExpressions = append(none.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist})
	}
	var d demand
	zones := []corev1.NodeSelectorTerm{{}} // of nodes that have any
	for i, key := range zoneLabels {
		value, ok := v.Labels[key]
		if !ok {
			continue
		}
		in := corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: strings.Split(value, "__")}
		var more []corev1.NodeSelectorTerm
		for _, t := range zones {
			more = append(more, corev1.NodeSelectorTerm{MatchExpressions: append(slices.Clip(t.MatchExpressions), in)})
			if i < 2 {
				newer := in
				newer.Key = zoneLabels[i+2]
				more = append(more, corev1.NodeSelectorTerm{MatchExpressions: append(slices.Clip(t.MatchExpressions), newer, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist})})
			}
		}
		zones, d.text = more, strings.TrimPrefix(d.text+" and "+describe(in), " and ")
	}
	if d.text != "" {
		d.terms = append(zones, none)
		list = append(list, d)
	}
	return list, nil
}

// demands returns what a claim requires, and whether that is known.
func (s *storage) demands(namespace, name string) ([]demand, bool) {
	c, ok := s.claims[namespace+"/"+name]
	switch {
	case !ok && s.complete:
		return []demand{{text: "no node, as a claim does not exist"}}, true
	case !ok:
		return nil, false
	case c.deleted:
		return []demand{{text: "no node, as a claim is being deleted"}}, true
	case c.volume == "" && c.class == "":
		return []demand{unbound}, true
	case c.volume == "": // the first consumer decides where it will be
		d, ok := s.classes[c.class]
		if !ok && s.complete {
			return []demand{unbound}, true
		}
		return []demand{d}, ok
	}
	list, ok := s.volumes[c.volume]
	if !ok && s.complete {
		return []demand{{text: "no node, as a volume does not exist"}}, true
	}
	return list, ok
}

// maxTerms is how many alternatives a pod has with its volumes.
const maxTerms = 1000

var errTerms = errors.New("the volumes have too many alternatives for their nodes")

// withVolumes returns the placement with what the claims of a pod require, and whether that is
// known of all.
func (c *Cluster) withVolumes(p *Placement, namespace string, claims []string) (*Placement, bool, error) {
	var texts []string
	var seen []demand
	var terms []corev1.NodeSelectorTerm // all are required of a pod with them
	known, some := true, false
	if p.required != nil {
		terms, some = p.required.NodeSelectorTerms, true
	}
	for _, name := range claims {
		list, ok := c.storage.demands(namespace, name)
		known = known && ok
		for _, d := range list {
			if d.text == "" || slices.ContainsFunc(seen, func(e demand) bool { return reflect.DeepEqual(d, e) }) {
				continue
			}
			if seen = append(seen, d); !slices.Contains(texts, d.text) {
				texts = append(texts, d.text)
			}
			if !some {
				terms, some = d.terms, true
				continue
			}
			var both []corev1.NodeSelectorTerm
			for _, a := range terms {
				for _, b := range d.terms {
					if len(a.MatchExpressions)+len(a.MatchFields) > 0 && len(b.MatchExpressions)+len(b.MatchFields) > 0 { // an empty one matches no node
						both = append(both, corev1.NodeSelectorTerm{MatchExpressions: slices.Concat(a.MatchExpressions, b.MatchExpressions), MatchFields: slices.Concat(a.MatchFields, b.MatchFields)})
					}
				}
			}
			if terms = both; len(terms) > maxTerms {
				return p, known, errTerms
			}
		}
	}
	if texts == nil {
		return p, known, nil
	}
	slices.Sort(texts)
	text := strings.TrimPrefix(p.Text+"; volumes: "+strings.Join(texts, ", "), "; ")
	spec := corev1.PodSpec{NodeSelector: p.selector, Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}}
	q, err := c.placement(&spec, text)
	return q, known, err
}

// addVolumes adds what their volumes require to the placements of the pods.
func (r *reader) addVolumes() {
	for _, p := range r.Pods {
		if len(p.claims) == 0 || p.Err != nil {
			continue
		}
		var known bool
		if p.Placement, known, p.Err = r.withVolumes(p.Placement, p.Namespace, p.claims); p.Err != nil {
			r.Problems = report(r.Problems, fmt.Errorf("Pod %s: %w", objects.Printable(p.FullName()), p.Err))
		}
		if !known {
			p.NotJudged |= Volumes
		}
	}
}

// Template returns a pod as a workload of the kind makes it from the spec of its template, with
// the tolerations that Kubernetes adds.
func (c *Cluster) Template(kind, namespace string, spec map[string]any) (*Pod, error) {
	var v podSpec
	text, err := json.Marshal(spec)
	if err == nil {
		err = (&objects.Object{Raw: text}).Decode(&v)
	}
	p := &Pod{Namespace: namespace, claims: claimsOf(&v.PodSpec, "")}
	if err == nil && v.Tolerations != nil {
		p.Tolerations, _, err = toleration.Decode(v.Tolerations, toleration.DecodeOptions{Path: "tolerations"})
	}
	if err != nil {
		return nil, err
	}
	p.Tolerations = slices.Concat(p.Tolerations, admission.DefaultSeconds(admission.SecondsOptions{}, p.Tolerations))
	if kind == "DaemonSet" {
		p.Tolerations = admission.Daemon(admission.DaemonOptions{HostNetwork: v.HostNetwork}, p.Tolerations)
	}
	p.Placement, err = c.placement(&v.PodSpec, "")
	return p, err
}

// Replacement returns the template's pod with the volumes of old, or those of the template if
// old is nil, and whether all are known.
func (c *Cluster) Replacement(template, old *Pod) (p Pod, known bool, err error) {
	p = *template
	if old != nil {
		p.claims = old.claims
	}
	p.Placement, known, err = c.withVolumes(p.Placement, p.Namespace, p.claims)
	return p, known, err
}

// A Set is what a pod's node depends on, and what is not judged.
type Set uint8

// The elements of a Set.
const (
	Topology Set = 1 << iota // of pods: affinity and spread
	Ports
	Volumes
)

// Names returns the elements as texts.
func (s Set) Names() (list []string) {
	for i, name := range []string{"pod affinity and topology spread", "host ports", "volumes (add persistentvolumeclaims, persistentvolumes and storageclasses)"} {
		if s&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

// notJudged returns what of the pod is not judged.
func notJudged(spec *corev1.PodSpec) (s Set) {
	a := spec.Affinity
	hard := func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable != corev1.ScheduleAnyway }
	if slices.ContainsFunc(spec.TopologySpreadConstraints, hard) || a != nil && (a.PodAffinity != nil && a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil ||
		a.PodAntiAffinity != nil && a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil) {
		s |= Topology
	}
	for _, c := range spec.Containers {
		if slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort != 0 }) {
			s |= Ports
		}
	}
	return s
}
