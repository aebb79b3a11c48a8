package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/rest"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// storage is what the claims of pods require of nodes, as the scheduler's plugins
// VolumeBinding and VolumeZone see it. The capacity of storage is not judged.
type storage struct {
	claims   map[string]claim                     // by namespace/name
	volumes  map[string][]*demand                 // by name
	classes  map[string]*demand                   // by name
	free     map[string][]corev1.NodeSelectorTerm // of volumes without a claim, by class
	demands  map[string]*demand                   // by what they require
	complete bool                                 // what is not here does not exist
}

type claim struct {
	volume, class string
	deleted       bool
}

// A demand is what a volume requires of a node, one for all that require the same.
type demand struct {
	text     string // for people
	terms    []corev1.NodeSelectorTerm
	selector *nodeaffinity.NodeSelector // of the terms; nil for no node
	key      string
}

// demand returns the demand for a node of one of the terms, with a text of its own if there is
// one.
func (s *storage) demand(text string, terms ...corev1.NodeSelectorTerm) (*demand, error) {
	d := &demand{text: cmp.Or(text, describeTerms(terms)), terms: terms}
	all, err := json.Marshal(terms)
	if d.key = d.text + string(all); s.demands[d.key] != nil {
		return s.demands[d.key], nil
	}
	if err == nil && len(terms) > 0 {
		d.selector, err = nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: terms})
	}
	if err != nil {
		return nil, fmt.Errorf("the nodes of a volume: %w", err)
	}
	s.demands[d.key] = d
	return d, nil
}

// nowhere returns the demand of what keeps its pods from every node.
func (s *storage) nowhere(text string) *demand {
	d, _ := s.demand(text)
	return d
}

const unbound = "a claim that is not bound"

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
func (r *reader) listVolumes(ctx context.Context, client rest.Interface) {
	if !slices.ContainsFunc(r.Pods, func(p *Pod) bool { return len(p.claims) > 0 && (p.Waits() || !r.Refusals) }) {
		return // the whole report compares only pods that wait
	}
	for _, path := range []string{r.path("persistentvolumeclaims"), "/api/v1/persistentvolumes", "/apis/storage.k8s.io/v1/storageclasses"} {
		found, err := r.list(ctx, client, path, "")
		if !found && err == nil {
			err = fmt.Errorf("%s: not found", path)
		}
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Errorf("volumes are not read: %w", err))
			return
		}
	}
	r.storage.complete = true
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
		class := cmp.Or(v.Annotations[corev1.BetaStorageClassAnnotation], ptr.Deref(v.Spec.StorageClassName, ""))
		c := claim{v.Spec.VolumeName, class, v.DeletionTimestamp != nil}
		if c.volume != "" && v.Status.Phase == corev1.ClaimPending {
			c.volume, c.class = "", "" // bound to it later, whatever its class
		}
		r.storage.claims[o.Namespace+"/"+o.Name] = c
	case o.Is("PersistentVolume"):
		var v corev1.PersistentVolume
		if err = o.Decode(&v); err == nil {
			err = r.storage.add(&v)
		}
	case o.Kind == "StorageClass" && (o.APIVersion == "" || o.APIVersion == "storage.k8s.io/v1"):
		var v storagev1.StorageClass
		err = o.Decode(&v)
		var terms []corev1.NodeSelectorTerm
		for _, t := range v.AllowedTopologies {
			var term corev1.NodeSelectorTerm
			for _, q := range t.MatchLabelExpressions {
				term.MatchExpressions = append(term.MatchExpressions, in(q.Key, q.Values...))
			}
			terms = append(terms, term)
		}
		class := &demand{}
		switch {
		case v.VolumeBindingMode == nil || *v.VolumeBindingMode != storagev1.VolumeBindingWaitForFirstConsumer:
			class = r.storage.nowhere(unbound)
		case v.Provisioner == "kubernetes.io/no-provisioner":
			class = nil // a volume must be there
		case terms != nil && err == nil:
			class, err = r.storage.demand("", terms...)
		}
		r.storage.classes[o.Name] = class
	}
	_ = r.err(o, nil, err)
	return true
}

// zoneLabels are those by which old volumes name their zones, the newer ones behind them.
var zoneLabels = []string{corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// add adds a volume: its node affinity, and the zones of its labels, which matter for nodes
// that have any such label.
func (s *storage) add(v *corev1.PersistentVolume) error {
	var list []*demand
	terms := []corev1.NodeSelectorTerm{ // every node
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpExists}}},
		{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpDoesNotExist}}},
	}
	if a := v.Spec.NodeAffinity; a != nil && a.Required != nil {
		every := false
		var own []corev1.NodeSelectorTerm
		for _, term := range a.Required.NodeSelectorTerms {
			every = every || len(term.MatchExpressions) == 0 && len(term.MatchFields) > 0
			term.MatchFields = nil // the scheduler ignores those of volumes
			own = append(own, term)
		}
		if !every {
			text := ""
			if len(own) == 0 {
				text = "an affinity without terms"
			}
			d, err := s.demand(text, own...)
			if err != nil {
				return err
			}
			list, terms = append(list, d), own
		}
	}
	if v.Spec.ClaimRef == nil {
		s.free[v.Spec.StorageClassName] = append(s.free[v.Spec.StorageClassName], terms...)
	}
	var none corev1.NodeSelectorTerm
	text := ""
	zones := []corev1.NodeSelectorTerm{{}} // of nodes that have any
	for i, key := range zoneLabels {
		none.MatchExpressions = append(none.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist})
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
		zones, text = more, strings.TrimPrefix(text+" and "+describe(in), " and ")
	}
	if text != "" {
		d, err := s.demand(text, append(zones, none)...)
		if err != nil {
			return err
		}
		list = append(list, d)
	}
	s.volumes[v.Name] = list
	return nil
}

// of returns what a claim requires, and whether that is known.
func (s *storage) of(namespace, name string) ([]*demand, bool) {
	c, ok := s.claims[namespace+"/"+name]
	class, known := s.classes[c.class]
	list, read := s.volumes[c.volume]
	switch {
	case !ok && !s.complete:
		return nil, false
	case !ok:
		return []*demand{s.nowhere("a claim that does not exist")}, true
	case c.deleted:
		return []*demand{s.nowhere("a claim that is being deleted")}, true
	case c.volume != "" && !read && s.complete:
		return []*demand{s.nowhere("a volume that does not exist")}, true
	case c.volume != "":
		return list, read
	case c.class == "" || !known && s.complete:
		return []*demand{s.nowhere(unbound)}, true
	case known && class == nil: // of local volumes, one that is free
		class, known = s.local(c.class)
	case known && class.text == "": // the first consumer decides where it is
		return nil, true
	}
	return []*demand{class}, known
}

// local returns the demand of claims of a class of local volumes, made once, when all are read.
func (s *storage) local(name string) (d *demand, ok bool) {
	d, err := s.demand("a free volume of class "+name, s.free[name]...)
	s.classes[name] = d
	return d, err == nil
}

// withVolumes returns the placement with what the claims of a pod require, and whether that is
// known of all.
func (c *Cluster) withVolumes(p *Placement, namespace string, claims []string) (_ *Placement, known bool) {
	var volumes []*demand
	known = true
	for _, name := range claims {
		list, ok := c.storage.of(namespace, name)
		if known = known && ok; ok {
			volumes = append(volumes, list...)
		}
	}
	if volumes == nil {
		return p, known
	}
	slices.SortFunc(volumes, func(a, b *demand) int { return strings.Compare(a.key, b.key) })
	volumes = slices.Compact(volumes)
	key := fmt.Sprintf("%p %v", p, volumes) // each is one for all that are equal
	if c.placements[key] == nil {
		q := *p
		q.Keys = slices.Clone(p.Keys)
		var texts []string
		var terms []*corev1.NodeSelector
		for _, d := range volumes {
			texts, terms = append(texts, d.text), append(terms, &corev1.NodeSelector{NodeSelectorTerms: d.terms})
			for _, t := range d.terms {
				for _, r := range t.MatchExpressions {
					q.Keys = append(q.Keys, r.Key)
				}
			}
		}
		q.volumes, q.Text = volumes, strings.TrimPrefix(p.Text+"; volumes: "+strings.Join(slices.Compact(texts), ", "), "; ")
		q.JSON, _ = json.Marshal(placementJSON{p.selector, p.required, terms})
		c.placements[key] = &q
	}
	return c.placements[key], known
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
	p.Placement, err = c.placement(&v.PodSpec)
	return p, err
}

// Replacement returns the template's pod with the volumes of old, or those of the template if
// old is nil.
func (c *Cluster) Replacement(template, old *Pod) Pod {
	p := *template
	if old != nil {
		p.claims = old.claims
	}
	p.Placement, _ = c.withVolumes(p.Placement, p.Namespace, p.claims)
	return p
}

// A Set is what a pod's node depends on, and what is not judged.
type Set uint8

const (
	topology Set = 1 << iota // of pods: affinity and spread
	ports
	unread // volumes
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
		s |= topology
	}
	for _, c := range spec.Containers {
		if slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort != 0 }) {
			s |= ports
		}
	}
	return s
}
