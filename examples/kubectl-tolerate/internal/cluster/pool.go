package cluster

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
)

// A Pool is what nodes are made from: a NodePool of Karpenter, a MachineSet of OpenShift or
// Cluster API, or a MachineDeployment.
type Pool struct {
	Name    string     // such as "NodePool gpu"
	Taints  taint.List // of its nodes, except those of Startup
	Startup taint.List // that another program removes from a new node
	Nodes   int        // that it has
	Unread  string     // what else its nodes can have; empty for nothing

	known     []corev1.NodeSelectorRequirement // about the labels of its nodes
	karpenter bool                             // which makes no node for a label that neither the pool nor a provider has
	owner     string                           // the key of the MachineDeployment that controls it
	cluster   string                           // of Cluster API, with the namespace
}

type poolFields struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ClusterName string `json:"clusterName"`
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
		Replicas int `json:"replicas"`
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
	p := &Pool{Name: o.String(), Nodes: v.Status.Replicas, known: t.Spec.Requirements, karpenter: group == "karpenter.sh"}
	known := t.Metadata.Labels
	switch group {
	case "karpenter.sh":
		p.label(map[string]string{nodePool: o.Name})
		v.Annotations = nil // those below are not Karpenter's
	case "machine.openshift.io":
		known = t.Spec.Metadata.Labels
	default:
		p.Unread, p.cluster = "taints and labels of its bootstrap template", o.Namespace+"/"+v.Spec.ClusterName
		maps.DeleteFunc(known, func(key, _ string) bool { return !synced(key) })
		if c := metav1.GetControllerOfNoCopy(&v); c != nil && c.Kind == "MachineDeployment" {
			p.owner = group + " " + strings.TrimSuffix(strings.Replace(p.Name, o.Kind, c.Kind, 1), o.Name) + c.Name
		}
	}
	p.label(known)
	more, labelsErr := labels.ConvertSelectorToLabelsMap(v.Annotations["capacity.cluster-autoscaler.kubernetes.io/labels"])
	p.label(more)
	decode := func(raw jsontext.Value, to *taint.List, field string) {
		if err == nil && raw != nil {
			*to, _, err = taint.Decode(raw, taint.DecodeOptions{Path: "spec.template.spec." + field, Strict: !r.Live() && p.cluster == ""})
		}
	}
	decode(t.Spec.Taints, &p.Taints, "taints")
	decode(t.Spec.StartupTaints, &p.Startup, "startupTaints")
	var of []struct { // Cluster API's have this field
		Propagation string `json:"propagation"`
	}
	if err == nil && p.cluster != "" && json.Unmarshal(t.Spec.Taints, &of) == nil {
		var stay taint.List
		for i, t := range p.Taints {
			if of[i].Propagation == "OnInitialization" {
				p.Startup = append(p.Startup, t)
			} else {
				stay = append(stay, t)
			}
		}
		p.Taints = stay
	}
	annotated, taintsErr := taint.ParseList(v.Annotations["capacity.cluster-autoscaler.kubernetes.io/taints"])
	for _, t := range annotated {
		if !slices.Contains(p.Taints, t) {
			p.Taints = append(p.Taints, t)
		}
	}
	for _, t := range p.Taints {
		r.Valued[t.Key()] = r.Valued[t.Key()] || t.Value() != ""
	}
	key := group + " " + p.Name
	if before := r.pools[key]; before != nil && !reflect.DeepEqual(before, p) {
		err = errors.Join(err, errDiffer)
	}
	if r.err(o, nil, err, labelsErr, taintsErr) != nil {
		p = nil // an unknown one
	}
	r.pools[key] = p
}

// label adds labels that all nodes of the pool have.
func (p *Pool) label(set map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		p.known = append(p.known, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{set[key]}})
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
	var v struct {
		Spec struct {
			ClusterName string `json:"clusterName"`
			ProviderID  string `json:"providerID"`
		} `json:"spec"`
		Status struct {
			NodeRef struct {
				Name string `json:"name"`
			} `json:"nodeRef"`
		} `json:"status"`
	}
	if o.Decode(&v) != nil || v.Spec.ProviderID == "" {
		return
	}
	if n := r.nodes[v.Status.NodeRef.Name]; n != nil && n.providerID == v.Spec.ProviderID {
		r.clusters[o.Namespace+"/"+v.Spec.ClusterName] = true
	}
}

// addPools adds the pools of this cluster. Objects of Cluster API that are read from the
// API server usually belong to others, which it manages.
func (r *reader) addPools() {
	for _, key := range slices.Sorted(maps.Keys(r.pools)) {
		p := r.pools[key]
		if p == nil || r.pools[p.owner] != nil || r.Live() && p.cluster != "" && !r.clusters[p.cluster] {
			continue
		}
		for _, n := range r.Nodes {
			if p.karpenter && "NodePool "+n.Labels[nodePool] == p.Name {
				p.Nodes++
			}
		}
		r.Pools = append(r.Pools, p)
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

// Selects reports whether the placement selects the nodes of a pool, and which requirement
// is the cause if it does not, or perhaps does not.
func (p *Placement) Selects(pool *Pool) (Answer, string) {
	all := func(requirements []Requirement) (Answer, string) {
		answer, because := Yes, ""
		for _, q := range requirements {
			if one := pool.has(q); answer == Yes && one == Perhaps || answer != No && one == No {
				answer, because = one, q.String()
			}
		}
		return answer, because
	}
	answer, because := all((&Placement{Selector: p.Selector}).Requirements())
	if p.Required == nil || answer == No {
		return answer, because
	}
	best, cause := No, p.Text // if it has no terms
	for _, term := range p.Required.NodeSelectorTerms {
		one, why := all((&Placement{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}}).Requirements())
		if len(term.MatchExpressions) == 0 || len(term.MatchFields) > 0 { // it selects nothing, or a node that exists
			one, why = No, p.Text
		}
		if best == No || best == Perhaps && one == Yes {
			best, cause = one, why
		}
	}
	if best == Yes {
		best, cause = answer, because
	}
	return best, cause
}

// has reports whether the labels of the pool's nodes meet a requirement.
func (p *Pool) has(q Requirement) Answer {
	var known []Requirement
	var possible []string   // values of the label
	var about, limited bool // something is known, or the values
	for _, k := range p.known {
		if k.Key == q.Key {
			about = true
			if _, err := (Requirement{k}).selector(); err != nil { // an operator of Karpenter alone
				continue
			}
			known = append(known, Requirement{k})
			if k.Operator == corev1.NodeSelectorOpIn && !limited {
				possible, limited = k.Values, true
			}
		}
	}
	if !limited && q.Operator == corev1.NodeSelectorOpIn {
		possible = q.Values
	}
	met, all := 0, 0
	for _, value := range possible {
		set := map[string]string{q.Key: value}
		if !slices.ContainsFunc(known, func(k Requirement) bool { return !k.Meets(set) }) {
			all++
			if q.Meets(set) {
				met++
			}
		}
	}
	switch {
	case limited && met == all && all > 0:
		return Yes
	case met == 0 && (limited || q.Operator == corev1.NodeSelectorOpIn):
		return No
	case about || !p.karpenter || strings.Contains(q.Key, "/"):
		return Perhaps
	case q.Meets(nil):
		return Yes
	}
	return No
}
