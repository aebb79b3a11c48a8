package cluster

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A Pool is what nodes are made from: a NodePool of Karpenter, a MachineSet of OpenShift or
// Cluster API, or a MachineDeployment.
type Pool struct {
	Name    string     // such as "NodePool gpu"
	Taints  taint.List // of its nodes, except those of Startup
	Startup taint.List // that another program removes from a new node
	Nodes   []*Node    // of Karpenter, those that it has
	Ready   int        // machines whose nodes are ready
	Closed  string     // why it makes no nodes; empty if it does
	Unread  string     // what its nodes can have besides; empty for nothing

	known     map[string][]Requirement // about the labels of its nodes
	karpenter bool                     // it makes no node with a label that neither it nor its provider defines
	owner     string                   // the key of the MachineDeployment that controls it
	cluster   string                   // of Cluster API, with the namespace
	err       error                    // why the rest is unknown
}

type poolFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterName string              `json:"clusterName"`
		Replicas    *int                `json:"replicas"`
		Limits      corev1.ResourceList `json:"limits"`
		Template    struct {
			Metadata metadata `json:"metadata"` // of a node (Karpenter) or a machine
			Spec     struct {
				Metadata      metadata                         `json:"metadata"` // of a node (OpenShift)
				Taints        jsontext.Value                   `json:"taints"`
				StartupTaints jsontext.Value                   `json:"startupTaints"`
				Requirements  []corev1.NodeSelectorRequirement `json:"requirements"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		ReadyReplicas int `json:"readyReplicas"`
		Conditions    []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

type metadata struct {
	Labels map[string]string `json:"labels"`
}

// nodePool is the label of Karpenter's nodes with the name of their NodePool.
const nodePool = "karpenter.sh/nodepool"

// pool adds a pool.
func (r *reader) pool(o *objects.Object) {
	var v poolFields
	err := o.Decode(&v)
	if err != nil {
		v = poolFields{} // part of it is wrong
	}
	group, _, _ := strings.Cut(o.APIVersion, "/")
	t := &v.Spec.Template
	p := &Pool{Name: o.String(), Ready: v.Status.ReadyReplicas, known: make(map[string][]Requirement)}
	if v.DeletionTimestamp != nil {
		p.Closed = "it is being deleted"
	}
	known := t.Metadata.Labels
	switch group {
	case "karpenter.sh":
		p.Name, p.karpenter, v.Annotations = o.Kind+" "+o.Name, true, nil // those below are of others
		p.label(map[string]string{nodePool: o.Name})
		for _, q := range t.Spec.Requirements {
			p.known[q.Key] = append(p.known[q.Key], newRequirement(q, false))
		}
		for name, limit := range v.Spec.Limits {
			if limit.IsZero() {
				p.Closed = "its limit of " + string(name) + " is 0"
			}
		}
		if v.Spec.Replicas != nil {
			p.Closed = "it has a fixed number of nodes"
		}
		for _, c := range v.Status.Conditions {
			if c.Type == "Ready" && c.Status == "False" {
				p.Closed = "it is not ready"
			}
		}
	case "machine.openshift.io":
		known = t.Spec.Metadata.Labels
	default:
		p.Unread, p.cluster = "its bootstrap template, which can add taints and labels, is not read", o.Namespace+"/"+v.Spec.ClusterName
		maps.DeleteFunc(known, func(key, _ string) bool { return !synced(key) })
		if c := metav1.GetControllerOfNoCopy(&v); c != nil {
			p.owner = group + " " + (&objects.Object{Kind: c.Kind, Namespace: o.Namespace, Name: c.Name}).String()
		}
	}
	p.label(known)
	annotated, labelsErr := labels.ConvertSelectorToLabelsMap(v.Annotations["capacity.cluster-autoscaler.kubernetes.io/labels"])
	maps.DeleteFunc(annotated, func(key, _ string) bool { return known[key] != "" })
	if p.label(annotated); len(annotated) > 0 && p.Unread == "" {
		p.Unread = "it has labels in an annotation, which its nodes can lack"
	}
	decode := func(raw jsontext.Value, to *taint.List, field string) { // Cluster API's taints have one more field
		if err == nil && raw != nil {
			*to, _, err = taint.Decode(raw, taint.DecodeOptions{Path: "spec.template.spec." + field, Strict: !r.Live() && p.cluster == ""})
		}
	}
	decode(t.Spec.Taints, &p.Taints, "taints")
	decode(t.Spec.StartupTaints, &p.Startup, "startupTaints")
	more, taintsErr := taint.ParseList(strings.ReplaceAll(v.Annotations["capacity.cluster-autoscaler.kubernetes.io/taints"], " ", ""))
	for _, t := range more {
		if !slices.Contains(p.Taints, t) {
			p.Taints = append(p.Taints, t)
		}
	}
	if !p.karpenter { // Cluster Autoscaler expects that these are removed
		p.Startup = slices.DeleteFunc(slices.Clone(p.Taints), func(t taint.Taint) bool { return !condition.Temporary().Has(t) })
		p.Taints = condition.Temporary().Drop(p.Taints)
	}
	key := group + " " + p.Name
	before := r.pools[key]
	if before != nil && !reflect.DeepEqual(before, p) {
		err = errDiffer
	}
	if err = cmp.Or(err, labelsErr, taintsErr); err != nil {
		p.err = o.Problem(err)
	}
	if before == nil || before.err == nil {
		r.pools[key] = p
	}
}

// label adds labels that all nodes of the pool have.
func (p *Pool) label(set map[string]string) {
	for key, value := range set {
		p.known[key] = append(p.known[key], newRequirement(in(key, value), false))
	}
}

// synced reports whether Cluster API copies a label of a machine to its node.
func synced(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	of := func(parent string) bool { return domain == parent || strings.HasSuffix(domain, "."+parent) }
	return domain == "node-role.kubernetes.io" || of("node-restriction.kubernetes.io") || of("node.cluster.x-k8s.io")
}

// machine notes that a cluster of Cluster API is this one, if one of its machines is a node.
func (r *reader) machine(o *objects.Object) {
	var v map[string]any
	_ = o.Decode(&v) // of another form, it is no node's
	id, _, _ := unstructured.NestedString(v, "spec", "providerID")
	name, _, _ := unstructured.NestedString(v, "status", "nodeRef", "name")
	if n := r.nodes[name]; n != nil && id != "" && n.providerID == id {
		of, _, _ := unstructured.NestedString(v, "spec", "clusterName")
		r.clusters[o.Namespace+"/"+of] = true
	}
}

// addPools adds the pools of this cluster. Objects of Cluster API that are read from the
// API server usually belong to others, which it manages.
func (r *reader) addPools() {
	for _, key := range slices.Sorted(maps.Keys(r.pools)) {
		p := r.pools[key]
		switch {
		case r.pools[p.owner] != nil || r.Live() && p.cluster != "" && !r.clusters[p.cluster]:
			continue
		case p.err != nil && r.Live(): // the rest of the cluster is not unknown
			r.Warnings = report(r.Warnings, p.err)
			continue
		case p.err != nil:
			r.Problems = report(r.Problems, p.err)
			continue
		}
		for _, t := range p.Taints {
			r.Valued[t.Key()] = r.Valued[t.Key()] || t.Value() != ""
		}
		r.Pools = append(r.Pools, p)
	}
	for _, n := range r.Nodes {
		if p := r.pools["karpenter.sh NodePool "+n.Labels[nodePool]]; p != nil {
			p.Nodes = append(p.Nodes, n)
		}
	}
}

// An Answer is whether nodes of a pool would have what a pod selects.
type Answer string

// The answers.
const (
	Yes     Answer = "yes"
	Perhaps Answer = "perhaps"
	No      Answer = "no"
)

// Selected reports whether nodes of the pool would meet the terms of a placement, and if not
// or perhaps not, why. Known is how many of the requirements are about labels that the pool has.
func (p *Pool) Selected(terms [][]Requirement) (answer Answer, because string, known int) {
	answer, because = No, "the node affinity selects no node"
	for i, term := range terms {
		one, defined, causes := Yes, 0, []string(nil)
		for _, q := range term {
			if p.known[q.Key] != nil {
				defined++
			}
			switch has := p.has(q); {
			case has == No && one != No, has == Perhaps && one == Yes:
				one, causes = has, []string{q.String()}
			case has == one && one != Yes:
				causes = append(causes, q.String())
			}
		}
		if i == 0 || one == Yes || one == Perhaps && answer == No {
			answer, because, known = one, strings.Join(causes, " and "), defined
		}
		if one == Yes {
			break
		}
	}
	return answer, because, known
}

// has reports whether the labels of the pool's nodes meet a requirement.
func (p *Pool) has(q Requirement) Answer {
	in := q.Operator == corev1.NodeSelectorOpIn
	if q.Field || in && q.Key == corev1.LabelHostname { // of a new node
		if in || p.karpenter {
			return No
		}
		return Perhaps
	}
	known := p.known[q.Key]
	var values []string
	var limited, unclear, exists bool
	for _, k := range known {
		unclear = unclear || k.selector == nil // an operator of Karpenter alone
		switch {
		case k.Operator == corev1.NodeSelectorOpDoesNotExist && q.Meets(nil):
			return Yes
		case k.Operator == corev1.NodeSelectorOpDoesNotExist:
			return No
		case k.Operator == corev1.NodeSelectorOpIn && !limited:
			values, limited = k.Values, true
		}
		exists = exists || k.Operator == corev1.NodeSelectorOpExists
	}
	if !limited && in {
		values = q.Values
	}
	met, all := 0, 0
	for _, value := range values {
		set := map[string]string{q.Key: value}
		if !slices.ContainsFunc(known, func(k Requirement) bool { return k.selector != nil && !k.Meets(set) }) {
			all++
			if q.Meets(set) {
				met++
			}
		}
	}
	chosen := p.karpenter && !strings.Contains(q.Key, "/") // by Karpenter, unless no node has it
	switch {
	case limited && met == all && all > 0, exists && q.Operator == corev1.NodeSelectorOpExists:
		return Yes
	case met == 0 && (limited || in):
		return No
	case chosen && known == nil && !q.Meets(nil):
		return No
	case chosen && (known == nil || met > 0 && !unclear):
		return Yes
	}
	return Perhaps
}

// Cost is what one call of Selected costs, in labels that are compared.
func (p *Pool) Cost(terms [][]Requirement) (n int) {
	for _, term := range terms {
		for _, q := range term {
			n += len(q.Values) * (1 + len(p.known[q.Key]))
			for _, k := range p.known[q.Key] {
				n += len(k.Values) * (1 + len(p.known[q.Key]))
			}
		}
	}
	return n
}
